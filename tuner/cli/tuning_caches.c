#include "tuner/cli/tuning_caches.h"

#include "generator/worker.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/tuning.h"
#include "tuner/race/race_device.h"

#include <math.h>
#include <stdlib.h>

static const double small_share = 0.5; /* of L2, what a problem moves that may well find itself there */
static const double rough_margin =
    1.5; /* slower than the best by this in one state: not raced in the other */

static bool is_small(const struct tuning *t)
{
    return problem_bytes(&t->problem) < small_share * (double)t->session->gpu.l2_bytes;
}

static double best_copies(const struct tuning *t)
{
    double best = INFINITY;
    for (int i = 0; i < t->count; i++)
        if (!t->trials[i].barred && t->trials[i].copies < best)
            best = t->trials[i].copies;
    return best;
}

/* Trials of their own that share all but times and failures with those of `t`. */
static void copy_racers(struct tuning *t)
{
    double most = best_copies(t) * rough_margin;
    t->other.trials = must_malloc((size_t)(t->count + 1) * sizeof *t->other.trials);
    for (int i = 0; i < t->count; i++) {
        const struct trial *trial = &t->trials[i];
        if (trial->same_as != i || !trial->verified || trial->verdict != VERDICT_CORRECT || trial->barred ||
            (trial != t->race.winner && trial->copies > most))
            continue;
        struct trial *copy = &t->other.trials[t->other.count++];
        *copy = *trial;
        copy->samples_us = NULL;
        copy->sample_count = 0;
        copy->copies = copy->time_us = copy->time_us_low = copy->time_us_high = NAN;
        if (trial == t->race.winner)
            t->other.choice = copy;
    }
}

bool tuning_race_other_cache(struct tuning *t, struct error *e)
{
    struct session *s = t->session;
    double start = monotonic_seconds(), deadline = t->started + s->options->seconds;
    if (!is_small(t) || t->race.winner == NULL || interrupt_signal != 0 || start > deadline)
        return true;
    struct problem p = t->problem;
    p.cache = p.cache == CACHE_COLD ? CACHE_HOT : CACHE_COLD;
    if (!session_set_device_problem(s, &p, e))
        return false;
    copy_racers(t);
    struct trial **racers = must_malloc((size_t)(t->other.count + 1) * sizeof(struct trial *));
    for (int i = 0; i < t->other.count; i++)
        racers[i] = &t->other.trials[i];
    const struct race_options options = {
        .seed = s->options->seed,
        .deadline = deadline,
        .stop = &interrupt_signal,
        .progress = progress_race,
        .progress_context = t->progress,
    };
    struct race_measurer measurer = race_device_measurer(s->device);
    progress_begin(t->progress, cache_name(p.cache));
    bool ok = race_run(racers, t->other.count, &options, &measurer, &t->other.race, e);
    progress_end(t->progress);
    t->measure_seconds += monotonic_seconds() - start;
    free(racers);
    return ok;
}

void tuning_other_clear(struct tuning *t)
{
    for (int i = 0; i < t->other.count; i++) {
        free(t->other.trials[i].samples_us);
        free(t->other.trials[i].reason);
    }
    free(t->other.trials);
    race_result_clear(&t->other.race);
}
