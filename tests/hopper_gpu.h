/* A GPU for the tests that need no file of GPUs. */
#ifndef TESTS_HOPPER_GPU_H
#define TESTS_HOPPER_GPU_H

#include "generator/gpu.h"

static const struct gpu hopper_gpu = {.name = "NVIDIA H200",
                                      .short_name = "h200",
                                      .arch = "sm_90",
                                      .compute_capability = 90,
                                      .sms = 132,
                                      .l2_bytes = 60 << 20,
                                      .dram_gbs = 4800,
                                      .clock_mhz = 1980,
                                      .max_threads_per_sm = 2048,
                                      .max_blocks_per_sm = 32,
                                      .registers_per_sm = 65536,
                                      .max_registers_per_thread = 255,
                                      .register_unit = 256,
                                      .smem_per_sm = 228 << 10,
                                      .smem_per_block = 227 << 10,
                                      .smem_reserved = 1024,
                                      .max_cluster = 16};

#endif
