#include "tuner/devices/cuda/cuda_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/devices/cuda/cuda_bench.h"
#include "tuner/devices/cuda/cuda_clocks.h"
#include "tuner/devices/cuda/cuda_oracle.h"
#include "tuner/devices/cuda/cuda_properties.h"
#include "tuner/devices/launch_argument.h"

enum { GUARD_BYTES = 1 << 16 };

static struct cuda_device *cuda_of(struct device *d)
{
    return (struct cuda_device *)d;
}

bool cuda_wait(struct cuda_device *c, const char *what, struct error *e)
{
    return cuda_ok(c->driver, c->driver->stream_synchronize(c->stream), what, e);
}

/* ---- launching ---- */

bool cuda_run(struct cuda_device *c, CUfunction function, const unsigned grid[2], const unsigned block[2],
              void **arguments, const char *what, struct error *e)
{
    CUlaunchConfig config = {.gridDimX = grid[0],
                             .gridDimY = grid[1],
                             .gridDimZ = 1,
                             .blockDimX = block[0],
                             .blockDimY = block[1],
                             .blockDimZ = 1,
                             .hStream = c->stream};
    return cuda_ok(c->driver, c->driver->launch(&config, function, arguments, NULL), what, e);
}

static unsigned fill_attributes(const struct launch *l, CUlaunchAttribute attributes[3])
{
    unsigned count = 0;
    if (l->cluster[0] * l->cluster[1] * l->cluster[2] > 1) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[count].value.clusterDim.x = (unsigned)l->cluster[0];
        attributes[count].value.clusterDim.y = (unsigned)l->cluster[1];
        attributes[count++].value.clusterDim.z = (unsigned)l->cluster[2];
    }
    if (l->cooperative) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[count++].value.cooperative = 1;
    }
    if (l->programmatic) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes[count++].value.programmaticStreamSerializationAllowed = 1;
    }
    return count;
}

static bool enqueue_one(struct cuda_device *c, CUfunction function, const struct launch *l,
                        const struct launch_values *v, struct error *e)
{
    union argument_value values[LAUNCH_ARGS_MAX];
    void *arguments[LAUNCH_ARGS_MAX];
    CUlaunchAttribute attributes[3];
    memset(attributes, 0, sizeof attributes);
    int64_t grid;
    if (!expression_evaluate(l->grid_of_M, v->M, c->device.gpu.sms, &grid, e))
        return false;
    if (grid < 1 || grid > INT32_MAX)
        return error_set(e, STATUS_USAGE, "the grid (%s) is %" PRId64 " blocks for M = %" PRId64,
                         l->grid_of_M, grid, v->M);
    for (int i = 0; i < l->arg_count; i++) {
        arguments[i] = &values[i];
        if (!launch_argument(l, i, v, &values[i], e))
            return false;
    }
    CUlaunchConfig config = {.gridDimX = (unsigned)grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = (unsigned)l->block[0],
                             .blockDimY = (unsigned)l->block[1],
                             .blockDimZ = (unsigned)l->block[2],
                             .sharedMemBytes = (unsigned)l->dynamic_smem_bytes,
                             .hStream = c->stream,
                             .attrs = attributes,
                             .numAttrs = fill_attributes(l, attributes)};
    return cuda_ok(c->driver, c->driver->launch(&config, function, arguments, NULL), "cannot be launched", e);
}

bool cuda_enqueue(struct cuda_device *c, const struct cuda_module *m, const struct launch_plan *plan,
                  const struct launch_values *v, struct error *e)
{
    for (int i = 0; i < plan->count; i++)
        if (!enqueue_one(c, m->functions[i], &plan->launches[i], v, e))
            return false;
    return true;
}

static bool cuda_launch(struct device *d, void *module, const struct launch_plan *plan,
                        const struct launch_values *v, struct error *e)
{
    return cuda_enqueue(cuda_of(d), module, plan, v, e) && cuda_wait(cuda_of(d), "the kernel fails", e);
}

/* ---- modules ---- */

static bool prepare_function(struct cuda_device *c, struct cuda_module *m, CUfunction *function,
                             const struct launch *l, struct error *e)
{
    const struct cuda_driver *d = c->driver;
    if (!cuda_ok(d, d->module_function(function, m->module, l->kernel), l->kernel, e))
        return false;
    if (l->dynamic_smem_bytes > 0 &&
        !cuda_ok(d,
                 d->function_set(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 l->dynamic_smem_bytes),
                 "asking for its dynamic shared memory", e))
        return false;
    return l->cluster[0] * l->cluster[1] * l->cluster[2] <= 8 ||
           cuda_ok(d, d->function_set(*function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                   "asking for a cluster of more than 8 blocks", e);
}

static void cuda_unload(struct device *d, void *module)
{
    struct cuda_device *c = cuda_of(d);
    struct cuda_module *m = module;
    if (m == NULL)
        return;
    cuda_module_forget(c, m);
    if (m->module != NULL)
        c->driver->module_unload(m->module);
    free(m);
}

static bool cuda_load(struct device *d, const struct image *image, const struct launch_plan *plan,
                      void **module, struct error *e)
{
    struct cuda_device *c = cuda_of(d);
    struct cuda_module *m = must_calloc(1, sizeof *m);
    bool ok = cuda_ok(c->driver, c->driver->module_load(&m->module, image->cubin), "loading the kernel", e);
    for (int i = 0; ok && i < plan->count; i++)
        ok = prepare_function(c, m, &m->functions[i], &plan->launches[i], e);
    if (ok)
        *module = m;
    else
        cuda_unload(d, m);
    return ok;
}

/* ---- memory ---- */

static bool poison_guards(struct cuda_device *c, const struct cuda_buffer *b, struct error *e)
{
    CUdeviceptr behind = b->address + b->bytes;
    return cuda_ok(c->driver, c->driver->fill(b->base, ORACLE_POISON, b->address - b->base, c->stream),
                   "filling guards", e) &&
           cuda_ok(c->driver, c->driver->fill(behind, ORACLE_POISON, b->end - behind, c->stream),
                   "filling guards", e);
}

static bool cuda_allocate(struct device *d, size_t bytes, size_t align, device_address *address,
                          struct error *e)
{
    struct cuda_device *c = cuda_of(d);
    struct cuda_buffer *b = must_calloc(1, sizeof *b);
    size_t whole = bytes + 2 * (size_t)GUARD_BYTES + 4 * align;
    char what[64];
    snprintf(what, sizeof what, "allocating %zu bytes on the GPU", bytes);
    if (!cuda_ok(c->driver, c->driver->memory_allocate(&b->base, whole), what, e)) {
        free(b);
        return false;
    }
    b->bytes = bytes;
    b->end = b->base + whole;
    b->address = (b->base + GUARD_BYTES + 2 * align - 1) / (2 * align) * (2 * align) + align;
    b->next = c->buffers;
    c->buffers = b;
    *address = b->address;
    return poison_guards(c, b, e);
}

static void cuda_release(struct device *d, device_address address)
{
    struct cuda_device *c = cuda_of(d);
    for (struct cuda_buffer **link = &c->buffers; *link != NULL; link = &(*link)->next)
        if ((*link)->address == address) {
            struct cuda_buffer *b = *link;
            *link = b->next;
            c->driver->memory_free(b->base);
            free(b);
            return;
        }
}

static bool cuda_fill(struct device *d, device_address address, unsigned char byte, size_t bytes,
                      struct error *e)
{
    struct cuda_device *c = cuda_of(d);
    return cuda_ok(c->driver, c->driver->fill(address, byte, bytes, c->stream), "filling", e);
}

static bool cuda_read(struct device *d, void *to, device_address from, size_t bytes, struct error *e)
{
    struct cuda_device *c = cuda_of(d);
    return cuda_wait(c, "reading", e) &&
           cuda_ok(c->driver, c->driver->copy_to_host(to, from, bytes), "reading", e);
}

static bool cuda_write(struct device *d, device_address to, const void *from, size_t bytes, struct error *e)
{
    struct cuda_device *c = cuda_of(d);
    return cuda_wait(c, "writing", e) &&
           cuda_ok(c->driver, c->driver->copy_to_device(to, from, bytes), "writing", e);
}

/* The first byte from `from` to `end` that is not poison, or `end`. */
static CUdeviceptr first_change(struct cuda_device *c, CUdeviceptr from, CUdeviceptr end)
{
    unsigned char *bytes = must_malloc(end - from);
    size_t i = 0;
    if (c->driver->copy_to_host(bytes, from, end - from) == CUDA_SUCCESS)
        while (i < end - from && bytes[i] == ORACLE_POISON)
            i++;
    free(bytes);
    return from + i;
}

/* Says which guard was written to, and makes it whole for the next variant. */
static bool explain_guards(struct cuda_device *c, struct error *e)
{
    error_set(e, STATUS_MISSING, "writes outside its buffers");
    for (const struct cuda_buffer *b = c->buffers; b != NULL; b = b->next) {
        CUdeviceptr behind = b->address + b->bytes;
        CUdeviceptr before_at = first_change(c, b->base, b->address),
                    behind_at = first_change(c, behind, b->end);
        if (before_at < b->address)
            error_set(e, STATUS_MISSING,
                      "writes outside its buffers: %" PRIu64 " bytes before one of %zu bytes",
                      (uint64_t)(b->address - before_at), b->bytes);
        else if (behind_at < b->end)
            error_set(e, STATUS_MISSING,
                      "writes outside its buffers: at byte %" PRIu64 " after the end of one of %zu bytes",
                      (uint64_t)(behind_at - behind), b->bytes);
        else
            continue;
        poison_guards(c, b, NULL);
    }
    return false;
}

static bool cuda_guards_whole(struct device *d, struct error *e)
{
    struct cuda_device *c = cuda_of(d);
    bool whole = true;
    for (const struct cuda_buffer *b = c->buffers; b != NULL; b = b->next) {
        CUdeviceptr behind = b->address + b->bytes;
        if (!cuda_oracle_look(c, b->base, b->address - b->base, e) ||
            !cuda_oracle_look(c, behind, b->end - behind, e))
            return false;
    }
    return cuda_oracle_looked(c, &whole, e) && (whole || explain_guards(c, e));
}

/* ---- opening ---- */

static void cuda_close(struct device *d)
{
    struct cuda_device *c = cuda_of(d);
    if (c->driver == NULL) {
        free(c);
        return;
    }
    cuda_bench_close(c);
    cuda_clocks_close(c->clocks);
    cuda_oracle_close(c, c->oracle);
    while (c->buffers != NULL)
        cuda_release(d, c->buffers->address);
    if (c->stream != NULL)
        c->driver->stream_destroy(c->stream);
    if (c->retained)
        c->driver->context_release(c->ordinal);
    cuda_driver_close(c->driver);
    free(c);
}

static const struct device_operations operations = {
    .name = "cuda",
    .close = cuda_close,
    .load = cuda_load,
    .unload = cuda_unload,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .fill = cuda_fill,
    .read = cuda_read,
    .write = cuda_write,
    .guards_whole = cuda_guards_whole,
    .launch = cuda_launch,
    .make_input = cuda_oracle_make_input,
    .judge = cuda_oracle_judge,
    .measure = cuda_bench_measure,
    .sample = cuda_bench_sample,
};

static bool open_context(struct cuda_device *c, int index, struct error *e)
{
    const struct cuda_driver *d = c->driver;
    int count = 0;
    CUcontext context;
    if (!cuda_ok(d, d->device_count(&count), "counting the GPUs", e))
        return false;
    if (index < 0 || index >= count)
        return error_set(e, STATUS_MISSING, "there is no GPU %d: this machine has %d, counted from 0", index,
                         count);
    if (!cuda_ok(d, d->device_get(&c->ordinal, index), "opening the GPU", e) ||
        !cuda_ok(d, d->context_retain(&context, c->ordinal), "opening the GPU", e))
        return false;
    c->retained = true;
    return cuda_ok(d, d->context_set(context), "opening the GPU", e) &&
           cuda_ok(d, d->stream_create(&c->stream, CU_STREAM_DEFAULT), "opening the GPU", e);
}

/* Rows do not know of each other, so that a part of them tells; all of them are judged after timing. A GPU
   whose double precision is slow gets smaller batches, so that judging stays short. */
static void choose_batches(struct cuda_device *c)
{
    int ratio = 2;
    c->driver->device_attribute(&ratio, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
                                c->ordinal);
    c->device.batch_elements = ratio <= 2 ? 1 << 24 : 1 << 22;
    c->device.verify_launches = 24;
}

static bool open_parts(struct cuda_device *c, int index, const struct gpu_list *known, struct error *e)
{
    c->driver = cuda_driver_open(e);
    if (c->driver == NULL || !open_context(c, index, e) ||
        !cuda_properties_read(c->driver, c->ordinal, known, &c->device.gpu, e))
        return false;
    c->oracle = cuda_oracle_open(c, e);
    if (c->oracle == NULL)
        return false;
    choose_batches(c);
    char bus_id[32] = "";
    c->driver->device_bus_id(bus_id, sizeof bus_id, c->ordinal);
    c->clocks = cuda_clocks_open(bus_id);
    return true;
}

bool cuda_device_open(int index, struct device_shared *shared, struct device **device, struct error *e)
{
    struct gpu_list known; /* read before the driver starts: reading it forks */
    if (!gpu_list_load(&known, e))
        return false;
    struct cuda_device *c = must_calloc(1, sizeof *c);
    c->device.operations = &operations;
    c->shared = shared;
    bool ok = open_parts(c, index, &known, e);
    gpu_list_clear(&known);
    if (ok)
        *device = &c->device;
    else
        cuda_close(&c->device);
    return ok;
}
