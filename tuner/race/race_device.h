/* The race's measurer on a device worker. */
#ifndef TUNER_RACE_RACE_DEVICE_H
#define TUNER_RACE_RACE_DEVICE_H

#include "tuner/race/race.h"

/* Measures on `device` (cuda), which stays the caller's and has been told the problem. */
struct race_measurer race_device_measurer(struct device_client *device);

#endif
