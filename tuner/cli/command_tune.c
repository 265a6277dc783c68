#include "tuner/cli/command.h"
#include "tuner/cli/folder.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report.h"
#include "tuner/cli/report_summary.h"
#include "tuner/cli/session_store.h"

#include <math.h>
#include <stdio.h>

static bool write_choices(const struct tuning *t, char ***manifests, struct error *e)
{
    const struct choice *ranked[CANDIDATES_MAX];
    for (int i = 0; i < t->choice_count; i++)
        ranked[i] = &t->choices[i];
    return output_write(t->session->options->output, ranked, t->choice_count, manifests, e);
}

/* A run of the command. */
struct tune_run {
    struct session session;
    struct progress progress;
    json_t *document; /* with --json, else NULL */
    struct report_summary summary;
    int status; /* the worst of the problems */
};

/* Writes and reports a problem that was tuned; `why` is NULL where it has a choice. One that failed alone (no
   variant survived) leaves its status in the run and its line on standard error. False when the run cannot go
   on. */
static bool finish_problem(struct tune_run *r, struct tuning *t, const struct error *why, struct error *e)
{
    bool alone = r->session.options->problem_count == 1;
    char **manifests = NULL;
    bool ok = why != NULL || write_choices(t, &manifests, e);
    if (ok && r->document != NULL) {
        json_t *object = report_json(t, why, manifests, e);
        ok = object != NULL && json_array_append_new(json_object_get(r->document, "problems"), object) == 0;
    } else if (ok && alone && why == NULL) {
        report_print(stdout, t, manifests);
        fflush(stdout);
    }
    if (ok)
        report_summary_add(&r->summary, t, why, NAN);
    if (why != NULL) {
        fprintf(stderr, "softmax-tune: %s\n", why->text);
        r->status = r->status > why->status ? r->status : why->status;
    }
    output_free(manifests);
    return ok;
}

static bool tune_problem(struct tune_run *r, const struct problem *p, struct error *e)
{
    struct tuning t;
    struct error why = {0};
    tuning_begin(&t, &r->session, p, &r->progress);
    bool found = tuning_run(&t, &why);
    bool ok = finish_problem(r, &t, found ? NULL : &why, e);
    tuning_clear(&t);
    return ok;
}

static void report(const struct tune_run *r)
{
    const struct options *o = r->session.options;
    if (r->document != NULL) {
        output_json(json_incref(r->document));
        return;
    }
    if (o->problem_count > 1)
        report_summary_print(stdout, &r->summary, &r->session);
    if (r->status == STATUS_DONE || o->problem_count > 1)
        report_again(stdout, o);
}

int command_tune(const struct options *o, struct error *e)
{
    struct tune_run r = {.status = STATUS_DONE};
    struct error why;
    progress_open(&r.progress, o->quiet);
    bool ok = session_open(&r.session, o, NEED_DEVICE, e);
    if (ok && r.session.measures)
        ok = session_open_store(&r.session, e);
    if (ok && !folder_writable(o->output, &why))
        ok = error_set(e, STATUS_USAGE, "--output %s", why.text);
    if (ok)
        interrupt_watch();
    r.document = o->json ? json_pack("{s:[]}", "problems") : NULL;
    for (int i = 0; ok && i < o->problem_count && interrupt_signal == 0; i++)
        ok = tune_problem(&r, &o->problems[i], e);
    if (ok)
        report(&r);
    json_decref(r.document);
    report_summary_clear(&r.summary);
    session_close(&r.session);
    return ok ? r.status : e->status;
}
