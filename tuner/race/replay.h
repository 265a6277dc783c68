/* Replay: a recorded space in the place of a compiler and a device, so that strategies are compared without a
   GPU. */
#ifndef TUNER_RACE_REPLAY_H
#define TUNER_RACE_REPLAY_H

#include "generator/error.h"
#include "tuner/race/strategy.h"

struct replay {
    int count;
    char **keys;        /* owned: "threads=256,vec_bytes=16" */
    double *us;         /* owned: a launch; INFINITY for a variant that failed */
    json_t *parameters; /* owned: [{"name", "values"}], as far as they were recorded */
    json_t *metadata; /* owned: the recording's, with "problem" and "hardware" where the store exported it */
    double best_us;
};

/* Reads T4 results, such as `softmax-tune store export t4` writes: of each its configuration, and the
   measurement `time` where its invalidity is `correct`. Status 2 when it cannot be read, is something else,
   or no variant has a time. Cleared by replay_clear(), also after a failure. */
bool replay_read(const char *path, struct replay *r, struct error *e);
void replay_clear(struct replay *r);

/* How many variants are begun until one that is no slower than `margin` times the best has been tried, when
   `jobs` are under way at a time and end in the order in which they were begun. `expected` is that of
   strategy_space; NULL for none. */
int replay_trials(const struct replay *r, enum strategy_kind kind, const double *expected, uint64_t seed,
                  int jobs, double margin);

#endif
