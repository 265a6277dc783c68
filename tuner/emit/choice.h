/* Choice: the variant picked for a problem, how it is launched, and the evidence. */
#ifndef TUNER_EMIT_CHOICE_H
#define TUNER_EMIT_CHOICE_H

#include "generator/generator.h"
#include "tuner/compile/image.h"

#include <jansson.h>

struct choice {
    struct problem problem;
    struct gpu gpu;       /* where it was measured, or whose descriptor the prediction used */
    bool gpu_named;       /* --gpu was given: the GPU's short name is part of the stem */
    char basis[96];       /* "measured", "measured-on:<gpu>", "predicted" */
    char *space;          /* owned: the space's name */
    char *variant;        /* owned: the key */
    json_t *config;       /* owned: the variant's values */
    struct source source; /* owned: kernels named by the stem, M included */
    struct image image;   /* owned: compiled from exactly the emitted .cu text */
    struct launch_plan plan;
    double time_us, time_us_low, time_us_high, limit_us; /* NaN where predicted */
    double predicted_us;                                 /* NaN where measured */
    double max_error;                                    /* NaN where it was not verified */
};

void choice_clear(struct choice *c);

/* The name of the choice's files, kernel and C symbols. */
void choice_stem(const struct choice *c, char stem[STEM_SIZE]);

/* The figures that are told of a choice, rounded to six digits so that a file read back tells the same: of
   the limit and of the GPU's peak are fractions. NaN where there is none. */
struct choice_figures {
    double time_us, time_us_low, time_us_high, bandwidth_gbs, of_limit, of_peak, predicted_us, max_error;
};
struct choice_figures choice_figures(const struct choice *c);

#endif
