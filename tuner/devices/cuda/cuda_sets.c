#include "tuner/devices/cuda/cuda_sets.h"

#include <math.h>

#include "tuner/devices/cuda/cuda_oracle.h"
#include "tuner/verify/oracle_host.h"
#include "tuner/verify/verify.h"

enum { SETS_MAX = 2000 };

void cuda_sets_shape(const struct problem *p, int64_t l2_bytes, int *count, int *launches)
{
    double moved = fmax(1, problem_bytes(p));
    if (p->cache == CACHE_HOT) {
        *count = 1;
        *launches = (int)fmax(8, fmin(200, 2e8 / moved));
        return;
    }
    *count = (int)fmin(SETS_MAX, fmax(2, ceil(4.0 * (double)l2_bytes / moved)));
    *launches = *count > 8 ? *count : 8;
}

struct oracle_batch cuda_sets_batch(const struct cuda_sets *s, int set, int64_t rows)
{
    struct verify_options options = {.seed = (uint64_t)set + 1};
    struct oracle_batch batch = verify_batch(&s->problem, &options, rows);
    batch.kind_count = 1;
    batch.first_kind = KIND_ORDINARY;
    return batch;
}

static size_t round_area(size_t bytes)
{
    size_t unit = bytes > 1 << 20 ? 2 << 20 : 512;
    return (bytes + unit - 1) / unit * unit;
}

CUdeviceptr cuda_sets_in_area(const struct cuda_sets *s, int set)
{
    return s->arena + (size_t)set * (s->in_bytes + s->out_bytes);
}

CUdeviceptr cuda_sets_out_area(const struct cuda_sets *s, int set)
{
    return cuda_sets_in_area(s, set) + s->in_bytes;
}

struct launch_values cuda_sets_values(const struct cuda_sets *s, int set, CUdeviceptr workspace)
{
    const struct problem *p = &s->problem;
    CUdeviceptr x = cuda_sets_in_area(s, set) + s->offset;
    return (struct launch_values){.x = x,
                                  .y = p->in_place ? x : cuda_sets_out_area(s, set) + s->offset,
                                  .workspace = workspace,
                                  .M = p->M,
                                  .N = p->N,
                                  .x_stride = p->x_stride,
                                  .y_stride = p->y_stride,
                                  .scale = p->scaled ? 0.7f : 1};
}

/* Fewer sets where memory is short, down to one that alone leaves nothing of itself in L2. */
static bool allocate_arena(struct cuda_device *c, struct cuda_sets *s, struct error *e)
{
    double moved = problem_bytes(&s->problem), l2 = (double)c->device.gpu.l2_bytes;
    for (;; s->count--) {
        CUresult r = c->driver->memory_allocate(&s->arena, (size_t)s->count * (s->in_bytes + s->out_bytes));
        if (r == CUDA_SUCCESS)
            return true;
        s->arena = 0;
        if (r != CUDA_ERROR_OUT_OF_MEMORY || s->count == 1 || (s->count - 1) * moved < 2 * l2)
            return cuda_ok(c->driver, r, "allocating the buffers to measure with", e);
    }
}

static bool fill_sets(struct cuda_device *c, struct cuda_sets *s, struct error *e)
{
    for (int i = 0; i < s->count; i++) {
        struct oracle_batch batch = cuda_sets_batch(s, i, s->problem.M);
        if (!cuda_ok(c->driver,
                     c->driver->fill(cuda_sets_out_area(s, i), ORACLE_POISON, s->out_bytes, c->stream),
                     "filling the buffers", e) ||
            !cuda_oracle_make_input(&c->device, &batch, cuda_sets_values(s, i, 0).x, e))
            return false;
    }
    return cuda_wait(c, "filling the buffers", e);
}

bool cuda_sets_open(struct cuda_device *c, const struct problem *p, struct cuda_sets *s, struct error *e)
{
    *s = (struct cuda_sets){.problem = *p, .offset = p->align >= 16 ? 0 : (size_t)p->align};
    size_t half = (size_t)(problem_bytes(p) / 2) / 16 * 16;
    s->copied_bytes = half > 16 ? half : 16;
    struct oracle_batch whole = cuda_sets_batch(s, 0, p->M);
    size_t x_bytes = oracle_x_bytes(&whole) + s->offset, y_bytes = oracle_y_bytes(&whole) + s->offset;
    s->in_bytes = round_area(x_bytes > s->copied_bytes ? x_bytes : s->copied_bytes);
    s->out_bytes = round_area(y_bytes > s->copied_bytes && !p->in_place ? y_bytes : s->copied_bytes);
    cuda_sets_shape(p, c->device.gpu.l2_bytes, &s->count, &s->launches);
    return allocate_arena(c, s, e) && fill_sets(c, s, e);
}

void cuda_sets_close(struct cuda_device *c, struct cuda_sets *s)
{
    if (s->arena != 0)
        c->driver->memory_free(s->arena);
    s->arena = 0;
}
