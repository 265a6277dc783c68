/* Kernel Tuner's cache: one object a variant, times in milliseconds. */
#include "generator/text_buffer.h"
#include "tuner/store/export_trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = JSON_REAL_PRECISION(9) };

/* How Python's str() writes a value, since Kernel Tuner looks entries up by that. */
static void add_value(struct text_buffer *key, const json_t *value)
{
    if (json_is_boolean(value))
        text_print(key, "%s", json_is_true(value) ? "True" : "False");
    else if (json_is_string(value))
        text_print(key, "%s", json_string_value(value));
    else
        text_print(key, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

static const char *error_of(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_CONSTRAINTS:
        return "InvalidConfig";
    case VERDICT_COMPILE:
        return "CompilationFailedConfig";
    default:
        return "RuntimeFailedConfig";
    }
}

static double milliseconds(double seconds)
{
    return isfinite(seconds) ? seconds * 1e3 : 0;
}

/* A right trial that was never timed says nothing there. */
static bool is_entry(const struct exported_trial *t)
{
    return t->trial.verdict != VERDICT_CORRECT || exported_trial_timed(t);
}

static json_t *entry_of(const struct exported_trial *t)
{
    json_t *entry = json_copy(t->config);
    if (exported_trial_timed(t)) {
        json_object_set_new(entry, "time", json_real(t->times.time.median / 1e3));
        json_object_set_new(entry, "times", exported_trial_times_ms(t));
    } else {
        json_object_set_new(entry, "__error__", json_string(error_of(t->trial.verdict)));
    }
    json_object_set_new(entry, "compile_time", json_real(milliseconds(t->trial.compile_seconds)));
    json_object_set_new(entry, "verification_time", json_real(milliseconds(t->trial.verify_seconds)));
    json_object_set_new(entry, "benchmark_time", json_real(exported_trial_benchmark_ms(t)));
    json_object_set_new(entry, "strategy_time", json_real(0));
    json_object_set_new(entry, "framework_time", json_real(0));
    json_object_set_new(entry, "timestamp", json_string(t->timestamp));
    return entry;
}

static void add_entry(struct text_buffer *file, const struct exported_trial *t, const char *separator)
{
    struct text_buffer key = {0};
    const char *name;
    json_t *value, *entry = entry_of(t);
    json_object_foreach(t->config, name, value)
    {
        text_print(&key, "%s", key.size > 0 ? "," : "");
        add_value(&key, value);
    }
    char *text = json_dumps(entry, NUMBERS);
    text_print(file, "%s\n\"%s\": %s", separator, key.data != NULL ? key.data : "", text);
    free(text);
    json_decref(entry);
    text_free(&key);
}

static bool holds(const json_t *values, const json_t *value)
{
    size_t index;
    json_t *other;
    json_array_foreach(values, index, other) if (json_equal(other, value)) return true;
    return false;
}

/* {name: [each value that occurs]}, in the space's order. */
static json_t *parameters_of(const struct exported_trials *found)
{
    json_t *parameters = json_object();
    for (int i = 0; i < found->count; i++) {
        const char *name;
        json_t *value;
        if (!is_entry(&found->trials[i]))
            continue;
        json_object_foreach(found->trials[i].config, name, value)
        {
            json_t *values = json_object_get(parameters, name);
            if (values == NULL)
                json_object_set_new(parameters, name, values = json_array());
            if (!holds(values, value))
                json_array_append(values, value);
        }
    }
    return parameters;
}

static char *head_of(const struct exported_trials *found, const struct problem *p)
{
    char stem[STEM_SIZE];
    problem_stem(p, true, found->arch, NULL, stem);
    json_t *parameters = parameters_of(found), *names = json_array(), *values;
    const char *name;
    json_object_foreach(parameters, name, values) json_array_append_new(names, json_string(name));
    json_t *head = json_pack("{s:s, s:s, s:[I, I], s:o, s:o, s:s}", "device_name", found->gpu, "kernel_name",
                             stem, "problem_size", (json_int_t)p->M, (json_int_t)p->N, "tune_params_keys",
                             names, "tune_params", parameters, "objective", "time");
    char *text = json_dumps(head, 0);
    text[strlen(text) - 1] = '\0'; /* the cache follows before the brace */
    json_decref(head);
    return text;
}

char *export_kernel_tuner(struct store *s, const struct export_selection *selection, struct error *e)
{
    struct exported_trials found;
    if (!export_trials_read(s, selection, &found, e))
        return NULL;
    bool timed = false;
    for (int i = 0; i < found.count; i++)
        timed = timed || exported_trial_timed(&found.trials[i]);
    struct text_buffer file = {0};
    char *head = head_of(&found, selection->problem);
    text_print(&file, "%s,\n\"cache\": {", head);
    free(head);
    const char *separator = "";
    for (int i = 0; i < found.count; i++)
        if (is_entry(&found.trials[i])) {
            add_entry(&file, &found.trials[i], separator);
            separator = ",";
        }
    text_print(&file, "}\n}"); /* exactly this end is what Kernel Tuner looks for */
    export_trials_clear(&found);
    if (timed)
        return file.data;
    text_free(&file);
    error_set(
        e, STATUS_USAGE,
        "the store %s holds no time of this problem, and Kernel Tuner reads no cache without one: tune it "
        "on a GPU first",
        store_path(s));
    return NULL;
}
