/* Measuring on the GPU: graphs of back-to-back launches over rotating buffers, in interleaved rounds
   (docs/measuring.md). */
#ifndef TUNER_DEVICES_CUDA_CUDA_BENCH_H
#define TUNER_DEVICES_CUDA_CUDA_BENCH_H

#include "tuner/devices/cuda/cuda_device.h"

/* device_operations.measure */
bool cuda_bench_measure(struct device *d, const struct problem *p, const struct measured_entry *entries,
                        int count, int rounds, uint64_t seed, double *samples, char **failures,
                        struct error *e);
/* device_operations.sample */
bool cuda_bench_sample(struct device *d, const struct problem *p, const struct measured_entry *entry,
                       double *copies, char **failure, struct error *e);
void cuda_bench_close(struct cuda_device *c);

/* Drops a module's graph and workspace. */
void cuda_module_forget(struct cuda_device *c, struct cuda_module *m);

#endif
