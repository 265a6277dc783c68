/* Recorded spaces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "temporary_folder.h"
#include "tuner/race/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RESULT(a, b, invalidity, ms)                                                                         \
    "{\"configuration\": {\"a\": " #a ", \"b\": \"" #b "\"}, \"invalidity\": \"" invalidity                  \
    "\", \"measurements\": [{\"name\": \"limit\", \"value\": 0.1, \"unit\": \"ms\"}, "                       \
    "{\"name\": \"time\", \"value\": " #ms ", \"unit\": \"ms\"}]}"

static bool read_text(const char *text, struct replay *r, struct error *e)
{
    char *folder = temporary_folder(), *path = must_format("%s/t4.json", folder);
    FILE *f = fopen(path, "w");
    assert_true(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
    bool ok = replay_read(path, r, e);
    free(path);
    temporary_folder_remove(folder);
    return ok;
}

static const char recorded[] =
    "{\"metadata\": {\"problem\": {\"N\": 8}}, \"results\": [" RESULT(1, x, "correct", 0.3) ", " RESULT(
        2, x, "correct",
        0.2) ", " RESULT(1, y, "correctness",
                         0.1) ", "
                              "{\"configuration\": {\"a\": 2, \"b\": \"y\"}, \"invalidity\": \"compile\", \"measurements\": []}]}";

static void a_recording_has_keys_times_and_values(void **state)
{
    (void)state;
    struct replay r;
    struct error e;
    assert_true(read_text(recorded, &r, &e));
    assert_int_equal(r.count, 4);
    assert_string_equal(r.keys[1], "a=2,b=x");
    assert_true(fabs(r.us[1] - 200) < 1e-9 && fabs(r.best_us - 200) < 1e-9);
    assert_true(isinf(r.us[2]) && isinf(r.us[3]));
    assert_int_equal(json_array_size(json_object_get(json_array_get(r.parameters, 0), "values")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(r.metadata, "problem"), "N")), 8);
    replay_clear(&r);
}

static void trials_are_counted_until_one_is_near_the_best(void **state)
{
    (void)state;
    struct replay r;
    const double misled[] = {1, 4, 2, 3}, right[] = {2, 1, 3, 4};
    assert_true(read_text(recorded, &r, NULL));
    assert_int_equal(replay_trials(&r, STRATEGY_EXHAUSTIVE, NULL, 1, 1, 1.01), 2);
    assert_int_equal(replay_trials(&r, STRATEGY_EXHAUSTIVE, misled, 1, 1, 1.01), 4);
    assert_int_equal(replay_trials(&r, STRATEGY_EXHAUSTIVE, right, 1, 1, 1.01), 1);
    assert_int_equal(replay_trials(&r, STRATEGY_EXHAUSTIVE, misled, 1, 1, 1.6), 1);
    for (enum strategy_kind kind = STRATEGY_EXHAUSTIVE; kind <= STRATEGY_LOCAL; kind++)
        assert_in_range(replay_trials(&r, kind, misled, 7, 16, 1.01), 1, 4);
    replay_clear(&r);
}

static void what_is_no_recording_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"results\": ", "{}", "{\"results\": []}",
                                        "{\"results\": [{\"invalidity\": \"correct\"}]}",
                                        "{\"results\": [" RESULT(1, x, "correctness", 0.3) "]}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct replay r;
        struct error e;
        assert_false(read_text(texts[i], &r, &e));
        assert_int_equal(e.status, STATUS_USAGE);
        replay_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_has_keys_times_and_values),
        cmocka_unit_test(trials_are_counted_until_one_is_near_the_best),
        cmocka_unit_test(what_is_no_recording_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
