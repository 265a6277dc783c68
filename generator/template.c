#include "generator/template.h"

#include "generator/resources.h"
#include "generator/sandbox.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INCLUDE_DEPTH_MAX = 16, FILE_SIZE_MAX = 4 << 20, SOURCE_SIZE_MAX = 16 << 20 };

struct template_file {
    char *name; /* "row_block.cu" */
    char *path; /* as messages name it: "templates/row_block.cu" */
    struct text_buffer text;
    struct template_lines lines;
    int chunk;              /* the compiled function, in the registry */
    const char *lua_source; /* how Lua names the chunk's functions: the address is what is compared */
    int rendering, index;   /* the last rendering that it took part in, and its place in rendering.paths */
};

struct templates {
    const char *folder;
    struct template_file **files;
    int count;
    struct rendering out;
    struct text_buffer line;     /* the one that is put together */
    int renderings;              /* so far */
    int base[INCLUDE_DEPTH_MAX]; /* columns by which each open file is indented */
    int depth;                   /* files open: the template and the parts within each other */
};

struct templates *templates_new(const char *folder)
{
    struct templates *t = must_calloc(1, sizeof *t);
    t->folder = folder;
    return t;
}

void templates_free(struct templates *t)
{
    if (t == NULL)
        return;
    for (int i = 0; i < t->count; i++) {
        free(t->files[i]->name);
        free(t->files[i]->path);
        text_free(&t->files[i]->text);
        template_lines_free(&t->files[i]->lines);
        free(t->files[i]);
    }
    free(t->files);
    text_free(&t->line);
    text_free(&t->out.text);
    free(t->out.lines);
    free(t->out.paths);
    free(t);
}

/* A name may lead into folders below, not out of the folder of templates. */
static bool name_is_safe(const char *name)
{
    return name[0] != '\0' && name[0] != '/' && strstr(name, "..") == NULL && strlen(name) < 200;
}

/* The text of a template, the user's before the built-in one. 1 where it was read, 0 where there is none, -1
   on an error. */
static int read_text(const struct templates *t, struct template_file *f, struct error *e)
{
    free(f->path);
    if (t->folder != NULL) {
        f->path = must_format("%s/%s", t->folder, f->name);
        if (access(f->path, F_OK) == 0)
            return text_read_file(&f->text, f->path, FILE_SIZE_MAX, e) ? 1 : -1;
        free(f->path);
    }
    f->path = must_format("templates/%s", f->name);
    const struct resource *built_in = resource_find(f->path);
    if (built_in == NULL)
        return 0;
    text_add(&f->text, built_in->text, built_in->size);
    return 1;
}

/* A new file of the set, which owns it from now on: whatever fails later, it is freed with the others. */
static struct template_file *add_file(struct templates *t, const char *name)
{
    t->files = must_realloc(t->files, (size_t)(t->count + 1) * sizeof(struct template_file *));
    struct template_file *f = must_calloc(1, sizeof *f);
    f->name = must_strdup(name);
    f->chunk = LUA_NOREF;
    t->files[t->count++] = f;
    return f;
}

static void compile(lua_State *L, struct template_file *f)
{
    struct error e;
    struct text_buffer *lua = sandbox_push_buffer(L);
    if (!template_translate(f->path, f->text.data == NULL ? "" : f->text.data, lua, &f->lines, &e))
        sandbox_raise(L, NULL, 0, "%s", e.text);
    sandbox_load(L, lua->data, lua->size, f->path);
    text_free(lua);
    lua_Debug at;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &at);
    f->lua_source = at.source;
    f->chunk = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pop(L, 1);
}

/* The file `name`, read and compiled if it is new. `place` and `line` say who wants it. */
static struct template_file *find_file(lua_State *L, struct templates *t, const char *name, const char *place,
                                       int line)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->files[i]->name, name) == 0 && t->files[i]->chunk != LUA_NOREF)
            return t->files[i];
    if (!name_is_safe(name))
        sandbox_raise(L, place, line, "'%s' is no name of a template: a file below the folder of templates",
                      name);
    struct template_file *f = add_file(t, name);
    struct error e;
    int found = read_text(t, f, &e);
    if (found < 0)
        sandbox_raise(L, NULL, 0, "%s", e.text);
    if (found == 0 && t->folder != NULL)
        sandbox_raise(L, place, line, "there is no template '%s', neither in %s nor built in", name,
                      t->folder);
    if (found == 0)
        sandbox_raise(L, place, line, "there is no built-in template '%s'; --templates DIR adds others",
                      name);
    compile(L, f);
    return f;
}

static struct templates *templates_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static struct template_file *file_of(struct templates *t, const char *lua_source)
{
    for (int i = 0; i < t->count; i++)
        if (t->files[i]->lua_source == lua_source)
            return t->files[i];
    return NULL;
}

/* How far the least indented text of a function is indented; `otherwise` where it has no text. */
static int function_indent(const struct template_file *f, const lua_Debug *at, int otherwise)
{
    int least = -1;
    for (int i = at->linedefined; i < at->lastlinedefined - 1 && i < f->lines.count; i++)
        if (f->lines.text[i] && (least < 0 || f->lines.indent[i] < least))
            least = f->lines.indent[i];
    return least < 0 ? otherwise : least;
}

/* The column of what the function at `level` of the stack produces now. A file's own text stands where the
   file has it, moved by the include; the text of a function stands where the function is called. */
static int column_at(lua_State *L, struct templates *t, int level)
{
    int column = 0;
    lua_Debug at;
    for (; lua_getstack(L, level, &at); level++) {
        lua_getinfo(L, "Sl", &at);
        struct template_file *f = file_of(t, at.source);
        if (f == NULL || at.currentline < 1 || at.currentline > f->lines.count)
            continue;
        int indent = f->lines.indent[at.currentline - 1];
        if (*at.what == 'm')
            return column + indent + t->base[t->depth - 1];
        int relative = indent - function_indent(f, &at, indent);
        column += relative > 0 ? relative : 0;
    }
    return column;
}

/* The place of `f` in rendering.paths. */
static int path_index(struct templates *t, struct template_file *f)
{
    if (f->rendering != t->renderings) {
        f->rendering = t->renderings;
        f->index = t->out.path_count++;
        t->out.paths = must_realloc(t->out.paths, (size_t)t->out.path_count * sizeof *t->out.paths);
        t->out.paths[f->index] = f->path;
    }
    return f->index;
}

static void end_line(struct rendering *r, int file, int line)
{
    text_add(&r->text, "\n", 1);
    if (r->line_count == r->line_capacity) {
        r->line_capacity = 2 * r->line_capacity + 64;
        r->lines = must_realloc(r->lines, (size_t)r->line_capacity * sizeof *r->lines);
    }
    r->lines[r->line_count++] = (struct source_line){.file = file, .line = line};
}

/* One line of text without its trailing blanks; an empty one below another, or at the top, is left out. */
static void put_line(struct rendering *r, int column, const char *text, size_t size, int file, int line)
{
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    if (size == 0 && (r->text.size == 0 || (r->text.size > 1 && r->text.data[r->text.size - 2] == '\n')))
        return;
    for (; size > 0 && column > 0; column--)
        text_add(&r->text, " ", 1);
    text_add(&r->text, text, size);
    end_line(r, file, line);
}

/* A float as short as it can be written without a loss; an integral one as an integer. */
static void push_number(lua_State *L, lua_Number value)
{
    char text[40];
    int length = 0;
    lua_Integer integer;
    if (lua_numbertointeger(value, &integer) && (lua_Number)integer == value) {
        lua_pushfstring(L, "%I", (LUAI_UACINT)integer);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        length = snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    lua_pushlstring(L, text, (size_t)length);
}

/* Turns the value at `index` of the stack into its text. False where it has none. */
static bool value_to_text(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        return true;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(L, index))
            lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, index));
        else if (isfinite(lua_tonumber(L, index)))
            push_number(L, lua_tonumber(L, index));
        else
            return false;
        break;
    default:
        return false;
    }
    lua_replace(L, index);
    return true;
}

/* The value at `index` of the stack is the `number`-th ${...} (from 0) of a line and has no text. */
static void refuse_value(lua_State *L, const struct template_file *f, int line, int index, int number)
{
    char expression[128] = "";
    template_expression(f->text.data, line, number, expression, sizeof expression);
    if (lua_isnil(L, index))
        luaL_error(L, "unknown value '%s'", expression);
    luaL_error(L, "'%s' is no integer, word or boolean but a %s", expression,
               lua_type(L, index) == LUA_TNUMBER ? "number without digits" : luaL_typename(L, index));
}

/* __emit(line, text, value, text, value, ...): the call that a line of text was translated to. */
static int emit(lua_State *L)
{
    struct templates *t = templates_of(L);
    struct template_file *f = lua_touserdata(L, lua_upvalueindex(2));
    int line = (int)luaL_checkinteger(L, 1), count = lua_gettop(L);
    t->line.size = 0;
    for (int i = 2; i <= count; i++) {
        size_t size;
        if (i % 2 == 1 && !value_to_text(L, i))
            refuse_value(L, f, line, i, (i - 3) / 2);
        const char *piece = luaL_checklstring(L, i, &size);
        text_add(&t->line, piece, size);
    }
    int column = column_at(L, t, 1), file = path_index(t, f);
    const char *c = count > 1 ? t->line.data : "", *end = c + t->line.size;
    for (const char *stop; (stop = memchr(c, '\n', (size_t)(end - c))) != NULL; c = stop + 1)
        put_line(&t->out, column, c, (size_t)(stop - c), file, line);
    put_line(&t->out, column, c, (size_t)(end - c), file, line);
    if (t->out.text.size > SOURCE_SIZE_MAX)
        luaL_error(L, "the source grows past %d bytes", SOURCE_SIZE_MAX);
    return 0;
}

/* Fills `at` with the innermost function of a template on the stack and pushes its globals. */
static void push_caller(lua_State *L, struct templates *t, lua_Debug *at)
{
    const char *name;
    for (int level = 1; lua_getstack(L, level, at); level++) {
        lua_getinfo(L, "Slf", at);
        if (file_of(t, at->source) == NULL) {
            lua_pop(L, 1);
            continue;
        }
        if (*at->what == 'm') {
            lua_pop(L, 1);
            lua_getlocal(L, at, 1); /* _ENV: template_translate() made it the first */
            return;
        }
        for (int i = 1; (name = lua_getupvalue(L, -1, i)) != NULL; i++) {
            if (strcmp(name, "_ENV") == 0) {
                lua_remove(L, -2);
                return;
            }
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    luaL_error(L, "include is for templates");
}

/* Replaces the table of names at `names` by globals that have those names before the ones on the top of the
   stack, which are popped; everything else, and what is assigned, is theirs. */
static void push_globals_with(lua_State *L, int names)
{
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, names) != 0) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

/* Runs a file with the globals on the top of the stack, which are popped, `column` columns to the right. */
static void run_file(lua_State *L, struct templates *t, struct template_file *f, int column)
{
    path_index(t, f);
    t->base[t->depth++] = column;
    lua_rawgeti(L, LUA_REGISTRYINDEX, f->chunk);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, t);
    lua_pushlightuserdata(L, f);
    lua_pushcclosure(L, emit, 2);
    lua_call(L, 2, 0);
    t->depth--;
}

static int include(lua_State *L)
{
    struct templates *t = templates_of(L);
    const char *name = luaL_checkstring(L, 1);
    bool named = !lua_isnoneornil(L, 2);
    if (named)
        luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    if (t->depth == INCLUDE_DEPTH_MAX)
        return luaL_error(L, "parts are included more than %d deep: does '%s' include itself?",
                          INCLUDE_DEPTH_MAX, name);
    lua_Debug at;
    push_caller(L, t, &at);
    struct template_file *f = find_file(L, t, name, at.short_src, at.currentline);
    if (named)
        push_globals_with(L, 2);
    run_file(L, t, f, column_at(L, t, 1));
    return 0;
}

const struct rendering *template_render(lua_State *L, struct templates *t, const char *name,
                                        const char *place, int line)
{
    struct rendering *r = &t->out;
    struct template_file *f = find_file(L, t, name, place, line);
    sandbox_doing(L, f->path, "the template");
    r->text.size = 0;
    r->line_count = r->path_count = 0;
    t->renderings++;
    t->depth = 0;
    lua_pushlightuserdata(L, t);
    lua_pushcclosure(L, include, 1);
    lua_setfield(L, -2, "include");
    if (luaL_newmetatable(L, "template_globals")) {
        lua_pushglobaltable(L);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
    run_file(L, t, f, 0);
    if (r->text.size > 1 && r->text.data[r->text.size - 2] == '\n') { /* a blank line at the end */
        r->text.size--;
        r->line_count--;
    }
    return r;
}
