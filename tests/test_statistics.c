#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/race/statistics.h"

#include <math.h>

/* 1, 2, ..., n in a scrambled order. */
static void scrambled(double *samples, int n)
{
    for (int i = 0; i < n; i++)
        samples[i] = (i * 7) % n + 1; /* a permutation while 7 does not divide n */
}

/* The ranks that tables of the sign test give for a 95 % interval of the median. */
static void ranks_are_those_of_the_binomial_distribution(void **state)
{
    (void)state;
    static const int known[][3] = {{6, 1, 6},   {8, 1, 8},   {9, 2, 8},    {10, 2, 9},   {15, 4, 12},
                                   {20, 6, 15}, {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
    double samples[100];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        scrambled(samples, known[i][0]);
        struct median_interval m = median_interval_of(samples, known[i][0]);
        assert_int_equal(m.count, known[i][0]);
        assert_int_equal((int)m.low, known[i][1]);
        assert_int_equal((int)m.high, known[i][2]);
        assert_true(m.median == (known[i][0] + 1) / 2.0);
    }
}

static void fewer_than_six_samples_give_their_whole_range(void **state)
{
    (void)state;
    struct median_interval m = median_interval_of((const double[]){5, 1, 4, 2, 3}, 5);
    assert_true(m.low == 1 && m.median == 3 && m.high == 5);
    m = median_interval_of((const double[]){7}, 1);
    assert_true(m.low == 7 && m.median == 7 && m.high == 7);
}

static void samples_that_are_no_number_are_left_out(void **state)
{
    (void)state;
    struct median_interval m = median_interval_of((const double[]){NAN, 2, NAN, 1, 3}, 5);
    assert_int_equal(m.count, 3);
    assert_true(m.median == 2);
}

static void no_sample_gives_no_number(void **state)
{
    (void)state;
    struct median_interval m = median_interval_of((const double[]){NAN}, 1);
    assert_int_equal(m.count, 0);
    assert_true(isnan(m.median) && isnan(m.low) && isnan(m.high));
    assert_int_equal(median_interval_of(NULL, 0).count, 0);
}

static void an_outlier_does_not_move_the_median(void **state)
{
    (void)state;
    double samples[20];
    for (int i = 0; i < 20; i++)
        samples[i] = 100 + i % 3;
    samples[7] = 1e6;
    struct median_interval m = median_interval_of(samples, 20);
    assert_true(m.median == 101 && m.high == 102);
}

static void thousands_of_samples_have_a_narrow_interval(void **state)
{
    (void)state;
    static double samples[5000];
    scrambled(samples, 5000);
    struct median_interval m = median_interval_of(samples, 5000);
    /* 2500.5 -+ 0.98 sqrt(5000) = 69.3 */
    assert_true(m.low > 2500 - 72 && m.low < 2500 - 66);
    assert_true(m.high > 2501 + 66 && m.high < 2501 + 72);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_those_of_the_binomial_distribution),
        cmocka_unit_test(fewer_than_six_samples_give_their_whole_range),
        cmocka_unit_test(samples_that_are_no_number_are_left_out),
        cmocka_unit_test(no_sample_gives_no_number),
        cmocka_unit_test(an_outlier_does_not_move_the_median),
        cmocka_unit_test(thousands_of_samples_have_a_narrow_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
