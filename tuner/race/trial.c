#include "tuner/race/trial.h"

#include "tuner/race/statistics.h"

#include <math.h>
#include <stdlib.h>

struct trial trial_of(struct generator *space, const char *key, int order)
{
    return (struct trial){
        .key = must_strdup(key),
        .space = space,
        .order = order,
        .same_as = -1,
        .verdict = VERDICT_CORRECT,
        .max_error = NAN,
        .predicted_us = NAN,
        .copies = NAN,
        .recalled_limit_us = NAN,
        .time_us = NAN,
        .time_us_low = NAN,
        .time_us_high = NAN,
    };
}

void trial_clear(struct trial *t)
{
    free(t->key);
    free(t->label);
    free(t->reason);
    json_decref(t->counts);
    image_clear(&t->image);
    free(t->plan);
    free(t->samples_us);
    *t = (struct trial){.same_as = -1};
}

void trial_fail(struct trial *t, enum verdict verdict, char *reason)
{
    free(t->reason);
    t->reason = reason;
    t->verdict = verdict;
    t->finished = true;
}

void trial_add_samples(struct trial *t, const double *samples, int count, int stride)
{
    t->samples_us = must_realloc(t->samples_us, (size_t)(t->sample_count + count) * sizeof *t->samples_us);
    for (size_t i = 0; i < (size_t)count; i++)
        if (!isnan(samples[i * (size_t)stride]))
            t->samples_us[t->sample_count++] = samples[i * (size_t)stride];
    struct median_interval time = median_interval_of(t->samples_us, t->sample_count);
    t->time_us = time.median;
    t->time_us_low = time.low;
    t->time_us_high = time.high;
}

void trial_drop_samples(struct trial *t)
{
    t->sample_count = 0;
}
