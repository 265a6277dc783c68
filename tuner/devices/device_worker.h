/* The device worker: the process that holds a device, and its messages. Private to tuner/devices/.

   It opens the device and says so: {"gpu"}. Then it answers requests in turn, by their "do":
   - problem: {"problem", "rows", "seed", "tolerance", "thorough", "timed"} -> {}
   - verify: an image -> {"verdict", "reason", "lost", "counts"}; the blob holds two doubles, the largest
   error and the rough time in copies
   - load: {"slot"} and an image -> {}; forget: unloads all slots -> {}
   - measure: {"slots": [slot, or null for the limit], "rounds", "seed"} -> {"failures": [text or null]}, and
   the samples (doubles) as the blob.
   - batches: {"rows": [M], "seed"} and an image -> {"alike", "reason", "launched": [M]} (verify_invariance.h)

   Opening and every request may be answered with {"error", "status"} instead. An image travels as
   {"launches", "workspace_of_M", "cubin": its size, "kernels"}, with its cubin and then its PTX as the blob.
 */
#ifndef TUNER_DEVICES_DEVICE_WORKER_H
#define TUNER_DEVICES_DEVICE_WORKER_H

#include "tuner/devices/device.h"
#include "tuner/devices/device_client.h"

/* Modules that a worker holds for measuring at a time. */
enum { DEVICE_SLOTS = 1024 };

struct device_worker_context {
    enum device_kind kind;
    int index;      /* cuda: the GPU's */
    struct gpu gpu; /* emulator */
    struct device_shared *shared;
};

int device_worker_main(int descriptor, void *context); /* a worker_main; `context` is the struct above */

#endif
