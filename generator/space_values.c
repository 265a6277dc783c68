/* The values of parameters. */
#include "generator/sandbox.h"
#include "generator/space.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int space_function_line(lua_State *L, int index)
{
    lua_Debug at;
    lua_pushvalue(L, index);
    lua_getinfo(L, ">S", &at);
    return at.linedefined > 0 ? at.linedefined : 0;
}

bool value_is_word(const char *text, size_t size)
{
    if (size == 0 || size > WORD_MAX)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '.' && text[i] != '-')
            return false;
    return true;
}

const char *value_read(lua_State *L, int index, struct value *v)
{
    size_t size;
    const char *text;
    int integral;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        v->number = lua_tointegerx(L, index, &integral);
        if (!integral)
            return "a value is an integer, true, false or a word of A-Z a-z 0-9 _ . -, and this is a fraction";
        v->kind = VALUE_INTEGER;
        v->text = must_format("%lld", (long long)v->number);
        return NULL;
    case LUA_TBOOLEAN:
        v->kind = VALUE_BOOLEAN;
        v->number = lua_toboolean(L, index);
        v->text = must_strdup(v->number ? "true" : "false");
        return NULL;
    case LUA_TSTRING:
        text = lua_tolstring(L, index, &size);
        if (!value_is_word(text, size))
            return "a word has 1 to 64 of the characters A-Z a-z 0-9 _ . -";
        v->kind = VALUE_WORD;
        v->text = must_strdup(text);
        return NULL;
    default:
        return "a value is an integer, true, false or a word of A-Z a-z 0-9 _ . -";
    }
}

void value_push(lua_State *L, const struct value *v)
{
    if (v->kind == VALUE_INTEGER)
        lua_pushinteger(L, v->number);
    else if (v->kind == VALUE_BOOLEAN)
        lua_pushboolean(L, v->number != 0);
    else
        lua_pushstring(L, v->text);
}

/* By their text, as in keys: 1 and "1" are one value. */
bool value_equal(const struct value *a, const struct value *b)
{
    return strcmp(a->text, b->text) == 0;
}

int parameter_find_value(const struct parameter *p, const struct value *v)
{
    for (int i = 0; i < p->count; i++)
        if (value_equal(&p->values[i], v))
            return i;
    return -1;
}

int space_find_parameter(const struct space *s, const char *name, size_t length)
{
    for (int i = 0; i < s->parameter_count; i++)
        if (strlen(s->parameters[i].name) == length && memcmp(s->parameters[i].name, name, length) == 0)
            return i;
    return -1;
}

void parameter_clear_values(struct parameter *p)
{
    for (int i = 0; i < p->count; i++)
        free(p->values[i].text);
    free(p->values);
    p->values = NULL;
    p->count = p->default_count = 0;
}

/* Pushes the list that `ref` is, or that the function that it is makes of problem and gpu. */
static int push_list(lua_State *L, const struct space *s, const struct parameter *p, int ref)
{
    int line = p->line;
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    if (lua_isfunction(L, -1)) {
        line = space_function_line(L, -1);
        lua_rawgeti(L, LUA_REGISTRYINDEX, s->problem_ref);
        lua_rawgeti(L, LUA_REGISTRYINDEX, s->gpu_ref);
        lua_call(L, 2, 1);
    }
    if (!lua_istable(L, -1))
        space_fail(L, s, line, "the values of parameter '%s' are a %s, not a list", p->name,
                   luaL_typename(L, -1));
    return line;
}

int space_list_length(lua_State *L, const struct space *s, int line, const char *what)
{
    lua_Integer length = (lua_Integer)lua_rawlen(L, -1), entries = 0;
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > length)
            space_fail(L, s, line, "%s: a list is expected, and '%s' is no place in it", what,
                       luaL_tolstring(L, -1, NULL));
        entries++;
    }
    if (entries != length)
        space_fail(L, s, line, "%s: a list is expected, and this one has holes", what);
    return length < INT32_MAX / 2 ? (int)length : INT32_MAX / 2;
}

static void add_values(lua_State *L, const struct space *s, struct parameter *p, int ref)
{
    int line = push_list(L, s, p, ref);
    char what[WORD_MAX + 32];
    snprintf(what, sizeof what, "values of parameter '%s'", p->name);
    int length = space_list_length(L, s, line, what);
    if (p->count + length > VALUES_MAX)
        space_fail(L, s, line, "parameter '%s' has more than %d values", p->name, VALUES_MAX);
    p->values = must_realloc(p->values, (size_t)(p->count + length + 1) * sizeof *p->values);
    for (int i = 1; i <= length; i++) {
        lua_rawgeti(L, -1, i);
        struct value v = {0};
        const char *wrong = value_read(L, -1, &v);
        if (wrong != NULL)
            space_fail(L, s, line, "value %d of parameter '%s': %s", i, p->name, wrong);
        int twin = parameter_find_value(p, &v);
        p->values[p->count++] = v;
        if (twin >= 0)
            space_fail(L, s, line, "parameter '%s' has the value %s twice", p->name, v.text);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static bool is_function(lua_State *L, int ref)
{
    bool answer = lua_rawgeti(L, LUA_REGISTRYINDEX, ref) == LUA_TFUNCTION;
    lua_pop(L, 1);
    return answer;
}

bool parameter_is_fixed(lua_State *L, const struct parameter *p)
{
    return !is_function(L, p->values_ref) && !is_function(L, p->full_ref);
}

void parameter_evaluate(lua_State *L, const struct space *s, struct parameter *p)
{
    char what[WORD_MAX + 16], place[sizeof(struct activity)];
    snprintf(what, sizeof what, "parameter '%s'", p->name);
    snprintf(place, sizeof place, "%s:%d", s->path, p->line);
    sandbox_doing(L, place, what);
    parameter_clear_values(p);
    if (s->has_problem || !is_function(L, p->values_ref)) {
        add_values(L, s, p, p->values_ref);
        if (p->count == 0 && !is_function(L, p->values_ref))
            space_fail(L, s, p->line, "parameter '%s' has no values", p->name);
    }
    p->default_count = p->count;
    if (p->full_ref != LUA_NOREF && (s->has_problem || parameter_is_fixed(L, p)))
        add_values(L, s, p, p->full_ref);
}
