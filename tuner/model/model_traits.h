/* What the model knows of a variant, whatever space it is from. */
#ifndef TUNER_MODEL_MODEL_TRAITS_H
#define TUNER_MODEL_MODEL_TRAITS_H

#include "generator/launch.h"

struct model_traits {
    double reads;        /* times that x is read from memory */
    double row_threads;  /* threads that share a row */
    double vec_bytes;    /* a load of x */
    bool held;           /* a row is kept between its passes, so that all of it is in flight at once */
    bool asks;           /* for its part of x before its predecessor has ended */
    double exps;         /* exponentials an element */
    double instructions; /* an element, all passes together */
    double barriers;     /* of a block, one after another */
};

/* Reads the names that docs/model.md lists from a variant's values; a name that is not there, or holds
   something else, is taken as what the article's v3 does. */
struct model_traits model_traits_of(const struct problem *p, const json_t *config,
                                    const struct launch *launch);

#endif
