/* A GPU's descriptor, as its driver tells it. */
#ifndef TUNER_DEVICES_CUDA_CUDA_PROPERTIES_H
#define TUNER_DEVICES_CUDA_CUDA_PROPERTIES_H

#include "generator/gpu.h"
#include "tuner/devices/cuda/cuda_driver.h"

/* Fills `gpu`; the short name, the DRAM's peak and the largest cluster come from `known` where that has the
   GPU by its name, else the peak is memory clock times bus width. */
bool cuda_properties_read(const struct cuda_driver *driver, CUdevice ordinal, const struct gpu_list *known,
                          struct gpu *gpu, struct error *e);

#endif
