/* The program on the GPU of this machine; skipped, with the reason, where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

static char *folder;

static double number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static void tuning_measures_the_space_and_the_article(void **state)
{
    (void)state;
    json_t *document =
        run_json(folder, "--N 4096 --M 4096 --config article --set threads=256 --json --quiet");
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    json_t *choice = json_object_get(problem, "choice"), *presets = json_object_get(problem, "presets");
    assert_string_equal(json_string_value(json_object_get(choice, "basis")), "measured");
    assert_true(number(choice, "time_us_low") <= number(choice, "time_us"));
    assert_true(number(choice, "max_error") <= 1);
    assert_true(number(choice, "of_limit") > 0.2 && number(choice, "of_limit") < 1.05);
    assert_int_equal(json_array_size(presets), 5);
    for (size_t i = 0; i < 5; i++) {
        const char *verdict = json_string_value(json_object_get(json_array_get(presets, i), "verdict"));
        assert_string_equal(verdict, i == 4 ? "correctness" : "correct");
        assert_true(number(json_array_get(presets, i), "time_us") > 0);
    }
    /* A thread a row reads a sector for every element. */
    assert_true(number(json_array_get(presets, 3), "times_v1") > 3);
    json_decref(document);
}

static void a_prediction_for_this_gpu_is_confirmed_on_it(void **state)
{
    (void)state;
    json_t *gpus = run_json(folder, "gpus --json"), *here = json_object_get(gpus, "here");
    char *arguments =
        must_format("--arch %s --N 512 --config article --set threads=128 --device none --output p --json",
                    json_string_value(json_object_get(here, "arch")));
    json_decref(run_json(folder, arguments));
    json_decref(gpus);
    free(arguments);
    json_t *document = run_json(folder, "confirm p --json --quiet");
    json_t *choice = json_object_get(json_array_get(json_object_get(document, "problems"), 0), "choice");
    assert_memory_equal(json_string_value(json_object_get(choice, "basis")), "measured", 8);
    json_decref(document);
}

static void check_finds_v5_wrong(void **state)
{
    (void)state;
    struct run run = run_program(folder, "check --N 1000 --config article --variant v4 --variant v5 --quiet");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "\ncorrect "));
    assert_non_null(strstr(run.out, "\ncorrectness "));
    assert_non_null(strstr(run.out, "begin with -inf"));
    run_clear(&run);
}

static void bench_times_an_emitted_kernel_as_tuning_did(void **state)
{
    (void)state;
    json_decref(
        run_json(folder, "--N 4096 --M 4096 --config article --set threads=256 --output r --json --quiet"));
    struct run found =
        run_program(folder, "bench --N 4096 --M 4096 --config article v4 --rival $(ls r/*.json) --json "
                            "--quiet");
    assert_int_equal(found.status, 0);
    json_t *document = json_loads(found.out, 0, NULL);
    json_t *entries = json_object_get(json_array_get(json_object_get(document, "problems"), 0), "entries");
    assert_int_equal(json_array_size(entries), 2);
    assert_true(number(json_array_get(entries, 1), "time_us") <=
                number(json_array_get(entries, 0), "time_us") * 1.03);
    json_decref(document);
    run_clear(&found);
}

int main(void)
{
    folder = temporary_folder();
    int failed = 77;
    if (gpu_is_here(folder)) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(tuning_measures_the_space_and_the_article),
            cmocka_unit_test(a_prediction_for_this_gpu_is_confirmed_on_it),
            cmocka_unit_test(check_finds_v5_wrong),
            cmocka_unit_test(bench_times_an_emitted_kernel_as_tuning_did),
        };
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    } else {
        puts("skipped: there is no GPU here that can be used");
    }
    temporary_folder_remove(folder);
    return failed;
}
