/* confirm: predictions, and what was written beside them, meet a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/error.h"
#include "tests/scripted_command.h"

#include <stdlib.h>

static void the_name_of_the_folder_to_confirm_is_no_pattern(void **state)
{
    (void)state;
    static const char *const names[] = {"o[1]", "a\\b", "what?*"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *tune = must_format("tune --quiet --arch sm_90 --device none --output %s " PROBLEM, names[i]);
        char *confirm = must_format("confirm %s", names[i]);
        assert_int_equal(run_command(tune), 0);
        json_decref(run_json(confirm));
        free(confirm);
        free(tune);
    }
}

static void assert_is_measured_and_right(const char *manifest)
{
    assert_true(said(manifest, "\"measured\""));
    assert_false(said(manifest, "threads=256,"));
}

static void a_prediction_is_confirmed_in_its_folder(void **state)
{
    (void)state;
    assert_int_equal(run_command("tune --quiet --arch sm_90 --device none --output there " PROBLEM), 0);
    assert_true(said("out.txt", "PREDICTED"));
    assert_true(said("there/" STEM ".json", "\"predicted\""));
    script->wrong_threads = 256;
    json_t *problem = run_json_problem("confirm there");
    size_t right = 1 + json_array_size(json_object_get(problem, "runners_up"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(problem, "choice"), "basis")),
                        "measured");
    json_decref(problem);
    assert_is_measured_and_right("there/" STEM ".json");
    for (size_t rank = 2; rank <= 5; rank++) {
        char *path = must_format("there/candidates/" STEM "/%zu/" STEM ".json", rank);
        assert_int_equal(is_there(path), rank <= right);
        if (rank <= right)
            assert_is_measured_and_right(path);
        free(path);
    }
}

static void confirm_changes_nothing_when_no_candidate_is_right(void **state)
{
    (void)state;
    assert_int_equal(run_command("tune --quiet --arch sm_90 --device none --output kept " PROBLEM), 0);
    script->all_wrong = true;
    assert_int_equal(run_command("confirm --quiet kept"), 1);
    assert_true(said("kept/" STEM ".json", "\"predicted\""));
}

static void confirm_goes_on_with_the_others_of_a_folder(void **state)
{
    (void)state;
    assert_int_equal(
        run_command("tune --quiet --arch sm_90 --device none --output many --M 16,8192 " PROBLEM), 0);
    assert_int_equal(run_command("tune --quiet --arch sm_120 --device none --output many " PROBLEM), 0);
    script->wrong_kernel = "_m16_";
    assert_int_equal(run_command("confirm --quiet many"), 1);
    assert_true(said("err.txt", "many/softmax_f32_m8192_n1024_sm_120.json is for sm_120"));
    assert_int_equal(lines_of("err.txt"), 2); /* and one for what is wrong */
    assert_true(said("out.txt", "\nf32 16x1024 "));
    assert_true(said("out.txt", "none: no candidate in many is right"));
    assert_true(said("out.txt", "\nf32 8192x1024 "));
    assert_true(said("out.txt", "\nFiles:  1 kernel in many"));
    assert_true(said("many/softmax_f32_m16_n1024_sm_90.json", "\"predicted\""));
    assert_true(said("many/" STEM ".json", "\"measured\""));
    assert_true(said("many/softmax_f32_m8192_n1024_sm_120.json", "\"predicted\""));
}

static void confirm_refuses_a_folder_of_other_gpus(void **state)
{
    (void)state;
    assert_int_equal(run_command("tune --quiet --arch sm_120 --device none --output foreign " PROBLEM), 0);
    assert_int_equal(run_command("confirm --quiet foreign"), 3);
    assert_true(said("err.txt", "foreign holds no kernel for the GPU here"));
}

#define scripted(test) cmocka_unit_test_setup(test, scripted_set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scripted(the_name_of_the_folder_to_confirm_is_no_pattern),
        scripted(a_prediction_is_confirmed_in_its_folder),
        scripted(confirm_changes_nothing_when_no_candidate_is_right),
        scripted(confirm_goes_on_with_the_others_of_a_folder),
        scripted(confirm_refuses_a_folder_of_other_gpus),
    };
    return cmocka_run_group_tests(tests, scripted_set_up_all, scripted_tear_down_all);
}
