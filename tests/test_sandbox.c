/* The Lua state for text that is not trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/sandbox.h"

#include <lauxlib.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

struct chunk {
    const char *text, *path;
    json_t *problem; /* a global of that name, where it is not NULL */
    char result[256];
};

static int evaluate(lua_State *L)
{
    struct chunk *c = lua_touserdata(L, 1);
    sandbox_doing(L, c->path, "the text");
    if (c->problem != NULL) {
        sandbox_push_record(L, c->problem, "problem");
        lua_setglobal(L, "problem");
    }
    sandbox_load(L, c->text, strlen(c->text), c->path);
    lua_call(L, 0, 1);
    snprintf(c->result, sizeof c->result, "%s", luaL_tolstring(L, -1, NULL));
    return 0;
}

/* What `text` returns, or its error. */
static const char *run_with(const char *text, const char *path, json_t *problem, double seconds)
{
    static struct chunk c;
    static struct error e;
    struct activity activity = {.place = "", .what = ""};
    struct sandbox s;
    c = (struct chunk){.text = text, .path = path, .problem = problem};
    assert_true(sandbox_open(&s, 64 * MEBIBYTE, &activity, &e));
    bool done = sandbox_run(&s, seconds, evaluate, &c, &e);
    sandbox_close(&s);
    if (!done)
        assert_int_equal(e.status, STATUS_USAGE);
    return done ? c.result : e.text;
}

static const char *run(const char *text)
{
    return run_with(text, "x.lua", NULL, 0);
}

static void ways_out_are_removed(void **state)
{
    (void)state;
    static const char *const removed[] = {"io",        "os",   "require",        "package", "debug",
                                          "coroutine", "load", "loadfile",       "dofile",  "loadstring",
                                          "print",     "warn", "collectgarbage", "_G",      "utf8"};
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++) {
        char *text = must_format("return %s", removed[i]),
             *expected = must_format("x.lua:1: unknown value '%s'", removed[i]);
        assert_string_equal(run(text), expected);
        free(text);
        free(expected);
    }
    assert_string_equal(run("return string.dump"), "nil");
    assert_string_equal(run("return math.random"), "nil");
    assert_string_equal(run("return math.randomseed"), "nil");
    assert_string_equal(run("return getmetatable(('').rep)"), "nil");
}

static void table_string_and_math_are_there(void **state)
{
    (void)state;
    assert_string_equal(run("return ('%d'):format(math.max(3, 7)) .. table.concat({ 1, 2 }, '-')"), "71-2");
}

static void bytecode_is_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(run("\033Lua"), "attempt to load a binary chunk"));
}

static void an_error_names_file_and_line(void **state)
{
    (void)state;
    assert_string_equal(run("local a = 1\nlocal b = = 2"), "x.lua:2: unexpected symbol near '='");
    assert_string_equal(run("\n\nerror('what')"), "x.lua:3: what");
    assert_string_equal(run("\nreturn threds"), "x.lua:2: unknown value 'threds'");
    assert_string_equal(run("error('without a place', 0)"), "x.lua: the text: without a place");
}

static void a_long_path_is_named_whole(void **state)
{
    (void)state;
    const char *path = "/a/folder/with/a/long/name/within/another/folder/with/a/long/name/space.lua";
    char *expected = must_format("%s:1: what", path);
    assert_string_equal(run_with("error('what')", path, NULL, 0), expected);
    free(expected);
}

static void an_error_is_one_line(void **state)
{
    (void)state;
    assert_string_equal(run("error('two\\nlines')"), "x.lua:1: two lines");
    assert_string_equal(run("error({})"), "x.lua: the text raised an error that is a table, not a text");
}

static void too_much_memory_is_an_error(void **state)
{
    (void)state;
    const char *expected = "x.lua: the text uses more than 64 MiB";
    assert_string_equal(run("local t = {} while true do t[#t + 1] = {} end"), expected);
    assert_string_equal(run("return #('x'):rep(1 << 30)"), expected);
    assert_string_equal(run("local s = 'x' while true do s = s .. s end"), expected);
}

static void endless_recursion_is_an_error(void **state)
{
    (void)state;
    const char *deep =
        run("local function f() return 1 + f() end\nreturn f()"); /* memory or stack, whichever ends */
    assert_true(strstr(deep, "stack overflow") != NULL || strstr(deep, "uses more than") != NULL);
    assert_non_null(strstr(
        run("local t = setmetatable({}, {})\ngetmetatable(t).__index = function(_, k) return t[k] end\n"
            "return t.x"),
        "overflow"));
}

static void an_endless_loop_is_named_by_its_line(void **state)
{
    (void)state;
    assert_string_equal(run_with("local n = 0\nwhile true do n = n + 1 end", "x.lua", NULL, 0.05),
                        "x.lua:2: the text did not end within 0.05 s: is this loop endless?");
}

static void pairs_goes_in_order(void **state)
{
    (void)state;
    assert_string_equal(
        run("local s = '' for k, v in pairs({ zeta = 1, 7, alpha = 2, [-5] = 3, [true] = 4, 8 }) do "
            "s = s .. tostring(k) .. '=' .. v .. ' ' end return s"),
        "true=4 -5=3 1=7 2=8 alpha=2 zeta=1 ");
    assert_string_equal(run("\npairs(nil)"), "x.lua:2: bad argument #1 to 'pairs' (table expected, got nil)");
}

static void a_record_has_its_fields_and_no_others(void **state)
{
    (void)state;
    json_t *problem = json_pack("{s:i, s:s, s:b, s:f}", "N", 64, "op", "softmax", "in_place", 0, "x", 0.5);
    assert_string_equal(
        run_with("return problem.N // 2 .. problem.op .. tostring(problem.in_place) .. problem.x", "x.lua",
                 problem, 0),
        "32softmaxfalse0.5");
    assert_string_equal(run_with("\nreturn problem.n", "x.lua", problem, 0),
                        "x.lua:2: problem has no field 'n'");
    assert_string_equal(run_with("return problem.M", "x.lua", problem, 0),
                        "x.lua:1: problem.M cannot be used here: one kernel serves every M");
    assert_string_equal(run_with("problem.N = 1", "x.lua", problem, 0), "x.lua:1: problem is read-only");
    assert_string_equal(run_with("return tostring(getmetatable(problem))", "x.lua", problem, 0), "false");
    json_decref(problem);
}

static void a_state_survives_its_errors(void **state)
{
    (void)state;
    struct activity activity = {.place = "", .what = ""};
    struct sandbox s;
    struct error e;
    struct chunk c = {.text = "local t = {} while true do t[#t + 1] = {} end", .path = "x.lua"};
    assert_true(sandbox_open(&s, 64 * MEBIBYTE, &activity, &e));
    assert_false(sandbox_run(&s, 0, evaluate, &c, &e));
    c.text = "return 6 * 7";
    assert_true(sandbox_run(&s, 0, evaluate, &c, &e));
    assert_string_equal(c.result, "42");
    sandbox_close(&s);
}

static void a_state_that_cannot_start_is_an_error(void **state)
{
    (void)state;
    struct activity activity = {.place = "", .what = ""};
    struct sandbox s;
    struct error e = {0};
    for (size_t bytes = 100; bytes < 20000; bytes += 100) {
        if (!sandbox_open(&s, bytes, &activity, &e))
            assert_int_equal(e.status, STATUS_USAGE);
        sandbox_close(&s);
    }
    assert_int_equal(e.status, STATUS_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_out_are_removed),
        cmocka_unit_test(table_string_and_math_are_there),
        cmocka_unit_test(bytecode_is_refused),
        cmocka_unit_test(an_error_names_file_and_line),
        cmocka_unit_test(a_long_path_is_named_whole),
        cmocka_unit_test(an_error_is_one_line),
        cmocka_unit_test(too_much_memory_is_an_error),
        cmocka_unit_test(endless_recursion_is_an_error),
        cmocka_unit_test(an_endless_loop_is_named_by_its_line),
        cmocka_unit_test(pairs_goes_in_order),
        cmocka_unit_test(a_record_has_its_fields_and_no_others),
        cmocka_unit_test(a_state_survives_its_errors),
        cmocka_unit_test(a_state_that_cannot_start_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
