/* In which order a tuning run tries the variants: the article's first, since the table needs them, then those
   of the space as --strategy says, by what the store and the model expect of them. */
#ifndef TUNER_CLI_TUNING_ORDER_H
#define TUNER_CLI_TUNING_ORDER_H

#include "tuner/race/pipeline.h"
#include "tuner/race/strategy.h"

struct tuning;

struct tuning_order {
    const char **keys; /* owned, the texts are the trials' */
    double *expected;  /* owned: times a copy; NaN where nothing is known */
    json_t *described; /* owned: the space */
    struct strategy *strategy;
    int next_preset;
};

/* To be called when all trials are added and the store knows the problem. */
bool tuning_order_begin(struct tuning *t, struct error *e);
void tuning_order_clear(struct tuning *t);

/* Has the pipeline ask for the order; without tuning_order_begin() it stays that of the trials. */
void tuning_order_attach(struct tuning *t, struct pipeline *p);

#endif
