/* The generator as its callers see it: deadlines, launches, maps back to templates, the built-in files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/space_fixture.h"

#include <signal.h>
#include <sys/wait.h>

/* Seconds: what must end does so in much less, even on a busy machine. */
enum { PATIENCE = 2 };

#define PARAMETERS "name = 't', template = 't.cu', parameters = { { 'threads', { 64, 128 }, 'doc' } },\n"
#define LAUNCH     "launch = function(v) return { { grid_of_M = 'M', block = v.threads, args = { 'x' } } } end,\n"

/* Backtracks for longer than anybody waits, without an instruction of Lua. */
#define ENDLESS_MATCH "(('a'):rep(60):find(('.-'):rep(30) .. 'b') == 1)"

/* The error of opening `space` and listing it with little patience, without the folder. */
static const char *failure_of(const char *space)
{
    static char text[512];
    struct fixture f = fixture_with(space, (struct generator_options){.deadline_seconds = PATIENCE});
    fixture_problem(&f, 8, 1024);
    if (f.g != NULL)
        assert_null(generator_list(f.g, 0, NULL, &f.e));
    assert_int_equal(f.e.status, STATUS_USAGE);
    assert_int_equal(strncmp(f.e.text, f.folder, strlen(f.folder)), 0);
    snprintf(text, sizeof text, "%s", f.e.text + strlen(f.folder) + 1);
    fixture_close(&f);
    return text;
}

static void an_endless_match_is_ended_and_named(void **state)
{
    (void)state;
    assert_string_equal(failure_of("local x = " ENDLESS_MATCH),
                        "space.lua: the space did not end within 2 s");
    assert_string_equal(failure_of("return space { " PARAMETERS LAUNCH
                                   "constraints = {\n{ { 'threads' },\nfunction() return " ENDLESS_MATCH
                                   " end, 'what' } } }"),
                        "space.lua:5: constraint 'what' did not end within 2 s");
    assert_string_equal(failure_of("return space { name = 't', template = 't.cu', " LAUNCH "parameters = {\n"
                                   "{ 'a', function() return { " ENDLESS_MATCH " } end, 'doc' } } }"),
                        "space.lua:3: parameter 'a' did not end within 2 s");
}

static void an_endless_loop_that_catches_its_error_is_ended(void **state)
{
    (void)state;
    assert_string_equal(failure_of("while true do pcall(function() while true do end end) end"),
                        "space.lua: the space did not end within 2 s");
}

static void a_generator_whose_worker_was_ended_says_so_again(void **state)
{
    (void)state;
    struct fixture f =
        fixture_with("return space { " PARAMETERS LAUNCH
                     "constraints = { { { 'threads' }, function() return " ENDLESS_MATCH " end, 'what' } } }",
                     (struct generator_options){.deadline_seconds = PATIENCE});
    fixture_problem(&f, 8, 1024);
    struct error again;
    assert_null(generator_list(f.g, 0, NULL, &f.e));
    assert_null(generator_list(f.g, 0, NULL, &again));
    assert_string_equal(again.text, f.e.text);
    fixture_close(&f);
}

/* The only child of this process. */
static int child_of_this(void)
{
    char *path = must_format("/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    int child = 0;
    if (file == NULL || fscanf(file, "%d", &child) != 1)
        fail_msg("%s names no child", path);
    fclose(file);
    free(path);
    return child;
}

static void a_worker_that_was_killed_comes_back_and_knows_the_problem(void **state)
{
    (void)state;
    struct fixture f = fixture_open("return space { " PARAMETERS LAUNCH "}");
    int worker = child_of_this();
    siginfo_t end;
    assert_int_not_equal(worker, 0);
    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)worker, &end, WEXITED | WNOWAIT), 0);
    json_t *keys = generator_list(f.g, 0, NULL, &f.e);
    assert_true(json_array_size(keys) > 0);
    json_decref(keys);
    fixture_close(&f);
}

static void a_mark_before_the_text_is_left_out(void **state)
{
    (void)state;
    struct fixture f = fixture_open("\xEF\xBB\xBFreturn space { " PARAMETERS LAUNCH "}");
    fixture_template(&f, "t.cu", "\xEF\xBB\xBFtext\n");
    struct source s;
    assert_non_null(f.g);
    assert_true(generator_source(f.g, "threads=128", "kern", &s, &f.e));
    assert_string_equal(s.text, "text\n");
    source_clear(&s);
    fixture_close(&f);
}

static void a_call_without_a_problem_is_an_error(void **state)
{
    (void)state;
    struct fixture f = fixture_with("return space { " PARAMETERS LAUNCH "}", (struct generator_options){0});
    assert_null(generator_list(f.g, 0, NULL, &f.e));
    assert_non_null(strstr(f.e.text, "no problem was set"));
    fixture_close(&f);
}

/* The plan that `launch`, the text of a function's body, gives; or the error, without the folder. */
static bool launched(const char *launch, const struct image_facts *facts, struct launch_plan *plan,
                     char error[512])
{
    char *space = must_format(
        "return space { " PARAMETERS "launch = function(v, problem, gpu, image) %s end }", launch);
    struct fixture f = fixture_open(space);
    bool done = generator_launch(f.g, "threads=128", "kern", facts, plan, &f.e);
    if (!done)
        snprintf(error, 512, "%s", f.e.text + strlen(f.folder) + 1);
    fixture_close(&f);
    free(space);
    return done;
}

static void a_launch_has_what_the_space_says(void **state)
{
    (void)state;
    struct launch_plan plan;
    char error[512];
    assert_true(launched(
        "return { { grid_of_M = 'ceil(M, 2)', block = v.threads, args = { 'x', 'y', 'M', 'scale' } },"
        "{ suffix = '_2', grid_of_M = 7, block = { 32, 2 }, cluster = 4, dynamic_smem_bytes = 1024.0,"
        "  cooperative = true, programmatic = true, args = { 'workspace', 'N', 'x_stride', 'y_stride' } },"
        "workspace_of_M = 'M * 8' }",
        NULL, &plan, error));
    const struct launch *a = &plan.launches[0], *b = &plan.launches[1];
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.workspace_of_M, "M * 8");
    assert_string_equal(a->kernel, "kern");
    assert_string_equal(a->grid_of_M, "ceil(M, 2)");
    assert_int_equal(a->block[0] * a->block[1] * a->block[2], 128);
    assert_int_equal(a->cluster[0] * a->cluster[1] * a->cluster[2], 1);
    assert_int_equal(a->arg_count, 4);
    assert_int_equal(a->args[0].type, TYPE_PTR);
    assert_int_equal(a->args[2].name, ARG_M);
    assert_int_equal(a->args[2].type, TYPE_I64);
    assert_int_equal(a->args[3].type, TYPE_F32);
    assert_false(a->cooperative);
    assert_string_equal(b->kernel, "kern_2");
    assert_string_equal(b->grid_of_M, "7");
    assert_int_equal(b->block[1], 2);
    assert_int_equal(b->cluster[0], 4);
    assert_int_equal(b->dynamic_smem_bytes, 1024);
    assert_true(b->cooperative && b->programmatic);
    assert_int_equal(b->args[0].name, ARG_WORKSPACE);
}

static void a_launch_sees_the_image_and_how_many_blocks_fit(void **state)
{
    (void)state;
    const char *launch =
        "return { { grid_of_M = ('%d + %d + %d + %d'):format(image.registers, image.static_smem_bytes,"
        "image.spill_bytes, image.blocks_per_sm), block = v.threads, args = { 'x' } } }";
    struct launch_plan plan;
    char error[512];
    struct gpu gpu = test_gpu();
    char *expected = must_format("40 + 2048 + 8 + %d", gpu_blocks_per_sm(&gpu, 128, 40, 2048));
    assert_true(launched(launch, &(struct image_facts){40, 2048, 8}, &plan, error));
    assert_string_equal(plan.launches[0].grid_of_M, expected);
    assert_true(launched(launch, NULL, &plan, error));
    assert_string_equal(plan.launches[0].grid_of_M, "0 + 0 + 0 + 0");
    free(expected);
}

static void a_wrong_launch_is_named_with_its_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"return 3", "space.lua:2: launch does not return a list of 1 to 4 launches"},
        {"return {}", "space.lua:2: launch does not return a list of 1 to 4 launches"},
        {"return { 3 }", "space.lua:2: launch returns a list with a number in it, not with launches"},
        {"return { { grid = 'M' } }", "space.lua:2: launch: a launch has no field 'grid'"},
        {"return { { block = 32, args = {} } }",
         "space.lua:2: launch: grid_of_M is not an integer or an expression of M and sms"},
        {"return { { grid_of_M = 'M', block = 2048, args = {} } }",
         "space.lua:2: launch: block is not an integer or a list of up to 3, in all 1 to 1024"},
        {"return { { grid_of_M = 'M', block = { 32, 64 }, args = {} } }",
         "space.lua:2: launch: block is not an integer or a list of up to 3, in all 1 to 1024"},
        {"return { { grid_of_M = 'M', block = 0, args = {} } }",
         "space.lua:2: launch: block is not an integer or a list of up to 3, in all 1 to 1024"},
        {"return { { grid_of_M = 'M', args = {} } }",
         "space.lua:2: launch: block is not an integer or a list of up to 3, in all 1 to 1024"},
        {"return { { grid_of_M = 'M', block = 32 } }",
         "space.lua:2: launch: args is not a list of at most 8 names"},
        {"return { { grid_of_M = 'M', block = 32, args = { 'z' } } }",
         "space.lua:2: launch: there is no argument 'z' (x, y, workspace, M, N, x_stride, y_stride, scale)"},
        {"return { { grid_of_M = 'M', block = 32, args = {}, cooperative = 1 } }",
         "space.lua:2: launch: cooperative is true, false or left out"},
        {"return { { grid_of_M = 'M', block = 32, args = {}, suffix = 'a b' } }",
         "space.lua:2: launch: suffix is not letters, digits and _"},
        {"return { { grid_of_M = 'M', block = 32, args = {} }, workspace = 3 }",
         "space.lua:2: launch: the list has no field 'workspace', only workspace_of_M"},
        {"return { v.threds }", "space.lua:2: the variant has no field 'threds'"},
        {"return { image.regs }", "space.lua:2: image has no field 'regs'"},
        {"return { problem.M }", "space.lua:2: problem.M cannot be used here: one kernel serves every M"},
    };
    struct launch_plan plan;
    char error[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(launched(cases[i][0], NULL, &plan, error));
        assert_string_equal(error, cases[i][1]);
    }
    assert_false(launched("return { { grid_of_M = 'M +', block = 32, args = {} } }", NULL, &plan, error));
    assert_non_null(strstr(error, "space.lua:2: launch: grid_of_M: "));
    assert_false(
        launched("return { { grid_of_M = '1 / (M - 8)', block = 32, args = {} } }", NULL, &plan, error));
    assert_non_null(strstr(error, "space.lua:2: launch: grid_of_M: "));
    assert_non_null(strstr(error, "division by zero"));
    assert_false(launched("return { { grid_of_M = 'M - 9', block = 32, args = {} } }", NULL, &plan, error));
    assert_string_equal(error, "space.lua:2: launch: grid_of_M 'M - 9' is -1 where M is 8");
}

static void a_template_may_depend_on_the_variant(void **state)
{
    (void)state;
    struct fixture f =
        fixture_open("return space { name = 't', parameters = { { 'a', { 'x', 'y' }, 'doc' } }, "
                     "template = function(v)\nreturn 't_' .. v.a .. '.cu' end,\n"
                     "launch = function() end }");
    fixture_template(&f, "t_x.cu", "the x\n");
    struct source s;
    assert_true(generator_source(f.g, "a=x", "kern", &s, &f.e));
    assert_string_equal(s.text, "the x\n");
    source_clear(&s);
    assert_false(generator_source(f.g, "a=y", "kern", &s, &f.e));
    char *expected =
        must_format("%s:1: there is no template 't_y.cu', neither in %s nor built in", f.config, f.folder);
    assert_string_equal(f.e.text, expected);
    free(expected);
    fixture_close(&f);
}

static void messages_are_led_back_to_the_template(void **state)
{
    (void)state;
    struct source s = {.files = (char *[]){"templates/a.cu", "templates/b.cu"},
                       .file_count = 2,
                       .lines = (struct source_line[]){{0, 7}, {1, 41}, {0, 0}},
                       .line_count = 3};
    char text[64];
    source_origin(&s, 2, text, sizeof text);
    assert_string_equal(text, "templates/b.cu:41");
    source_origin(&s, 3, text, sizeof text);
    assert_string_equal(text, "source:3");
    source_origin(&s, 9, text, sizeof text);
    assert_string_equal(text, "source:9");
    static const char *const cases[][2] = {
        {"source:1: error in source:2, not source:3, source:99, source: or resource:1",
         "templates/a.cu:7 (line 1 of the source): error in templates/b.cu:41 (line 2 of the source), not source:3, "
         "source:99, source: or resource:1"},
        {"", ""},
        {"source:99999999999999999999999", "source:99999999999999999999999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *located = source_locate(&s, cases[i][0]);
        assert_string_equal(located, cases[i][1]);
        free(located);
    }
}

static void the_built_in_gpus_are_read(void **state)
{
    (void)state;
    struct gpu_list list;
    struct error e;
    struct gpu gpu;
    assert_true(gpu_list_load(&list, &e));
    assert_true(list.count >= 10);
    assert_true(gpu_find(&list, NULL, "h200", &gpu, &e));
    assert_int_equal(gpu.sms, 132);
    gpu_list_clear(&list);
}

/* Every variant of the built-in spaces has a source and a launch, for every type and some awkward shapes. */
static void the_built_in_spaces_render(void **state)
{
    (void)state;
    static const int64_t columns[] = {1, 33, 769, 1024, 8192};
    static const char *const configs[] = {"article", "softmax"};
    struct gpu gpu = test_gpu();
    struct error e = {0};
    for (size_t c = 0; c < 2; c++) {
        struct generator *g = generator_open(&(struct generator_options){.config = configs[c]}, &e);
        assert_non_null(g);
        for (int n = 0; n < 15; n++) {
            struct problem p = problem_default(8, columns[n / 3]);
            p.dtype_in = p.dtype_out = (enum dtype)(n % 3);
            p.scaled = n % 2;
            assert_true(generator_set_problem(g, &p, &gpu, &e));
            json_t *keys = generator_list(g, 0, NULL, &e), *key;
            assert_true(json_array_size(keys) > 0);
            size_t i;
            json_array_foreach(keys, i, key)
            {
                struct source s;
                struct launch_plan plan;
                if (!generator_source(g, json_string_value(key), "kern", &s, &e) ||
                    !generator_launch(g, json_string_value(key), "kern", NULL, &plan, &e))
                    fail_msg("%s: %s", json_string_value(key), e.text);
                source_clear(&s);
            }
            json_decref(keys);
        }
        generator_close(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_endless_match_is_ended_and_named),
        cmocka_unit_test(an_endless_loop_that_catches_its_error_is_ended),
        cmocka_unit_test(a_generator_whose_worker_was_ended_says_so_again),
        cmocka_unit_test(a_worker_that_was_killed_comes_back_and_knows_the_problem),
        cmocka_unit_test(a_mark_before_the_text_is_left_out),
        cmocka_unit_test(a_call_without_a_problem_is_an_error),
        cmocka_unit_test(a_launch_has_what_the_space_says),
        cmocka_unit_test(a_launch_sees_the_image_and_how_many_blocks_fit),
        cmocka_unit_test(a_wrong_launch_is_named_with_its_place),
        cmocka_unit_test(a_template_may_depend_on_the_variant),
        cmocka_unit_test(messages_are_led_back_to_the_template),
        cmocka_unit_test(the_built_in_gpus_are_read),
        cmocka_unit_test(the_built_in_spaces_render),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
