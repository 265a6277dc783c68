/* The buffers that the launches of a measurement rotate through: sets of an input and an output. */
#ifndef TUNER_DEVICES_CUDA_CUDA_SETS_H
#define TUNER_DEVICES_CUDA_CUDA_SETS_H

#include "tuner/devices/cuda/cuda_device.h"

struct cuda_sets {
    struct problem problem;
    int count;
    int launches;      /* of a graph that goes round the sets */
    CUdeviceptr arena; /* the sets, one after another: each an input area and an output area */
    size_t in_bytes, out_bytes,
        offset;          /* of the areas; of x and y in theirs, where little alignment is promised */
    size_t copied_bytes; /* by one copy of the limit: half of what the problem moves */
};

/* How many sets a problem has, and how many launches a graph. */
void cuda_sets_shape(const struct problem *p, int64_t l2_bytes, int *count, int *launches);

/* Allocates the sets, fewer where memory is short, and fills them. Closed in any case. */
bool cuda_sets_open(struct cuda_device *c, const struct problem *p, struct cuda_sets *s, struct error *e);
void cuda_sets_close(struct cuda_device *c, struct cuda_sets *s);

CUdeviceptr cuda_sets_in_area(const struct cuda_sets *s, int set);
CUdeviceptr cuda_sets_out_area(const struct cuda_sets *s, int set);

/* What a launch on the set is passed. */
struct launch_values cuda_sets_values(const struct cuda_sets *s, int set, CUdeviceptr workspace);

/* The first rows of the set, all of ordinary values. */
struct oracle_batch cuda_sets_batch(const struct cuda_sets *s, int set, int64_t rows);

#endif
