/* The emulator as a device: problems, plans and buffers on one side, the machine on the other. */
#include "tuner/devices/emulator/emulator_device.h"

#include "tuner/devices/launch_argument.h"
#include "tuner/verify/oracle_host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EMULATOR_SEED = 1, BATCH_ELEMENTS = 1 << 16, VERIFY_LAUNCHES = 12, WORKSPACE_ALIGN = 256 };

static struct emulator *emulator_of(struct device *d)
{
    return (struct emulator *)d;
}

/* ---- images ---- */

static void emulator_unload(struct device *d, void *loaded)
{
    struct emulator_module *module = loaded;
    if (module == NULL)
        return;
    machine_unload(emulator_of(d)->machine, module->machine_module);
    free(module);
}

static bool emulator_load(struct device *d, const struct image *image, const struct launch_plan *plan,
                          void **loaded, struct error *e)
{
    (void)plan;
    struct machine_module *m = machine_load(emulator_of(d)->machine, image->ptx, image->ptx_size, e);
    if (m == NULL)
        return false;
    struct emulator_module *module = must_calloc(1, sizeof *module);
    module->machine_module = m;
    module->kernel_count = image->kernel_count;
    memcpy(module->kernels, image->kernels, sizeof module->kernels);
    *loaded = module;
    return true;
}

/* ---- memory ---- */

static bool emulator_allocate(struct device *d, size_t bytes, size_t align, device_address *address,
                              struct error *e)
{
    (void)e;
    *address = machine_allocate(emulator_of(d)->machine, bytes, align);
    return true;
}

static void emulator_release(struct device *d, device_address address)
{
    machine_release(emulator_of(d)->machine, address);
}

static unsigned char *memory(struct device *d, device_address address, size_t bytes, struct error *e)
{
    unsigned char *data = machine_memory(emulator_of(d)->machine, address, bytes);
    if (data == NULL)
        error_set(e, STATUS_MISSING, "the emulator has no %zu bytes at 0x%" PRIx64, bytes, address);
    return data;
}

/* Poison stands for memory that nobody wrote: to read it is an error. */
static bool emulator_fill(struct device *d, device_address address, unsigned char byte, size_t bytes,
                          struct error *e)
{
    unsigned char *to = memory(d, address, bytes, e);
    if (to == NULL)
        return false;
    memset(to, byte, bytes);
    if (byte == ORACLE_POISON)
        machine_unwritten(emulator_of(d)->machine, address, bytes);
    else
        machine_written(emulator_of(d)->machine, address, bytes);
    return true;
}

static bool emulator_read(struct device *d, void *to, device_address from, size_t bytes, struct error *e)
{
    const unsigned char *data = memory(d, from, bytes, e);
    if (data == NULL)
        return false;
    memcpy(to, data, bytes);
    return true;
}

static bool emulator_write(struct device *d, device_address to, const void *from, size_t bytes,
                           struct error *e)
{
    unsigned char *data = memory(d, to, bytes, e);
    if (data == NULL)
        return false;
    memcpy(data, from, bytes);
    machine_written(emulator_of(d)->machine, to, bytes);
    return true;
}

/* An access outside a buffer ends its launch, so there is nothing to find afterwards. */
static bool emulator_guards_whole(struct device *d, struct error *e)
{
    (void)d;
    (void)e;
    return true;
}

/* ---- launches ---- */

/* Lays the arguments out as the kernel's parameters are: each at a multiple of its size. */
static bool pack_arguments(const struct launch *l, const struct launch_values *v, unsigned char *block,
                           int *bytes, struct error *e)
{
    size_t used = 0;
    for (int i = 0; i < l->arg_count; i++) {
        union argument_value value;
        size_t size = argument_size(l->args[i].type);
        if (!launch_argument(l, i, v, &value, e))
            return false;
        used = (used + size - 1) / size * size;
        memcpy(block + used, &value, size);
        used += size;
    }
    *bytes = (int)used;
    return true;
}

static const struct image_kernel *find_kernel(const struct emulator_module *module, const char *name)
{
    for (int i = 0; i < module->kernel_count; i++)
        if (strcmp(module->kernels[i].name, name) == 0)
            return &module->kernels[i];
    return NULL;
}

/* A thread that walks a row takes some fifty instructions an element; more than this is an endless loop. */
static int64_t step_limit(const struct launch_values *v)
{
    return (1 << 21) + 256 * v->N;
}

static bool launch_one(struct emulator *em, const struct emulator_module *module, const struct launch *l,
                       const struct launch_values *v, struct error *e)
{
    unsigned char params[LAUNCH_ARGS_MAX * 8];
    struct machine_launch launch = {.kernel = l->kernel,
                                    .grid = {0, 1, 1},
                                    .dynamic_smem = l->dynamic_smem_bytes,
                                    .params = params,
                                    .cooperative = l->cooperative,
                                    .step_limit = step_limit(v)};
    if (!expression_evaluate(l->grid_of_M, v->M, em->device.gpu.sms, &launch.grid[0], e) ||
        !pack_arguments(l, v, params, &launch.param_bytes, e))
        return false;
    if (launch.grid[0] == 0)
        return true; /* no rows */
    const struct image_kernel *kernel = find_kernel(module, l->kernel);
    if (kernel == NULL)
        return error_set(e, STATUS_NONE_SURVIVED, "the image has no kernel '%s'", l->kernel);
    int threads = 1;
    for (int k = 0; k < 3; k++) {
        launch.block[k] = l->block[k] > 0 ? l->block[k] : 1;
        launch.cluster[k] = l->cluster[k] > 0 ? l->cluster[k] : 1;
        threads *= launch.block[k];
    }
    launch.blocks_per_sm = gpu_blocks_per_sm(&em->device.gpu, threads, kernel->registers,
                                             kernel->static_smem_bytes + (int64_t)l->dynamic_smem_bytes);
    return machine_launch(em->machine, module->machine_module, &launch, e);
}

bool emulator_launch(struct device *d, void *module, const struct launch_plan *plan,
                     const struct launch_values *v, struct error *e)
{
    for (int i = 0; i < plan->count; i++)
        if (!launch_one(emulator_of(d), module, &plan->launches[i], v, e))
            return false;
    return true;
}

/* ---- the oracle ---- */

static bool emulator_make_input(struct device *d, const struct oracle_batch *batch, device_address x,
                                struct error *e)
{
    size_t bytes = oracle_x_bytes(batch);
    unsigned char *to = memory(d, x, bytes, e);
    if (to == NULL)
        return false;
    oracle_host_make_input(batch, to);
    machine_written(emulator_of(d)->machine, x, bytes);
    return true;
}

static bool emulator_judge(struct device *d, const struct oracle_batch *batch, device_address x,
                           device_address y, struct oracle_verdict *verdict, struct error *e)
{
    const unsigned char *in = memory(d, x, oracle_x_bytes(batch), e),
                        *out = memory(d, y, oracle_y_bytes(batch), e);
    if (in == NULL || out == NULL)
        return false;
    oracle_host_judge(batch, in, out, verdict);
    return true;
}

static void emulator_close(struct device *d)
{
    struct emulator *em = emulator_of(d);
    machine_close(em->machine);
    free(em);
}

static const struct device_operations operations = {
    .name = "emulator",
    .close = emulator_close,
    .load = emulator_load,
    .unload = emulator_unload,
    .allocate = emulator_allocate,
    .release = emulator_release,
    .fill = emulator_fill,
    .read = emulator_read,
    .write = emulator_write,
    .guards_whole = emulator_guards_whole,
    .launch = emulator_launch,
    .make_input = emulator_make_input,
    .judge = emulator_judge,
    .count = emulator_count,
};

bool emulator_device_open(const struct gpu *gpu, struct device **device, struct error *e)
{
    if (gpu->sms < 1)
        return error_set(e, STATUS_USAGE, "the emulator needs a GPU descriptor with at least one SM");
    struct emulator *em = must_calloc(1, sizeof *em);
    em->device = (struct device){.operations = &operations,
                                 .gpu = *gpu,
                                 .batch_elements = BATCH_ELEMENTS,
                                 .verify_launches = VERIFY_LAUNCHES};
    em->machine = machine_open(&(struct machine_options){
        .sms = gpu->sms, .smem_per_block = gpu->smem_per_block, .seed = EMULATOR_SEED});
    *device = &em->device;
    return true;
}
