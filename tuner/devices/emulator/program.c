#include "tuner/devices/emulator/program.h"

#include "tuner/devices/emulator/control_flow.h"
#include "tuner/devices/emulator/instruction_decode.h"
#include "tuner/devices/emulator/register_places.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_MAX = 1 << 20, LIVENESS_BYTES_MAX = 256 << 20, SHARED_GAP = 32, LOCAL_BYTES_MAX = 1 << 16 };

static void mark_used(const struct ptx_kernel *k, const struct ptx_operand *o, bool *used)
{
    if (o->kind == OPERAND_VARIABLE || (o->kind == OPERAND_ADDRESS && o->base == OPERAND_VARIABLE))
        used[o->index] = true;
    for (int i = 0; o->kind == OPERAND_VECTOR && i < o->count; i++)
        mark_used(k, &k->operands[o->index + i], used);
}

static int64_t aligned(int64_t at, int align)
{
    return (at + align - 1) / align * align;
}

/* A gap behind a shared variable, so that who writes beyond it is seen. */
static void add_gap(struct program *p, int64_t from, int64_t to)
{
    if (from >= to)
        return;
    p->gaps = must_realloc(p->gaps, ((size_t)p->gap_count + 1) * sizeof *p->gaps);
    p->gaps[p->gap_count][0] = (int)from;
    p->gaps[p->gap_count++][1] = (int)to;
}

/* Puts a variable at the end of its space; returns the new end. */
static int64_t place_variable(const struct ptx_variable *v, int64_t end, uint64_t *address)
{
    *address = (uint64_t)aligned(end, v->align);
    return (int64_t)*address + v->size;
}

/* Gives the shared and local variables that the kernel uses their addresses; dynamic shared memory lies last.
 */
static void lay_out(struct program *p, const struct ptx_module *module, const struct ptx_kernel *kernel,
                    uint64_t *addresses)
{
    bool *used = must_calloc((size_t)module->variable_count + 1, sizeof *used);
    for (int i = 0; i < kernel->operand_count; i++)
        mark_used(kernel, &kernel->operands[i], used);
    int64_t shared = SHARED_BASE, local = 0, need = 0;
    int dynamic_align = 16;
    for (int i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *v = &module->variables[i];
        uint64_t unpadded;
        if (used[i] && v->space == SPACE_LOCAL)
            local = place_variable(v, local, &addresses[i]);
        if (!used[i] || v->space != SPACE_SHARED)
            continue;
        if (v->size == 0) {
            p->has_dynamic = true;
            dynamic_align = v->align > dynamic_align ? v->align : dynamic_align;
            continue;
        }
        int64_t before = shared;
        shared = place_variable(v, shared + (shared > SHARED_BASE ? SHARED_GAP : 0), &addresses[i]);
        add_gap(p, before, (int64_t)addresses[i]);
        need = place_variable(v, need, &unpadded);
    }
    p->shared_bytes = (int)(shared - SHARED_BASE);
    p->shared_need = (int)aligned(need, dynamic_align);
    p->dynamic_at =
        (int)aligned(shared + (p->has_dynamic && shared > SHARED_BASE ? SHARED_GAP : 0), dynamic_align);
    if (p->has_dynamic)
        add_gap(p, shared, p->dynamic_at);
    p->local_bytes = (int)local;
    for (int i = 0; i < module->variable_count; i++)
        if (used[i] && module->variables[i].space == SPACE_SHARED && module->variables[i].size == 0)
            addresses[i] = (uint64_t)p->dynamic_at;
    free(used);
}

static bool decode_all(struct program *p, struct decoder *d)
{
    const struct ptx_kernel *kernel = d->kernel;
    if (kernel->instruction_count > CODE_MAX)
        return error_set(d->error, STATUS_NONE_SURVIVED, "kernel '%.100s' has more than %d instructions",
                         kernel->name, CODE_MAX);
    p->code = must_calloc((size_t)kernel->instruction_count + 1, sizeof *p->code);
    for (; p->code_count < kernel->instruction_count; p->code_count++)
        if (!instruction_decode(d, &kernel->instructions[p->code_count], &p->code[p->code_count]))
            return false;
    struct instruction *end = &p->code[p->code_count++];
    *end = instruction_without_operands();
    end->action = ACTION_EXIT;
    end->pipe = PIPE_CONTROL;
    end->m.vector = 1;
    if (kernel->instruction_count > 0)
        end->line = kernel->instructions[kernel->instruction_count - 1].line;
    return true;
}

struct program *program_build(const struct ptx_module *module, const struct ptx_kernel *kernel,
                              const uint64_t *addresses, struct error *e)
{
    struct program *p = must_calloc(1, sizeof *p);
    p->name = must_strdup(kernel->name);
    p->max_threads = kernel->max_threads;
    p->param_bytes = kernel->param_bytes;
    p->granule = 4;
    uint64_t *all = must_calloc((size_t)module->variable_count + 1, sizeof *all);
    if (module->variable_count > 0)
        memcpy(all, addresses, (size_t)module->variable_count * sizeof *all);
    lay_out(p, module, kernel, all);
    struct decoder *d = must_calloc(1, sizeof *d);
    *d = (struct decoder){.module = module, .kernel = kernel, .addresses = all, .program = p, .error = e};
    bool good = decode_all(p, d);
    free(d);
    free(all);
    if (good && p->local_bytes > LOCAL_BYTES_MAX)
        good = error_set(e, STATUS_NONE_SURVIVED,
                         "kernel '%.100s' needs %d bytes of local memory, where %d are allowed", kernel->name,
                         p->local_bytes, LOCAL_BYTES_MAX);
    struct flow f = {0};
    if (good) {
        f = flow_of(p);
        good = (int64_t)f.count * kernel->register_count / 4 < LIVENESS_BYTES_MAX ||
               error_set(e, STATUS_NONE_SURVIVED,
                         "kernel '%.100s' is too large for the emulator: %d blocks, %d registers",
                         kernel->name, f.count, kernel->register_count);
    }
    if (good) {
        flow_set_joins(&f, p);
        register_places_assign(p, &f, kernel->register_bits, kernel->register_count);
    }
    flow_clear(&f);
    if (good)
        return p;
    program_free(p);
    return NULL;
}

void program_free(struct program *p)
{
    if (p == NULL)
        return;
    free(p->name);
    free(p->code);
    free(p->places);
    free(p->gaps);
    free(p->constants);
    free(p);
}
