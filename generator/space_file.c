/* Reads the table that a space file returns. */
#include "generator/sandbox.h"
#include "generator/space.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MAX = 200 };

/* Key of the table that space { ... } was called with, in the registry. */
static const char declared[] = "declared space";

void space_fail(lua_State *L, const struct space *s, int line, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sandbox_raise(L, s->path, line, "%s", text);
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The line on which `name` stands for the nth time (from 1): as a field (name =), or where `quoted` as the
   first string of a table ({ "name"). 0 where it does not. Lua keeps no lines of tables, so the text is
   searched. */
static int line_of(const struct space *s, const char *name, bool quoted, int nth)
{
    const char *text = s->text.data, *end = text + s->text.size;
    size_t length = strlen(name);
    int line = 1;
    for (const char *c = text; c < end; c++) {
        if (*c == '\n')
            line++;
        if (c[0] == '-' && c[1] == '-') {
            c += strcspn(c, "\n") - 1;
            continue;
        }
        if (strncmp(c, name, length) != 0 || c == text)
            continue;
        const char *before = c - 1, *after = c + length;
        if (quoted) {
            if ((*before != '"' && *before != '\'') || *after != *before)
                continue;
            for (before--; before > text && isspace((unsigned char)*before); before--)
                ;
            if (*before != '{')
                continue;
        } else {
            if (is_name_character(*before) || is_name_character(*after))
                continue;
            after += strspn(after, " \t\"']");
            if (*after != '=' || after[1] == '=')
                continue;
        }
        if (--nth == 0)
            return line;
    }
    return 0;
}

static int line_or_call(const struct space *s, int line)
{
    return line > 0 ? line : s->line;
}

/* Refuses a field of the table on the top of the stack that is neither in `names` nor up to `places`. */
static void check_fields(lua_State *L, const struct space *s, int line, const char *what, int places,
                         const char *const *names)
{
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        bool known = lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= places;
        for (int i = 0; names[i] != NULL && !known; i++)
            known = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), names[i]) == 0;
        if (known)
            continue;
        int found = lua_type(L, -1) == LUA_TSTRING ? line_of(s, lua_tostring(L, -1), false, 1) : 0;
        char known_names[LISTED_MAX] = "";
        for (int i = 0, used = 0; names[i] != NULL && used < LISTED_MAX; i++)
            used += snprintf(known_names + used, (size_t)(LISTED_MAX - used), "%s%s", i > 0 ? ", " : "",
                             names[i]);
        space_fail(L, s, found > 0 ? found : line, "%s has no field '%s' (it has %s)", what,
                   luaL_tolstring(L, -1, NULL), known_names);
    }
}

/* The text at `index` as a new string; its type is checked by the caller. UTF-8, since it travels as JSON. */
static char *take_text(lua_State *L, const struct space *s, int line, int index)
{
    json_t *text = json_string(lua_tostring(L, index));
    bool is_utf8 = text != NULL;
    json_decref(text);
    if (!is_utf8)
        space_fail(L, s, line, "this text is not UTF-8");
    return must_strdup(lua_tostring(L, index));
}

static bool is_identifier(const char *name)
{
    if (name[0] == '\0' || isdigit((unsigned char)name[0]) || strlen(name) > WORD_MAX)
        return false;
    for (; *name != '\0'; name++)
        if (!is_name_character(*name))
            return false;
    return true;
}

/* Whether a template could not read a parameter of this name: it means something else there. */
static bool is_taken(lua_State *L, const char *name)
{
    static const char *const taken[] = {
        "and",   "break", "do",    "else", "elseif", "end",     "false",  "for",     "function", "goto",
        "if",    "in",    "local", "nil",  "not",    "or",      "repeat", "return",  "then",     "true",
        "until", "while", "_ENV",  "_G",   "gpu",    "problem", "kernel", "include", "__emit",   NULL};
    for (int i = 0; taken[i] != NULL; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    lua_pushglobaltable(L);
    lua_pushstring(L, name);
    bool known = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 2);
    return known;
}

/* The name of parameter `number`, on the top of the stack; the line that it stands in. */
static int check_name(lua_State *L, const struct space *s, int number)
{
    const char *name = lua_tostring(L, -1);
    int line = line_or_call(s, line_of(s, name, true, 1));
    if (!is_identifier(name))
        space_fail(L, s, line, "parameter %d: '%s' is no name (a letter, then letters, digits and _)", number,
                   name);
    if (is_taken(L, name))
        space_fail(L, s, line, "parameter '%s': this name means something else in a template", name);
    if (space_find_parameter(s, name, strlen(name)) >= 0) {
        int second = line_of(s, name, true, 2);
        space_fail(L, s, second > 0 ? second : line, "parameter '%s' is given twice", name);
    }
    return line;
}

/* `values` and `full` of the entry on the top of the stack. */
static void take_values(lua_State *L, const struct space *s, struct parameter *p)
{
    int line = p->line, type = lua_rawgeti(L, -1, 2);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION)
        space_fail(L, s, line, "parameter '%s' has no values: a list or a function(problem, gpu) is expected",
                   p->name);
    if (type == LUA_TFUNCTION)
        p->line = space_function_line(L, -1);
    p->values_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushliteral(L, "full");
    type = lua_rawget(L, -2);
    if (type != LUA_TNIL && type != LUA_TTABLE && type != LUA_TFUNCTION)
        space_fail(L, s, line, "parameter '%s': full is a list or a function(problem, gpu)", p->name);
    if (type != LUA_TNIL)
        p->full_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    else
        lua_pop(L, 1);
}

/* The entry on the top of the stack: { name, values, doc, full = values }. */
static void read_parameter(lua_State *L, struct space *s, int number)
{
    struct parameter *p = &s->parameters[s->parameter_count];
    *p = (struct parameter){.values_ref = LUA_NOREF, .full_ref = LUA_NOREF, .pinned = -1};
    if (!lua_istable(L, -1) || lua_rawgeti(L, -1, 1) != LUA_TSTRING)
        space_fail(L, s, s->line, "parameter %d is not { name, values, doc }", number);
    int line = check_name(L, s, number);
    p->line = line;
    p->name = must_strdup(lua_tostring(L, -1));
    s->parameter_count++;
    lua_pop(L, 1);
    check_fields(L, s, line, "a parameter", 3, (const char *const[]){"full", NULL});
    take_values(L, s, p);
    if (lua_rawgeti(L, -1, 3) != LUA_TSTRING)
        space_fail(L, s, line, "parameter '%s' has no sentence that says what it is", p->name);
    p->doc = take_text(L, s, line, -1);
    lua_pop(L, 1);
    parameter_evaluate(L, s, p);
}

/* The list of names on the top of the stack. */
static void read_constraint_names(lua_State *L, struct space *s, struct constraint *c)
{
    int length = space_list_length(L, s, c->line, "names of a constraint");
    c->parameters = must_calloc((size_t)length + 1, sizeof *c->parameters);
    for (int i = 0; i < length; i++) {
        const char *name = lua_rawgeti(L, -1, i + 1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
        int index = space_find_parameter(s, name, strlen(name));
        if (index < 0)
            space_fail(L, s, c->line, "constraint '%s' names no parameter of this space: '%s'", c->sentence,
                       name);
        c->parameters[c->parameter_count++] = index;
        c->bound_at = index >= c->bound_at ? index + 1 : c->bound_at;
        lua_pop(L, 1);
    }
}

/* The entry on the top of the stack: { names, function, sentence, only = "default" }. */
static void read_constraint(lua_State *L, struct space *s, int number)
{
    struct constraint *c = &s->constraints[s->constraint_count++];
    *c = (struct constraint){.function = LUA_NOREF, .line = s->line};
    if (!lua_istable(L, -1))
        space_fail(L, s, s->line, "constraint %d is not { names, function, sentence }", number);
    if (lua_rawgeti(L, -1, 2) != LUA_TFUNCTION)
        space_fail(L, s, s->line, "constraint %d has no function as its second entry", number);
    c->line = space_function_line(L, -1);
    c->function = luaL_ref(L, LUA_REGISTRYINDEX);
    check_fields(L, s, c->line, "a constraint", 3, (const char *const[]){"only", NULL});
    if (lua_rawgeti(L, -1, 3) != LUA_TSTRING)
        space_fail(L, s, c->line, "constraint %d has no sentence that says what it requires", number);
    c->sentence = take_text(L, s, c->line, -1);
    c->title = must_format("constraint '%s'", c->sentence);
    c->place = must_format("%s:%d", s->path, c->line);
    lua_pop(L, 1);
    if (lua_rawgeti(L, -1, 1) != LUA_TTABLE)
        space_fail(L, s, c->line, "constraint '%s' has no list of parameters as its first entry",
                   c->sentence);
    read_constraint_names(L, s, c);
    lua_pop(L, 1);
    lua_pushliteral(L, "only");
    if (lua_rawget(L, -2) != LUA_TNIL) {
        c->default_only = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "default") == 0;
        if (!c->default_only)
            space_fail(L, s, c->line, "constraint '%s': only is \"default\" or left out", c->sentence);
    }
    lua_pop(L, 1);
}

/* One preset's setting: the name at -2 and the value at -1. */
static void read_setting(lua_State *L, struct space *s, struct preset *preset, int line)
{
    if (lua_type(L, -2) != LUA_TSTRING)
        space_fail(L, s, line, "preset '%s' has an entry without a name", preset->name);
    const char *name = lua_tostring(L, -2);
    int index = space_find_parameter(s, name, strlen(name));
    if (index < 0)
        space_fail(L, s, line, "preset '%s' sets '%s', which is no parameter of this space", preset->name,
                   name);
    preset->settings = must_realloc(preset->settings, (size_t)(preset->count + 1) * sizeof *preset->settings);
    struct setting *setting = &preset->settings[preset->count];
    *setting = (struct setting){.parameter = index};
    const char *wrong = value_read(L, -1, &setting->value);
    if (wrong != NULL)
        space_fail(L, s, line, "preset '%s', %s: %s", preset->name, name, wrong);
    preset->count++;
    if (parameter_is_fixed(L, &s->parameters[index]) &&
        parameter_find_value(&s->parameters[index], &setting->value) < 0)
        space_fail(L, s, line, "preset '%s': parameter '%s' has no value %s", preset->name, name,
                   setting->value.text);
}

static int compare_presets(const void *a, const void *b)
{
    return strcmp(((const struct preset *)a)->name, ((const struct preset *)b)->name);
}

/* The table on the top of the stack. The presets are kept in the order of their names: Lua keeps none. */
static void read_presets(lua_State *L, struct space *s)
{
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        size_t size = 0;
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &size) : "?";
        int line = line_or_call(s, line_of(s, name, false, 1));
        if (!value_is_word(name, size) || !lua_istable(L, -1))
            space_fail(L, s, line, "a preset is name = { parameter = value, ... }, and '%s' is not", name);
        s->presets = must_realloc(s->presets, (size_t)(s->preset_count + 1) * sizeof *s->presets);
        struct preset *preset = &s->presets[s->preset_count++];
        *preset = (struct preset){.name = must_strdup(name)};
        lua_pushnil(L);
        while (lua_next(L, -2) != 0) {
            read_setting(L, s, preset, line);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    if (s->preset_count > 0)
        qsort(s->presets, (size_t)s->preset_count, sizeof *s->presets, compare_presets);
}

/* Pushes a field of the space, whose table is at index 2; `expected` says what it must be. */
static void push_field(lua_State *L, const struct space *s, const char *name, int type, bool required)
{
    lua_pushstring(L, name);
    int found = lua_rawget(L, 2);
    if (found == LUA_TNIL && required)
        space_fail(L, s, s->line, "the space has no field '%s'", name);
    if (found != type && found != LUA_TNIL)
        space_fail(L, s, line_or_call(s, line_of(s, name, false, 1)), "'%s' is a %s, not a %s", name,
                   lua_typename(L, found), lua_typename(L, type));
}

static void read_name_and_template(lua_State *L, struct space *s)
{
    push_field(L, s, "name", LUA_TSTRING, true);
    if (!value_is_word(lua_tostring(L, -1), lua_rawlen(L, -1)))
        space_fail(L, s, s->line, "the space's name is no word of A-Z a-z 0-9 _ . -");
    s->name = must_strdup(lua_tostring(L, -1));
    s->template_line = line_or_call(s, line_of(s, "template", false, 1));
    lua_pushliteral(L, "template");
    int type = lua_rawget(L, 2);
    if (type != LUA_TSTRING && type != LUA_TFUNCTION)
        space_fail(L, s, s->line, "the space has no field 'template': a file's name or a function(v)");
    if (type == LUA_TSTRING)
        s->template = must_strdup(lua_tostring(L, -1));
    else
        s->template_line = space_function_line(L, -1);
    s->template_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    push_field(L, s, "launch", LUA_TFUNCTION, true);
    s->launch_line = space_function_line(L, -1);
    s->launch_ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* The table at index 2. */
static void read_space(lua_State *L, struct space *s)
{
    lua_pushvalue(L, 2);
    check_fields(
        L, s, s->line, "the space", 0,
        (const char *const[]){"name", "template", "parameters", "constraints", "launch", "presets", NULL});
    read_name_and_template(L, s);
    push_field(L, s, "parameters", LUA_TTABLE, true);
    int length = space_list_length(L, s, s->line, "parameters");
    if (length == 0 || length > PARAMETERS_MAX)
        space_fail(L, s, s->line, "a space has 1 to %d parameters, and this one %d", PARAMETERS_MAX, length);
    s->parameters = must_calloc((size_t)length, sizeof *s->parameters);
    for (int i = 1; i <= length; i++) {
        lua_rawgeti(L, -1, i);
        read_parameter(L, s, i);
        lua_pop(L, 1);
    }
    push_field(L, s, "constraints", LUA_TTABLE, false);
    length = lua_isnil(L, -1) ? 0 : space_list_length(L, s, s->line, "constraints");
    s->constraints = must_calloc((size_t)length + 1, sizeof *s->constraints);
    for (int i = 1; i <= length; i++) {
        lua_rawgeti(L, -1, i);
        read_constraint(L, s, i);
        lua_pop(L, 1);
    }
    push_field(L, s, "presets", LUA_TTABLE, false);
    if (!lua_isnil(L, -1))
        read_presets(L, s);
}

/* space { ... }: notes the table and the line, and returns the table. */
static int declare(lua_State *L)
{
    struct space *s = lua_touserdata(L, lua_upvalueindex(1));
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_Debug at;
    if (lua_getstack(L, 1, &at) != 0 && lua_getinfo(L, "l", &at) != 0 && at.currentline > 0)
        s->line = at.currentline;
    lua_pushvalue(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, declared);
    return 1;
}

void space_read(lua_State *L, struct space *s)
{
    s->template_ref = s->launch_ref = s->problem_ref = s->source_problem_ref = s->gpu_ref = LUA_NOREF;
    lua_settop(L, 1);
    sandbox_doing(L, s->path, "the space");
    sandbox_load(L, s->text.data, s->text.size, s->path);
    lua_newtable(L); /* the file's globals, apart from those of templates */
    lua_pushlightuserdata(L, s);
    lua_pushcclosure(L, declare, 1);
    lua_setfield(L, -2, "space");
    lua_createtable(L, 0, 1);
    lua_pushglobaltable(L);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setupvalue(L, 2, 1);
    lua_call(L, 0, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, declared);
    if (!lua_istable(L, 2) || !lua_rawequal(L, 2, 3))
        space_fail(L, s, 0, "the file does not end with return space { ... }");
    lua_settop(L, 2);
    read_space(L, s);
}

static void free_constraint(struct constraint *c)
{
    free(c->parameters);
    free(c->sentence);
    free(c->title);
    free(c->place);
    free(c->answers);
}

static void free_preset(struct preset *p)
{
    for (int i = 0; i < p->count; i++)
        free(p->settings[i].value.text);
    free(p->settings);
    free(p->name);
}

void space_free(struct space *s)
{
    for (int i = 0; i < s->parameter_count; i++) {
        parameter_clear_values(&s->parameters[i]);
        free(s->parameters[i].name);
        free(s->parameters[i].doc);
    }
    for (int i = 0; i < s->constraint_count; i++)
        free_constraint(&s->constraints[i]);
    for (int i = 0; i < s->preset_count; i++)
        free_preset(&s->presets[i]);
    free(s->parameters);
    free(s->constraints);
    free(s->presets);
    free(s->name);
    free(s->template);
    text_free(&s->text);
    *s = (struct space){0};
}
