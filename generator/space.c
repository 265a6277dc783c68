/* The problem that a space is asked about, and the keys of its variants. */
#include "generator/space.h"

#include "generator/nearest.h"
#include "generator/sandbox.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MAX = 300 };

static void append_name(char text[LISTED_MAX], const char *name)
{
    size_t used = strlen(text);
    snprintf(text + used, LISTED_MAX - used, "%s%s", used > 0 ? ", " : "", name);
}

static _Noreturn void refuse_value(lua_State *L, const struct parameter *p, const char *context,
                                   const char *value, size_t length)
{
    char known[LISTED_MAX] = "", hint[HINT_SIZE];
    struct nearest nearest = nearest_to(value, length);
    for (int i = 0; i < p->count; i++) {
        append_name(known, p->values[i].text);
        nearest_offer(&nearest, p->values[i].text);
    }
    if (p->count == 0)
        sandbox_raise(L, NULL, 0, "%s: parameter '%s' has no value at all for this problem", context,
                      p->name);
    sandbox_raise(L, NULL, 0, "%s: parameter '%s' has no value '%.*s' for this problem (it has %s)%s",
                  context, p->name, (int)length, value, known, nearest_hint(&nearest, hint));
}

static _Noreturn void refuse_name(lua_State *L, const struct space *s, const char *context, const char *name,
                                  size_t length)
{
    char known[LISTED_MAX] = "", hint[HINT_SIZE];
    struct nearest nearest = nearest_to(name, length);
    for (int i = 0; i < s->parameter_count; i++) {
        append_name(known, s->parameters[i].name);
        nearest_offer(&nearest, s->parameters[i].name);
    }
    sandbox_raise(L, NULL, 0, "%s: space '%s' has no parameter '%.*s' (it has %s)%s", context, s->name,
                  (int)length, name, known, nearest_hint(&nearest, hint));
}

static int find_text(const struct parameter *p, const char *text, size_t length)
{
    for (int i = 0; i < p->count; i++)
        if (strlen(p->values[i].text) == length && memcmp(p->values[i].text, text, length) == 0)
            return i;
    return -1;
}

/* Reads "name=value" of `length` bytes. */
static int parse_setting(lua_State *L, const struct space *s, const char *context, const char *text,
                         size_t length, int *value)
{
    const char *equals = memchr(text, '=', length);
    if (equals == NULL)
        sandbox_raise(L, NULL, 0, "%s: '%.*s' is not NAME=VALUE", context, (int)length, text);
    size_t name_length = (size_t)(equals - text);
    int index = space_find_parameter(s, text, name_length);
    if (index < 0)
        refuse_name(L, s, context, text, name_length);
    *value = find_text(&s->parameters[index], equals + 1, length - name_length - 1);
    if (*value < 0)
        refuse_value(L, &s->parameters[index], context, equals + 1, length - name_length - 1);
    return index;
}

static void set_pins(lua_State *L, struct space *s)
{
    for (int i = 0; i < s->parameter_count; i++)
        s->parameters[i].pinned = -1;
    for (int i = 0; s->pins != NULL && s->pins[i] != NULL; i++) {
        char context[LISTED_MAX];
        int value;
        snprintf(context, sizeof context, "--set %s", s->pins[i]);
        struct parameter *p =
            &s->parameters[parse_setting(L, s, context, s->pins[i], strlen(s->pins[i]), &value)];
        if (p->pinned >= 0)
            sandbox_raise(L, NULL, 0, "%s: '%s' is set twice", context, p->name);
        p->pinned = value;
    }
}

static void keep(lua_State *L, int *reference)
{
    luaL_unref(L, LUA_REGISTRYINDEX, *reference);
    *reference = luaL_ref(L, LUA_REGISTRYINDEX);
}

void space_set_problem(lua_State *L, struct space *s, json_t *problem, const struct gpu *gpu,
                       const json_t *gpu_record)
{
    sandbox_push_record(L, problem, "problem");
    keep(L, &s->problem_ref);
    s->M = json_integer_value(json_object_get(problem, "M"));
    json_object_del(problem, "M");
    sandbox_push_record(L, problem, "problem");
    keep(L, &s->source_problem_ref);
    sandbox_push_record(L, gpu_record, "gpu");
    keep(L, &s->gpu_ref);
    s->gpu = *gpu;
    s->has_problem = true;
    for (int i = 0; i < s->constraint_count; i++) {
        free(s->constraints[i].answers);
        s->constraints[i].answers = NULL;
    }
    for (int i = 0; i < s->parameter_count; i++)
        parameter_evaluate(L, s, &s->parameters[i]);
    set_pins(L, s);
}

static const struct preset *find_preset(const struct space *s, const char *name, size_t length)
{
    for (int i = 0; i < s->preset_count; i++)
        if (strlen(s->presets[i].name) == length && memcmp(s->presets[i].name, name, length) == 0)
            return &s->presets[i];
    return NULL;
}

static _Noreturn void refuse_preset(lua_State *L, const struct space *s, const char *context,
                                    const char *name, size_t length)
{
    char known[LISTED_MAX] = "", hint[HINT_SIZE];
    struct nearest nearest = nearest_to(name, length);
    for (int i = 0; i < s->preset_count; i++) {
        append_name(known, s->presets[i].name);
        nearest_offer(&nearest, s->presets[i].name);
    }
    sandbox_raise(L, NULL, 0, "%s: '%.*s' is neither a preset of space '%s' (%s) nor NAME=VALUE%s", context,
                  (int)length, name, s->name, s->preset_count > 0 ? known : "it has none",
                  nearest_hint(&nearest, hint));
}

static void apply_preset(lua_State *L, const struct space *s, const char *context, const char *name,
                         size_t length, struct variant *v)
{
    const struct preset *preset = find_preset(s, name, length);
    if (preset == NULL)
        refuse_preset(L, s, context, name, length);
    for (int i = 0; i < s->parameter_count; i++)
        v->value[i] = 0; /* a preset means the same whatever --set says */
    for (int i = 0; i < preset->count; i++) {
        const struct setting *setting = &preset->settings[i];
        const struct parameter *p = &s->parameters[setting->parameter];
        v->value[setting->parameter] = parameter_find_value(p, &setting->value);
        if (v->value[setting->parameter] < 0)
            refuse_value(L, p, context, setting->value.text, strlen(setting->value.text));
    }
}

void space_parse_key(lua_State *L, const struct space *s, const char *typed, struct variant *v)
{
    char context[LISTED_MAX];
    bool given[PARAMETERS_MAX] = {false};
    snprintf(context, sizeof context, "variant '%s'", typed);
    for (int i = 0; i < s->parameter_count; i++)
        v->value[i] = s->parameters[i].pinned >= 0 ? s->parameters[i].pinned : 0;
    for (const char *c = typed; *c != '\0';) {
        size_t length = strcspn(c, ",");
        if (c == typed && memchr(c, '=', length) == NULL) {
            apply_preset(L, s, context, c, length, v);
        } else {
            int value, index = parse_setting(L, s, context, c, length, &value);
            if (given[index])
                sandbox_raise(L, NULL, 0, "%s: '%s' is given twice", context, s->parameters[index].name);
            given[index] = true;
            v->value[index] = value;
        }
        c += length;
        if (*c == ',' && *++c == '\0')
            sandbox_raise(L, NULL, 0, "%s ends with a comma", context);
    }
    for (int i = 0; i < s->parameter_count; i++)
        if (s->parameters[i].count == 0)
            refuse_value(L, &s->parameters[i], context, "", 0);
}

void space_key(const struct space *s, const struct variant *v, struct text_buffer *key)
{
    for (int i = 0; i < s->parameter_count; i++) {
        if (i > 0)
            text_add(key, ",", 1);
        text_add_string(key, s->parameters[i].name);
        text_add(key, "=", 1);
        text_add_string(key, s->parameters[i].values[v->value[i]].text);
    }
}

static json_t *value_to_json(const struct value *v)
{
    if (v->kind == VALUE_INTEGER)
        return json_integer(v->number);
    return v->kind == VALUE_BOOLEAN ? json_boolean(v->number != 0) : json_string(v->text);
}

json_t *space_config(const struct space *s, const struct variant *v)
{
    json_t *config = json_object();
    for (int i = 0; i < s->parameter_count; i++)
        json_object_set_new(config, s->parameters[i].name,
                            value_to_json(&s->parameters[i].values[v->value[i]]));
    return config;
}

/* The complete key of a preset, also where it has values that this problem has not. NULL where a parameter
   that it leaves to the default has no value at all. A new reference. */
static json_t *preset_key(const struct space *s, const struct preset *preset)
{
    const struct value *values[PARAMETERS_MAX];
    for (int i = 0; i < s->parameter_count; i++)
        values[i] = s->parameters[i].count > 0 ? &s->parameters[i].values[0] : NULL;
    for (int i = 0; i < preset->count; i++)
        values[preset->settings[i].parameter] = &preset->settings[i].value;
    struct text_buffer key = {0};
    json_t *result = NULL;
    int i = 0;
    for (; i < s->parameter_count && values[i] != NULL; i++)
        text_print(&key, "%s%s=%s", i > 0 ? "," : "", s->parameters[i].name, values[i]->text);
    if (i == s->parameter_count)
        result = json_string(key.data);
    text_free(&key);
    return result;
}

json_t *space_describe(const struct space *s)
{
    json_t *parameters = json_array(), *presets = json_object(), *constraints = json_array();
    double combinations = 1;
    for (int i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        struct value_range range = parameter_range(s, p);
        json_t *values = json_array();
        for (int k = range.first; k < range.end; k++)
            json_array_append_new(values, value_to_json(&p->values[k]));
        combinations *= range.end - range.first;
        json_array_append_new(parameters,
                              json_pack("{s:s, s:s, s:o}", "name", p->name, "doc", p->doc, "values", values));
    }
    for (int i = 0; i < s->preset_count; i++) {
        json_t *key = preset_key(s, &s->presets[i]);
        if (key != NULL)
            json_object_set_new(presets, s->presets[i].name, key);
    }
    for (int i = 0; i < s->constraint_count; i++)
        if (constraint_applies(s, &s->constraints[i]))
            json_array_append_new(constraints, json_string(s->constraints[i].sentence));
    return json_pack("{s:s, s:o, s:o, s:I, s:o}", "name", s->name, "parameters", parameters, "presets",
                     presets, "combinations", combinations < 9e18 ? (json_int_t)combinations : INT64_MAX,
                     "constraints", constraints);
}
