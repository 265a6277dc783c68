#include "tuner/devices/emulator/machine.h"

#include "tuner/devices/emulator/data_race.h"
#include "tuner/devices/emulator/grid.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine_module {
    struct ptx_module *ptx;    /* owned */
    struct program **programs; /* owned: of the kernels, in their order */
    uint64_t *addresses;       /* owned: of the variables; those of global and const space are allocations */
};

struct machine *machine_open(const struct machine_options *options)
{
    struct machine *m = must_calloc(1, sizeof *m);
    m->options = *options;
    m->next_address = GLOBAL_FIRST;
    m->random = options->seed * 2 + 1;
    m->next_epoch = m->launch_floor = 2; /* 0 and 1 stand for nobody and the host */
    return m;
}

void machine_close(struct machine *m)
{
    if (m == NULL)
        return;
    while (m->allocation_count > 0)
        machine_release(m, m->allocations[m->allocation_count - 1].address);
    free(m->allocations);
    free(m->epochs);
    free(m);
}

/* ---- memory ---- */

struct allocation *machine_find(const struct machine *m, uint64_t address)
{
    int low = 0, high = m->allocation_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->allocations[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct allocation *a = low > 0 ? &m->allocations[low - 1] : NULL;
    return a != NULL && address - a->address < a->size ? a : NULL;
}

uint64_t machine_allocate(struct machine *m, size_t bytes, size_t align)
{
    if (m->allocation_count == m->allocation_capacity) {
        m->allocation_capacity = m->allocation_capacity * 2 + 8;
        m->allocations =
            must_realloc(m->allocations, (size_t)m->allocation_capacity * sizeof *m->allocations);
    }
    /* An odd multiple of `align`, far from the buffer before. */
    uint64_t unit = (uint64_t)align * 2, address = (m->next_address + unit - 1) / unit * unit + align;
    struct allocation *a = &m->allocations[m->allocation_count++];
    *a = (struct allocation){.address = address, .size = bytes, .data = must_calloc(1, bytes + 1)};
    shadow_make(&a->shadow, bytes, 2);
    m->next_address = (address + bytes + 0x100000) & ~UINT64_C(0xffff);
    return address;
}

void machine_release(struct machine *m, uint64_t address)
{
    struct allocation *a = machine_find(m, address);
    if (a == NULL && m->allocation_count > 0) /* an empty one holds no address */
        for (a = m->allocations; a < m->allocations + m->allocation_count && a->address != address;)
            a++;
    if (a == NULL || a == m->allocations + m->allocation_count || a->address != address)
        return;
    free(a->data);
    shadow_free(&a->shadow);
    size_t after = (size_t)(m->allocations + m->allocation_count - a - 1);
    memmove(a, a + 1, after * sizeof *a);
    m->allocation_count--;
}

unsigned char *machine_memory(struct machine *m, uint64_t address, size_t bytes)
{
    struct allocation *a = machine_find(m, address);
    if (a == NULL || a->size - (address - a->address) < bytes)
        return NULL;
    return a->data + (address - a->address);
}

static void set_records(struct machine *m, uint64_t address, size_t bytes, uint32_t record)
{
    struct allocation *a = machine_find(m, address);
    if (a == NULL || bytes == 0 || a->size - (address - a->address) < bytes)
        return;
    size_t first = (size_t)(address - a->address) >> a->shadow.shift;
    size_t last = (size_t)(address - a->address + bytes - 1) >> a->shadow.shift;
    for (size_t g = first; g <= last; g++) {
        a->shadow.written[g] = record;
        a->shadow.read[g] = 0;
    }
}

void machine_written(struct machine *m, uint64_t address, size_t bytes)
{
    set_records(m, address, bytes, RECORD_HOST);
}

void machine_unwritten(struct machine *m, uint64_t address, size_t bytes)
{
    set_records(m, address, bytes, 0);
}

/* ---- modules ---- */

/* Global and constant variables are allocations that the module has written. */
static void place_variables(struct machine *m, struct machine_module *module)
{
    const struct ptx_module *ptx = module->ptx;
    module->addresses = must_calloc((size_t)ptx->variable_count + 1, sizeof *module->addresses);
    for (int i = 0; i < ptx->variable_count; i++) {
        const struct ptx_variable *v = &ptx->variables[i];
        if (v->initial == NULL)
            continue;
        module->addresses[i] = machine_allocate(m, (size_t)v->size, (size_t)v->align);
        memcpy(m->allocations[m->allocation_count - 1].data, v->initial, (size_t)v->size);
        machine_written(m, module->addresses[i], (size_t)v->size);
    }
}

struct machine_module *machine_load(struct machine *m, const char *ptx, size_t size, struct error *e)
{
    struct machine_module *module = must_calloc(1, sizeof *module);
    module->ptx = ptx_module_parse(ptx, size, e);
    if (module->ptx == NULL) {
        free(module);
        return NULL;
    }
    place_variables(m, module);
    module->programs = must_calloc((size_t)module->ptx->kernel_count + 1, sizeof(struct program *));
    for (int k = 0; k < module->ptx->kernel_count; k++) {
        module->programs[k] = program_build(module->ptx, &module->ptx->kernels[k], module->addresses, e);
        if (module->programs[k] == NULL) {
            machine_unload(m, module);
            return NULL;
        }
    }
    return module;
}

void machine_unload(struct machine *m, struct machine_module *module)
{
    if (module == NULL)
        return;
    for (int k = 0; k < module->ptx->kernel_count; k++)
        program_free(module->programs[k]);
    for (int i = 0; i < module->ptx->variable_count; i++)
        if (module->ptx->variables[i].initial != NULL)
            machine_release(m, module->addresses[i]);
    free(module->programs);
    free(module->addresses);
    ptx_module_free(module->ptx);
    free(module);
}

const struct program *machine_program(const struct machine_module *module, const char *kernel)
{
    for (int k = 0; k < module->ptx->kernel_count; k++)
        if (strcmp(module->programs[k]->name, kernel) == 0)
            return module->programs[k];
    return NULL;
}

const struct ptx_module *machine_ptx(const struct machine_module *module)
{
    return module->ptx;
}

/* ---- launches ---- */

bool machine_fail(struct machine *m, const struct warp *w, const struct instruction *i, int lane,
                  const char *format, ...)
{
    char text[512], where[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (i->source_line > 0)
        snprintf(where, sizeof where, "source:%d", i->source_line);
    else
        snprintf(where, sizeof where, "PTX line %d", i->line);
    if (lane < 0)
        return error_set(m->error, STATUS_NONE_SURVIVED, "%s: block %u, warp %d: %s", where, w->block->number,
                         w->index, text);
    return error_set(m->error, STATUS_NONE_SURVIVED, "%s: block %u, thread %d: %s", where, w->block->number,
                     thread_of(w, lane), text);
}

static bool check_shape(const struct machine *m, const struct machine_launch *l, const struct program *p,
                        struct error *e)
{
    int64_t threads = 1, cluster = 1;
    for (int k = 0; k < 3; k++) {
        if (l->grid[k] < 1 || l->grid[k] > INT32_MAX || l->block[k] < 1 || l->block[k] > 1024 ||
            l->cluster[k] < 1 || l->cluster[k] > 16 || l->grid[k] % l->cluster[k] != 0)
            return error_set(e, STATUS_NONE_SURVIVED,
                             "kernel %s: the grid, block or cluster has a wrong extent", l->kernel);
        threads *= l->block[k];
        cluster *= l->cluster[k];
    }
    if (threads > 1024 || (p->max_threads > 0 && threads > p->max_threads))
        return error_set(e, STATUS_NONE_SURVIVED,
                         "kernel %s: a block of %" PRId64 " threads, where %d are allowed", l->kernel,
                         threads, p->max_threads > 0 ? p->max_threads : 1024);
    if (cluster > 16)
        return error_set(e, STATUS_NONE_SURVIVED,
                         "kernel %s: a cluster of %" PRId64 " blocks, where 16 are allowed", l->kernel,
                         cluster);
    if (l->param_bytes < p->param_bytes)
        return error_set(e, STATUS_NONE_SURVIVED, "kernel %s: takes %d bytes of parameters, not %d",
                         l->kernel, p->param_bytes, l->param_bytes);
    int64_t shared = p->shared_need + (int64_t)l->dynamic_smem;
    if (l->dynamic_smem < 0 || shared > m->options.smem_per_block)
        return error_set(e, STATUS_NONE_SURVIVED,
                         "kernel %s: %" PRId64 " bytes of shared memory, where %d are allowed", l->kernel,
                         shared, m->options.smem_per_block);
    int64_t blocks = l->grid[0] * l->grid[1] * l->grid[2], most = (int64_t)m->options.sms * l->blocks_per_sm;
    if (l->blocks_per_sm < 1 || cluster > most)
        return error_set(e, STATUS_NONE_SURVIVED, "kernel %s: not one block fits on an SM", l->kernel);
    if (l->cooperative && blocks > most)
        return error_set(e, STATUS_NONE_SURVIVED,
                         "kernel %s: %" PRId64 " blocks are too many for a cooperative launch, %" PRId64
                         " fit",
                         l->kernel, blocks, most);
    return true;
}

bool machine_launch(struct machine *m, const struct machine_module *module,
                    const struct machine_launch *launch, struct error *e)
{
    const struct program *p = machine_program(module, launch->kernel);
    if (p == NULL)
        return error_set(e, STATUS_NONE_SURVIVED, "there is no kernel '%s' in the PTX", launch->kernel);
    if (!check_shape(m, launch, p, e))
        return false;
    m->launch = launch;
    m->program = p;
    m->params = launch->params;
    m->error = e;
    m->shared_bytes = p->dynamic_at + launch->dynamic_smem;
    m->grid_blocks = launch->grid[0] * launch->grid[1] * launch->grid[2];
    m->step_limit = launch->step_limit > 0 ? launch->step_limit : 64 << 20;
    m->idle_steps = 0;
    for (int i = 0; i < m->allocation_count; i++)
        shadow_refine(&m->allocations[i].shadow, m->allocations[i].size, __builtin_ctz((unsigned)p->granule));
    race_launch(m);
    bool good = grid_run(m);
    race_launch_end(m);
    return good;
}

const struct machine_counts *machine_counts(const struct machine *m)
{
    return &m->counts;
}

void machine_counts_reset(struct machine *m)
{
    m->counts = (struct machine_counts){0};
}
