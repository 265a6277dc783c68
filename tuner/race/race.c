#include "tuner/race/race.h"

#include "generator/worker.h"

#include <math.h>
#include <stdlib.h>

enum {
    ROUGH_ROUNDS = 2,   /* the better sample is a rough time: one may be an outlier */
    SCREEN_CHUNK = 24,  /* trials that are sampled at a time, so that an interrupt is seen soon */
    FINALISTS_MAX = 64, /* in the rounds: more would spend the time on trials that are hardly apart */
    VISITS = 120,       /* between two looks at who leaves, about */
    BATCH_ROUNDS = 5,   /* likewise, at most */
    GLANCE_ROUNDS = 3,  /* before one may leave whose best sample is clearly slower */
    LEAVE_ROUNDS = 8,   /* before one may leave by its interval: of 8 samples it is the 1st to the 8th */
    BARRED_ROUNDS = 6,  /* barred trials stay for as many */
    LEAST_SAMPLES =
        10, /* of the leader before the race is decided: the interval is the 2nd to the 9th of 10 */
    MOST_ROUNDS = 40,
    SPENT_SAMPLES = 30, /* of a recalled trial that had all the rounds; some may have been throttled */
};

static const double rough_margin = 1.10;  /* of rough times: a trial slower than the best by this stays out */
static const double glance_margin = 1.03; /* likewise of the best sample against the best median */
static const double tie_margin = 1.01;
static const double narrow = 0.003; /* of the median: an interval that needs no more rounds */
static const double floor_margin =
    0.002; /* intervals are at least this wide on each side, since runs differ by more than rounds do */
static const double limit_margin = 1.01; /* within this of the limit there is nothing left to find */

struct race {
    const struct race_options *options;
    const struct race_measurer *measurer;
    struct race_result *result;
    uint64_t random;
    struct trial **racing; /* owned; may win */
    int racing_count;
    struct trial **barred; /* owned; or listed, and too slow to win */
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

/* The interval, no narrower than another run would repeat it. */
static double low_end(const struct trial *t)
{
    return fmin(t->time_us_low, t->time_us * (1 - floor_margin));
}

static double high_end(const struct trial *t)
{
    return fmax(t->time_us_high, t->time_us * (1 + floor_margin));
}

bool race_tied(const struct trial *a, const struct trial *b)
{
    bool overlap = low_end(a) <= high_end(b) && low_end(b) <= high_end(a);
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

static double least_sample(const struct trial *t)
{
    double least = t->samples_us[0];
    for (int i = 1; i < t->sample_count; i++)
        least = fmin(least, t->samples_us[i]);
    return least;
}

static bool stays_after_a_glance(const struct trial *t, const struct trial *leader)
{
    if (leader == NULL || t->sample_count == 0)
        return true; /* every sample was throttled: nothing speaks against it */
    return least_sample(t) <= leader->time_us * glance_margin;
}

static bool stays_in_rounds(const struct trial *t, const struct trial *leader)
{
    return leader == NULL || isnan(t->time_us) || low_end(t) <= high_end(leader);
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

static int compare_times(double x, double y) /* NaN after all others */
{
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

static int by_time(const void *a, const void *b)
{
    return compare_times((*(struct trial *const *)a)->time_us, (*(struct trial *const *)b)->time_us);
}

static int by_copies(const void *a, const void *b)
{
    return compare_times((*(struct trial *const *)a)->copies, (*(struct trial *const *)b)->copies);
}

/* A rough time for each of `count` trials. */
static bool sample(struct race *r, struct trial **trials, int count, struct error *e)
{
    r->limit_count = 0;
    if (!measure(r, trials, count, ROUGH_ROUNDS, e))
        return false;
    double limit = median_interval_of(r->limit_samples, r->limit_count).median;
    for (int i = 0; i < count; i++)
        if (trials[i]->sample_count > 0)
            trials[i]->copies = least_sample(trials[i]) / limit;
    return true;
}

/* Gives a rough time to those that come without. At least one chunk is measured, however late it is: without
   a time nothing can be chosen. */
static bool sample_all(struct race *r, struct error *e)
{
    qsort(r->racing, (size_t)r->racing_count, sizeof(struct trial *), by_copies);
    int known = 0;
    while (known < r->racing_count && !isnan(r->racing[known]->copies))
        known++;
    shuffle(r->racing + known, r->racing_count - known, &r->random);
    for (int first = known; first < r->racing_count; first += SCREEN_CHUNK) {
        if (first > 0 && is_over(r)) {
            r->racing_count = first; /* those that were not measured cannot win */
            break;
        }
        int count = r->racing_count - first < SCREEN_CHUNK ? r->racing_count - first : SCREEN_CHUNK;
        if (!sample(r, r->racing + first, count, e))
            return false;
        report_progress(r, true, first + count, r->racing_count);
    }
    r->racing_count = keep(r->racing, r->racing_count, stays_measurable, NULL);
    return true;
}

/* Those whose rough time is near the best ones', those without one (each sample was throttled), and no more
   than can be raced. The best one itself may be an outlier. */
static void choose_finalists(struct race *r)
{
    enum { GOOD = 2 };
    qsort(r->racing, (size_t)r->racing_count, sizeof(struct trial *), by_copies);
    int kept = 0;
    double good = r->racing_count > 0 ? r->racing[r->racing_count > GOOD ? GOOD : 0]->copies : NAN;
    for (int i = 0; i < r->racing_count; i++) {
        struct trial *t = r->racing[i];
        if (kept < FINALISTS_MAX && !(t->copies > good * rough_margin))
            r->racing[kept++] = t;
        else if (t->listed)
            r->barred[r->barred_count++] = t;
    }
    r->racing_count = kept;
}

static bool is_narrow(const struct trial *t)
{
    return t->time_us_high - t->time_us_low <= narrow * t->time_us;
}

/* Whether no further round can change what is said: the leader, and who is tied with it. */
static bool is_decided(const struct race *r)
{
    const struct trial *leader = fastest(r->racing, r->racing_count);
    bool narrow_all = leader != NULL && is_narrow(leader);
    for (int i = 0; i < r->racing_count; i++)
        if (leader == NULL || (r->racing[i] != leader && !race_tied(r->racing[i], leader)))
            return false;
        else
            narrow_all = narrow_all && is_narrow(r->racing[i]);
    return r->racing_count == 1 || narrow_all;
}

static bool is_at_limit(const struct race *r)
{
    const struct trial *leader = fastest(r->racing, r->racing_count);
    return leader != NULL &&
           high_end(leader) <= median_interval_of(r->limit_samples, r->limit_count).median * limit_margin;
}

/* Whether enough was measured, throttled rounds not counted, and what it says. */
static bool is_settled(const struct race *r)
{
    const struct trial *leader = fastest(r->racing, r->racing_count);
    if (leader == NULL || leader->sample_count < LEAST_SAMPLES)
        return false;
    if (is_decided(r))
        r->result->end = r->racing_count > 1 ? RACE_TIED : RACE_APART;
    else if (is_at_limit(r))
        r->result->end = RACE_AT_LIMIT;
    else
        return false;
    return true;
}

/* All that race and, for their rounds, the barred ones. */
static int gather(const struct race *r, struct trial **together)
{
    int count = 0;
    for (int i = 0; i < r->racing_count; i++)
        together[count++] = r->racing[i];
    for (int i = 0; r->result->rounds < BARRED_ROUNDS && i < r->barred_count; i++)
        if (r->barred[i]->verdict != VERDICT_RUNTIME)
            together[count++] = r->barred[i];
    return count;
}

static int batch_rounds(int count, int round)
{
    int rounds = VISITS / count;
    int next = round < GLANCE_ROUNDS ? GLANCE_ROUNDS : round < BARRED_ROUNDS ? BARRED_ROUNDS : MOST_ROUNDS;
    rounds = rounds > BATCH_ROUNDS ? BATCH_ROUNDS : rounds;
    rounds = rounds > next - round ? next - round : rounds;
    return rounds > 1 ? rounds : 1;
}

static void let_leave(struct race *r)
{
    r->racing_count = keep(r->racing, r->racing_count, stays_measurable, NULL);
    const struct trial *leader = fastest(r->racing, r->racing_count);
    if (r->result->rounds >= GLANCE_ROUNDS)
        r->racing_count = keep(r->racing, r->racing_count, stays_after_a_glance, leader);
    if (r->result->rounds >= LEAVE_ROUNDS)
        r->racing_count = keep(r->racing, r->racing_count, stays_in_rounds, leader);
}

/* Whether the race ends here, and why. */
static bool has_ended(struct race *r)
{
    return is_settled(r) || r->result->rounds >= MOST_ROUNDS || is_over(r);
}

static bool run_rounds(struct race *r, struct error *e)
{
    struct trial **together =
        must_malloc((size_t)(r->racing_count + r->barred_count + 1) * sizeof(struct trial *));
    /* Rough times come from different moments: they decided who races, and count no further. */
    r->limit_count = 0;
    bool ok = true;
    for (int count = gather(r, together); count > 0; count = gather(r, together)) {
        for (int i = 0; r->result->rounds == 0 && i < count; i++)
            trial_drop_samples(together[i]);
        int rounds = batch_rounds(count, r->result->rounds);
        ok = measure(r, together, count, rounds, e);
        r->result->rounds += rounds;
        if (!ok)
            break;
        let_leave(r);
        report_progress(r, false, r->result->rounds, MOST_ROUNDS);
        if (has_ended(r))
            break;
    }
    free(together);
    return ok;
}

/* Of those tied with the fastest the simplest wins whose median lies in its interval. */
static void decide(struct race *r)
{
    struct race_result *result = r->result;
    result->limit = median_interval_of(r->limit_samples, r->limit_count);
    struct trial *leader = fastest(r->racing, r->racing_count);
    if (leader == NULL)
        return;
    result->winner = leader;
    for (int i = 0; i < r->racing_count; i++)
        if (race_tied(r->racing[i], leader) && r->racing[i]->time_us <= leader->time_us_high &&
            r->racing[i]->order < result->winner->order)
            result->winner = r->racing[i];
    result->ties = must_malloc((size_t)r->racing_count * sizeof(struct trial *));
    for (int i = 0; i < r->racing_count; i++)
        if (r->racing[i] != result->winner && race_tied(r->racing[i], leader))
            result->ties[result->tie_count++] = r->racing[i];
    qsort(result->ties, (size_t)result->tie_count, sizeof(struct trial *), by_time);
}

static void enter(struct race *r, struct trial *const *trials, int count)
{
    r->racing = must_malloc((size_t)(count + 1) * sizeof(struct trial *));
    r->barred = must_malloc((size_t)(count + 1) * sizeof(struct trial *));
    for (int i = 0; i < count; i++) {
        if (trials[i]->barred)
            r->barred[r->barred_count++] = trials[i];
        else
            r->racing[r->racing_count++] = trials[i];
    }
}

static void leave(struct race *r)
{
    free(r->racing);
    free(r->barred);
    free(r->limit_samples);
}

bool race_run(struct trial *const *trials, int count, const struct race_options *options,
              const struct race_measurer *measurer, struct race_result *result, struct error *e)
{
    *result = (struct race_result){.end = RACE_ROUNDS_SPENT};
    struct race r = {.options = options, .measurer = measurer, .result = result, .random = options->seed};
    enter(&r, trials, count);
    bool ok = sample_all(&r, e);
    if (ok)
        choose_finalists(&r);
    ok = ok && run_rounds(&r, e);
    if (ok)
        decide(&r);
    leave(&r);
    return ok;
}

/* The limit of the race that all those in it have samples of; NaN where there is none such. */
static double common_limit(const struct race *r)
{
    double limit = r->racing_count > 0 ? r->racing[0]->recalled_limit_us : NAN;
    for (int i = 0; i < r->racing_count; i++)
        if (r->racing[i]->recalled_limit_us != limit)
            return NAN;
    return r->barred_count == 0 ? limit : NAN;
}

bool race_recall(struct trial *const *trials, int count, struct race_result *result)
{
    struct race_result recalled = {.end = RACE_ROUNDS_SPENT, .recalled = true};
    struct race r = {.result = &recalled};
    enter(&r, trials, count);
    choose_finalists(&r);
    double limit = common_limit(&r);
    bool settled = false;
    if (!isnan(limit)) {
        r.limit_samples = must_malloc(sizeof *r.limit_samples);
        r.limit_samples[r.limit_count++] = limit;
        const struct trial *leader = fastest(r.racing, r.racing_count);
        r.racing_count = keep(r.racing, r.racing_count, stays_in_rounds, leader);
        recalled.rounds = leader->sample_count;
        settled = is_settled(&r) || recalled.rounds >= SPENT_SAMPLES;
    }
    if (settled) {
        decide(&r);
        *result = recalled;
    }
    leave(&r);
    return settled;
}

void race_result_clear(struct race_result *result)
{
    free(result->ties);
    *result = (struct race_result){0};
}
