/* Trial: one variant on one device. */
#ifndef TUNER_RACE_TRIAL_H
#define TUNER_RACE_TRIAL_H

#include "tuner/devices/device_client.h"

struct trial {
    char *key;   /* owned */
    int order;   /* in the space's order: of tied variants the earlier is the simpler */
    enum verdict verdict;
    char *reason; /* owned; NULL when correct */
    double max_error;
    struct image image; /* owned */
    struct launch_plan plan;
    bool compiled, verified;
    bool barred;        /* timed for the table, cannot win: a preset that is wrong on adversarial rows */
    double predicted_us; /* NaN without a prediction */
    double *samples_us;  /* owned: one a round, throttled rounds left out */
    int sample_count;
    double time_us, time_us_low, time_us_high; /* median and its 95 % interval; NaN unmeasured */
};

void trial_clear(struct trial *t);

#endif
