#include "tuner/cli/command.h"
#include "tuner/cli/output.h"
#include "tuner/cli/session.h"

#include <stdio.h>
#include <stdlib.h>

static void print_keys(const struct options *o, const struct problem *p, const json_t *keys)
{
    if (o->problem_count > 1) {
        char text[STEM_SIZE];
        problem_describe(p, text);
        printf("# %s\n", text);
    }
    if (o->count_only)
        printf("%zu\n", json_array_size(keys));
    size_t index;
    json_t *key;
    if (!o->count_only)
        json_array_foreach(keys, index, key) puts(json_string_value(key));
}

static bool list_problem(struct session *s, const struct problem *p, json_t *document, int *status,
                         struct error *e)
{
    const struct options *o = s->options;
    char *why = NULL;
    if (!session_set_problem(s, p, false, false, e))
        return false;
    json_t *keys = generator_list(s->space, 0, &why, e);
    if (keys == NULL)
        return false;
    if (document != NULL) {
        json_t *object = json_pack("{s:o, s:I}", "problem", problem_to_json(p), "count",
                                   (json_int_t)json_array_size(keys));
        if (!o->count_only)
            json_object_set(object, "variants", keys);
        json_array_append_new(json_object_get(document, "problems"), object);
    } else {
        print_keys(o, p, keys);
    }
    if (json_array_size(keys) == 0) {
        char text[STEM_SIZE];
        problem_describe(p, text);
        error_set(e, STATUS_USAGE, "no variant of the space takes %s: %s", text,
                  why != NULL ? why : "it is empty");
        *status = STATUS_USAGE;
    }
    free(why);
    json_decref(keys);
    return true;
}

int command_list(const struct options *o, struct error *e)
{
    struct session s;
    int status = STATUS_DONE;
    bool ok = session_open(&s, o, NEED_NO_DEVICE, e);
    json_t *document = o->json ? json_pack("{s:[]}", "problems") : NULL;
    for (int i = 0; ok && i < o->problem_count; i++)
        ok = list_problem(&s, &o->problems[i], document, &status, e);
    if (ok && document != NULL)
        output_json(json_incref(document));
    json_decref(document);
    session_close(&s);
    return ok ? status : e->status;
}
