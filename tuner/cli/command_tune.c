#include "tuner/cli/command.h"
#include "tuner/cli/folder.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report.h"
#include "tuner/cli/report_invariance.h"
#include "tuner/cli/report_summary.h"
#include "tuner/cli/session_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool write_choices(const struct tuning *t, char ***manifests, struct error *e)
{
    const struct choice *ranked[CANDIDATES_MAX];
    for (int i = 0; i < t->choice_count; i++)
        ranked[i] = &t->choices[i];
    return output_write(t->session->options->output, ranked, t->choice_count, manifests, e);
}

/* Whether a table of all problems ends the run, rather than the report of the one. */
static bool has_table(const struct options *o)
{
    return o->problem_count > 1 || o->batch_invariant;
}

/* A run of the command. */
struct tune_run {
    struct session session;
    struct progress progress;
    json_t *document; /* with --json, else NULL */
    struct report_summary summary;
    int status; /* the worst of the problems */
};

/* One that failed alone (no variant survived) leaves its status in the run and its line on standard error. */
static void say_failure(struct tune_run *r, const struct error *why)
{
    fprintf(stderr, "softmax-tune: %s\n", why->text);
    r->status = r->status > why->status ? r->status : why->status;
}

/* Writes and reports a problem that was tuned; `why` is NULL where it has a choice. False when the run cannot
   go on. `v` is what the problem has its variant of, or NULL. */
static bool finish_problem(struct tune_run *r, struct tuning *t, const struct error *why,
                           const struct invariance *v, double alone_us, struct error *e)
{
    char **manifests = NULL;
    bool ok = why != NULL || write_choices(t, &manifests, e);
    if (ok && r->document != NULL) {
        json_t *object = report_json(t, why, manifests, e);
        if (object != NULL && v != NULL)
            json_object_set_new(object, "batch_invariant", invariance_json(v, t, alone_us));
        ok = object != NULL && json_array_append_new(json_object_get(r->document, "problems"), object) == 0;
    } else if (ok && !has_table(r->session.options) && why == NULL) {
        report_print(stdout, t, manifests);
        fflush(stdout);
    }
    if (ok)
        report_summary_add(&r->summary, t, why, alone_us);
    output_free(manifests);
    return ok;
}

static bool tune_problem(struct tune_run *r, const struct problem *p, struct error *e)
{
    struct tuning t;
    struct error why = {0};
    r->progress.problem++;
    tuning_begin(&t, &r->session, p, &r->progress);
    bool found = tuning_run(&t, &why);
    bool ok = finish_problem(r, &t, found ? NULL : &why, NULL, NAN, e);
    if (!found)
        say_failure(r, &why);
    tuning_clear(&t);
    return ok;
}

/* Problems that differ in M alone, with one variant for all. */
static bool tune_together(struct tune_run *r, const struct problem *const *problems, int count,
                          struct error *e)
{
    struct invariance v;
    struct error why = {0};
    bool chosen = invariance_choose(&v, &r->session, problems, count, &r->progress, &why), ok = true;
    if (!chosen)
        say_failure(r, &why);
    for (int i = 0; ok && i < count; i++) {
        struct tuning t;
        double alone_us = NAN;
        tuning_begin(&t, &r->session, problems[i], &r->progress);
        bool found = invariance_run(&v, i, &t, &alone_us, &why);
        ok = finish_problem(r, &t, found ? NULL : &why, &v, alone_us, e);
        if (chosen && !found)
            say_failure(r, &why);
        tuning_clear(&t);
    }
    if (ok && chosen)
        report_invariance(&r->summary, &v);
    invariance_clear(&v);
    return ok;
}

/* The problems in their order, those that differ in M alone together with the first of them. */
static bool tune_invariant(struct tune_run *r, struct error *e)
{
    const struct options *o = r->session.options;
    const struct problem **together = must_malloc((size_t)o->problem_count * sizeof *together);
    bool *done = must_calloc((size_t)o->problem_count, sizeof *done), ok = true;
    for (int i = 0; ok && i < o->problem_count && interrupt_signal == 0; i++) {
        int count = 0;
        for (int j = i; j < o->problem_count && !done[i]; j++)
            if (invariance_alike(&o->problems[i], &o->problems[j]))
                together[count++] = &o->problems[j];
        for (int k = 0; k < count; k++)
            done[together[k] - o->problems] = true;
        ok = count == 0 || tune_together(r, together, count, e);
    }
    free(done);
    free(together);
    return ok;
}

static void report(const struct tune_run *r)
{
    const struct options *o = r->session.options;
    if (r->document != NULL) {
        output_json(json_incref(r->document));
        return;
    }
    if (has_table(o))
        report_summary_print(stdout, &r->summary, &r->session, o->output);
    if (r->status == STATUS_DONE || has_table(o))
        report_again(stdout, o);
}

int command_tune(const struct options *o, struct error *e)
{
    struct tune_run r = {.status = STATUS_DONE};
    struct error why;
    progress_open(&r.progress, o->quiet);
    r.progress.problems = o->batch_invariant ? 0 : o->problem_count;
    bool ok = session_open(&r.session, o, NEED_DEVICE, e);
    if (ok && r.session.measures)
        ok = session_open_store(&r.session, e);
    if (ok && !folder_writable(o->output, &why))
        ok = error_set(e, STATUS_USAGE, "--output %s", why.text);
    if (ok)
        interrupt_watch();
    r.document = o->json ? json_pack("{s:[]}", "problems") : NULL;
    for (int i = 0; ok && !o->batch_invariant && i < o->problem_count && interrupt_signal == 0; i++)
        ok = tune_problem(&r, &o->problems[i], e);
    if (ok && o->batch_invariant)
        ok = tune_invariant(&r, e);
    if (ok)
        report(&r);
    json_decref(r.document);
    report_summary_clear(&r.summary);
    session_close(&r.session);
    return ok ? r.status : e->status;
}
