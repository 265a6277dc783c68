#include "tuner/cli/report_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *report_idea(const char *label)
{
    static const char *const ideas[][2] = {
        {"v1", "a thread a row"}, {"v2", "a block a row, shared tree"}, {"v3", "warp shuffles"},
        {"v4", "16-byte loads"},  {"v5", "online, two passes"},
    };
    for (size_t i = 0; label != NULL && i < sizeof ideas / sizeof ideas[0]; i++)
        if (strcmp(ideas[i][0], label) == 0)
            return ideas[i][1];
    return NULL;
}

double report_us(const struct tuning *t, const struct trial *trial)
{
    const struct trial *stand_in = tuning_stand_in(t, trial);
    return isnan(stand_in->time_us) ? stand_in->predicted_us : stand_in->time_us;
}

const struct trial *report_preset(const struct tuning *t, const char *label)
{
    for (int i = t->space_count; i < t->count; i++)
        if (t->trials[i].label != NULL && strcmp(t->trials[i].label, label) == 0)
            return &t->trials[i];
    return NULL;
}

static int threads_of(const struct launch *l)
{
    return l->block[0] * l->block[1] * l->block[2];
}

static void describe_launch(const struct tuning *t, const struct trial *trial, char *text, size_t size)
{
    const struct launch_plan *plan = trial->plan;
    int64_t grid;
    if (plan == NULL ||
        !expression_evaluate(plan->launches[0].grid_of_M, t->problem.M, t->session->gpu.sms, &grid, NULL))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%" PRId64 " x %d%s", grid, threads_of(&plan->launches[0]),
                 plan->count > 1 ? ", ..." : "");
}

struct report_row report_row_of(const struct tuning *t, const struct trial *trial, const char *version)
{
    struct report_row row = {.version = version, .us = report_us(t, trial), .mark = ""};
    const char *idea = report_idea(trial->label);
    snprintf(row.idea, sizeof row.idea, "%s", idea != NULL ? idea : "");
    describe_launch(t, trial, row.configuration, sizeof row.configuration);
    if (trial->finished && trial->verdict != VERDICT_CORRECT)
        row.mark = "*";
    return row;
}

struct rows_in_flight report_rows_in_flight(const struct tuning *t, const struct trial *trial)
{
    struct rows_in_flight flight = {0};
    const struct gpu *gpu = &t->session->gpu;
    const struct launch *l = trial->plan != NULL ? &trial->plan->launches[0] : NULL;
    const struct image_kernel *kernel = l != NULL ? image_kernel_find(&trial->image, l->kernel) : NULL;
    int64_t grid;
    if (kernel == NULL || !expression_evaluate(l->grid_of_M, t->problem.M, gpu->sms, &grid, NULL) || grid < 1)
        return flight;
    flight.blocks_per_sm = gpu_blocks_per_sm(gpu, threads_of(l), kernel->registers,
                                             (int64_t)kernel->static_smem_bytes + l->dynamic_smem_bytes);
    double resident = fmin((double)flight.blocks_per_sm * gpu->sms, (double)grid);
    flight.rows = (int64_t)(resident * ((double)t->problem.M / (double)grid));
    flight.bytes = (double)flight.rows * (double)t->problem.N * dtype_size(t->problem.dtype_in);
    return flight;
}
