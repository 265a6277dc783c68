#include "tuner/cli/option_problems.h"

#include "generator/nearest.h"
#include "generator/text_buffer.h"

#include <stdio.h>
#include <string.h>

enum { FILE_BYTES_MAX = 64 << 20 };

bool problems_of_lists(const struct problem_shape *shape, const struct integer_list *M,
                       const struct integer_list *N, struct problem **problems, int *count, struct error *e)
{
    int rows = M->count > 0 ? M->count : 1;
    *problems = must_calloc((size_t)rows * (size_t)N->count, sizeof **problems);
    for (int n = 0; n < N->count; n++)
        for (int m = 0; m < rows; m++) {
            struct problem p = shape->problem;
            p.M = M->count > 0 ? M->values[m] : DEFAULT_M;
            p.N = N->values[n];
            p.dtype_out = shape->out_given ? p.dtype_out : p.dtype_in;
            p.x_stride = p.x_stride > 0 ? p.x_stride : p.N;
            p.y_stride = p.y_stride > 0 ? p.y_stride : (p.in_place ? p.x_stride : p.N);
            if (!problem_check(&p, e))
                return false;
            (*problems)[(*count)++] = p;
        }
    return true;
}

static const char *kind_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        return "null";
    default:
        return json_is_array(value) ? "an array" : "an object";
    }
}

/* Whether `object` is one, with no field but those of `known` and of their kinds. */
static bool check_fields(const json_t *object, json_t *known, struct error *e)
{
    const char *name, *other;
    json_t *value, *sample;
    if (!json_is_object(object))
        return error_set(e, STATUS_USAGE, "it is %s, and not an object like {\"M\": 8192, \"N\": 1024}",
                         kind_name(object));
    /* The cast: jansson's iteration takes a non-const value and leaves it as it was. */
    json_object_foreach((json_t *)object, name, value)
    {
        sample = json_object_get(known, name);
        if (sample != NULL && strcmp(kind_name(sample), kind_name(value)) != 0)
            return error_set(e, STATUS_USAGE, "'%s' is %s, and is to be %s", name, kind_name(value),
                             kind_name(sample));
        if (sample != NULL)
            continue;
        char list[256] = "", hint[HINT_SIZE];
        struct nearest nearest = nearest_to(name, strlen(name));
        json_object_foreach(known, other, sample)
        {
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] == '\0' ? "" : ", ",
                     other);
            nearest_offer(&nearest, other);
        }
        return error_set(e, STATUS_USAGE, "a problem has no field '%s' (it has %s)%s", name, list,
                         nearest_hint(&nearest, hint));
    }
    return json_object_get(object, "N") != NULL ||
           error_set(e, STATUS_USAGE, "'N' is missing: the number of columns");
}

static json_t *read_file(const char *path, struct error *e)
{
    struct text_buffer text = {0};
    struct error inner;
    json_error_t why;
    json_t *value = NULL;
    if (!text_read_file(&text, path, FILE_BYTES_MAX, &inner))
        error_set(e, STATUS_USAGE, "--problems %s", inner.text);
    else if ((value = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &why)) == NULL)
        error_set(e, STATUS_USAGE, "--problems %s:%d: %s", path, why.line, why.text);
    text_free(&text);
    return value;
}

bool problems_of_file(const char *path, struct problem **problems, int *count, struct error *e)
{
    json_t *array = read_file(path, e);
    if (array == NULL)
        return false;
    bool ok = json_is_array(array) && json_array_size(array) > 0;
    if (!ok)
        error_set(e, STATUS_USAGE,
                  "--problems %s: this is no JSON array of problems, [{\"M\": 8192, \"N\": 1024}, ...]",
                  path);
    const struct problem any = problem_default(DEFAULT_M, 1);
    json_t *known = problem_to_json(&any);
    *problems = must_calloc(json_array_size(array) + 1, sizeof **problems);
    for (size_t i = 0; ok && i < json_array_size(array); i++) {
        const json_t *object = json_array_get(array, i);
        struct error inner;
        ok = check_fields(object, known, &inner) && problem_of_json(object, &(*problems)[i], &inner);
        *count += ok;
        if (!ok)
            error_set(e, STATUS_USAGE, "--problems %s: problem %zu: %s", path, i + 1, inner.text);
    }
    json_decref(known);
    json_decref(array);
    return ok;
}

void problems_drop_repeated(struct problem *problems, int *count, bool quiet)
{
    json_t *seen = json_object();
    char stem[STEM_SIZE], first[STEM_SIZE];
    int kept = 0, repeated = 0;
    for (int i = 0; i < *count; i++) {
        problem_stem(&problems[i], true, "", NULL, stem); /* equal for equal problems alone */
        bool again = json_object_get(seen, stem) != NULL;
        if (again && repeated++ == 0)
            problem_describe(&problems[i], first);
        json_object_set_new(seen, stem, json_true());
        if (!again)
            problems[kept++] = problems[i];
    }
    json_decref(seen);
    *count = kept;
    char others[32] = "";
    if (repeated > 1)
        snprintf(others, sizeof others, ", and %d more,", repeated - 1);
    if (repeated > 0 && !quiet)
        fprintf(stderr, "softmax-tune: %s%s is asked for again, and done once\n", first, others);
}

bool problems_have_rows(const struct problem *problems, int count, struct error *e)
{
    for (int i = 0; i < count; i++) {
        char text[STEM_SIZE];
        problem_describe(&problems[i], text);
        if (problems[i].M == 0)
            return error_set(
                e, STATUS_USAGE,
                "%s: without rows there is no time to choose by: give the M that is usual, since every "
                "kernel takes M = 0 at its launch and returns at once",
                text);
    }
    return true;
}
