/* The verifier's kernels compile for the oldest and the newest architectures, with NVRTC itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator/resources.h"
#include "tuner/compile/nvrtc_library.h"

static struct nvrtc_library *nvrtc;

static void assert_compiles_without_a_warning(const char *arch)
{
    const struct resource *rules = resource_find("tuner/verify/oracle_rules.h");
    const struct resource *kernels = resource_find("tuner/devices/cuda/oracle.cu");
    char *text = must_format("%s\n%s", rules->text, kernels->text);
    const char *options[] = {arch, "--std=c++17"};
    struct nvrtc_output output;
    nvrtc_library_compile(nvrtc, text, options, 2, &output);
    assert_string_equal(output.log, "");
    assert_true(output.compiled);
    assert_non_null(strstr(output.ptx, ".entry oracle_judge("));
    nvrtc_output_clear(&output);
    free(text);
}

static void the_oracle_compiles_for_sm_75(void **state)
{
    (void)state;
    assert_compiles_without_a_warning("-arch=sm_75");
}

static void the_oracle_compiles_for_sm_120(void **state)
{
    (void)state;
    assert_compiles_without_a_warning("-arch=sm_120");
}

int main(void)
{
    struct error e;
    nvrtc = nvrtc_library_open(NULL, &e);
    if (nvrtc == NULL) {
        printf("skipped: %s\n", e.text);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_compiles_for_sm_75),
        cmocka_unit_test(the_oracle_compiles_for_sm_120),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
