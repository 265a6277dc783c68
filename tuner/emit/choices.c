#include "tuner/emit/choices.h"

#include "generator/resources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_problem(const struct problem *a, const struct problem *b)
{
    json_t *x = problem_to_json(a), *y = problem_to_json(b);
    bool same = json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return same;
}

static bool has(const json_t *entry, const char *field, const char *value)
{
    const char *text = json_string_value(json_object_get(entry, field));
    return text != NULL && strcmp(text, value) == 0;
}

static bool answers(const json_t *entry, const struct problem *p, const struct gpu *gpu)
{
    struct problem stored;
    return has(entry, "arch", gpu->arch) && has(entry, "basis", "measured") &&
           problem_of_json(entry, &stored, NULL) && same_problem(&stored, p) &&
           json_is_string(json_object_get(entry, "space")) &&
           json_is_string(json_object_get(entry, "variant")) && json_is_string(json_object_get(entry, "gpu"));
}

static double figure(const json_t *entry, const char *name)
{
    const json_t *value = json_object_get(entry, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void take(const json_t *entry, struct stored_choice *found)
{
    *found = (struct stored_choice){
        .space = must_strdup(json_string_value(json_object_get(entry, "space"))),
        .variant = must_strdup(json_string_value(json_object_get(entry, "variant"))),
        .time_us = figure(entry, "time_us"),
        .time_us_low = figure(entry, "time_us_low"),
        .time_us_high = figure(entry, "time_us_high"),
        .limit_us = figure(entry, "of_limit") * figure(entry, "time_us"),
        .max_error = figure(entry, "max_error"),
    };
    snprintf(found->gpu, sizeof found->gpu, "%s", json_string_value(json_object_get(entry, "gpu")));
}

bool choices_find(const json_t *document, const struct problem *p, const struct gpu *gpu,
                  struct stored_choice *found)
{
    const json_t *list = json_object_get(document, "choices"), *other = NULL;
    if (!has(document, "schema", "softmax-tune/choices/1"))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (!answers(entry, p, gpu))
            continue;
        if (has(entry, "gpu", gpu->name)) {
            take(entry, found);
            return true;
        }
        other = other == NULL ? entry : other;
    }
    if (other != NULL)
        take(other, found);
    return other != NULL;
}

bool choices_find_built_in(const struct problem *p, const struct gpu *gpu, struct stored_choice *found)
{
    bool any = false;
    const struct resource *file;
    for (int i = 0; (file = resource_at("kernels/", i)) != NULL; i++) {
        json_t *document = json_loadb(file->text, file->size, 0, NULL);
        struct stored_choice candidate;
        if (choices_find(document, p, gpu, &candidate)) {
            bool own = strcmp(candidate.gpu, gpu->name) == 0;
            if (any && !own) {
                stored_choice_clear(&candidate);
            } else {
                if (any)
                    stored_choice_clear(found);
                *found = candidate;
                any = true;
            }
            if (own) {
                json_decref(document);
                return true;
            }
        }
        json_decref(document);
    }
    return any;
}

void stored_choice_clear(struct stored_choice *s)
{
    free(s->space);
    free(s->variant);
    *s = (struct stored_choice){0};
}

void stored_choice_tell(const struct stored_choice *s, struct choice *c)
{
    bool own = strcmp(s->gpu, c->gpu.name) == 0;
    snprintf(c->basis, sizeof c->basis, "%s%s", own ? "measured" : "measured-on:", own ? "" : s->gpu);
    c->time_us = s->time_us;
    c->time_us_low = s->time_us_low;
    c->time_us_high = s->time_us_high;
    c->limit_us = s->limit_us;
    c->max_error = s->max_error;
    c->predicted_us = NAN;
}
