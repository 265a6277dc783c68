/* What the model expects of a variant before it is compiled: an order for the work, no prediction. */
#ifndef TUNER_MODEL_MODEL_EXPECT_H
#define TUNER_MODEL_MODEL_EXPECT_H

#include "generator/generator.h"

/* Microseconds a launch, NaN when the variant cannot run; registers are guessed. `space` has been told the
   problem. */
bool model_expect_us(struct generator *space, const char *key, const struct problem *p, const struct gpu *gpu,
                     double *us, struct error *e);

#endif
