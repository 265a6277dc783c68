/* What a launch passes to its kernel for an argument that its plan names, in the type that the kernel takes.
 */
#ifndef TUNER_DEVICES_LAUNCH_ARGUMENT_H
#define TUNER_DEVICES_LAUNCH_ARGUMENT_H

#include "tuner/devices/device.h"

union argument_value {
    uint64_t ptr;
    int64_t i64;
    int32_t i32;
    float f32;
};

/* Argument `index` of the launch. False where a value does not fit an i32. */
bool launch_argument(const struct launch *l, int index, const struct launch_values *v,
                     union argument_value *value, struct error *e);

size_t argument_size(enum argument_type t); /* in bytes, and the alignment among a kernel's parameters */

#endif
