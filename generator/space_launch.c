/* The functions of a space that take a whole variant: its template and its launches. */
#include "generator/sandbox.h"
#include "generator/space.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024, CLUSTER_MAX = 16 };

/* Sets the variant's values in the table on the top of the stack. */
static void set_values(lua_State *L, const struct space *s, const struct variant *v)
{
    for (int i = 0; i < s->parameter_count; i++) {
        value_push(L, &s->parameters[i].values[v->value[i]]);
        lua_setfield(L, -2, s->parameters[i].name);
    }
}

static void push_variant(lua_State *L, const struct space *s, const struct variant *v)
{
    lua_createtable(L, 0, s->parameter_count);
    set_values(L, s, v);
    sandbox_make_strict(L, -1, "the variant");
}

static void note(lua_State *L, const struct space *s, int line, const char *what)
{
    char place[sizeof(struct activity)];
    snprintf(place, sizeof place, "%s:%d", s->path, line);
    sandbox_doing(L, place, what);
}

const char *space_template(lua_State *L, const struct space *s, const struct variant *v)
{
    if (s->template != NULL)
        return lua_pushstring(L, s->template);
    note(L, s, s->template_line, "the function template");
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->template_ref);
    push_variant(L, s, v);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->source_problem_ref);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->gpu_ref);
    lua_call(L, 3, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
        space_fail(L, s, s->template_line, "template returns a %s, not the name of a file",
                   luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

void space_push_globals(lua_State *L, const struct space *s, const struct variant *v, const char *kernel)
{
    lua_createtable(L, 0, s->parameter_count + 4);
    set_values(L, s, v);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->source_problem_ref);
    lua_setfield(L, -2, "problem");
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->gpu_ref);
    lua_setfield(L, -2, "gpu");
    lua_pushstring(L, kernel);
    lua_setfield(L, -2, "kernel");
}

/* Pushes what the launch function sees of the image. */
static void push_image(lua_State *L, const struct image_facts *facts, int blocks_per_sm)
{
    static const struct image_facts none;
    const struct image_facts *f = facts == NULL ? &none : facts;
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, f->registers);
    lua_setfield(L, -2, "registers");
    lua_pushinteger(L, f->static_smem_bytes);
    lua_setfield(L, -2, "static_smem_bytes");
    lua_pushinteger(L, f->spill_bytes);
    lua_setfield(L, -2, "spill_bytes");
    lua_pushinteger(L, blocks_per_sm);
    lua_setfield(L, -2, "blocks_per_sm");
    sandbox_make_strict(L, -1, "image");
}

static bool integer_at(lua_State *L, int index, int most, int *value)
{
    int integral;
    lua_Integer number = lua_tointegerx(L, index, &integral);
    if (!integral || lua_type(L, index) != LUA_TNUMBER || number < 0 || number > most)
        return false;
    *value = (int)number;
    return true;
}

/* The field `name` of the launch on the top of the stack: an integer or up to three, whose product is at most
   `most`. `required`: else it is 1. */
static void read_extent(lua_State *L, const struct space *s, const char *name, int most, bool required,
                        int extent[3])
{
    extent[0] = extent[1] = extent[2] = 1;
    lua_pushstring(L, name);
    int type = lua_rawget(L, -2);
    bool right = type == LUA_TNIL && !required;
    if (type == LUA_TNUMBER)
        right = integer_at(L, -1, most, &extent[0]);
    if (type == LUA_TTABLE) {
        right = lua_rawlen(L, -1) >= 1 && lua_rawlen(L, -1) <= 3;
        for (int i = 0; right && i < (int)lua_rawlen(L, -1); i++) {
            lua_rawgeti(L, -1, i + 1);
            right = integer_at(L, -1, most, &extent[i]);
            lua_pop(L, 1);
        }
    }
    int64_t product = (int64_t)extent[0] * extent[1] * extent[2];
    if (!right || product < 1 || product > most)
        space_fail(L, s, s->launch_line, "launch: %s is not an integer or a list of up to 3, in all 1 to %d",
                   name, most);
    lua_pop(L, 1);
}

/* The field `name` of the table on the top of the stack: an expression of M and sms. */
static void read_expression(lua_State *L, const struct space *s, const char *name, const char *otherwise,
                            char text[EXPRESSION_SIZE])
{
    lua_pushstring(L, name);
    int type = lua_rawget(L, -2);
    if (type == LUA_TNIL && otherwise != NULL)
        snprintf(text, EXPRESSION_SIZE, "%s", otherwise);
    else if (lua_isinteger(L, -1))
        snprintf(text, EXPRESSION_SIZE, "%lld", (long long)lua_tointeger(L, -1));
    else if (type == LUA_TSTRING && lua_rawlen(L, -1) < EXPRESSION_SIZE)
        snprintf(text, EXPRESSION_SIZE, "%s", lua_tostring(L, -1));
    else
        space_fail(L, s, s->launch_line, "launch: %s is not an integer or an expression of M and sms", name);
    lua_pop(L, 1);
    struct error e;
    char *c = expression_to_c(text, &e);
    int64_t value;
    bool right = c != NULL && expression_evaluate(text, s->M, s->gpu.sms, &value, &e);
    free(c);
    if (!right)
        space_fail(L, s, s->launch_line, "launch: %s: %s", name, e.text);
    if (value < 0)
        space_fail(L, s, s->launch_line, "launch: %s '%s' is %lld where M is %lld", name, text,
                   (long long)value, (long long)s->M);
}

static bool read_flag(lua_State *L, const struct space *s, const char *name)
{
    lua_pushstring(L, name);
    int type = lua_rawget(L, -2);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        space_fail(L, s, s->launch_line, "launch: %s is true, false or left out", name);
    bool flag = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return flag;
}

static void read_args(lua_State *L, const struct space *s, struct launch *launch)
{
    static const struct {
        enum argument name;
        enum argument_type type;
    } known[] = {{ARG_X, TYPE_PTR},        {ARG_Y, TYPE_PTR},    {ARG_WORKSPACE, TYPE_PTR},
                 {ARG_M, TYPE_I64},        {ARG_N, TYPE_I64},    {ARG_X_STRIDE, TYPE_I64},
                 {ARG_Y_STRIDE, TYPE_I64}, {ARG_SCALE, TYPE_F32}};
    enum { KNOWN = sizeof known / sizeof known[0] };
    lua_pushliteral(L, "args");
    if (lua_rawget(L, -2) != LUA_TTABLE || lua_rawlen(L, -1) > LAUNCH_ARGS_MAX)
        space_fail(L, s, s->launch_line, "launch: args is not a list of at most %d names", LAUNCH_ARGS_MAX);
    int count = (int)lua_rawlen(L, -1);
    for (int i = 0; i < count; i++) {
        const char *name = lua_rawgeti(L, -1, i + 1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
        int k = 0;
        while (k < KNOWN && strcmp(argument_name(known[k].name), name) != 0)
            k++;
        if (k == KNOWN)
            space_fail(L, s, s->launch_line,
                       "launch: there is no argument '%s' (x, y, workspace, M, N, x_stride, y_stride, scale)",
                       name);
        launch->args[i].name = known[k].name;
        launch->args[i].type = known[k].type;
        lua_pop(L, 1);
    }
    launch->arg_count = count;
    lua_pop(L, 1);
}

static void read_kernel(lua_State *L, const struct space *s, const char *kernel, struct launch *launch)
{
    lua_pushliteral(L, "suffix");
    int type = lua_rawget(L, -2);
    const char *suffix = type == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if ((type != LUA_TNIL && type != LUA_TSTRING) ||
        strspn(suffix, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(suffix))
        space_fail(L, s, s->launch_line, "launch: suffix is not letters, digits and _");
    if (snprintf(launch->kernel, sizeof launch->kernel, "%s%s", kernel, suffix) >= (int)sizeof launch->kernel)
        space_fail(L, s, s->launch_line, "launch: the name %s%s is too long", kernel, suffix);
    lua_pop(L, 1);
}

static void refuse_unknown(lua_State *L, const struct space *s, const char *const *known)
{
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        int i = 0;
        while (known[i] != NULL &&
               (lua_type(L, -1) != LUA_TSTRING || strcmp(known[i], lua_tostring(L, -1)) != 0))
            i++;
        if (known[i] == NULL)
            space_fail(L, s, s->launch_line, "launch: a launch has no field '%s'",
                       luaL_tolstring(L, -1, NULL));
    }
}

/* The launch on the top of the stack. */
static void read_launch(lua_State *L, const struct space *s, const char *kernel, struct launch *launch)
{
    if (!lua_istable(L, -1))
        space_fail(L, s, s->launch_line, "launch returns a list with a %s in it, not with launches",
                   luaL_typename(L, -1));
    refuse_unknown(L, s,
                   (const char *const[]){"grid_of_M", "block", "cluster", "dynamic_smem_bytes", "cooperative",
                                         "programmatic", "suffix", "args", NULL});
    read_kernel(L, s, kernel, launch);
    read_expression(L, s, "grid_of_M", NULL, launch->grid_of_M);
    read_extent(L, s, "block", THREADS_MAX, true, launch->block);
    read_extent(L, s, "cluster", CLUSTER_MAX, false, launch->cluster);
    launch->cooperative = read_flag(L, s, "cooperative");
    launch->programmatic = read_flag(L, s, "programmatic");
    lua_pushliteral(L, "dynamic_smem_bytes");
    if (lua_rawget(L, -2) != LUA_TNIL && !integer_at(L, -1, INT32_MAX, &launch->dynamic_smem_bytes))
        space_fail(L, s, s->launch_line, "launch: dynamic_smem_bytes is not a number of bytes");
    lua_pop(L, 1);
    read_args(L, s, launch);
}

static void evaluate(lua_State *L, const struct space *s, const struct variant *v, const char *kernel,
                     const struct image_facts *facts, int blocks_per_sm, struct launch_plan *plan)
{
    *plan = (struct launch_plan){0};
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->launch_ref);
    push_variant(L, s, v);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->source_problem_ref);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->gpu_ref);
    push_image(L, facts, blocks_per_sm);
    lua_call(L, 4, 1);
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) < 1 || lua_rawlen(L, -1) > LAUNCHES_MAX)
        space_fail(L, s, s->launch_line, "launch does not return a list of 1 to %d launches", LAUNCHES_MAX);
    plan->count = (int)lua_rawlen(L, -1);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        if (!lua_isinteger(L, -1) &&
            (lua_type(L, -1) != LUA_TSTRING || strcmp(lua_tostring(L, -1), "workspace_of_M") != 0))
            space_fail(L, s, s->launch_line, "launch: the list has no field '%s', only workspace_of_M",
                       luaL_tolstring(L, -1, NULL));
    }
    for (int i = 0; i < plan->count; i++) {
        lua_rawgeti(L, -1, i + 1);
        read_launch(L, s, kernel, &plan->launches[i]);
        lua_pop(L, 1);
    }
    read_expression(L, s, "workspace_of_M", "0", plan->workspace_of_M);
    lua_pop(L, 1);
}

void space_launch(lua_State *L, const struct space *s, const struct variant *v, const char *kernel,
                  const struct image_facts *facts, struct launch_plan *plan)
{
    note(L, s, s->launch_line, "the function launch");
    if (facts == NULL) {
        evaluate(L, s, v, kernel, NULL, 0, plan);
        return;
    }
    /* How many blocks fit depends on the block, which the function itself says: ask, count, ask again. */
    evaluate(L, s, v, kernel, facts, 1, plan);
    const struct launch *first = &plan->launches[0];
    int threads = first->block[0] * first->block[1] * first->block[2];
    int blocks = gpu_blocks_per_sm(&s->gpu, threads, facts->registers,
                                   (int64_t)facts->static_smem_bytes + first->dynamic_smem_bytes);
    evaluate(L, s, v, kernel, facts, blocks, plan);
}
