#include "tuner/cli/command.h"
#include "tuner/cli/output.h"
#include "tuner/cli/tuning.h"
#include "tuner/emit/emit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Compiles the variant, since launches may depend on its registers; a source that does not compile is an
 * error. */
static char *source_text(struct session *s, struct tuning *t, int index, struct error *e)
{
    struct trial *trial = &t->trials[index];
    if (!trial->compiled) {
        error_set(e, STATUS_NONE_SURVIVED, "%s: %s: %s", trial->key, verdict_name(trial->verdict),
                  trial->reason != NULL ? trial->reason : "it was not compiled");
        return NULL;
    }
    struct choice choice;
    if (!choose_uncompiled(s, &t->problem, trial, NAN, NULL, &choice, e))
        return NULL;
    char *text = emit_cu_text(&choice, e);
    choice_clear(&choice);
    return text;
}

static bool print_sources(struct session *s, struct tuning *t, json_t *document, struct error *e)
{
    for (int i = 0; i < t->count; i++) {
        char *text = source_text(s, t, i, e);
        if (text == NULL)
            return false;
        if (document != NULL)
            json_array_append_new(json_object_get(document, "sources"),
                                  json_pack("{s:o, s:s, s:s}", "problem", problem_to_json(&t->problem),
                                            "variant", t->trials[i].key, "source", text));
        else
            fputs(text, stdout);
        free(text);
    }
    return true;
}

/* Without --variant, the first that `list` prints. */
static bool add_variants(struct tuning *t, const struct options *o, struct error *e)
{
    return o->variant_count > 0 ? tuning_add_variants(t, o->variants, o->variant_count, e)
                                : tuning_add_space(t, 1, e);
}

int command_source(const struct options *o, struct error *e)
{
    struct session s;
    struct progress progress;
    progress_open(&progress, true);
    bool ok = session_open(&s, o, NEED_NO_DEVICE, e);
    json_t *document = o->json ? json_pack("{s:[]}", "sources") : NULL;
    for (int i = 0; ok && i < o->problem_count; i++) {
        struct tuning t;
        tuning_begin(&t, &s, &o->problems[i], &progress);
        ok = session_set_problem(&s, &t.problem, false, false, e) && add_variants(&t, o, e) &&
             tuning_compile(&t, e) && tuning_predict(&t, e) && print_sources(&s, &t, document, e);
        tuning_clear(&t);
    }
    if (ok && document != NULL)
        output_json(json_incref(document));
    json_decref(document);
    session_close(&s);
    return ok ? STATUS_DONE : e->status;
}
