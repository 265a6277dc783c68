#include "tuner/cli/store_explain_list.h"

#include "tuner/cli/session_store.h"
#include "tuner/cli/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const answers[] = {[STORE_HIT] = "hit", [STORE_STALE] = "stale", [STORE_MISS] = "miss"};

struct list {
    struct session *session;
    char kernel[STEM_SIZE];
    char *space;      /* owned: the space's name */
    json_t *variants; /* [{"variant", "answer", "text"}] */
    int counts[STORE_FAILED];
};

/* A source that was tried is compiled, which its image in the cache makes quick, since its launches are part
   of what it is known by. */
static bool add_launches(struct list *list, const char *key, const struct source *source,
                         struct store_key *known, struct error *e)
{
    struct session *s = list->session;
    struct compile_request request = {.source = source, .arch = s->gpu.arch};
    struct compile_result result;
    struct launch_plan plan;
    bool tried;
    if (!store_knows_source(s->store, known, &tried, e))
        return false;
    if (!tried)
        return true;
    if (!compiler_compile(s->compiler, &request, &result, e))
        return false;
    if (result.outcome != COMPILE_DONE) {
        free(result.reason);
        return true;
    }
    struct image_facts facts = choose_facts(&result.image);
    image_clear(&result.image);
    if (!generator_launch(s->space, key, list->kernel, &facts, &plan, e))
        return false;
    store_key_add_launches(known, &plan);
    return true;
}

static bool explain(struct list *list, const char *key, struct error *e)
{
    struct session *s = list->session;
    struct source source;
    enum store_answer answer;
    if (!generator_source(s->space, key, list->kernel, &source, e))
        return false;
    struct store_key known = store_key_of_source(source.text, source.size);
    char *text = NULL;
    if (add_launches(list, key, &source, &known, e))
        text = store_explain(s->store, &known, list->space, key, &answer, e);
    source_clear(&source);
    if (text == NULL)
        return false;
    list->counts[answer]++;
    json_array_append_new(list->variants, json_pack("{s:s, s:s, s:s}", "variant", key, "answer",
                                                    answers[answer], "text", text));
    free(text);
    return true;
}

static bool explain_named(struct list *list, struct error *e)
{
    const struct options *o = list->session->options;
    for (int i = 0; i < o->variant_count; i++) {
        char *key = tuning_key(list->session, o->variants[i], e);
        bool ok = key != NULL && explain(list, key, e);
        free(key);
        if (!ok)
            return false;
    }
    return true;
}

static bool explain_all(struct list *list, struct error *e)
{
    json_t *keys = generator_list(list->session->space, 0, NULL, e), *key;
    size_t index;
    bool ok = keys != NULL;
    json_array_foreach(keys, index, key) ok = ok && explain(list, json_string_value(key), e);
    json_decref(keys);
    return ok;
}

static void print_each(const struct list *list)
{
    size_t index;
    json_t *variant;
    json_array_foreach(list->variants, index, variant)
        printf("%s\n        %s\n", json_string_value(json_object_get(variant, "variant")),
               json_string_value(json_object_get(variant, "text")));
}

/* The part of a line that many variants have in common: a hit's result and a stale one's are its own. */
static json_t *common_part(const char *text)
{
    const char *own = strstr(text, "; then it was ");
    return json_stringn(text, strncmp(text, "hit", 3) == 0 ? 3
                              : own != NULL                ? (size_t)(own - text)
                                                           : strlen(text));
}

static void print_summary(const struct list *list)
{
    json_t *sums = json_object(), *variant, *count;
    size_t index;
    const char *text;
    json_array_foreach(list->variants, index, variant)
    {
        json_t *part = common_part(json_string_value(json_object_get(variant, "text")));
        json_int_t before = json_integer_value(json_object_get(sums, json_string_value(part)));
        json_object_set_new(sums, json_string_value(part), json_integer(before + 1));
        json_decref(part);
    }
    json_object_foreach(sums, text, count)
        printf("%7" JSON_INTEGER_FORMAT "  %s\n", json_integer_value(count), text);
    json_decref(sums);
}

static void print(const struct list *list, const struct problem *p)
{
    char text[STEM_SIZE];
    problem_describe(p, text);
    printf("%s on %s, space %s: %d hits, %d stale, %d misses\n", text, list->session->gpu.name, list->space,
           list->counts[STORE_HIT], list->counts[STORE_STALE], list->counts[STORE_MISS]);
    if (list->session->options->variant_count > 0)
        print_each(list);
    else
        print_summary(list);
}

static json_t *to_json(const struct list *list, const struct problem *p)
{
    return json_pack("{s:o, s:s, s:i, s:i, s:i, s:O}", "problem", problem_to_json(p), "space", list->space,
                     "hits", list->counts[STORE_HIT], "stale", list->counts[STORE_STALE], "misses",
                     list->counts[STORE_MISS], "variants", list->variants);
}

static bool begin(struct list *list, const struct problem *p, struct error *e)
{
    struct session *s = list->session;
    struct store_environment environment = session_environment(s);
    problem_stem(p, false, s->gpu.arch, NULL, list->kernel);
    if (!session_set_problem(s, p, false, false, e) || !store_set_problem(s->store, &environment, p, e))
        return false;
    json_t *described = generator_describe(s->space, e);
    if (described != NULL)
        list->space = must_strdup(json_string_value(json_object_get(described, "name")));
    json_decref(described);
    return list->space != NULL;
}

bool store_explain_list(struct session *s, const struct problem *p, json_t *document, struct error *e)
{
    struct list list = {.session = s, .variants = json_array()};
    bool ok = begin(&list, p, e) &&
              (s->options->variant_count > 0 ? explain_named(&list, e) : explain_all(&list, e));
    if (ok && document != NULL)
        json_array_append_new(json_object_get(document, "problems"), to_json(&list, p));
    else if (ok)
        print(&list, p);
    json_decref(list.variants);
    free(list.space);
    return ok;
}
