/* GPU descriptors: what a kernel may use on a GPU and how fast that GPU is. configs/gpus.lua holds the data.
 */
#ifndef GENERATOR_GPU_H
#define GENERATOR_GPU_H

#include "generator/error.h"

#include <jansson.h>
#include <stdint.h>

struct gpu {
    char name[64];          /* as the driver says it: "NVIDIA H200" */
    char short_name[32];    /* for --gpu and for stems: "h200" */
    char arch[16];          /* "sm_90"; "sm_100a" only when asked for by that name */
    int compute_capability; /* 90: major * 10 + minor */
    int sms;
    int64_t l2_bytes;
    double dram_gbs;  /* peak, the vendor's data sheet: GB/s, 1 GB = 1e9 bytes */
    double clock_mhz; /* boost */
    int max_threads_per_sm, max_blocks_per_sm, registers_per_sm;
    int max_registers_per_thread, register_unit; /* registers are given to a warp in this unit */
    int smem_per_sm, smem_per_block,
        smem_reserved; /* bytes; a block's after opting in; the system's own a block */
    int max_cluster;   /* blocks; 0 where there are no clusters, above 8 with the function attribute */
    int ptx_version;   /* of the NVRTC in use, 90 for 9.0; 0 while unknown */
};

struct gpu_list {
    struct gpu *gpus; /* in the file's order: the first of an architecture is its default */
    int count;
};

/* Reads configs/gpus.lua (built in). Freed by gpu_list_clear(). */
bool gpu_list_load(struct gpu_list *list, struct error *e);
void gpu_list_clear(struct gpu_list *list);

/* The descriptor for `arch` and `name`, either of which may be NULL (not both); `name` is the short name or
   the driver's, in any case. "sm_100a" finds an sm_100 GPU and keeps the arch asked for. Unknown: status 2,
   and the known ones are listed. */
bool gpu_find(const struct gpu_list *list, const char *arch, const char *name, struct gpu *gpu,
              struct error *e);

json_t *gpu_to_json(const struct gpu *gpu); /* the fields by their names; a new reference */
bool gpu_of_json(const json_t *object, struct gpu *gpu, struct error *e);

/* Blocks of `threads` threads that one SM holds, by registers, shared memory, threads and block slots; the
   rules of the CUDA occupancy calculator. 0 when not even one fits. */
int gpu_blocks_per_sm(const struct gpu *gpu, int threads, int registers, int64_t smem_bytes);

#endif
