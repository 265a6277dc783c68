/* What the compiler makes of the templates: no message, no spill, no stack, on every architecture. A variant
   that asks for more resident threads than its registers allow may spill: that is slow, not wrong, and for
   the race to find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernel_spaces.h"
#include "tuner/compile/compiler.h"

#include <string.h>

static struct compiler *compiler;

static void compile_one(struct generator *g, const char *key, const char *arch)
{
    struct error e;
    struct source s;
    if (!generator_source(g, key, "kernel", &s, &e))
        fail_msg("%s: %s", key, e.text);
    struct compile_result r;
    if (!compiler_compile(compiler, &(struct compile_request){.source = &s, .arch = arch}, &r, &e))
        fail_msg("%s: %s", key, e.text);
    if (r.outcome != COMPILE_DONE)
        fail_msg("%s on %s: %s", key, arch, r.reason);
    assert_int_equal(r.image.kernel_count, strstr(key, "scope=split,") != NULL ? 2 : 1);
    bool bounded = strstr(key, "resident=") != NULL && strstr(key, "resident=0") == NULL;
    if (!bounded && (r.image.kernels[0].spill_bytes > 0 || r.image.kernels[0].stack_bytes > 0))
        fail_msg("%s on %s: %d bytes spilled, %d of stack", key, arch, r.image.kernels[0].spill_bytes,
                 r.image.kernels[0].stack_bytes);
    image_clear(&r.image);
    source_clear(&s);
}

/* Every stride-th variant of each problem, another one for each; the architectures take turns. */
static void compile_some(const char *config, size_t stride)
{
    static const char *const archs[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};
    struct problem problems[48];
    int count = problem_spread(problems, 48);
    for (int i = 0; i < count; i++) {
        const char *arch = archs[i % 7];
        struct generator *g = space_for(config, false, &problems[i], arch);
        json_t *keys = variants_of(g);
        for (size_t k = (size_t)i % stride; k < json_array_size(keys); k += stride)
            compile_one(g, json_string_value(json_array_get(keys, k)), arch);
        json_decref(keys);
        generator_close(g);
    }
}

static void kernels_of_the_article_compile_cleanly(void **state)
{
    (void)state;
    compile_some("article", 89);
}

static void kernels_of_the_default_space_compile_cleanly(void **state)
{
    (void)state;
    compile_some("softmax", 61);
}

int main(void)
{
    struct error e;
    compiler = compiler_open(&(struct compiler_options){0}, &e);
    if (compiler == NULL) {
        fprintf(stderr, "skipped: %s\n", e.text);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_the_article_compile_cleanly),
        cmocka_unit_test(kernels_of_the_default_space_compile_cleanly),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    compiler_close(compiler);
    return failures;
}
