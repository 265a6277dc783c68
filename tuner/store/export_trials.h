/* Private to tuner/store/: the trials that an export is made of. */
#ifndef TUNER_STORE_EXPORT_TRIALS_H
#define TUNER_STORE_EXPORT_TRIALS_H

#include "tuner/store/export.h"

struct exported_trial {
    struct store_trial trial;
    struct store_times times; /* of the rounds; else one sample, the rough time times the problem's limit */
    json_t *config;           /* the variant's values */
    char timestamp[32];       /* "2026-01-31 12:00:00+00:00" */
};

struct exported_trials {
    char *gpu, *arch; /* "NVIDIA H200", "sm_90" */
    struct exported_trial *trials;
    int count;
};

/* Of trials of one variant (an edited template) the latest stands. Freed by export_trials_clear(). */
bool export_trials_read(struct store *s, const struct export_selection *selection,
                        struct exported_trials *found, struct error *e);
void export_trials_clear(struct exported_trials *found);

/* Whether it is right and was timed. */
bool exported_trial_timed(const struct exported_trial *t);

/* Its samples in milliseconds; a new reference. */
json_t *exported_trial_times_ms(const struct exported_trial *t);
/* What measuring took of the GPU's time, in milliseconds. */
double exported_trial_benchmark_ms(const struct exported_trial *t);

#endif
