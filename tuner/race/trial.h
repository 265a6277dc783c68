/* Trial: one variant on one device. */
#ifndef TUNER_RACE_TRIAL_H
#define TUNER_RACE_TRIAL_H

#include "generator/generator.h"
#include "tuner/devices/device_client.h"

struct trial {
    char *key;   /* owned: the variant's */
    char *label; /* owned: "v4" for a preset, what the user typed, a rival's file; else NULL */
    struct generator
        *space;  /* whose variant it is, not owned; NULL for a kernel that was read from a manifest */
    int order;   /* in the space's order: of tied variants the earlier is the simpler */
    int same_as; /* index of the trial that stands for this one, since machine code and launches are equal;
                    its own index for one that stands for itself, -1 until it is compiled */
    enum verdict verdict;
    char *reason; /* owned; NULL when correct */
    double max_error;
    json_t *counts;     /* owned: the emulator's, or NULL */
    struct image image; /* owned; without machine code and PTX once it is clear that they are not needed */
    struct launch_plan *plan; /* owned; NULL until it is compiled */
    bool finished; /* compiled and, where there is a device, verified; or failed: verdict and reason stand */
    bool compiled, verified;
    bool recalled;                          /* verdict and times are of an earlier run (pipeline.recall) */
    double compile_seconds, verify_seconds; /* 0 for an image out of the cache */
    bool barred;                            /* timed for the table only, never chosen */
    bool listed;                            /* in the table: timed even where it is clearly slower */
    double predicted_us;                    /* NaN without a prediction */
    double copies;      /* rough time, that of a copy of the same bytes being 1; NaN without one */
    double *samples_us; /* owned: one a round, throttled rounds left out */
    int sample_count;
    double recalled_limit_us; /* the limit in the race that recalled samples are of; NaN without such */
    double time_us, time_us_low, time_us_high; /* median and its 95 % interval; NaN unmeasured */
};

/* A trial of `key` that nothing was done with yet; `key` is copied. */
struct trial trial_of(struct generator *space, const char *key, int order);
void trial_clear(struct trial *t);

/* It failed: verdict and reason (taken over). */
void trial_fail(struct trial *t, enum verdict verdict, char *reason);

/* Adds the samples that are numbers and brings time_us and its interval up to date. */
void trial_add_samples(struct trial *t, const double *samples, int count, int stride);
void trial_drop_samples(struct trial *t);

#endif
