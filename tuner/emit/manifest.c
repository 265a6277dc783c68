#include "tuner/emit/emit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Absent where there is no figure: JSON knows no NaN. */
static void set_figure(json_t *manifest, const char *name, double value)
{
    if (!isnan(value))
        json_object_set_new(manifest, name, json_real(value));
}

/* The most that any kernel of the image has. */
static void set_image(json_t *manifest, const struct image *image)
{
    int registers = 0, spill = 0, smem = 0;
    for (int i = 0; i < image->kernel_count; i++) {
        const struct image_kernel *k = &image->kernels[i];
        registers = k->registers > registers ? k->registers : registers;
        spill = k->spill_bytes > spill ? k->spill_bytes : spill;
        smem = k->static_smem_bytes > smem ? k->static_smem_bytes : smem;
    }
    json_object_set_new(manifest, "registers", json_integer(registers));
    json_object_set_new(manifest, "spill_bytes", json_integer(spill));
    json_object_set_new(manifest, "static_smem_bytes", json_integer(smem));
}

static void set_evidence(json_t *manifest, const struct choice *c)
{
    struct choice_figures f = choice_figures(c);
    if (strcmp(c->basis, "predicted") == 0) {
        set_figure(manifest, "predicted_us", f.predicted_us);
    } else {
        set_figure(manifest, "time_us", f.time_us);
        set_figure(manifest, "time_us_low", f.time_us_low);
        set_figure(manifest, "time_us_high", f.time_us_high);
        set_figure(manifest, "bandwidth_gbs", f.bandwidth_gbs);
        set_figure(manifest, "of_limit", f.of_limit);
        set_figure(manifest, "of_peak", f.of_peak);
    }
    set_figure(manifest, "max_error", f.max_error);
}

json_t *emit_manifest(const struct choice *c, struct error *e)
{
    int64_t workspace_bytes;
    json_t *launches = launch_plan_to_json(&c->plan, c->problem.M, c->gpu.sms, e);
    if (launches == NULL ||
        !expression_evaluate(c->plan.workspace_of_M, c->problem.M, c->gpu.sms, &workspace_bytes, e)) {
        json_decref(launches);
        return NULL;
    }
    char stem[STEM_SIZE];
    choice_stem(c, stem);
    json_t *manifest = json_pack("{s:s}", "schema", "softmax-tune/kernel/1"),
           *problem = problem_to_json(&c->problem);
    json_object_update(manifest, problem);
    json_decref(problem);
    json_t *rest = json_pack("{s:s, s:s, s:s, s:s, s:s, s:O, s:s+, s:s+, s:s, s:I, s:o}", "arch", c->gpu.arch,
                             "gpu", c->gpu.name, "basis", c->basis, "space", c->space, "variant", c->variant,
                             "config", c->config, "source", stem, ".cu", "cubin", stem, ".cubin",
                             "workspace_of_M", c->plan.workspace_of_M, "workspace_bytes",
                             (json_int_t)workspace_bytes, "launches", launches);
    json_object_update(manifest, rest);
    json_decref(rest);
    set_image(manifest, &c->image);
    set_evidence(manifest, c);
    return manifest;
}
