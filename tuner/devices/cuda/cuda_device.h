/* The cuda device's parts; private to tuner/devices/cuda/. */
#ifndef TUNER_DEVICES_CUDA_CUDA_DEVICE_H
#define TUNER_DEVICES_CUDA_CUDA_DEVICE_H

#include "tuner/devices/cuda/cuda_driver.h"
#include "tuner/devices/device.h"

/* A buffer of the verifier's, between two guard zones. */
struct cuda_buffer {
    CUdeviceptr base, address, end; /* guards: from base to address, and from address + bytes to end */
    size_t bytes;
    struct cuda_buffer *next;
};

struct cuda_device {
    struct device device; /* first: a struct device * is one of these */
    struct cuda_driver *driver;
    CUdevice ordinal;
    bool retained;
    CUstream stream;
    struct cuda_buffer *buffers;
    struct cuda_oracle *oracle;
    struct cuda_bench *bench;   /* of the problem measured last; NULL before */
    struct cuda_clocks *clocks; /* NULL where NVML is not here */
    struct device_shared *shared;
};

struct cuda_module {
    CUmodule module;
    CUfunction functions[LAUNCHES_MAX];
    /* of the measurement, made when it is first measured for a problem (cuda_bench.c) */
    CUgraphExec graph;
    CUdeviceptr workspace;
    int generation;   /* the bench's that they belong to */
    int launches;     /* of the graph */
    double replay_ms; /* what one replay took when the graph was made */
};

/* Enqueues the plan's launches on the device's stream. */
bool cuda_enqueue(struct cuda_device *c, const struct cuda_module *m, const struct launch_plan *plan,
                  const struct launch_values *v, struct error *e);

/* Waits for the stream. */
bool cuda_wait(struct cuda_device *c, const char *what, struct error *e);

/* Launches one of the oracle's kernels. */
bool cuda_run(struct cuda_device *c, CUfunction function, const unsigned grid[2], const unsigned block[2],
              void **arguments, const char *what, struct error *e);

#endif
