#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_verdict(const struct trial *trial)
{
    printf("%-11s", verdict_name(trial->verdict));
    if (isfinite(trial->max_error))
        printf(" %8.3f", trial->max_error);
    else
        printf(" %8s", isnan(trial->max_error) ? "-" : "inf");
    printf("  %s%s%s\n", trial->key, trial->reason != NULL ? ": " : "",
           trial->reason != NULL ? trial->reason : "");
}

/* NaN where nothing ran, and infinity, are no JSON: null, and the largest number that is. */
static json_t *error_json(double error)
{
    return isnan(error) ? json_null() : json_real(isfinite(error) ? error : 1e308);
}

static json_t *verdict_json(const struct tuning *t, const struct trial *trial)
{
    return json_pack("{s:s, s:s, s:s?, s:o, s:O?, s:o}", "key", trial->key, "verdict",
                     verdict_name(trial->verdict), "reason", trial->reason, "max_error",
                     error_json(trial->max_error), "counts", trial->counts, "problem",
                     problem_to_json(&t->problem));
}

/* Prints what was checked; whether all of it is correct. */
static bool print_verdicts(const struct tuning *t, json_t *document)
{
    bool correct = true;
    for (int i = 0; i < t->count; i++) {
        const struct trial *trial = &t->trials[i];
        if (!trial->finished)
            continue;
        correct = correct && trial->verdict == VERDICT_CORRECT;
        if (document != NULL)
            json_array_append_new(json_object_get(document, "variants"), verdict_json(t, trial));
        else
            print_verdict(trial);
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
