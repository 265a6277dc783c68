#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report_check.h"
#include "tuner/cli/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A run of the command. */
struct check_run {
    struct session session;
    struct progress progress;
    struct tuning *tuning; /* of the present problem */
    json_t *document;      /* with --json, else NULL */
    int checked, all;      /* variants, of the problems so far */
    bool correct;          /* all that were checked */
};

/* A variant is settled: its line comes now, whatever becomes of the run. */
static void settle(void *context, int index)
{
    struct check_run *r = context;
    const struct trial *trial = &r->tuning->trials[index];
    r->checked++;
    r->correct = r->correct && trial->verdict == VERDICT_CORRECT;
    if (r->document != NULL)
        return;
    progress_end(&r->progress); /* the bar stands where the line is to be */
    report_check_print(stdout, r->tuning, trial);
    fflush(stdout);
}

static void add_to_document(const struct check_run *r)
{
    for (int i = 0; i < r->tuning->count; i++)
        if (r->tuning->trials[i].finished)
            json_array_append_new(json_object_get(r->document, "variants"),
                                  report_check_json(r->tuning, &r->tuning->trials[i]));
}

static bool verify(struct check_run *r, struct error *e)
{
    struct session *s = &r->session;
    struct pipeline_times times = {0};
    char kernel[STEM_SIZE];
    problem_stem(&r->tuning->problem, false, s->gpu.arch, NULL, kernel); /* as while tuning: one image */
    const struct pipeline pipeline = {
        .compiler = s->compiler,
        .device = s->device,
        .arch = s->gpu.arch,
        .kernel = kernel,
        .line_info = device_client_kind(s->device) == DEVICE_EMULATOR,
        .deadline = INFINITY,
        .stop = &interrupt_signal,
        .progress = progress_pipeline,
        .progress_context = &r->progress,
        .tell = settle,
        .order_context = r,
    };
    progress_begin(&r->progress, "verify");
    bool ok = pipeline_run(&pipeline, r->tuning->trials, r->tuning->count, &times, e);
    progress_end(&r->progress);
    return ok;
}

static bool gather(struct tuning *t, const struct options *o, struct error *e)
{
    bool all = o->variant_count == 0;
    for (int i = 0; i < o->variant_count; i++)
        all = all || strcmp(o->variants[i], "all") == 0;
    return session_set_problem(t->session, &t->problem, true, true, e) &&
           (all ? tuning_add_space(t, o->limit, e)
                : tuning_add_variants(t, o->variants, o->variant_count, e));
}

static bool check_problem(struct check_run *r, const struct problem *p, struct error *e)
{
    struct tuning t;
    r->tuning = &t;
    tuning_begin(&t, &r->session, p, &r->progress);
    bool ok = gather(&t, r->session.options, e);
    r->all += t.count;
    r->progress.problem++;
    if (ok && r->document == NULL) {
        printf("%s", r->progress.problem > 1 ? "\n" : "");
        report_check_head(stdout, &t);
        fflush(stdout);
    }
    ok = ok && verify(r, e);
    if (ok && r->document != NULL)
        add_to_document(r);
    tuning_clear(&t);
    return ok;
}

/* How far a run came that a signal ended. */
static void say_how_far(struct check_run *r)
{
    int left = r->session.options->problem_count - r->progress.problem;
    char more[64] = "";
    if (left > 0)
        snprintf(more, sizeof more, ", %d problem%s not begun", left, left > 1 ? "s were" : " was");
    progress_warn(&r->progress, "%s: %d of %d variants were checked%s",
                  interrupt_signal == SIGINT ? "interrupted" : "terminated", r->checked, r->all, more);
}

int command_check(const struct options *o, struct error *e)
{
    struct check_run r = {.correct = true};
    progress_open(&r.progress, o->quiet);
    r.progress.problems = o->problem_count;
    bool ok = session_open(&r.session, o, NEED_DEVICE, e);
    if (ok && r.session.device == NULL)
        ok = error_set(e, STATUS_MISSING,
                       "check runs variants, so it needs a device: the GPU or the emulator");
    if (ok)
        interrupt_watch();
    r.document = o->json ? json_pack("{s:[]}", "variants") : NULL;
    for (int i = 0; ok && i < o->problem_count && interrupt_signal == 0; i++)
        ok = check_problem(&r, &o->problems[i], e);
    if (ok && r.document != NULL)
        output_json(json_incref(r.document));
    if (ok && interrupt_signal != 0)
        say_how_far(&r);
    json_decref(r.document);
    session_close(&r.session);
    if (ok)
        return r.correct ? STATUS_DONE : STATUS_NONE_SURVIVED;
    return e->status;
}
