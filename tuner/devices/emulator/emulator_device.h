/* The emulator's side of device.h. Private to the emulator. */
#ifndef TUNER_DEVICES_EMULATOR_EMULATOR_DEVICE_H
#define TUNER_DEVICES_EMULATOR_EMULATOR_DEVICE_H

#include "tuner/devices/device.h"
#include "tuner/devices/emulator/machine.h"

struct emulator {
    struct device device; /* first: a struct device * of the emulator is one of these */
    struct machine *machine;
};

struct emulator_module {
    struct machine_module *machine_module;
    struct image_kernel kernels[IMAGE_KERNELS_MAX];
    int kernel_count;
};

bool emulator_launch(struct device *d, void *module, const struct launch_plan *plan,
                     const struct launch_values *v, struct error *e);

/* device.h's `count`. */
json_t *emulator_count(struct device *d, void *module, const struct launch_plan *plan,
                       const struct problem *p);

#endif
