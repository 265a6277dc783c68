/* The line that says how a user's kernel is launched, and the types of its parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/cli/rival_launch.h"

#include <string.h>

static struct launch_plan read_well(const char *text, const char *symbol)
{
    struct launch_plan plan;
    struct error e;
    if (!rival_launch_read("mine.cu", text, symbol, &plan, &e))
        fail_msg("%s", e.text);
    return plan;
}

static void assert_refused(const char *line, const char *why)
{
    struct launch_plan plan;
    struct error e = {0};
    assert_false(rival_launch_read("mine.cu", line, "mine", &plan, &e));
    assert_int_equal(e.status, STATUS_USAGE);
    if (strstr(e.text, why) == NULL)
        fail_msg("'%s' was refused with '%s', which does not say '%s'", line, e.text, why);
}

static void grid_block_and_arguments_are_enough(void **state)
{
    (void)state;
    struct launch_plan plan = read_well("// softmax-tune: grid=M block=256 args=x,y,M,N\n", "mine");
    const struct launch *l = &plan.launches[0];
    assert_int_equal(plan.count, 1);
    assert_string_equal(l->grid_of_M, "M");
    assert_int_equal(l->block[0] * 10000 + l->block[1] * 100 + l->block[2], 256 * 10000 + 101);
    assert_int_equal(l->arg_count, 4);
    assert_int_equal(l->args[3].name, ARG_N);
    assert_int_equal(l->dynamic_smem_bytes, 0);
    assert_int_equal(l->cluster[0], 1);
    assert_false(l->cooperative);
    assert_string_equal(plan.workspace_of_M, "0");
}

static void everything_else_may_be_said(void **state)
{
    (void)state;
    struct launch_plan plan =
        read_well("int a;\n/* softmax-tune: kernel=mine grid=ceil(M,8) block=32x8 args=x,y,workspace,scale "
                  "smem=4096 workspace=4*M cluster=2 cooperative=true */\n",
                  "mine");
    const struct launch *l = &plan.launches[0];
    assert_string_equal(l->grid_of_M, "ceil(M,8)");
    assert_int_equal(l->block[1], 8);
    assert_int_equal(l->dynamic_smem_bytes, 4096);
    assert_int_equal(l->cluster[0], 2);
    assert_true(l->cooperative);
    assert_string_equal(plan.workspace_of_M, "4*M");
}

static void a_line_for_another_kernel_is_passed_over(void **state)
{
    (void)state;
    const char *text = "// softmax-tune: kernel=mine2 grid=M block=64 args=x,y\n"
                       "// softmax-tune: kernel=mine grid=M block=128 args=x,y\n";
    assert_int_equal(read_well(text, "mine").launches[0].block[0], 128);
    assert_int_equal(read_well(text, "mine2").launches[0].block[0], 64);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    assert_refused("int a;\n", "mine.cu: no line says how mine is launched");
    assert_refused("int a;\n// softmax-tune: grid=M block=256\n", "mine.cu:2: grid, block and args");
    assert_refused("// softmax-tune: grid=M block=0 args=x", "block=0");
    assert_refused("// softmax-tune: grid=M* block=32 args=x", "grid=M*");
    assert_refused("// softmax-tune: grid=M block=32 args=x,z", "args=x,z");
    assert_refused("// softmax-tune: grid=M block=32 args=x,,y", "args=x,,y");
    assert_refused("// softmax-tune: grid=M block=32 args=x threads=2", "'threads' is not known");
    assert_refused("// softmax-tune: grid=M block=32 args=x cooperative", "'cooperative' is not name=value");
    assert_refused("// softmax-tune: grid=M block=1x1x1x1 args=x", "block=1x1x1x1");
}

static const char ptx[] = ".visible .entry first(\n\t.param .u64 .ptr first_param_0,\n)\n{}\n"
                          ".visible .entry mine(\n\t.param .u64 .ptr .align 1 mine_param_0,\n"
                          "\t.param .u64 mine_param_1,\n\t.param .u32 mine_param_2,\n"
                          "\t.param .u64 mine_param_3,\n\t.param .f32 mine_param_4\n)\n{}\n";

static void types_are_those_of_the_kernels_parameters(void **state)
{
    (void)state;
    struct error e;
    struct launch_plan plan = read_well("// softmax-tune: grid=M block=32 args=x,y,M,N,scale\n", "mine");
    struct launch *l = &plan.launches[0];
    assert_true(rival_launch_type(ptx, "mine", l, &e));
    static const enum argument_type expected[] = {TYPE_PTR, TYPE_PTR, TYPE_I32, TYPE_I64, TYPE_F32};
    for (int i = 0; i < 5; i++)
        assert_int_equal(l->args[i].type, expected[i]);
}

static void arguments_that_the_kernel_does_not_take_are_refused(void **state)
{
    (void)state;
    struct error e;
    struct launch_plan few = read_well("// softmax-tune: grid=M block=32 args=x,y\n", "mine");
    assert_false(rival_launch_type(ptx, "mine", &few.launches[0], &e));
    assert_non_null(strstr(e.text, "args has 2 names, and mine has 5 parameters"));
    struct launch_plan kinds =
        read_well("// softmax-tune: grid=M block=32 args=x,y,workspace,N,scale\n", "mine");
    assert_false(rival_launch_type(ptx, "mine", &kinds.launches[0], &e));
    assert_non_null(strstr(e.text, "parameter 3 of mine is of PTX type .u32, which cannot be workspace"));
    struct launch_plan scale = read_well("// softmax-tune: grid=M block=32 args=x,y,scale,N,M\n", "mine");
    assert_false(rival_launch_type(ptx, "mine", &scale.launches[0], &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_block_and_arguments_are_enough),
        cmocka_unit_test(everything_else_may_be_said),
        cmocka_unit_test(a_line_for_another_kernel_is_passed_over),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(types_are_those_of_the_kernels_parameters),
        cmocka_unit_test(arguments_that_the_kernel_does_not_take_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
