/* Model: predicts a variant's time on a GPU descriptor, without the GPU. */
#ifndef TUNER_MODEL_MODEL_H
#define TUNER_MODEL_MODEL_H

#include "generator/gpu.h"
#include "generator/launch.h"
#include "tuner/compile/image.h"

/* Microseconds a launch of the problem; NaN when the variant cannot run there. `config` is the variant's
   values. What the model takes into account, its sources and its known errors are in docs/model.md. */
double model_predict_us(const struct problem *p, const struct gpu *gpu, const json_t *config,
                        const struct image *image, const struct launch_plan *plan);

#endif
