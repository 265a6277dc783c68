/* The race with a measurer that follows a script: no GPU, no clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/race/race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS_MAX = 64 };

/* How a trial behaves: `us` plus or minus `noise` of it. */
struct behaviour {
    double us, noise;
    bool outliers;     /* one sample in eight is tenfold */
    const char *fails; /* measurement fails for this reason */
};

struct script {
    struct behaviour of[TRIALS_MAX]; /* by the trial's order */
    struct trial trials[TRIALS_MAX];
    struct trial *list[TRIALS_MAX];
    int count;
    double drift;        /* every call is slower by this factor than the one before */
    int throttle_rounds; /* the first so many rounds are throttled */
    int lost_after;      /* calls before the device is lost; 0: never */
    volatile sig_atomic_t stop;
    int stop_after; /* calls before `stop` is set; 0: never */
    int calls, rounds, measured[TRIALS_MAX];
    uint64_t random;
};

static double uniform(struct script *s) /* -1 to 1 */
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s->random >> 11) / 4503599627370496.0 - 1;
}

static double sample(struct script *s, const struct trial *t)
{
    double factor = pow(1 + s->drift, s->calls);
    if (t == NULL)
        return 100 * factor;
    const struct behaviour *b = &s->of[t->order];
    double us = b->us * factor * (1 + b->noise * uniform(s));
    return b->outliers && (s->random >> 40) % 8 == 0 ? us * 10 : us;
}

static bool measure(void *context, struct trial *const *trials, int count, int rounds, uint64_t seed,
                    double *samples, char **failures, struct error *e)
{
    struct script *s = context;
    (void)seed;
    if (s->lost_after > 0 && s->calls >= s->lost_after)
        return error_set(e, STATUS_MISSING, "the GPU is lost");
    for (int round = 0; round < rounds; round++, s->rounds++)
        for (int i = 0; i < count; i++) {
            bool fails = trials[i] != NULL && s->of[trials[i]->order].fails != NULL;
            bool dropped = fails || s->rounds < s->throttle_rounds;
            samples[round * count + i] = dropped ? NAN : sample(s, trials[i]);
        }
    for (int i = 0; i < count; i++) {
        if (trials[i] == NULL)
            continue;
        s->measured[trials[i]->order] += rounds;
        if (s->of[trials[i]->order].fails != NULL)
            failures[i] = must_strdup(s->of[trials[i]->order].fails);
    }
    s->calls++;
    if (s->stop_after > 0 && s->calls >= s->stop_after)
        s->stop = SIGINT;
    return true;
}

static int set_up(void **state)
{
    struct script *s = must_calloc(1, sizeof *s);
    s->random = 42;
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct script *s = *state;
    for (int i = 0; i < s->count; i++)
        trial_clear(&s->trials[i]);
    free(s);
    return 0;
}

static void add(struct script *s, struct behaviour b)
{
    s->of[s->count] = b;
    s->trials[s->count] = trial_of(NULL, "key", s->count);
    s->list[s->count] = &s->trials[s->count];
    s->count++;
}

static bool run(struct script *s, struct race_result *result, struct error *e)
{
    const struct race_options options = {.seed = 7, .deadline = INFINITY, .stop = &s->stop};
    const struct race_measurer measurer = {.context = s, .measure = measure};
    return race_run(s->list, s->count, &options, &measurer, result, e);
}

static void the_fastest_wins_when_it_is_apart(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 130, .noise = 0.005});
    add(s, (struct behaviour){.us = 120, .noise = 0.005});
    add(s, (struct behaviour){.us = 125, .noise = 0.005});
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[1]);
    assert_int_equal(result.tie_count, 0);
    assert_int_equal(result.end, RACE_APART);
    assert_true(result.limit.median == 100);
    race_result_clear(&result);
}

static void the_simpler_of_the_tied_wins_and_the_others_are_named(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 140, .noise = 0.002});
    add(s, (struct behaviour){.us = 120.02, .noise = 0.002}); /* as fast as the fastest, and simpler */
    add(s, (struct behaviour){.us = 120.0, .noise = 0.002});
    add(s, (struct behaviour){.us = 120.3, .noise = 0.002});
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[1]);
    assert_int_equal(result.end, RACE_TIED);
    assert_int_equal(result.tie_count, 2);
    assert_ptr_equal(result.ties[0], &s->trials[2]);
    assert_ptr_equal(result.ties[1], &s->trials[3]);
    race_result_clear(&result);
}

static void a_simpler_trial_that_is_a_little_slower_is_tied_and_does_not_win(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 120.4, .noise = 0.001});
    add(s, (struct behaviour){.us = 120.0, .noise = 0.001});
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[1]);
    assert_int_equal(result.tie_count, 1);
    race_result_clear(&result);
}

static void a_race_ends_early_at_the_limit(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 100.5, .noise = 0.001}); /* the limit is 100 */
    add(s, (struct behaviour){.us = 101.2, .noise = 0.01});  /* would take many rounds to tell apart */
    assert_true(run(s, &result, NULL));
    assert_int_equal(result.end, RACE_AT_LIMIT);
    assert_in_range(result.rounds, 10, 14);
    race_result_clear(&result);
}

static void rough_times_decide_who_races(void **state)
{
    struct script *s = *state;
    struct race_result result;
    for (int i = 0; i < 8; i++) {
        add(s, (struct behaviour){.us = 120 + 20 * i, .noise = 0.001});
        s->trials[i].copies = 1.2 + 0.2 * i;
    }
    s->trials[7].copies = NAN; /* came without: is sampled */
    s->of[7].us = 119;
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[7]);
    assert_true(s->measured[0] >= 10);
    assert_int_equal(s->measured[5], 0);
    race_result_clear(&result);
}

static void a_clearly_slower_trial_is_not_raced(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 120, .noise = 0.005});
    add(s, (struct behaviour){.us = 4600, .noise = 0.005});
    assert_true(run(s, &result, NULL));
    assert_int_equal(s->measured[1], 2);
    assert_true(s->measured[0] >= 10);
    assert_true(s->trials[1].time_us > 4000); /* what was measured of it is kept */
    race_result_clear(&result);
}

static void outliers_do_not_choose_the_winner(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 125, .noise = 0.003});
    add(s, (struct behaviour){.us = 120, .noise = 0.003, .outliers = true});
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[1]);
    assert_true(result.winner->time_us < 121);
    race_result_clear(&result);
}

static void a_gpu_that_slows_down_favours_nobody(void **state)
{
    struct script *s = *state;
    struct race_result result;
    s->drift = 0.02;
    for (int i = 0; i < 60; i++) /* more than are measured at a time */
        add(s, (struct behaviour){.us = 121.5 + i % 2, .noise = 0.001});
    s->of[59].us = 118;
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[59]);
    assert_int_equal(result.tie_count, 0);
    race_result_clear(&result);
}

static void throttled_rounds_are_dropped_and_counted(void **state)
{
    struct script *s = *state;
    struct race_result result;
    s->throttle_rounds = 5; /* those of the rough times and the first batch */
    add(s, (struct behaviour){.us = 120, .noise = 0.003});
    add(s, (struct behaviour){.us = 130, .noise = 0.003});
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[0]);
    assert_int_equal(result.throttled, 10);
    assert_true(result.winner->sample_count >= 10); /* rounds that were dropped do not decide */
    assert_true(result.winner->time_us < 121);
    race_result_clear(&result);
}

static void a_trial_that_fails_leaves_with_its_reason(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 100, .fails = "an illegal address was used"});
    add(s, (struct behaviour){.us = 120, .noise = 0.003});
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[1]);
    assert_int_equal(s->trials[0].verdict, VERDICT_RUNTIME);
    assert_string_equal(s->trials[0].reason, "an illegal address was used");
    race_result_clear(&result);
}

static void nobody_wins_when_all_fail(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 100, .fails = "an illegal address was used"});
    assert_true(run(s, &result, NULL));
    assert_null(result.winner);
    race_result_clear(&result);
}

static void a_barred_trial_is_timed_and_does_not_win(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 120, .noise = 0.003});
    add(s, (struct behaviour){.us = 90, .noise = 0.003});
    add(s, (struct behaviour){.us = 4600, .noise = 0.003});
    s->trials[1].barred = s->trials[2].barred = true;
    assert_true(run(s, &result, NULL));
    assert_ptr_equal(result.winner, &s->trials[0]);
    assert_int_equal(result.tie_count, 0);
    assert_int_equal(s->trials[1].sample_count, 6);
    assert_int_equal(s->trials[2].sample_count, 6);
    race_result_clear(&result);
}

static void trials_that_stay_undecided_end_with_the_rounds(void **state)
{
    struct script *s = *state;
    struct race_result result;
    add(s, (struct behaviour){.us = 122, .noise = 0.3}); /* medians differ, and the noise hides it */
    add(s, (struct behaviour){.us = 119, .noise = 0.3});
    assert_true(run(s, &result, NULL));
    assert_non_null(result.winner);
    assert_true(result.rounds <= 60);
    race_result_clear(&result);
}

/* As the store gives them back: all that was in the rounds has samples, the others their rough time. */
static void recall_all(struct script *s, double limit_us)
{
    for (int i = 0; i < s->count; i++)
        if (s->trials[i].sample_count > 2) {
            s->trials[i].recalled_limit_us = limit_us;
            s->trials[i].copies = s->trials[i].time_us / limit_us;
        }
}

/* Two that are tied, one that leaves in the rounds and one that never comes there. */
static void race_and_recall(struct script *s, struct race_result *raced)
{
    struct error e;
    static const double us[] = {120, 120.1, 122, 150};
    for (int i = 0; i < 4; i++)
        add(s, (struct behaviour){.us = us[i], .noise = 0.0005});
    assert_true(run(s, raced, &e));
    recall_all(s, raced->limit.median);
}

static void a_race_is_recalled_as_it_was(void **state)
{
    struct script *s = *state;
    struct race_result raced, recalled;
    race_and_recall(s, &raced);
    assert_int_equal(raced.tie_count, 1);
    assert_true(race_recall(s->list, s->count, &recalled));
    assert_true(recalled.recalled && recalled.end == raced.end);
    assert_ptr_equal(recalled.winner, raced.winner);
    assert_int_equal(recalled.tie_count, 1);
    assert_ptr_equal(recalled.ties[0], raced.ties[0]);
    assert_true(recalled.limit.median == raced.limit.median);
    race_result_clear(&raced);
    race_result_clear(&recalled);
}

static void what_was_not_in_the_rounds_and_may_be_the_best_has_to_be_measured(void **state)
{
    struct script *s = *state;
    struct race_result raced, recalled;
    race_and_recall(s, &raced);
    s->trials[3].copies = s->trials[0].copies * 1.05;
    assert_false(race_recall(s->list, s->count, &recalled));
    s->trials[3].copies = s->trials[0].copies * 1.2;
    assert_true(race_recall(s->list, s->count, &recalled));
    race_result_clear(&raced);
    race_result_clear(&recalled);
}

static void samples_of_two_races_are_not_compared(void **state)
{
    struct script *s = *state;
    struct race_result raced, recalled;
    race_and_recall(s, &raced);
    s->trials[1].recalled_limit_us *= 1.01;
    assert_false(race_recall(s->list, s->count, &recalled));
    race_result_clear(&raced);
}

static void a_race_that_was_stopped_is_run_again(void **state)
{
    struct script *s = *state;
    struct race_result raced, recalled;
    s->stop_after = 2;
    race_and_recall(s, &raced);
    assert_int_equal(raced.end, RACE_STOPPED);
    assert_false(race_recall(s->list, s->count, &recalled));
    race_result_clear(&raced);
}

static void a_stopped_race_still_has_a_winner(void **state)
{
    struct script *s = *state;
    struct race_result result;
    for (int i = 0; i < 60; i++)
        add(s, (struct behaviour){.us = 120 + i, .noise = 0.001});
    s->stop_after = 1;
    assert_true(run(s, &result, NULL));
    assert_int_equal(result.end, RACE_STOPPED);
    assert_non_null(result.winner);
    /* The best of those that the first part of the short round reached. */
    for (int i = 0; i < 60; i++)
        if (s->measured[i] > 0)
            assert_true(result.winner->order <= i);
    race_result_clear(&result);
}

static void a_lost_device_ends_the_race_with_an_error(void **state)
{
    struct script *s = *state;
    struct race_result result;
    struct error e;
    add(s, (struct behaviour){.us = 120, .noise = 0.003});
    s->lost_after = 2;
    assert_false(run(s, &result, &e));
    assert_int_equal(e.status, STATUS_MISSING);
    race_result_clear(&result);
}

#define scripted(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scripted(the_fastest_wins_when_it_is_apart),
        scripted(the_simpler_of_the_tied_wins_and_the_others_are_named),
        scripted(a_simpler_trial_that_is_a_little_slower_is_tied_and_does_not_win),
        scripted(a_race_ends_early_at_the_limit),
        scripted(rough_times_decide_who_races),
        scripted(a_clearly_slower_trial_is_not_raced),
        scripted(outliers_do_not_choose_the_winner),
        scripted(a_gpu_that_slows_down_favours_nobody),
        scripted(throttled_rounds_are_dropped_and_counted),
        scripted(a_trial_that_fails_leaves_with_its_reason),
        scripted(nobody_wins_when_all_fail),
        scripted(a_barred_trial_is_timed_and_does_not_win),
        scripted(trials_that_stay_undecided_end_with_the_rounds),
        scripted(a_race_is_recalled_as_it_was),
        scripted(what_was_not_in_the_rounds_and_may_be_the_best_has_to_be_measured),
        scripted(samples_of_two_races_are_not_compared),
        scripted(a_race_that_was_stopped_is_run_again),
        scripted(a_stopped_race_still_has_a_winner),
        scripted(a_lost_device_ends_the_race_with_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
