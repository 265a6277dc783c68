/* What is read in NVRTC's log: ptxas' figures, and the one line of a failure. */
#include "tests/handmade_source.h"
#include "tuner/compile/compile_error.h"
#include "tuner/compile/ptxas_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void figures_go_to_the_kernel_that_they_are_of(void **state)
{
    (void)state;
    static const char log[] =
        "source(6): warning #177-D: variable \"unused\" was declared but never referenced\n"
        "\n"
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
        "ptxas info    : Function properties for second\n"
        "ptxas         .     1824 bytes stack frame, 2228 bytes spill stores, 2316 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 1824 bytes cumulative stack size\n"
        "ptxas info    : Compile time = 670.322 ms\n"
        "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
        "ptxas info    : Function properties for first\n"
        "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 12 registers, used 1 barriers, 64 bytes smem, 400 bytes cmem[0]\n";
    struct image_kernel kernels[3] = {{.name = "first"}, {.name = "second"}, {.name = "third"}};
    assert_int_equal(ptxas_log_read(log, kernels, 3), 2);
    assert_int_equal(kernels[0].registers, 12);
    assert_int_equal(kernels[0].static_smem_bytes, 64);
    assert_int_equal(kernels[0].spill_bytes, 0);
    assert_int_equal(kernels[1].registers, 32);
    assert_int_equal(kernels[1].spill_bytes, 2228 + 2316);
    assert_int_equal(kernels[1].stack_bytes, 1824);
    assert_int_equal(kernels[1].static_smem_bytes, 0);
    assert_int_equal(kernels[2].registers, 0);
}

static void assert_line(const char *log, const char *ptx, const char *expected)
{
    struct source source = handmade_source("one\ntwo\nthree\n");
    char *line = compile_error_line(&source, log, ptx, "NVRTC_ERROR_COMPILATION");
    assert_string_equal(line, expected);
    free(line);
    source_clear(&source);
}

static void first_error_names_the_template_and_the_rest_are_counted(void **state)
{
    (void)state;
    assert_line("source(1): warning #177-D: variable \"unused\" was declared but never referenced\n"
                "source(2): error: identifier \"zork\" is undefined\n"
                "      int unused; zork = 3;\n"
                "                  ^\n\n"
                "source(3): error: expected an expression\n"
                "2 errors detected in the compilation of \"source\".\n",
                "", "templates/handmade.cu:102: error: identifier \"zork\" is undefined (and 1 more)");
    assert_line("source(3): catastrophic error: cannot open source file \"zork.h\"\n", "",
                "templates/handmade.cu:103: error: cannot open source file \"zork.h\"");
}

static void error_of_ptxas_quotes_its_instruction(void **state)
{
    (void)state;
    assert_line(
        "ptxas application ptx input, line 3; error   : Feature 'max.f32 with 3 input operands' requires "
        ".target sm_100 or higher\n"
        "ptxas fatal   : Ptx assembly aborted due to errors\n",
        ".version 9.0\n.target sm_90\n\tmax.f32 %f1, %f2, %f3, %f4;\n\tret;\n",
        "ptxas: Feature 'max.f32 with 3 input operands' requires .target sm_100 or higher; PTX: "
        "max.f32 %f1, %f2, %f3, %f4;");
    assert_line("ptxas application ptx input, line 99; error   : Oh no\n", "only one line", "ptxas: Oh no");
    assert_line("ptxas fatal   : Unresolved extern function 'foo'\n", "",
                "ptxas: Unresolved extern function 'foo'");
}

static void log_without_an_error_still_gives_a_reason(void **state)
{
    (void)state;
    assert_line("ptxas info    : Used 12 registers, used 1 barriers, 400000 bytes smem\n", "",
                "ptxas: a kernel has 400000 bytes of static shared memory, and 49152 are the most");
    assert_line("", "", "NVRTC gave no reason (NVRTC_ERROR_COMPILATION)");
    assert_line("nvrtc: error: invalid value for --gpu-architecture (-arch)\n", "",
                "nvrtc: error: invalid value for --gpu-architecture (-arch)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_go_to_the_kernel_that_they_are_of),
        cmocka_unit_test(first_error_names_the_template_and_the_rest_are_counted),
        cmocka_unit_test(error_of_ptxas_quotes_its_instruction),
        cmocka_unit_test(log_without_an_error_still_gives_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
