/* Counting what a plan does: it runs on as few ordinary rows as fill its blocks, and the counts are scaled to
 * all. */
#include <math.h>

#include "tuner/devices/emulator/emulator_device.h"
#include "tuner/verify/oracle_host.h"
#include "tuner/verify/verify.h"

enum { ROWS_MOST = 32, BUFFER_ALIGN = 256 };

/* The rows that the plan's first blocks take before another one is needed: with fewer, lanes would be idle
   that are not in a large problem. Beyond a warp's worth of rows only whole warps could be, and they cost
   nothing. */
static int64_t rows_that_tell(const struct emulator *em, const struct launch_plan *plan, int64_t M)
{
    int64_t rows = 1, most = M < ROWS_MOST ? M : ROWS_MOST;
    for (int i = 0; i < plan->count; i++) {
        int64_t one = 0, blocks = 0, alike = 1;
        if (!expression_evaluate(plan->launches[i].grid_of_M, 1, em->device.gpu.sms, &one, NULL))
            return most;
        while (
            alike < most &&
            expression_evaluate(plan->launches[i].grid_of_M, alike + 1, em->device.gpu.sms, &blocks, NULL) &&
            blocks == one)
            alike++;
        rows = alike > rows ? alike : rows;
    }
    return rows < most ? rows : most;
}

static json_t *counts_to_json(const struct machine_counts *c, double factor)
{
    const struct {
        const char *name;
        int64_t value;
    } counters[] = {
        {"global_load_requests", c->global_load_requests},
        {"global_load_sectors", c->global_load_sectors},
        {"global_load_bytes", c->global_load_bytes},
        {"global_store_requests", c->global_store_requests},
        {"global_store_sectors", c->global_store_sectors},
        {"global_store_bytes", c->global_store_bytes},
        {"shared_wavefronts", c->shared_wavefronts},
        {"barriers", c->barriers},
        {"divergent_branches", c->divergent_branches},
        {"atomics", c->atomics},
        {"same_value_writes", c->same_value_writes},
        {"alu", c->pipes[PIPE_ALU]},
        {"fma", c->pipes[PIPE_FMA]},
        {"sfu", c->pipes[PIPE_SFU]},
        {"lsu", c->pipes[PIPE_LSU]},
        {"cvt", c->pipes[PIPE_CVT]},
        {"control", c->pipes[PIPE_CONTROL]},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        json_object_set_new(object, counters[i].name,
                            json_integer((json_int_t)llround((double)counters[i].value * factor)));
    return object;
}

/* Buffers of the rows, x filled; the workspace is zero, as a plan finds it. */
static bool make_buffers(struct emulator *em, const struct launch_plan *plan, const struct oracle_batch *b,
                         struct launch_values *v)
{
    struct machine *m = em->machine;
    int64_t bytes = 0;
    if (!expression_evaluate(plan->workspace_of_M, b->M, em->device.gpu.sms, &bytes, NULL) || bytes < 0)
        return false;
    v->workspace = machine_allocate(m, (size_t)bytes + 1, BUFFER_ALIGN);
    v->x = machine_allocate(m, oracle_x_bytes(b), BUFFER_ALIGN);
    v->y = b->in_place ? v->x : machine_allocate(m, oracle_y_bytes(b), BUFFER_ALIGN);
    oracle_host_make_input(b, machine_memory(m, v->x, oracle_x_bytes(b)));
    machine_written(m, v->x, oracle_x_bytes(b));
    machine_written(m, v->workspace, (size_t)bytes + 1);
    return true;
}

json_t *emulator_count(struct device *d, void *module, const struct launch_plan *plan,
                       const struct problem *p)
{
    struct emulator *em = (struct emulator *)d;
    if (p->M < 1)
        return counts_to_json(&(struct machine_counts){0}, 0);
    int64_t rows = rows_that_tell(em, plan, p->M);
    struct verify_options options = {.seed = 1};
    struct oracle_batch b = verify_batch(p, &options, rows);
    b.first_kind = KIND_ORDINARY;
    b.kind_count = 1;
    struct launch_values v = {
        .M = rows, .N = p->N, .x_stride = p->x_stride, .y_stride = p->y_stride, .scale = b.scale};
    if (!make_buffers(em, plan, &b, &v))
        return NULL;
    machine_counts_reset(em->machine);
    json_t *counts = NULL;
    struct error e;
    if (emulator_launch(d, module, plan, &v, &e))
        counts = counts_to_json(machine_counts(em->machine), (double)p->M / (double)rows);
    machine_release(em->machine, v.workspace);
    machine_release(em->machine, v.x);
    if (v.y != v.x)
        machine_release(em->machine, v.y);
    return counts;
}
