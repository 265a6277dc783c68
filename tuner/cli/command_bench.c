#include "tuner/cli/command.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report.h"
#include "tuner/cli/rival.h"

static bool bench_problem(struct tuning *t, const struct options *o, struct error *e)
{
    bool ok = session_set_problem(t->session, &t->problem, true, false, e) &&
              tuning_add_variants(t, o->variants, o->variant_count, e);
    for (int i = 0; ok && i < o->rival_count; i++)
        ok = rival_add(t, o->rivals[i], e);
    return ok && tuning_verify(t, e) && tuning_race(t, e);
}

int command_bench(const struct options *o, struct error *e)
{
    struct session s;
    struct progress progress;
    progress_open(&progress, o->quiet);
    if (o->variant_count + o->rival_count == 0) {
        error_set(e, STATUS_USAGE,
                  "nothing to race: name variants (for example v2 v4) or --rival MANIFEST|FILE.cu:SYMBOL");
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
