/* Lists the valid variants of a space, depth first; a constraint is checked once its parameters are bound. */
#include "generator/sandbox.h"
#include "generator/space.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS_MAX = 1 << 20, STEPS_BETWEEN_LOOKS = 4096 };

struct value_range parameter_range(const struct space *s, const struct parameter *p)
{
    if (p->pinned >= 0)
        return (struct value_range){.first = p->pinned, .end = p->pinned + 1};
    return (struct value_range){.first = 0, .end = s->full ? p->count : p->default_count};
}

bool constraint_applies(const struct space *s, const struct constraint *c)
{
    return !s->full || !c->default_only;
}

/* Where the answer for the variant is kept; NULL where there are too many to keep. */
static unsigned char *answer_at(const struct space *s, struct constraint *c, const struct variant *v)
{
    size_t index = 0, size = 1;
    for (int i = 0; i < c->parameter_count; i++) {
        const struct parameter *p = &s->parameters[c->parameters[i]];
        index = index * (size_t)p->count + (size_t)v->value[c->parameters[i]];
        size *= (size_t)p->count;
        if (size > ANSWERS_MAX)
            return NULL;
    }
    if (c->answers == NULL)
        c->answers = must_calloc(size, 1);
    return &c->answers[index];
}

static bool ask(lua_State *L, const struct space *s, const struct constraint *c, const struct variant *v)
{
    sandbox_doing(L, c->place, c->title);
    luaL_checkstack(L, c->parameter_count + 3, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, c->function);
    for (int i = 0; i < c->parameter_count; i++)
        value_push(L, &s->parameters[c->parameters[i]].values[v->value[c->parameters[i]]]);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->problem_ref);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->gpu_ref);
    lua_call(L, c->parameter_count + 2, 1);
    if (!lua_isboolean(L, -1))
        space_fail(L, s, c->line, "constraint '%s' returns a %s, not true or false", c->sentence,
                   luaL_typename(L, -1));
    bool holds = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return holds;
}

/* A constraint is a function of its parameters, so that one answer for the same values is enough. */
bool constraint_holds(lua_State *L, const struct space *s, struct constraint *c, const struct variant *v)
{
    unsigned char *answer = answer_at(s, c, v);
    if (answer == NULL)
        return ask(L, s, c, v);
    if (*answer == 0)
        *answer = ask(L, s, c, v) ? 1 : 2;
    return *answer == 1;
}

void space_require_valid(lua_State *L, struct space *s, const struct variant *v)
{
    for (int i = 0; i < s->constraint_count; i++) {
        struct constraint *c = &s->constraints[i];
        if (c->default_only || constraint_holds(L, s, c, v))
            continue;
        struct text_buffer *key = sandbox_push_buffer(L);
        space_key(s, v, key);
        sandbox_raise(L, NULL, 0, "variant %s is not valid for this problem: %s", key->data, c->sentence);
    }
}

struct listing {
    lua_State *L;
    struct space *s;
    struct variant v;
    struct text_buffer *keys;
    size_t most, size_max, count, steps;
    double below[PARAMETERS_MAX + 1]; /* combinations once so many parameters are bound */
    struct constraint **constraints;  /* by the number of parameters that must be bound */
    int begin[PARAMETERS_MAX + 2];    /* where those of each number begin */
};

static void add_variant(struct listing *l)
{
    space_key(l->s, &l->v, l->keys);
    text_add(l->keys, "\n", 1);
    l->count++;
    if (l->keys->size > l->size_max)
        space_fail(
            l->L, l->s, 0,
            "there are more than %zu variants, more than can be listed: narrow the space by constraints or --set",
            l->count);
}

/* Lists what the first `bound` parameters' values allow. False once there are enough. */
static bool descend(struct listing *l, int bound)
{
    if (++l->steps % STEPS_BETWEEN_LOOKS == 0 && sandbox_is_late(l->L))
        space_fail(l->L, l->s, 0,
                   "the list of its %.0f combinations takes too long: narrow it by constraints or --set",
                   l->below[0]);
    for (int i = l->begin[bound]; i < l->begin[bound + 1]; i++)
        if (!constraint_holds(l->L, l->s, l->constraints[i], &l->v)) {
            l->constraints[i]->cut += l->below[bound];
            return true;
        }
    if (bound == l->s->parameter_count) {
        add_variant(l);
        return l->count != l->most;
    }
    struct value_range range = parameter_range(l->s, &l->s->parameters[bound]);
    for (int value = range.first; value < range.end; value++) {
        l->v.value[bound] = value;
        if (!descend(l, bound + 1))
            return false;
    }
    return true;
}

size_t space_list(lua_State *L, struct space *s, size_t most, size_t size_max, struct text_buffer *keys)
{
    struct listing l = {.L = L, .s = s, .keys = keys, .most = most, .size_max = size_max};
    l.constraints = lua_newuserdatauv(L, (size_t)(s->constraint_count + 1) * sizeof *l.constraints, 0);
    int placed = 0;
    for (int bound = 0; bound <= s->parameter_count; bound++) {
        l.begin[bound] = placed;
        for (int i = 0; i < s->constraint_count; i++)
            if (s->constraints[i].bound_at == bound && constraint_applies(s, &s->constraints[i]))
                l.constraints[placed++] = &s->constraints[i];
    }
    l.begin[s->parameter_count + 1] = placed;
    for (int i = 0; i < s->constraint_count; i++)
        s->constraints[i].cut = 0;
    l.below[s->parameter_count] = 1;
    for (int i = s->parameter_count - 1; i >= 0; i--) {
        struct value_range range = parameter_range(s, &s->parameters[i]);
        l.below[i] = l.below[i + 1] * (range.end - range.first);
    }
    descend(&l, 0);
    lua_pop(L, 1);
    return l.count;
}

static int compare_cut(const void *a, const void *b)
{
    double x = (*(struct constraint *const *)a)->cut, y = (*(struct constraint *const *)b)->cut;
    return (x < y) - (x > y);
}

void space_explain(const struct space *s, struct text_buffer *why)
{
    double combinations = 1;
    for (int i = 0; i < s->parameter_count; i++) {
        struct value_range range = parameter_range(s, &s->parameters[i]);
        combinations *= range.end - range.first;
        if (range.end == range.first) {
            text_print(why, "space '%s': parameter '%s' has no value for this problem", s->name,
                       s->parameters[i].name);
            return;
        }
    }
    struct constraint **ranked = must_calloc((size_t)s->constraint_count + 1, sizeof(struct constraint *));
    for (int i = 0; i < s->constraint_count; i++)
        ranked[i] = &s->constraints[i];
    qsort(ranked, (size_t)s->constraint_count, sizeof(struct constraint *), compare_cut);
    text_print(why, "space '%s' has no variant for this problem: of %.0f combinations", s->name,
               combinations);
    for (int i = 0; i < s->constraint_count && ranked[i]->cut > 0; i++)
        text_print(why, "%s '%s' rules out %.0f", i > 0 ? "," : "", ranked[i]->sentence, ranked[i]->cut);
    free(ranked);
}
