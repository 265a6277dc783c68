/* The race: measures trials against each other until the fastest is apart from the others or tied with them.
 */
#ifndef TUNER_RACE_RACE_H
#define TUNER_RACE_RACE_H

#include "tuner/race/statistics.h"
#include "tuner/race/trial.h"

#include <signal.h>

/* What measures; a GPU in the program (race_device.h), a script in the tests. */
struct race_measurer {
    void *context;
    /* Interleaved rounds over the trials (NULL: the limit), in microseconds at samples[round * count +
       trial]; NaN where a round was throttled. All NaN and failures[trial] (then the caller's; NULL before
       the call) for a trial that failed. False when nothing can be measured any more. */
    bool (*measure)(void *context, struct trial *const *trials, int count, int rounds, uint64_t seed,
                    double *samples, char **failures, struct error *e);
};

struct race_progress {
    bool screening;           /* rough times; else the interleaved rounds */
    int done, total;          /* trials with a rough time, or rounds (total: the most there can be) */
    int racing;               /* trials still in the race */
    const struct trial *best; /* NULL before the first is measured */
    double limit_us;
};

struct race_options {
    uint64_t seed;
    double deadline;                   /* on monotonic_seconds(); INFINITY for none */
    const volatile sig_atomic_t *stop; /* ends the race at the next chance when it is not 0; may be NULL */
    void (*progress)(void *context, const struct race_progress *p); /* may be NULL */
    void *progress_context;
};

/* RACE_AT_LIMIT: the fastest is within 1 % of the limit, so that nothing is left to find. */
enum race_end { RACE_APART, RACE_TIED, RACE_AT_LIMIT, RACE_ROUNDS_SPENT, RACE_TIME_SPENT, RACE_STOPPED };

struct race_result {
    struct trial *winner; /* not owned; NULL when none was measured */
    struct trial **ties;  /* owned array: the others that are tied with it, the fastest first */
    int tie_count;
    struct median_interval limit;
    int rounds;    /* interleaved rounds of the winner */
    int throttled; /* samples that were dropped */
    enum race_end end;
    bool recalled; /* it was another run's: nothing was measured */
};

/* Trials without a rough time (trial.copies) get one; those within 10 % of the best one's go through
   interleaved rounds, from which the clearly slower leave. It ends when the others are all tied with the
   leader and every interval is within 0.3 %, when the leader is within 1 % of the limit, or when rounds or
   time are spent. Races `trials`, which are not barred ones that may win and barred ones that are only timed.
   A trial whose measurement fails gets VERDICT_RUNTIME and leaves. `result` is cleared with
   race_result_clear(), also after a failure. */
bool race_run(struct trial *const *trials, int count, const struct race_options *options,
              const struct race_measurer *measurer, struct race_result *result, struct error *e);

/* Decides from the samples that the trials come with (trial.recalled_limit_us). False, and `result` is not set,
   where something has to be measured: a trial that would race without samples, samples of more than one race,
   or a race that had not been decided. */
bool race_recall(struct trial *const *trials, int count, struct race_result *result);
void race_result_clear(struct race_result *result);

/* Whether the intervals overlap and the medians are within 1 %. An interval is the 95 % one of the median,
   and at least 0.2 % on each side: from run to run times differ by that, however many rounds there are. */
bool race_tied(const struct trial *a, const struct trial *b);

#endif
