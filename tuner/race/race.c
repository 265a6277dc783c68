#include "tuner/race/race.h"

#include "generator/worker.h"

#include <math.h>
#include <stdlib.h>

enum {
    SCREEN_ROUNDS = 3, /* of the short round */
    SCREEN_CHUNK = 24, /* trials measured at a time there, so that an interrupt is seen soon */
    BATCH_ROUNDS = 5,  /* between two looks at who leaves */
    LEAVE_ROUNDS = 10, /* before one may leave the interleaved rounds; barred trials stay for as many */
    LEAST_ROUNDS = 20, /* before the race is decided: the interval is then the 6th to the 15th of 20 */
    MOST_ROUNDS = 60,
    FINALISTS_MAX =
        128, /* in the interleaved rounds: more would spend the time on trials that are hardly apart */
};

static const double screen_margin =
    1.05; /* a trial whose best short sample is slower than the best by this leaves */
static const double tie_margin = 1.01;

struct race {
    const struct race_options *options;
    const struct race_measurer *measurer;
    struct race_result *result;
    uint64_t random;
    struct trial **racing; /* owned; may win */
    int racing_count;
    struct trial **barred; /* owned */
    int barred_count;
    double *limit_samples; /* owned */
    int limit_count;
};

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static void shuffle(struct trial **trials, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(next_random(state) % (uint64_t)(i + 1));
        struct trial *t = trials[i];
        trials[i] = trials[j];
        trials[j] = t;
    }
}

bool race_tied(const struct trial *a, const struct trial *b)
{
    bool overlap = a->time_us_low <= b->time_us_high && b->time_us_low <= a->time_us_high;
    double fast = fmin(a->time_us, b->time_us), slow = fmax(a->time_us, b->time_us);
    return overlap && slow <= fast * tie_margin;
}

static struct trial *fastest(struct trial *const *trials, int count)
{
    struct trial *best = NULL;
    for (int i = 0; i < count; i++)
        if (!isnan(trials[i]->time_us) && (best == NULL || trials[i]->time_us < best->time_us))
            best = trials[i];
    return best;
}

/* Keeps the trials for which `stays` holds. */
static int keep(struct trial **trials, int count,
                bool (*stays)(const struct trial *t, const struct trial *leader), const struct trial *leader)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (stays(trials[i], leader))
            trials[kept++] = trials[i];
    return kept;
}

static bool stays_measurable(const struct trial *t, const struct trial *leader)
{
    (void)leader;
    return t->verdict != VERDICT_RUNTIME;
}

static bool stays_after_screening(const struct trial *t, const struct trial *leader)
{
    if (t->sample_count == 0)
        return true; /* every short sample was throttled: nothing speaks against it */
    double best = t->samples_us[0];
    for (int i = 1; i < t->sample_count; i++)
        best = fmin(best, t->samples_us[i]);
    return leader == NULL || best <= leader->time_us * screen_margin;
}

static bool stays_in_rounds(const struct trial *t, const struct trial *leader)
{
    return leader == NULL || isnan(t->time_us) || t->time_us_low <= leader->time_us_high;
}

static void report_progress(const struct race *r, bool screening, int done, int total)
{
    if (r->options->progress == NULL)
        return;
    struct race_progress p = {
        .screening = screening,
        .done = done,
        .total = total,
        .racing = r->racing_count,
        .best = fastest(r->racing, r->racing_count),
        .limit_us = median_interval_of(r->limit_samples, r->limit_count).median,
    };
    r->options->progress(r->options->progress_context, &p);
}

/* Measures the trials and the limit together and hands the samples out. */
static bool measure(struct race *r, struct trial *const *trials, int count, int rounds, struct error *e)
{
    int entries = count + 1;
    struct trial **list = must_malloc((size_t)entries * sizeof(struct trial *));
    double *samples = must_malloc((size_t)entries * (size_t)rounds * sizeof *samples);
    char **failures = must_calloc((size_t)entries, sizeof *failures);
    for (int i = 0; i < count; i++)
        list[i] = trials[i];
    list[count] = NULL;
    bool ok = r->measurer->measure(r->measurer->context, list, entries, rounds, next_random(&r->random),
                                   samples, failures, e);
    for (int i = 0; ok && i < count; i++) {
        trial_add_samples(trials[i], samples + i, rounds, entries);
        for (int round = 0; failures[i] == NULL && round < rounds; round++)
            r->result->throttled += isnan(samples[round * entries + i]);
        if (failures[i] != NULL)
            trial_fail(trials[i], VERDICT_RUNTIME, failures[i]);
    }
    r->limit_samples =
        must_realloc(r->limit_samples, (size_t)(r->limit_count + rounds) * sizeof *r->limit_samples);
    for (int round = 0; ok && round < rounds; round++)
        if (!isnan(samples[round * entries + count]))
            r->limit_samples[r->limit_count++] = samples[round * entries + count];
    if (!ok)
        for (int i = 0; i < count; i++)
            free(failures[i]);
    free(failures[count]);
    free(failures);
    free(samples);
    free(list);
    return ok;
}

static bool is_over(const struct race *r)
{
    if (r->options->stop != NULL && *r->options->stop != 0) {
        r->result->end = RACE_STOPPED;
        return true;
    }
    if (monotonic_seconds() > r->options->deadline) {
        r->result->end = RACE_TIME_SPENT;
        return true;
    }
    return false;
}

static int by_time(const void *a, const void *b)
{
    double x = (*(struct trial *const *)a)->time_us, y = (*(struct trial *const *)b)->time_us;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* The short round. At least one chunk is measured, however late it is: without a time nothing can be chosen.
 */
static bool screen(struct race *r, struct error *e)
{
    shuffle(r->racing, r->racing_count, &r->random);
    for (int first = 0; first < r->racing_count; first += SCREEN_CHUNK) {
        if (first > 0 && is_over(r)) {
            r->racing_count = first; /* those that were not measured cannot win */
            break;
        }
        int count = r->racing_count - first < SCREEN_CHUNK ? r->racing_count - first : SCREEN_CHUNK;
        if (!measure(r, r->racing + first, count, SCREEN_ROUNDS, e))
            return false;
        report_progress(r, true, first + count, r->racing_count);
    }
    r->racing_count = keep(r->racing, r->racing_count, stays_measurable, NULL);
    r->racing_count =
        keep(r->racing, r->racing_count, stays_after_screening, fastest(r->racing, r->racing_count));
    if (r->racing_count > FINALISTS_MAX) {
        qsort(r->racing, (size_t)r->racing_count, sizeof(struct trial *), by_time);
        r->racing_count = FINALISTS_MAX;
    }
    return true;
}

/* Whether each trial still racing is the leader or tied with it. */
static bool all_tied(const struct race *r)
{
    const struct trial *leader = fastest(r->racing, r->racing_count);
    for (int i = 0; i < r->racing_count; i++)
        if (leader == NULL || (r->racing[i] != leader && !race_tied(r->racing[i], leader)))
            return false;
    return true;
}

static bool run_rounds(struct race *r, struct error *e)
{
    struct trial **together =
        must_malloc((size_t)(r->racing_count + r->barred_count + 1) * sizeof(struct trial *));
    /* Times of the short round come from different moments: they decided who races, and count no further. */
    r->limit_count = 0;
    bool ok = true;
    int round = 0;
    for (; ok && round < MOST_ROUNDS && !(round > 0 && is_over(r)); round += BATCH_ROUNDS) {
        int count = 0;
        for (int i = 0; i < r->racing_count; i++)
            together[count++] = r->racing[i];
        for (int i = 0; round < LEAVE_ROUNDS && i < r->barred_count; i++)
            if (r->barred[i]->verdict != VERDICT_RUNTIME)
                together[count++] = r->barred[i];
        if (count == 0)
            break;
        for (int i = 0; round == 0 && i < count; i++)
            trial_drop_samples(together[i]);
        ok = measure(r, together, count, BATCH_ROUNDS, e);
        r->racing_count = keep(r->racing, r->racing_count, stays_measurable, NULL);
        if (round + BATCH_ROUNDS >= LEAVE_ROUNDS)
            r->racing_count =
                keep(r->racing, r->racing_count, stays_in_rounds, fastest(r->racing, r->racing_count));
        report_progress(r, false, round + BATCH_ROUNDS, MOST_ROUNDS);
        if (round + BATCH_ROUNDS >= LEAST_ROUNDS && all_tied(r)) {
            r->result->end = r->racing_count > 1 ? RACE_TIED : RACE_APART;
            round += BATCH_ROUNDS;
            break;
        }
    }
    r->result->rounds = round;
    free(together);
    return ok;
}

/* Of those tied with the fastest the simplest wins. */
static void decide(struct race *r)
{
    struct race_result *result = r->result;
    result->limit = median_interval_of(r->limit_samples, r->limit_count);
    struct trial *leader = fastest(r->racing, r->racing_count);
    if (leader == NULL)
        return;
    result->winner = leader;
    for (int i = 0; i < r->racing_count; i++)
        if (race_tied(r->racing[i], leader) && r->racing[i]->order < result->winner->order)
            result->winner = r->racing[i];
    result->ties = must_malloc((size_t)r->racing_count * sizeof(struct trial *));
    for (int i = 0; i < r->racing_count; i++)
        if (r->racing[i] != result->winner && race_tied(r->racing[i], leader))
            result->ties[result->tie_count++] = r->racing[i];
    qsort(result->ties, (size_t)result->tie_count, sizeof(struct trial *), by_time);
}

bool race_run(struct trial *const *trials, int count, const struct race_options *options,
              const struct race_measurer *measurer, struct race_result *result, struct error *e)
{
    *result = (struct race_result){.end = RACE_ROUNDS_SPENT};
    struct race r = {.options = options, .measurer = measurer, .result = result, .random = options->seed};
    r.racing = must_malloc((size_t)(count + 1) * sizeof(struct trial *));
    r.barred = must_malloc((size_t)(count + 1) * sizeof(struct trial *));
    for (int i = 0; i < count; i++) {
        if (trials[i]->barred)
            r.barred[r.barred_count++] = trials[i];
        else
            r.racing[r.racing_count++] = trials[i];
    }
    bool ok = screen(&r, e) && run_rounds(&r, e);
    if (ok)
        decide(&r);
    free(r.racing);
    free(r.barred);
    free(r.limit_samples);
    return ok;
}

void race_result_clear(struct race_result *result)
{
    free(result->ties);
    *result = (struct race_result){0};
}
