/* The oracle on the GPU: oracle.cu, compiled with NVRTC when the device is opened. */
#ifndef TUNER_DEVICES_CUDA_CUDA_ORACLE_H
#define TUNER_DEVICES_CUDA_CUDA_ORACLE_H

#include "tuner/devices/cuda/cuda_device.h"

struct cuda_oracle;

/* Status 3: no NVRTC, or a driver too old for what NVRTC makes. */
struct cuda_oracle *cuda_oracle_open(struct cuda_device *c, struct error *e);
void cuda_oracle_close(struct cuda_device *c, struct cuda_oracle *o);

bool cuda_oracle_make_input(struct device *d, const struct oracle_batch *b, device_address x,
                            struct error *e);
bool cuda_oracle_judge(struct device *d, const struct oracle_batch *b, device_address x, device_address y,
                       struct oracle_verdict *verdict, struct error *e);

/* Enqueues a look at `bytes` bytes that should be poison; the result of all looks since the last result. */
bool cuda_oracle_look(struct cuda_device *c, CUdeviceptr address, size_t bytes, struct error *e);
bool cuda_oracle_looked(struct cuda_device *c, bool *all_poison, struct error *e);

/* The copy kernels: shape `index` copies `bytes` bytes (a multiple of 16). Enqueued, not waited for. */
enum { COPY_SHAPES = 7 };
bool cuda_oracle_copy(struct cuda_device *c, int index, CUdeviceptr to, CUdeviceptr from, size_t bytes,
                      struct error *e);

#endif
