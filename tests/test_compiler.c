/* The compiler over the real NVRTC; skipped where there is none. */
#include "tests/handmade_source.h"
#include "tests/temporary_folder.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/cubin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct compiler *compiler;

static struct compile_result compile(const char *text, const char *arch, bool line_info)
{
    struct source source = handmade_source(text);
    struct compile_request request = {.source = &source, .arch = arch, .line_info = line_info};
    struct compile_result result;
    struct error e;
    assert_true(compiler_compile(compiler, &request, &result, &e));
    source_clear(&source);
    return result;
}

static void result_clear(struct compile_result *result)
{
    image_clear(&result->image);
    free(result->reason);
}

/* A kernel with a buffer of `floats` floats in shared memory, and constants. */
static char *kernel_text(const char *name, int floats, const char *factor)
{
    return must_format("__constant__ float table[2] = {1.0f, 2.0f};\n"
                       "extern \"C\" __global__ void __launch_bounds__(256)\n"
                       "%s(const float *x, float *y, long long M)\n"
                       "{\n"
                       "    __shared__ float part[%d];\n"
                       "    part[threadIdx.x %% %d] = x[threadIdx.x];\n"
                       "    __syncthreads();\n"
                       "    y[threadIdx.x] = part[(threadIdx.x + 1) %% %d] * %s + table[M & 1];\n"
                       "}\n",
                       name, floats, floats, floats, factor);
}

static struct compile_result compile_kernel(const char *name, int floats, const char *factor,
                                            const char *arch)
{
    char *text = kernel_text(name, floats, factor);
    struct compile_result result = compile(text, arch, false);
    free(text);
    assert_null(result.reason);
    assert_int_equal(result.outcome, COMPILE_DONE);
    return result;
}

static void one_compile_gives_cubin_ptx_and_figures(void **state)
{
    (void)state;
    struct compile_result result = compile_kernel("some_kernel", 16, "3.0f", "sm_90");
    assert_int_equal(result.image.kernel_count, 1);
    const struct image_kernel *kernel = image_kernel_find(&result.image, "some_kernel");
    assert_non_null(kernel);
    assert_true(kernel->registers >= 4 && kernel->registers <= 64);
    assert_int_equal(kernel->static_smem_bytes, 64);
    assert_int_equal(kernel->spill_bytes, 0);
    assert_memory_equal(result.image.cubin, "\177ELF", 4);
    assert_non_null(strstr(result.image.ptx, ".target sm_90"));
    assert_int_equal(strlen(result.image.ptx), result.image.ptx_size);
    assert_null(image_kernel_find(&result.image, "other"));
    result_clear(&result);
}

static void kernels_come_in_the_sources_order(void **state)
{
    (void)state;
    struct compile_result result =
        compile("extern \"C\" __global__ void zebra(float *x) { x[0] = 1.0f; }\n"
                "extern \"C\" __global__ void ape(float *x) { x[1] = expf(x[0]); }\n",
                "sm_120", false);
    assert_int_equal(result.image.kernel_count, 2);
    assert_string_equal(result.image.kernels[0].name, "zebra");
    assert_string_equal(result.image.kernels[1].name, "ape");
    result_clear(&result);
}

static void spills_are_counted(void **state)
{
    (void)state;
    struct compile_result result =
        compile("extern \"C\" __global__ void __launch_bounds__(1024, 2) k(const float *x, float *y)\n"
                "{\n"
                "    float v[64];\n"
                "#pragma unroll\n"
                "    for (int i = 0; i < 64; i++) v[i] = x[i * 1024 + threadIdx.x];\n"
                "    __syncthreads();\n"
                "#pragma unroll\n"
                "    for (int i = 0; i < 64; i++) y[i * 1024 + threadIdx.x] = v[i];\n"
                "}\n",
                "sm_90", false);
    assert_int_equal(result.outcome, COMPILE_DONE);
    assert_true(result.image.kernels[0].spill_bytes > 0);
    assert_true(result.image.kernels[0].registers <= 32);
    result_clear(&result);
}

static void code_hash_is_that_of_the_code_alone(void **state)
{
    (void)state;
    static const char *const archs[] = {"sm_75", "sm_90", "sm_120"};
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++) {
        if (!compiler_knows(compiler, archs[i]))
            continue;
        struct compile_result a = compile_kernel("short_name", 16, "3.0f", archs[i]);
        struct compile_result b = compile_kernel("a_much_longer_name_of_the_kernel", 16, "3.0f", archs[i]);
        struct compile_result code = compile_kernel("short_name", 16, "5.0f", archs[i]);
        struct compile_result shared = compile_kernel("short_name", 32, "3.0f", archs[i]);
        assert_int_equal(a.image.code_hash, b.image.code_hash);
        assert_true(
            cubin_same_code(a.image.cubin, a.image.cubin_size, b.image.cubin, b.image.cubin_size, NULL));
        assert_int_not_equal(a.image.code_hash, code.image.code_hash);
        assert_int_not_equal(a.image.code_hash, shared.image.code_hash);
        result_clear(&a);
        result_clear(&b);
        result_clear(&code);
        result_clear(&shared);
    }
}

static void line_information_leaves_the_code_as_it_is(void **state)
{
    (void)state;
    char *text = kernel_text("k", 16, "3.0f");
    struct compile_result with = compile(text, "sm_90", true), without = compile(text, "sm_90", false);
    assert_non_null(strstr(with.image.ptx, ".loc"));
    assert_null(strstr(without.image.ptx, ".loc"));
    assert_int_equal(with.image.code_hash, without.image.code_hash);
    result_clear(&with);
    result_clear(&without);
    free(text);
}

static void error_names_the_templates_line(void **state)
{
    (void)state;
    struct compile_result result = compile("extern \"C\" __global__ void k(float *x)\n"
                                           "{\n"
                                           "    int warned;\n"
                                           "    x[0] = zork;\n"
                                           "    x[1] = ;\n"
                                           "}\n",
                                           "sm_90", false);
    assert_int_equal(result.outcome, COMPILE_FAILED);
    assert_string_equal(result.reason, "templates/handmade.cu:104: error: identifier \"zork\" is undefined "
                                       "(and 1 more)");
    result_clear(&result);
}

static void refusals_of_ptxas_have_a_reason(void **state)
{
    (void)state;
    struct compile_result result =
        compile("extern \"C\" __global__ void k(float *x)\n"
                "{\n"
                "    asm volatile(\"max.f32 %0, %0, %1, %1;\" : \"+f\"(x[0]) : \"f\"(x[1]));\n"
                "}\n",
                "sm_90", false);
    assert_int_equal(result.outcome, COMPILE_FAILED);
    assert_non_null(strstr(result.reason, "ptxas: "));
    assert_non_null(strstr(result.reason, "; PTX: max.f32 "));
    result_clear(&result);

    char *text = kernel_text("k", 100000, "3.0f");
    result = compile(text, "sm_90", false);
    assert_int_equal(result.outcome, COMPILE_FAILED);
    assert_non_null(strstr(result.reason, "400000 bytes of static shared memory"));
    result_clear(&result);
    free(text);
}

static void warnings_do_not_stop_a_compile(void **state)
{
    (void)state;
    struct compile_result result =
        compile("extern \"C\" __global__ void k(float *x) { int unused; x[0] = 1.0f; }\n", "sm_90", false);
    assert_int_equal(result.outcome, COMPILE_DONE);
    result_clear(&result);
}

static void version_and_architectures_are_known(void **state)
{
    (void)state;
    int major, minor;
    compiler_version(compiler, &major, &minor);
    assert_true(major >= 12);
    assert_true(compiler_ptx_version(compiler) >= 80);
    assert_true(compiler_knows(compiler, "sm_90"));
    assert_false(compiler_knows(compiler, "sm_999"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_compile_gives_cubin_ptx_and_figures),
        cmocka_unit_test(kernels_come_in_the_sources_order),
        cmocka_unit_test(spills_are_counted),
        cmocka_unit_test(code_hash_is_that_of_the_code_alone),
        cmocka_unit_test(line_information_leaves_the_code_as_it_is),
        cmocka_unit_test(error_names_the_templates_line),
        cmocka_unit_test(refusals_of_ptxas_have_a_reason),
        cmocka_unit_test(warnings_do_not_stop_a_compile),
        cmocka_unit_test(version_and_architectures_are_known),
    };
    struct compiler_options options = {.jobs = 1};
    struct error e;
    compiler = compiler_open(&options, &e);
    if (compiler == NULL) {
        printf("skipped: %s\n", e.text);
        return e.status == STATUS_MISSING ? 77 : 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
