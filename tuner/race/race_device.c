#include "tuner/race/race_device.h"

#include <stdlib.h>

static bool measure_on_device(void *context, struct trial *const *trials, int count, int rounds,
                              uint64_t seed, double *samples, char **failures, struct error *e)
{
    struct device_entry *entries = must_calloc((size_t)count, sizeof *entries);
    for (int i = 0; i < count; i++)
        if (trials[i] != NULL)
            entries[i] = (struct device_entry){.image = &trials[i]->image, .plan = trials[i]->plan};
    bool ok = device_client_measure(context, entries, count, rounds, seed, samples, failures, e);
    free(entries);
    return ok;
}

struct race_measurer race_device_measurer(struct device_client *device)
{
    return (struct race_measurer){.context = device, .measure = measure_on_device};
}
