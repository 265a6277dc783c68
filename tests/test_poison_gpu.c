/* A hundred good variants and ten poisonous ones, tuned on the GPU of this machine; skipped where there is
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "poison_verdicts.h"
#include "program.h"

static char *folder;

static void the_right_variant_wins_and_no_good_one_is_lost(void **state)
{
    (void)state;
    /* N is no multiple of 4, which one of the poisons waits for. */
    char *arguments = must_format("--N 4097 --M 8192 --config %s/poison.lua --templates %s --json --quiet",
                                  POISON_FOLDER, POISON_FOLDER);
    json_t *document = run_json(folder, arguments);
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    json_t *config = json_object_get(json_object_get(problem, "choice"), "config");
    assert_string_equal(json_string_value(json_object_get(config, "poison")), "none");
    assert_int_equal(json_integer_value(json_object_get(config, "waste")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(problem, "trials"), "correct")), 100);
    assert_poisons(json_object_get(problem, "failed"), "variant", false);
    json_decref(document);
    free(arguments);
}

int main(void)
{
    folder = temporary_folder();
    int failed = 77;
    if (gpu_is_here(folder)) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(the_right_variant_wins_and_no_good_one_is_lost)};
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    } else {
        puts("skipped: there is no GPU here");
    }
    temporary_folder_remove(folder);
    return failed;
}
