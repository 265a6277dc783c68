#include "generator/sandbox.h"

#include "generator/worker.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a request's time. Both end before the parent loses patience, so that the message can say more. */
static const double LATE = 0.8, OVER = 0.9;

enum { HOOK_INSTRUCTIONS = 100000, MESSAGE_SIZE = 1536 };

/* Lua's own pairs() goes through keys in an order that changes from run to run. */
static const char ordered_pairs[] =
    "local type, sort, next, error = type, table.sort, next, error\n"
    "local function before(a, b)\n"
    "  local s, t = type(a), type(b)\n"
    "  if s ~= t then return s < t end\n"
    "  return (s == 'number' or s == 'string') and a < b\n"
    "end\n"
    "return function(t)\n"
    "  if type(t) ~= 'table' then\n"
    "    error(\"bad argument #1 to 'pairs' (table expected, got \" .. type(t) .. ')', 2)\n"
    "  end\n"
    "  local keys, n, i = {}, 0, 0\n"
    "  for k in next, t do n = n + 1; keys[n] = k end\n"
    "  sort(keys, before)\n"
    "  return function()\n"
    "    while i < n do\n"
    "      i = i + 1\n"
    "      local v = t[keys[i]]\n"
    "      if v ~= nil then return keys[i], v end\n"
    "    end\n"
    "  end\n"
    "end\n";

static struct sandbox *sandbox_of(lua_State *L)
{
    void *sandbox;
    lua_getallocf(L, &sandbox);
    return sandbox;
}

static void *allocate(void *context, void *block, size_t old_size, size_t size)
{
    struct sandbox *s = context;
    if (block == NULL)
        old_size = 0; /* Lua then passes a type there */
    if (size == 0) {
        free(block);
        s->used -= old_size;
        return NULL;
    }
    if (size > old_size && size - old_size > s->limit - s->used)
        return NULL;
    void *moved = realloc(block, size);
    if (moved != NULL)
        s->used += size - old_size;
    return moved;
}

static int unknown_value(lua_State *L)
{
    return luaL_error(L, "unknown value '%s'", luaL_tolstring(L, 2, NULL));
}

static int unknown_field(lua_State *L)
{
    const char *name = lua_tostring(L, lua_upvalueindex(1)), *field = luaL_tolstring(L, 2, NULL);
    if (strcmp(name, "problem") == 0 && strcmp(field, "M") == 0)
        return luaL_error(L, "problem.M cannot be used here: one kernel serves every M");
    return luaL_error(L, "%s has no field '%s'", name, field);
}

static int refuse_write(lua_State *L)
{
    return luaL_error(L, "%s is read-only", lua_tostring(L, lua_upvalueindex(1)));
}

static void remove_fields(lua_State *L, const char *table, const char *const *names)
{
    lua_getglobal(L, table);
    for (int i = 0; names[i] != NULL; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, names[i]);
    }
    lua_pop(L, 1);
}

static int set_up(lua_State *L)
{
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    remove_fields(L, LUA_STRLIBNAME, (const char *const[]){"dump", NULL});
    remove_fields(L, LUA_MATHLIBNAME, (const char *const[]){"random", "randomseed", NULL});
    if (luaL_loadbufferx(L, ordered_pairs, strlen(ordered_pairs), "=pairs", "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 1);
    lua_setglobal(L, "pairs");
    remove_fields(L, LUA_GNAME,
                  (const char *const[]){"_VERSION", "collectgarbage", "dofile", "load", "loadfile", "print",
                                        "warn", "_G", NULL});
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, unknown_value);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    return 0;
}

/* Whether `part` of the request's time is over. */
static bool has_passed(const struct sandbox *s, double part)
{
    return s->seconds > 0 && monotonic_seconds() > s->begin + part * s->seconds;
}

bool sandbox_is_late(lua_State *L)
{
    return has_passed(sandbox_of(L), LATE);
}

static void hook(lua_State *L, lua_Debug *at)
{
    struct sandbox *s = sandbox_of(L);
    if (!has_passed(s, OVER))
        return;
    lua_getinfo(L, "Sl", at);
    sandbox_raise(L, at->short_src, at->currentline > 0 ? at->currentline : 0,
                  "%s did not end within %g s: is this loop endless?", s->activity->what, s->seconds);
}

bool sandbox_open(struct sandbox *s, size_t memory_bytes, struct activity *activity, struct error *e)
{
    *s = (struct sandbox){.limit = memory_bytes, .activity = activity};
    s->L = lua_newstate(allocate, s);
    if (s->L == NULL)
        return error_set(e, STATUS_USAGE, "Lua does not start in %zu bytes of memory", memory_bytes);
    lua_sethook(s->L, hook, LUA_MASKCOUNT, HOOK_INSTRUCTIONS);
    return sandbox_run(s, 0, set_up, NULL, e);
}

void sandbox_close(struct sandbox *s)
{
    if (s->L != NULL)
        lua_close(s->L);
    for (int i = 0; i < s->path_count; i++)
        free(s->paths[i]);
    free(s->paths);
    *s = (struct sandbox){0};
}

/* The path of the chunk that `text` begins with, and how many characters of it that takes: Lua shortens a
   long path in its messages, "...er/space.lua:3: what". NULL where a message has no place in front. */
static const char *path_in_front(const struct sandbox *s, const char *text, size_t *length)
{
    for (int i = 0; i < s->path_count; i++) {
        char shown[LUA_IDSIZE];
        size_t whole = strlen(s->paths[i]);
        if (whole < LUA_IDSIZE)
            *length = (size_t)snprintf(shown, sizeof shown, "%s", s->paths[i]);
        else
            *length = (size_t)snprintf(shown, sizeof shown, "...%s", s->paths[i] + whole - (LUA_IDSIZE - 4));
        if (strncmp(text, shown, *length) == 0 && text[*length] == ':')
            return s->paths[i];
    }
    return NULL;
}

/* Sets `e` to the message of an error of Lua: one line, with a place in front. */
static void set_error(const struct sandbox *s, const char *text, struct error *e)
{
    char line[sizeof e->text];
    size_t length;
    const char *path = path_in_front(s, text, &length);
    if (path != NULL)
        snprintf(line, sizeof line, "%s%s", path, text + length);
    else if (s->raised)
        snprintf(line, sizeof line, "%s", text);
    else
        snprintf(line, sizeof line, "%s: %s: %s", s->activity->place, s->activity->what, text);
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    error_set(e, STATUS_USAGE, "%s", line);
}

bool sandbox_run(struct sandbox *s, double seconds, lua_CFunction f, void *context, struct error *e)
{
    s->seconds = seconds;
    s->begin = monotonic_seconds();
    s->raised = false;
    lua_settop(s->L, 0);
    lua_pushcfunction(s->L, f); /* no upvalues: needs no memory */
    lua_pushlightuserdata(s->L, context);
    int failure = lua_pcall(s->L, 1, 0, 0);
    if (failure == LUA_ERRMEM)
        error_set(e, STATUS_USAGE, "%s%s%s uses more than %zu MiB", s->activity->place,
                  s->activity->place[0] == '\0' ? "" : ": ", s->activity->what, s->limit >> 20);
    else if (failure != LUA_OK && lua_type(s->L, -1) == LUA_TSTRING)
        set_error(s, lua_tostring(s->L, -1), e);
    else if (failure != LUA_OK)
        error_set(e, STATUS_USAGE, "%s: %s raised an error that is a %s, not a text", s->activity->place,
                  s->activity->what, luaL_typename(s->L, -1));
    lua_settop(s->L, 0);
    return failure == LUA_OK;
}

static void copy_cut(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

void sandbox_doing(lua_State *L, const char *place, const char *what)
{
    struct activity *a = sandbox_of(L)->activity;
    copy_cut(a->place, sizeof a->place, place);
    copy_cut(a->what, sizeof a->what, what);
}

void sandbox_load(lua_State *L, const char *text, size_t size, const char *path)
{
    struct sandbox *s = sandbox_of(L);
    s->paths = must_realloc(s->paths, (size_t)(s->path_count + 1) * sizeof *s->paths);
    s->paths[s->path_count++] = must_strdup(path);
    const char *name = lua_pushfstring(L, "@%s", path);
    if (luaL_loadbufferx(L, text, size, name, "t") != LUA_OK)
        lua_error(L);
    lua_remove(L, -2);
}

void sandbox_raise(lua_State *L, const char *place, int line, const char *format, ...)
{
    char text[MESSAGE_SIZE], where[sizeof sandbox_of(L)->activity->place + 16] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (place != NULL && line > 0)
        snprintf(where, sizeof where, "%s:%d: ", place, line);
    else if (place != NULL)
        snprintf(where, sizeof where, "%s: ", place);
    lua_pushfstring(L, "%s%s", where, text);
    sandbox_of(L)->raised = true;
    lua_error(L);
    abort(); /* lua_error() does not return */
}

static int free_buffer(lua_State *L)
{
    text_free(lua_touserdata(L, 1));
    return 0;
}

struct text_buffer *sandbox_push_buffer(lua_State *L)
{
    struct text_buffer *b = lua_newuserdatauv(L, sizeof *b, 0);
    *b = (struct text_buffer){0};
    if (luaL_newmetatable(L, "text_buffer")) {
        lua_pushcfunction(L, free_buffer);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return b;
}

void sandbox_make_strict(lua_State *L, int index, const char *name)
{
    index = lua_absindex(L, index);
    lua_createtable(L, 0, 2);
    lua_pushstring(L, name);
    lua_pushcclosure(L, unknown_field, 1);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, index);
}

static void push_scalar(lua_State *L, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        lua_pushinteger(L, json_integer_value(value));
        break;
    case JSON_REAL:
        lua_pushnumber(L, json_real_value(value));
        break;
    case JSON_STRING:
        lua_pushstring(L, json_string_value(value));
        break;
    default:
        lua_pushboolean(L, json_is_true(value));
    }
}

void sandbox_push_record(lua_State *L, const json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    lua_newtable(L); /* what is handed out: empty, so that every write is seen */
    lua_createtable(L, 0, 3);
    lua_newtable(L);
    json_object_foreach((json_t *)object, key, value)
    {
        push_scalar(L, value);
        lua_setfield(L, -2, key);
    }
    sandbox_make_strict(L, -1, name);
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, name);
    lua_pushcclosure(L, refuse_write, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}

static json_t *scalar_to_json(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        return lua_isinteger(L, index) ? json_integer(lua_tointeger(L, index))
                                       : json_real(lua_tonumber(L, index));
    case LUA_TBOOLEAN:
        return json_boolean(lua_toboolean(L, index));
    case LUA_TSTRING:
        return json_string(lua_tostring(L, index));
    default:
        return NULL;
    }
}

/* The table on the top of the stack. Raises nothing, so that no reference is lost. */
static json_t *record_to_json(lua_State *L)
{
    json_t *object = lua_istable(L, -1) ? json_object() : NULL;
    if (object == NULL)
        return NULL;
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING ||
            json_object_set_new(object, lua_tostring(L, -2), scalar_to_json(L, -1)) != 0) {
            lua_pop(L, 2);
            json_decref(object);
            return NULL;
        }
        lua_pop(L, 1);
    }
    return object;
}

json_t *sandbox_records_to_json(lua_State *L, int index)
{
    luaL_checkstack(L, 4, NULL);
    index = lua_absindex(L, index);
    json_t *list = lua_istable(L, index) ? json_array() : NULL;
    for (lua_Integer i = 1; list != NULL && i <= (lua_Integer)lua_rawlen(L, index); i++) {
        lua_rawgeti(L, index, i);
        if (json_array_append_new(list, record_to_json(L)) != 0) {
            json_decref(list);
            list = NULL;
        }
        lua_pop(L, 1);
    }
    return list;
}
