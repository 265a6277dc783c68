/* The store's part in a tuning run: what earlier runs found orders the work and is not done again. */
#ifndef TUNER_CLI_TUNING_STORE_H
#define TUNER_CLI_TUNING_STORE_H

#include "tuner/race/pipeline.h"
#include "tuner/store/store.h"

struct tuning;

struct tuning_memory {
    struct store_key *keys; /* owned: of each trial, by its place; NULL without a store */
    char *space, *article;  /* owned: names of the spaces that trials are stored under */
    int recalled, stale;    /* trials that came from the store; that it knew from another environment */
    int disturbed_by;       /* process id of another run that used the GPU meanwhile; 0 for none */
    bool failed;            /* the store that --store names has failed: */
    struct error why;
};

/* To be called when all trials are added, and before any is begun: tells the store the problem. Goes on
   without the store where it fails, unless --store names it. */
bool tuning_store_begin(struct tuning *t, struct error *e);

/* How the space's variants did in any environment, times a copy; infinite for those that failed. Of the
   others `expected` stays as it is. */
bool tuning_store_expect(struct tuning *t, double *expected, struct error *e);
void tuning_store_clear(struct tuning *t);

/* Has the pipeline ask the store and tell it. */
void tuning_store_attach(struct tuning *t, struct pipeline *p);

/* Whether what is stored of a verified trial will do: it is not near the best, or is timed for the table
 * only. */
bool tuning_store_spares(const struct tuning *t, const struct trial *trial);

/* Stores the times of a race and of trials with the same code. */
bool tuning_store_keep_race(struct tuning *t, struct trial *const *racers, int count, struct error *e);

/* The race's winner was wrong when it was verified as emitted: stored as that, so that the next run does not
   choose it again. */
void tuning_store_distrust(struct tuning *t, struct trial *winner, const struct error *why);

/* Says, once, that another run is using the GPU too. */
void tuning_watch_gpu(struct tuning *t);

#endif
