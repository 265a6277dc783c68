#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report_check.h"
#include "tuner/cli/tuning.h"

#include <stdio.h>
#include <string.h>

/* Prints what was checked; whether all of it is correct. */
static bool print_verdicts(const struct tuning *t, json_t *document)
{
    bool correct = true;
    if (document == NULL)
        report_check_head(stdout, t);
    for (int i = 0; i < t->count; i++) {
        const struct trial *trial = &t->trials[i];
        if (!trial->finished)
            continue;
        correct = correct && trial->verdict == VERDICT_CORRECT;
        if (document != NULL)
            json_array_append_new(json_object_get(document, "variants"), report_check_json(t, trial));
        else
            report_check_print(stdout, t, trial);
    }
    fflush(stdout);
    return correct;
}

static bool check_problem(struct tuning *t, const struct options *o, struct error *e)
{
    bool all = o->variant_count == 0;
    for (int i = 0; i < o->variant_count; i++)
        all = all || strcmp(o->variants[i], "all") == 0;
    return session_set_problem(t->session, &t->problem, true, true, e) &&
           (all ? tuning_add_space(t, o->limit, e)
                : tuning_add_variants(t, o->variants, o->variant_count, e)) &&
           tuning_verify(t, e);
}

int command_check(const struct options *o, struct error *e)
{
    struct session s;
    struct progress progress;
    bool correct = true;
    progress_open(&progress, o->quiet);
    bool ok = session_open(&s, o, NEED_DEVICE, e);
    if (ok && s.device == NULL)
        ok = error_set(e, STATUS_MISSING,
                       "check runs variants, so it needs a device: the GPU or the emulator");
    if (ok)
        interrupt_watch();
    json_t *document = o->json ? json_pack("{s:[]}", "variants") : NULL;
    for (int i = 0; ok && i < o->problem_count && interrupt_signal == 0; i++) {
        struct tuning t;
        tuning_begin(&t, &s, &o->problems[i], &progress);
        ok = check_problem(&t, o, e);
        if (ok && i > 0 && document == NULL)
            printf("\n");
        if (ok)
            correct = print_verdicts(&t, document) && correct;
        tuning_clear(&t);
    }
    if (ok && document != NULL)
        output_json(json_incref(document));
    json_decref(document);
    session_close(&s);
    if (ok)
        return correct ? STATUS_DONE : STATUS_NONE_SURVIVED;
    return e->status;
}
