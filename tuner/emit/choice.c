#include "tuner/emit/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void choice_clear(struct choice *c)
{
    free(c->space);
    free(c->variant);
    json_decref(c->config);
    source_clear(&c->source);
    image_clear(&c->image);
    *c = (struct choice){0};
}

void choice_stem(const struct choice *c, char stem[STEM_SIZE])
{
    problem_stem(&c->problem, true, c->gpu.arch, c->gpu_named ? c->gpu.short_name : NULL, stem);
}

/* NaN also for an infinity, which JSON cannot say either. */
static double six_digits(double value)
{
    if (!isfinite(value))
        return NAN;
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

struct choice_figures choice_figures(const struct choice *c)
{
    struct choice_figures f = {
        .time_us = six_digits(c->time_us),
        .time_us_low = six_digits(c->time_us_low),
        .time_us_high = six_digits(c->time_us_high),
        .predicted_us = six_digits(c->predicted_us),
        .max_error = six_digits(c->max_error),
    };
    f.bandwidth_gbs = six_digits(problem_bytes(&c->problem) / f.time_us / 1e3);
    f.of_limit = six_digits(c->limit_us / f.time_us);
    bool here = strcmp(c->basis, "measured") == 0; /* another GPU has another peak */
    f.of_peak = here ? six_digits(f.bandwidth_gbs / c->gpu.dram_gbs) : NAN;
    return f;
}
