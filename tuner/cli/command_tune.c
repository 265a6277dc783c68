#include "tuner/cli/command.h"
#include "tuner/cli/folder.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report.h"
#include "tuner/cli/session_store.h"

#include <stdlib.h>

static bool write_choices(const struct tuning *t, char ***manifests, struct error *e)
{
    const struct choice *ranked[CANDIDATES_MAX];
    for (int i = 0; i < t->choice_count; i++)
        ranked[i] = &t->choices[i];
    return output_write(t->session->options->output, ranked, t->choice_count, manifests, e);
}

/* One problem: tuned, written, reported; in `document` with --json. False when the run cannot go on. A
   problem that fails alone (no variant survived) leaves its status in *status and its line on standard error.
 */
static bool tune_problem(struct session *s, const struct problem *p, struct progress *progress,
                         json_t *document, int *status, struct error *e)
{
    struct tuning t;
    struct error why = {0};
    char **manifests = NULL;
    tuning_begin(&t, s, p, progress);
    bool found = tuning_run(&t, &why);
    bool ok = found ? write_choices(&t, &manifests, e) : true;
    if (ok && document != NULL) {
        json_t *object = report_json(&t, found ? NULL : &why, manifests, e);
        ok = object != NULL && json_array_append_new(json_object_get(document, "problems"), object) == 0;
    } else if (ok && found) {
        report_print(stdout, &t, manifests);
        fflush(stdout);
    }
    if (!found) {
        fprintf(stderr, "softmax-tune: %s\n", why.text);
        *status = *status > why.status ? *status : why.status;
    }
    output_free(manifests);
    tuning_clear(&t);
    return ok;
}

int command_tune(const struct options *o, struct error *e)
{
    struct session s;
    struct progress progress;
    struct error why;
    progress_open(&progress, o->quiet);
    int status = STATUS_DONE;
    bool ok = session_open(&s, o, NEED_DEVICE, e);
    if (ok && s.measures)
        ok = session_open_store(&s, e);
    if (ok && !folder_writable(o->output, &why))
        ok = error_set(e, STATUS_USAGE, "--output %s", why.text);
    if (ok)
        interrupt_watch();
    json_t *document = o->json ? json_pack("{s:[]}", "problems") : NULL;
    for (int i = 0; ok && i < o->problem_count && interrupt_signal == 0; i++)
        ok = tune_problem(&s, &o->problems[i], &progress, document, &status, e);
    if (ok && document != NULL)
        output_json(json_incref(document));
    else if (ok && status == STATUS_DONE)
        report_again(stdout, o);
    json_decref(document);
    session_close(&s);
    return ok ? status : e->status;
}
