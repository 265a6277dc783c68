#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/cli/tuning_survey.h"

#include <math.h>
#include <stdlib.h>

static struct survey survey;

static void timed(const char *key, int column, double time)
{
    survey_time(&survey, key, column, SURVEY_TIMED, time);
}

static void rough(const char *key, int column, double time)
{
    survey_time(&survey, key, column, SURVEY_ROUGH, time);
}

static void valid(const char *key, int column, double expected)
{
    survey_allow(&survey, key, column, expected);
}

static double score_of(const char *key)
{
    survey_at(&survey, key, 0);
    return survey_score(&survey, &survey.variants[json_integer_value(json_object_get(survey.places, key))]);
}

/* The keys, joined by blanks. */
static void assert_keys(const struct survey_variant **list, int count, const char *expected)
{
    char keys[256] = "";
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += (size_t)snprintf(keys + size, sizeof keys - size, "%s%s", i > 0 ? " " : "", list[i]->key);
    assert_string_equal(keys, expected);
    free(list);
}

static void assert_ranking(const char *expected)
{
    int count;
    const struct survey_variant **list = survey_ranking(&survey, &count);
    assert_keys(list, count, expected);
}

static void assert_promising(int most, const char *expected)
{
    int count;
    const struct survey_variant **list = survey_promising(&survey, most, &count);
    assert_keys(list, count, expected);
}

static void the_score_is_the_mean_of_the_times_over_the_best_of_each_column(void **state)
{
    (void)state;
    timed("a", 0, 2), timed("a", 1, 30);
    timed("b", 0, 3), timed("b", 1, 20);
    timed("c", 0, 2.5), timed("c", 1, 22);
    assert_true(fabs(score_of("a") - (1 + 1.5) / 2) < 1e-9);
    assert_true(fabs(score_of("c") - (1.25 + 1.1) / 2) < 1e-9);
    assert_ranking("c a b");
}

static void a_variant_of_one_column_may_be_the_best_of_another(void **state)
{
    (void)state;
    timed("own", 0, 2), timed("own", 1, 10);
    timed("foreign", 0, 1), timed("foreign", 1, 11);
    assert_string_equal(survey_best(&survey, 0)->key, "foreign");
    assert_ranking("foreign own");
}

static void an_unknown_time_counts_as_the_best_possible(void **state)
{
    (void)state;
    timed("a", 0, 2), timed("b", 0, 3), timed("b", 1, 5);
    assert_true(fabs(score_of("a") - 1) < 1e-9);
    assert_ranking("b");
}

static void what_failed_somewhere_is_out(void **state)
{
    (void)state;
    timed("a", 0, 2), timed("b", 0, 3), timed("b", 1, 5);
    survey_fail(&survey, "a", 1, "it is wrong");
    assert_true(isinf(score_of("a")));
    assert_promising(8, "");
    assert_ranking("b");
    int column;
    const struct survey_variant *nearest = survey_nearest(&survey, &column);
    assert_string_equal(nearest->key, "a");
    assert_string_equal(nearest->cells[column].reason, "it is wrong");
}

static void promising_is_what_may_still_be_better_than_the_best_for_all(void **state)
{
    (void)state;
    timed("all", 0, 1.2), timed("all", 1, 12);
    timed("fast", 0, 1), valid("fast", 1, NAN), timed("slow", 0, 1.5), valid("slow", 1, NAN);
    timed("other", 1, 10), valid("other", 0, NAN);
    timed("unknown", 0, 1);
    assert_promising(8, "fast other");
}

static void without_one_for_all_every_one_is_promising_the_best_expected_first(void **state)
{
    (void)state;
    timed("a", 0, 1), timed("b", 0, 1.1), timed("c", 0, 1.3), timed("d", 1, 1);
    valid("a", 1, 3), valid("b", 1, 1.5), valid("c", 1, 1.5), valid("d", 0, 0.5);
    assert_promising(2, "d b c");
    assert_promising(3, "d b c a");
}

static void a_rough_time_is_worth_another_look_and_ranks_last(void **state)
{
    (void)state;
    timed("a", 0, 1.1), timed("a", 1, 1.1);
    rough("b", 0, 1), timed("b", 1, 1);
    assert_promising(8, "b");
    assert_ranking("a b");
}

static void near_is_what_is_about_as_fast_as_the_best_of_some_column(void **state)
{
    (void)state;
    timed("a", 0, 1), timed("b", 0, 2), timed("b", 1, 1.1), timed("c", 1, 1), timed("d", 0, 2);
    assert_true(survey_is_near(&survey, &survey.variants[1], 1.5));
    assert_false(survey_is_near(&survey, &survey.variants[3], 1.5));
    survey_fail(&survey, "b", 0, NULL);
    assert_false(survey_is_near(&survey, &survey.variants[1], 1.5));
}

static void the_best_of_a_column_is_that_of_the_last_times(void **state)
{
    (void)state;
    rough("a", 0, 1), timed("b", 0, 2);
    timed("a", 0, 3);
    assert_string_equal(survey_best(&survey, 0)->key, "b");
    assert_true(fabs(score_of("a") - (1.5 + 1) / 2) < 1e-9);
}

static void a_barred_one_is_the_best_of_a_column_and_none_for_all(void **state)
{
    (void)state;
    timed("a", 0, 1), timed("a", 1, 1), timed("b", 0, 2), timed("b", 1, 2);
    rough("c", 0, 1.5), rough("c", 1, 1.5);
    assert_ranking("a b c");
    assert_promising(8, "");
    survey_bar(&survey, "a");
    assert_ranking("b c");
    assert_promising(8, "c");
    assert_string_equal(survey_best(&survey, 0)->key, "a");
    assert_true(fabs(score_of("b") - 2) < 1e-9);
}

static void an_empty_survey_has_no_best(void **state)
{
    (void)state;
    int column;
    assert_null(survey_best(&survey, 0));
    assert_null(survey_nearest(&survey, &column));
    assert_ranking("");
    assert_promising(8, "");
}

static int begin(void **state)
{
    (void)state;
    survey_begin(&survey, 2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    survey_clear(&survey);
    return 0;
}

#define surveyed(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        surveyed(the_score_is_the_mean_of_the_times_over_the_best_of_each_column),
        surveyed(a_variant_of_one_column_may_be_the_best_of_another),
        surveyed(an_unknown_time_counts_as_the_best_possible),
        surveyed(what_failed_somewhere_is_out),
        surveyed(promising_is_what_may_still_be_better_than_the_best_for_all),
        surveyed(without_one_for_all_every_one_is_promising_the_best_expected_first),
        surveyed(a_rough_time_is_worth_another_look_and_ranks_last),
        surveyed(near_is_what_is_about_as_fast_as_the_best_of_some_column),
        surveyed(the_best_of_a_column_is_that_of_the_last_times),
        surveyed(a_barred_one_is_the_best_of_a_column_and_none_for_all),
        surveyed(an_empty_survey_has_no_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
