#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report.h"
#include "tuner/emit/emit.h"

#include <string.h>

/* Whether a kernel for `a` computes `b` too: all that its source depends on, which M is not. */
static bool same_kernel_problem(const struct problem *a, const struct problem *b)
{
    return a->op == b->op && a->dtype_in == b->dtype_in && a->dtype_out == b->dtype_out && a->N == b->N &&
           a->x_stride == b->x_stride && a->y_stride == b->y_stride && a->align <= b->align &&
           a->in_place == b->in_place && a->scaled == b->scaled;
}

static bool add_rival(struct tuning *t, const char *path, struct error *e)
{
    const char *end = strrchr(path, '.');
    if (end == NULL || strcmp(end, ".json") != 0)
        return error_set(
            e, STATUS_USAGE,
            "--rival %s: a rival is the manifest (.json) of an emitted kernel; sources (FILE.cu:SYMBOL) "
            "are not taken yet",
            path);
    struct choice rival;
    struct error why;
    if (!emit_read_choice(path, &rival, &why))
        return error_set(e, why.status, "--rival %s", why.text);
    bool fits = same_kernel_problem(&rival.problem, &t->problem);
    if (!fits)
        error_set(e, STATUS_USAGE, "--rival %s: this kernel computes another problem", path);
    else if (rival.gpu.compute_capability != t->session->gpu.compute_capability)
        fits = error_set(e, STATUS_USAGE, "--rival %s: this kernel is for %s, and the GPU here is %s", path,
                         rival.gpu.arch, t->session->gpu.arch);
    if (fits)
        tuning_add_image(t, rival.variant, path, &rival.image, &rival.plan);
    choice_clear(&rival);
    return fits;
}

static bool bench_problem(struct tuning *t, const struct options *o, struct error *e)
{
    bool ok = session_set_problem(t->session, &t->problem, true, false, e) &&
              tuning_add_variants(t, o->variants, o->variant_count, e);
    for (int i = 0; ok && i < o->rival_count; i++)
        ok = add_rival(t, o->rivals[i], e);
    return ok && tuning_verify(t, e) && tuning_race(t, e);
}

int command_bench(const struct options *o, struct error *e)
{
    struct session s;
    struct progress progress;
    progress_open(&progress, o->quiet);
    if (o->variant_count + o->rival_count == 0) {
        error_set(e, STATUS_USAGE, "nothing to race: name variants (for example v2 v4) or --rival MANIFEST");
        return e->status;
    }
    int status = STATUS_DONE;
    bool ok = session_open(&s, o, NEED_GPU, e);
    if (ok)
        interrupt_watch();
    json_t *document = o->json ? json_pack("{s:[]}", "problems") : NULL;
    for (int i = 0; ok && i < o->problem_count && interrupt_signal == 0; i++) {
        struct tuning t;
        tuning_begin(&t, &s, &o->problems[i], &progress);
        ok = bench_problem(&t, o, e);
        if (ok && document != NULL)
            json_array_append_new(json_object_get(document, "problems"), report_race_json(&t));
        else if (ok)
            report_race_print(stdout, &t);
        if (ok && t.race.winner == NULL)
            status = STATUS_NONE_SURVIVED;
        tuning_clear(&t);
    }
    if (ok && document != NULL)
        output_json(json_incref(document));
    json_decref(document);
    session_close(&s);
    return ok ? status : e->status;
}
