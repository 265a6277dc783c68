#include "tuner/cli/report.h"

#include "tuner/cli/report_caches.h"
#include "tuner/cli/report_failures.h"
#include "tuner/cli/report_rows.h"
#include "tuner/emit/emit.h"

#include <math.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* What a table shows of a trial. */
static json_t *trial_json(const struct tuning *t, const struct trial *trial)
{
    const struct trial *timed = tuning_stand_in(t, trial);
    double gbs = problem_bytes(&t->problem) / timed->time_us / 1e3;
    /* A trial that was compiled only has no verdict. */
    bool judged = trial->verified || (trial->finished && trial->verdict != VERDICT_CORRECT);
    json_t *object = json_pack(
        "{s:s, s:s?, s:s?, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "variant", trial->key, "verdict",
        judged ? verdict_name(trial->verdict) : NULL, "reason", trial->reason, "verified", trial->verified,
        "max_error", number(trial->max_error), "time_us", number(timed->time_us), "time_us_low",
        number(timed->time_us_low), "time_us_high", number(timed->time_us_high), "bandwidth_gbs", number(gbs),
        "of_peak", number(gbs / t->session->gpu.dram_gbs), "of_limit",
        number(t->race.limit.median / timed->time_us));
    if (isfinite(timed->predicted_us))
        json_object_set_new(object, "predicted_us", json_real(timed->predicted_us));
    return object;
}

static json_t *ties_json(const struct tuning *t)
{
    json_t *ties = json_array();
    for (int i = 0; i < t->race.tie_count; i++)
        json_array_append_new(ties, trial_json(t, t->race.ties[i]));
    return ties;
}

static json_t *presets_json(const struct tuning *t)
{
    json_t *presets = json_array();
    const struct trial *v1 = report_preset(t, "v1");
    for (int i = t->space_count; i < t->count; i++) {
        const struct trial *trial = &t->trials[i];
        json_t *object = trial_json(t, trial);
        json_object_set_new(object, "name", json_string(trial->label));
        json_object_set_new(object, "times_v1",
                            number(v1 != NULL ? report_us(t, v1) / report_us(t, trial) : NAN));
        json_array_append_new(presets, object);
    }
    return presets;
}

static json_t *trials_json(const struct tuning *t)
{
    int counts[VERDICT_CORRECTNESS + 1], unverified;
    tuning_count_verdicts(t, counts, &unverified);
    json_t *object = json_object();
    for (int v = 0; v <= VERDICT_CORRECTNESS; v++)
        json_object_set_new(object, verdict_name((enum verdict)v), json_integer(counts[v]));
    json_object_set_new(object, "unverified", json_integer(unverified));
    json_object_set_new(object, "from_store", json_integer(t->memory.recalled));
    json_object_set_new(object, "stale", json_integer(t->memory.stale));
    return object;
}

json_t *report_json(const struct tuning *t, const struct error *why, char *const *manifests, struct error *e)
{
    json_t *choice = NULL, *runners_up = json_array(), *paths = json_array();
    for (int i = 0; why == NULL && i < t->choice_count; i++) {
        json_t *manifest = emit_manifest(&t->choices[i], e);
        if (manifest == NULL) {
            json_decref(choice);
            json_decref(runners_up);
            json_decref(paths);
            return NULL;
        }
        if (i == 0)
            choice = manifest;
        else
            json_array_append_new(runners_up, manifest);
    }
    for (int i = 0; manifests != NULL && manifests[i] != NULL; i++)
        json_array_append_new(paths, json_string(manifests[i]));
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f, s:f, s:f}, s:o}", "problem",
                  problem_to_json(&t->problem), "choice", choice != NULL ? choice : json_null(), "runners_up",
                  runners_up, "ties", ties_json(t), "limit_us", number(t->race.limit.median), "presets",
                  presets_json(t), "trials", trials_json(t), "seconds", "generate", t->times.generate,
                  "compile", t->times.compile, "verify", t->times.verify, "measure", t->measure_seconds,
                  "idle", t->times.idle, "total", t->seconds, "files", paths);
    json_t *other = report_caches_json(t);
    if (other != NULL)
        json_object_set_new(object, "other_cache", other);
    json_object_set_new(object, "failed", report_failures_json(t));
    json_object_set_new(object, "rounds", json_integer(t->race.rounds));
    json_object_set_new(object, "recalled", json_boolean(t->race.recalled));
    json_object_set_new(object, "throttled", json_integer(t->race.throttled));
    json_object_set_new(object, "disturbed_by",
                        t->memory.disturbed_by != 0 ? json_integer(t->memory.disturbed_by) : json_null());
    if (why != NULL)
        json_object_set_new(object, "error", json_string(why->text));
    return object;
}

json_t *report_race_json(const struct tuning *t)
{
    json_t *entries = json_array();
    for (int i = 0; i < t->count; i++) {
        json_t *object = trial_json(t, &t->trials[i]);
        if (t->trials[i].label != NULL)
            json_object_set_new(object, t->trials[i].space != NULL ? "name" : "rival",
                                json_string(t->trials[i].label));
        json_object_set_new(object, "fastest",
                            json_boolean(tuning_stand_in(t, &t->trials[i]) == t->race.winner));
        json_array_append_new(entries, object);
    }
    return json_pack("{s:o, s:o, s:i, s:o}", "problem", problem_to_json(&t->problem), "limit_us",
                     number(t->race.limit.median), "rounds", t->race.rounds, "entries", entries);
}
