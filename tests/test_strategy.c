/* Strategies on a space of which every time is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/error.h"
#include "tuner/race/strategy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a, b and c from 0 to 9; those with a == b are not valid. */
enum { VALUES = 10, VARIANTS = VALUES * VALUES * VALUES - VALUES * VALUES };

struct fixture {
    char *keys[VARIANTS];
    double cost[VARIANTS], expected[VARIANTS];
    json_t *parameters;
    struct strategy_space space;
};

static int set_up(void **state)
{
    struct fixture *f = must_calloc(1, sizeof *f);
    int count = 0;
    for (int i = 0; i < VALUES * VALUES * VALUES; i++) {
        int a = i / 100, b = i / 10 % 10, c = i % 10;
        if (a == b)
            continue;
        f->keys[count] = must_format("a=%d,b=%d,c=%d", a, b, c);
        f->cost[count] = 100 + 10 * abs(a - 7) + 5 * abs(b - 2) + abs(c - 4);
        f->expected[count] = NAN;
        count++;
    }
    json_t *values = json_array();
    for (int i = 0; i < VALUES; i++)
        json_array_append_new(values, json_integer(i));
    f->parameters = json_pack("[{s:O}, {s:O}, {s:o}]", "values", values, "values", values, "values", values);
    f->space = (struct strategy_space){.count = count,
                                       .keys = (const char *const *)f->keys,
                                       .expected = f->expected,
                                       .parameters = f->parameters};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < VARIANTS; i++)
        free(f->keys[i]);
    json_decref(f->parameters);
    free(f);
    return 0;
}

/* How many are tried until the best is found, each told before the next is asked for; all are to be given
 * once. */
static int trials_to_best(const struct fixture *f, enum strategy_kind kind, uint64_t seed)
{
    struct strategy *s = strategy_open(kind, &f->space, seed);
    bool given[VARIANTS] = {false};
    int found = -1, v, count = 0;
    for (; (v = strategy_next(s)) >= 0; count++) {
        assert_false(given[v]);
        given[v] = true;
        if (strcmp(f->keys[v], "a=7,b=2,c=4") == 0)
            found = count;
        strategy_tell(s, v, f->cost[v]);
    }
    strategy_close(s);
    assert_int_equal(count, VARIANTS);
    return found;
}

static void every_strategy_gives_each_variant_once(void **state)
{
    for (enum strategy_kind kind = STRATEGY_EXHAUSTIVE; kind <= STRATEGY_LOCAL; kind++)
        assert_true(trials_to_best(*state, kind, 1) >= 0);
}

static void exhaustive_goes_by_expectation_then_in_the_spaces_order(void **state)
{
    struct fixture *f = *state;
    f->expected[500] = 2;
    f->expected[300] = 1;
    struct strategy *s = strategy_open(STRATEGY_EXHAUSTIVE, &f->space, 1);
    static const int first[] = {300, 500, 0, 1, 2};
    for (int i = 0; i < 5; i++)
        assert_int_equal(strategy_next(s), first[i]);
    strategy_close(s);
}

static void a_seed_repeats_an_order_and_another_changes_it(void **state)
{
    for (enum strategy_kind kind = STRATEGY_RANDOM; kind <= STRATEGY_LOCAL; kind++) {
        assert_int_equal(trials_to_best(*state, kind, 3), trials_to_best(*state, kind, 3));
        struct strategy *a = strategy_open(kind, &((struct fixture *)*state)->space, 1),
                        *b = strategy_open(kind, &((struct fixture *)*state)->space, 2);
        assert_int_not_equal(strategy_next(a), strategy_next(b));
        strategy_close(a);
        strategy_close(b);
    }
}

static void local_search_finds_the_best_of_a_smooth_space_early(void **state)
{
    int most = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int trials = trials_to_best(*state, STRATEGY_LOCAL, seed);
        most = trials > most ? trials : most;
    }
    assert_in_range(most, 1, VARIANTS / 5);
}

static void local_search_begins_with_the_best_expectation(void **state)
{
    struct fixture *f = *state;
    f->expected[123] = 1;
    struct strategy *s = strategy_open(STRATEGY_LOCAL, &f->space, 9);
    assert_int_equal(strategy_next(s), 123);
    strategy_close(s);
}

static void local_search_does_not_wait_for_what_it_gave(void **state)
{
    struct fixture *f = *state;
    struct strategy *s = strategy_open(STRATEGY_LOCAL, &f->space, 9);
    for (int i = 0; i < VARIANTS; i++)
        assert_true(strategy_next(s) >= 0);
    assert_int_equal(strategy_next(s), -1);
    strategy_close(s);
}

static void failures_are_not_searched_around(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < VARIANTS; i++)
        f->cost[i] = INFINITY;
    assert_true(trials_to_best(f, STRATEGY_LOCAL, 5) >= 0);
}

#define with_space(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_space(every_strategy_gives_each_variant_once),
        with_space(exhaustive_goes_by_expectation_then_in_the_spaces_order),
        with_space(a_seed_repeats_an_order_and_another_changes_it),
        with_space(local_search_finds_the_best_of_a_smooth_space_early),
        with_space(local_search_begins_with_the_best_expectation),
        with_space(local_search_does_not_wait_for_what_it_gave),
        with_space(failures_are_not_searched_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
