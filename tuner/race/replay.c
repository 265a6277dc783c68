#include "tuner/race/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *print_value(const json_t *value)
{
    if (json_is_string(value))
        return must_strdup(json_string_value(value));
    if (json_is_boolean(value))
        return must_strdup(json_is_true(value) ? "true" : "false");
    return must_format("%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

static char *key_of(const json_t *configuration)
{
    char *key = must_strdup("");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)configuration, name, value)
    {
        char *text = print_value(value);
        char *longer = must_format("%s%s%s=%s", key, key[0] != '\0' ? "," : "", name, text);
        free(text);
        free(key);
        key = longer;
    }
    return key;
}

/* Adds the values of a configuration that no earlier one had. */
static void note_values(json_t *parameters, const json_t *configuration)
{
    const char *name;
    json_t *value, *held;
    size_t at = 0, i;
    json_object_foreach((json_t *)configuration, name, value)
    {
        if (at == json_array_size(parameters))
            json_array_append_new(parameters, json_pack("{s:s, s:[]}", "name", name, "values"));
        json_t *values = json_object_get(json_array_get(parameters, at++), "values");
        bool known = false;
        json_array_foreach(values, i, held) known = known || json_equal(held, value);
        if (!known)
            json_array_append(values, value);
    }
}

/* Microseconds; INFINITY for a trial that is not correct, or was never timed. */
static double time_of(const json_t *result)
{
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    size_t i;
    json_t *m;
    if (invalidity == NULL || strcmp(invalidity, "correct") != 0)
        return INFINITY;
    json_array_foreach(json_object_get(result, "measurements"), i, m)
    {
        const char *name = json_string_value(json_object_get(m, "name"));
        if (name != NULL && strcmp(name, "time") == 0)
            return 1e3 * json_number_value(json_object_get(m, "value"));
    }
    return INFINITY;
}

static bool take_results(const json_t *results, struct replay *r)
{
    size_t i;
    json_t *result;
    r->keys = must_calloc(json_array_size(results) + 1, sizeof *r->keys);
    r->us = must_calloc(json_array_size(results) + 1, sizeof *r->us);
    r->parameters = json_array();
    r->best_us = INFINITY;
    json_array_foreach(results, i, result)
    {
        const json_t *configuration = json_object_get(result, "configuration");
        if (!json_is_object(configuration))
            return false;
        note_values(r->parameters, configuration);
        r->keys[r->count] = key_of(configuration);
        r->us[r->count] = time_of(result);
        r->best_us = fmin(r->best_us, r->us[r->count]);
        r->count++;
    }
    return isfinite(r->best_us);
}

bool replay_read(const char *path, struct replay *r, struct error *e)
{
    json_error_t why;
    *r = (struct replay){0};
    json_t *document = json_load_file(path, 0, &why);
    if (document == NULL)
        return error_set(e, STATUS_USAGE, "%s:%d: %s", path, why.line, why.text);
    const json_t *results = json_object_get(document, "results");
    r->metadata = json_incref(json_object_get(document, "metadata"));
    bool ok = json_is_array(results) && take_results(results, r);
    if (!ok)
        error_set(e, STATUS_USAGE, "%s: no T4 results with a configuration each and a time", path);
    json_decref(document);
    return ok;
}

void replay_clear(struct replay *r)
{
    for (int i = 0; i < r->count; i++)
        free(r->keys[i]);
    free(r->keys);
    free(r->us);
    json_decref(r->parameters);
    json_decref(r->metadata);
    *r = (struct replay){0};
}

int replay_trials(const struct replay *r, enum strategy_kind kind, const double *expected, uint64_t seed,
                  int jobs, double margin)
{
    const struct strategy_space space = {.count = r->count,
                                         .keys = (const char *const *)r->keys,
                                         .expected = expected,
                                         .parameters = r->parameters};
    struct strategy *s = strategy_open(kind, &space, seed);
    int *begun = must_malloc((size_t)(r->count + 1) * sizeof *begun);
    int count = 0, ended = 0, next;
    bool found = false;
    do {
        next = count - ended < jobs ? strategy_next(s) : -1;
        if (next >= 0) {
            begun[count++] = next;
        } else if (ended < count) {
            int v = begun[ended++];
            found = r->us[v] <= r->best_us * margin;
            strategy_tell(s, v, r->us[v]);
        }
    } while (!found);
    free(begun);
    strategy_close(s);
    return ended;
}
