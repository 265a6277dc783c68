/* Launch plans: what a manifest says and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/launch.h"

#include <string.h>

static const char good[] = "[{\"kernel\": \"k\", \"grid_of_M\": \"ceil(M, 2)\", \"block\": [256, 1, 1],"
                           " \"cluster\": [2, 1, 1], \"dynamic_smem_bytes\": 64, \"cooperative\": true,"
                           " \"programmatic\": false, \"args\": [{\"name\": \"x\", \"type\": \"ptr\"},"
                           " {\"name\": \"scale\", \"type\": \"f32\"}]}]";

static bool parse(const char *text, struct launch_plan *plan, struct error *e)
{
    json_t *launches = json_loads(text, 0, NULL);
    assert_non_null(launches);
    bool read = launch_plan_of_json(launches, NULL, plan, e);
    json_decref(launches);
    return read;
}

static void a_plan_survives_json(void **state)
{
    (void)state;
    struct launch_plan plan;
    struct error e = {0};
    assert_true(parse(good, &plan, &e));
    assert_string_equal(plan.workspace_of_M, "0");
    assert_int_equal(plan.launches[0].arg_count, 2);
    assert_int_equal(plan.launches[0].args[1].name, ARG_SCALE);
    json_t *written = launch_plan_to_json(&plan, 9, 132, &e);
    assert_non_null(written);
    json_t *expected = json_loads(good, 0, NULL);
    json_object_set_new(json_array_get(expected, 0), "grid", json_pack("[i,i,i]", 5, 1, 1));
    assert_true(json_equal(written, expected));
    json_decref(written);
    json_decref(expected);
}

static void absent_parts_take_their_defaults(void **state)
{
    (void)state;
    struct launch_plan plan;
    struct error e = {0};
    assert_true(
        parse("[{\"kernel\": \"k\", \"grid_of_M\": \"M\", \"block\": [32, 1, 1], \"args\": []}]", &plan, &e));
    assert_int_equal(plan.launches[0].cluster[0], 1);
    assert_int_equal(plan.launches[0].dynamic_smem_bytes, 0);
    assert_false(plan.launches[0].cooperative);
}

static void impossible_launches_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *launches, *words;
    } cases[] = {
        {"[]", "1 to"},
        {"[{\"kernel\": \"k\", \"block\": [32, 1, 1], \"args\": []}]", "grid_of_M"},
        {"[{\"kernel\": \"k\", \"grid_of_M\": \"M *\", \"block\": [32, 1, 1], \"args\": []}]", "expression"},
        {"[{\"kernel\": \"k\", \"grid_of_M\": \"M\", \"block\": [1024, 2, 1], \"args\": []}]",
         "2048 threads"},
        {"[{\"kernel\": \"k\", \"grid_of_M\": \"M\", \"block\": [0, 1, 1], \"args\": []}]", "block extent"},
        {"[{\"kernel\": \"k\", \"grid_of_M\": \"M\", \"block\": [32, 1, 1], \"args\": [{\"name\": \"z\", \"type\": "
         "\"ptr\"}]}]",
         "'z'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct launch_plan plan;
        struct error e = {0};
        assert_false(parse(cases[i].launches, &plan, &e));
        assert_int_equal(e.status, STATUS_USAGE);
        if (strstr(e.text, cases[i].words) == NULL)
            fail_msg("'%s' does not say '%s'", e.text, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_survives_json),
        cmocka_unit_test(absent_parts_take_their_defaults),
        cmocka_unit_test(impossible_launches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
