/* Strategy: in which order the variants of a space are tried. It knows their keys, what is expected of them
   and what it is told of those that were tried; each is given once, so that what does not end early tries
   all. */
#ifndef TUNER_RACE_STRATEGY_H
#define TUNER_RACE_STRATEGY_H

#include <jansson.h>
#include <stdint.h>

enum strategy_kind {
    STRATEGY_EXHAUSTIVE, /* by expectation, the others in the space's order */
    STRATEGY_RANDOM,
    STRATEGY_LOCAL, /* neighbours of the best so far, which differ from it in one parameter; between them, and
                       where there are none left, by expectation */
};

/* Everything is the caller's and outlives the strategy. */
struct strategy_space {
    int count;
    const char *const *keys;  /* in the space's order */
    const double *expected;   /* the less the earlier; NaN where nothing is expected; NULL for all of them */
    const json_t *parameters; /* [{"values": [...]}] in the keys' order, for neighbours */
};

struct strategy;

/* `seed` decides what chance decides. Freed by strategy_close(). */
struct strategy *strategy_open(enum strategy_kind kind, const struct strategy_space *space, uint64_t seed);
void strategy_close(struct strategy *s); /* NULL is allowed */

/* The variant to try next, -1 when all were given. Does not wait for what was given before. */
int strategy_next(struct strategy *s);

/* How a variant did: any measure of time; INFINITY for one that failed. */
void strategy_tell(struct strategy *s, int variant, double cost);

#endif
