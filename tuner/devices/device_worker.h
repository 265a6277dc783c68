/* The device worker: the process that holds a device, and its messages. Private to tuner/devices/.

   It opens the device and says so ({"gpu"} or {"error", "status"}), then answers requests in turn, {"do":
   ...}: problem  {"problem", "rows", "seed", "tolerance", "thorough"}           {} verify   an image (below)
   {"verdict", "reason", "lost", "counts"},
                                                                             blob: the error, a double load
   {"slot"} and an image                                          {} forget {} measure  {"slots": [slot or
   null, ...], "rounds", "seed"}               {"failures": [text or null, ...]}, blob: the samples, doubles
   or {"error", "status"}. An image travels as {"launches", "workspace_of_M", "cubin", "kernels"} and its
   cubin and PTX as the blob. */
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
