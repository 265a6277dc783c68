/* T4: the results format (schema 1.0.0) that tuners share. */
#include "tuner/store/export_trials.h"

#include <math.h>

static json_t *number(double value)
{
    return json_real(isfinite(value) ? value : 0);
}

static void add_measurement(json_t *measurements, const char *name, double value, const char *unit)
{
    if (isfinite(value))
        json_array_append_new(measurements,
                              json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit));
}

static json_t *result_of(const struct exported_trial *t)
{
    bool timed = exported_trial_timed(t);
    json_t *measurements = json_array();
    if (timed) {
        add_measurement(measurements, "time", t->times.time.median / 1e3, "ms");
        add_measurement(measurements, "time_low", t->times.time.low / 1e3, "ms");
        add_measurement(measurements, "time_high", t->times.time.high / 1e3, "ms");
        add_measurement(measurements, "limit", t->times.limit_us / 1e3, "ms");
    }
    add_measurement(measurements, "max_error", t->trial.max_error, "of its bound");
    json_t *times = json_pack(
        "{s:o, s:f, s:f, s:f, s:o, s:o}", "compilation", number(t->trial.compile_seconds * 1e3), "benchmark",
        exported_trial_benchmark_ms(t), "framework", 0.0, "search_algorithm", 0.0, "validation",
        number(t->trial.verify_seconds * 1e3), "runtimes", timed ? exported_trial_times_ms(t) : json_array());
    return json_pack("{s:s, s:O, s:[s], s:o, s:s, s:i, s:o}", "timestamp", t->timestamp, "configuration",
                     t->config, "objectives", "time", "times", times, "invalidity",
                     verdict_name(t->trial.verdict), "correctness",
                     t->trial.verdict == VERDICT_CORRECT ? 1 : 0, "measurements", measurements);
}

char *export_t4(struct store *s, const struct export_selection *selection, struct error *e)
{
    struct exported_trials found;
    if (!export_trials_read(s, selection, &found, e))
        return NULL;
    json_t *results = json_array();
    for (int i = 0; i < found.count; i++)
        json_array_append_new(results, result_of(&found.trials[i]));
    json_t *document =
        json_pack("{s:s, s:{s:s, s:{s:s, s:s}, s:o}, s:o}", "schema_version", "1.0.0", "metadata", "timeunit",
                  "milliseconds", "hardware", "device_name", found.gpu, "arch", found.arch, "problem",
                  problem_to_json(selection->problem), "results", results);
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(document);
    export_trials_clear(&found);
    return text;
}
