/* A space with ten poisonous variants, on the emulator: all are named with their reason, and the good ones
 * are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "poison_verdicts.h"
#include "program.h"

static void each_poison_is_named_with_its_reason(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    char *arguments = must_format("check --N 101 --M 16 --gpu H200 --device emulator --config %s/poison.lua "
                                  "--templates %s --set unroll=1 --set waste=0 --quiet --json",
                                  POISON_FOLDER, POISON_FOLDER);
    struct run run = run_program(folder, arguments);
    assert_int_equal(run.status, 1); /* a variant is wrong */
    json_t *document = json_loads(run.out, 0, NULL), *failed = json_array(), *trial;
    size_t i;
    int good = 0;
    json_array_foreach(json_object_get(document, "variants"), i, trial)
    {
        bool right = strcmp(json_string_value(json_object_get(trial, "verdict")), "correct") == 0;
        good += right;
        if (!right)
            json_array_append(failed, trial);
    }
    assert_poisons(failed, "key", true);
    assert_int_equal(good, 4);
    json_decref(failed);
    json_decref(document);
    run_clear(&run);
    free(arguments);
    temporary_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_poison_is_named_with_its_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
