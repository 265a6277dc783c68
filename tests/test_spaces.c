/* The built-in spaces: how large they are, what they take, and that every variant has a source and a launch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernel_spaces.h"

#include <string.h>

/* What the default space may cost: two cores compile so many in about a minute. */
enum { DEFAULT_VARIANTS_MAX = 250 };

static void check_source(struct generator *g, const char *key)
{
    struct error e;
    struct source s;
    if (!generator_source(g, key, "kernel", &s, &e))
        fail_msg("%s: %s", key, e.text);
    assert_non_null(strstr(s.text, "extern \"C\" __global__ void __launch_bounds__("));
    const char *leftovers[] = {"${",       "\n%",    "nil", "#define", "#if",
                               "#include", "\n\n\n", " \n", "( ",      ".0)"};
    for (size_t i = 0; i < sizeof leftovers / sizeof leftovers[0]; i++)
        if (strstr(s.text, leftovers[i]) != NULL)
            fail_msg("%s: the source has '%s'", key, leftovers[i]);
    source_clear(&s);
}

static void check_launch(struct generator *g, const struct problem *p, const char *key)
{
    struct error e;
    struct launch_plan plan;
    int64_t blocks;
    if (!generator_launch(g, key, "kernel", NULL, &plan, &e))
        fail_msg("%s: %s", key, e.text);
    assert_int_equal(plan.count, strstr(key, "scope=split,") != NULL ? 2 : 1);
    assert_true(expression_evaluate(plan.launches[0].grid_of_M, p->M, 1, &blocks, &e));
    assert_in_range(blocks, 1, p->M * 128); /* blocks that may share a row */
    assert_int_equal(blocks % plan.launches[0].cluster[0], 0);
    bool scale = false;
    for (int i = 0; i < plan.launches[0].arg_count; i++)
        scale |= plan.launches[0].args[i].name == ARG_SCALE;
    assert_int_equal(scale, p->scaled);
}

static void check_space(const char *config, bool full, const char *arch)
{
    struct problem problems[48];
    int count = problem_spread(problems, 48);
    for (int i = 0; i < count; i++) {
        struct generator *g = space_for(config, full, &problems[i], arch);
        json_t *keys = variants_of(g);
        size_t index;
        json_t *key;
        assert_true(json_array_size(keys) > 0);
        if (strcmp(config, "softmax") == 0 && !full)
            assert_true(json_array_size(keys) <= DEFAULT_VARIANTS_MAX);
        json_array_foreach(keys, index, key)
        {
            check_source(g, json_string_value(key));
            check_launch(g, &problems[i], json_string_value(key));
        }
        json_decref(keys);
        generator_close(g);
    }
}

static void every_variant_of_the_article_has_a_source(void **state)
{
    (void)state;
    check_space("article", false, "sm_75");
}

static void every_variant_of_the_default_space_has_a_source(void **state)
{
    (void)state;
    check_space("softmax", false, "sm_90");
    check_space("softmax", false, "sm_120");
}

static void every_gpu_has_a_whole_descriptor(void **state)
{
    (void)state;
    struct error e;
    struct gpu_list list;
    if (!gpu_list_load(&list, &e))
        fail_msg("%s", e.text);
    for (int i = 0; i < list.count; i++) {
        const struct gpu *gpu = &list.gpus[i];
        assert_true(gpu->sms > 0 && gpu->l2_bytes > 1 << 20 && gpu->dram_gbs > 100 && gpu->clock_mhz > 1000);
        assert_true(gpu_blocks_per_sm(gpu, 256, 32, 2048) >= 4);
        assert_true(gpu->smem_per_block <= gpu->smem_per_sm && gpu->max_cluster >= 0);
    }
    gpu_list_clear(&list);
    const char *archs[] = {"sm_75",  "sm_80",  "sm_86",  "sm_89", "sm_90",
                           "sm_100", "sm_103", "sm_120", "sm_121"};
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++)
        assert_string_equal(gpu_of(archs[i]).arch, archs[i]);
    assert_string_equal(gpu_of("sm_120").short_name, "rtx5080"); /* the article's */
    assert_string_equal(gpu_of("sm_90").short_name, "h200");
}

/* A kernel that is known to be wrong on some input is in a space only as what was published. */
static void only_v5_of_the_default_space_is_unguarded(void **state)
{
    (void)state;
    struct problem p = problem_default(64, 8192);
    struct generator *g = space_for("softmax", true, &p, "sm_90");
    struct error e;
    char *v5 = generator_key(g, "v5", true, &e);
    json_t *keys = variants_of(g), *key;
    size_t index;
    int unguarded = 0;
    json_array_foreach(keys, index, key)
    {
        const char *text = json_string_value(key);
        if (strstr(text, "passes=2") == NULL || strstr(text, "guard=none") == NULL)
            continue;
        assert_string_equal(text, v5);
        unguarded++;
    }
    assert_int_equal(unguarded, 1);
    json_decref(keys);
    free(v5);
    generator_close(g);
}

static bool some_key_has(json_t *keys, const char *text)
{
    size_t index;
    json_t *key;
    json_array_foreach(keys, index, key) if (strstr(json_string_value(key), text) != NULL) return true;
    return false;
}

static void unaligned_rows_are_read_by_whole_vectors_too(void **state)
{
    (void)state;
    struct problem p = problem_default(64, 8193);
    struct generator *g = space_for("softmax", false, &p, "sm_90");
    json_t *keys = variants_of(g);
    assert_true(some_key_has(keys, "vec_bytes=16,"));
    json_decref(keys);
    generator_close(g);
}

static void only_gpus_with_clusters_have_them(void **state)
{
    (void)state;
    struct problem p = problem_default(8, 131072);
    const struct {
        const char *arch;
        bool eight, sixteen;
    } gpus[] = {
        {"sm_89", false, false}, {"sm_90", true, true}, {"sm_100", true, true}, {"sm_120", true, false}};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        struct generator *g = space_for("softmax", false, &p, gpus[i].arch);
        json_t *keys = variants_of(g);
        assert_int_equal(some_key_has(keys, "scope=cluster,lanes=32,rows=1,blocks=8,"), gpus[i].eight);
        assert_int_equal(some_key_has(keys, "scope=cluster,lanes=32,rows=1,blocks=16,"), gpus[i].sixteen);
        assert_int_equal(some_key_has(keys, "programmatic=prefetch"), gpus[i].eight);
        assert_true(some_key_has(keys, "scope=grid,"));
        json_decref(keys);
        generator_close(g);
    }
}

/* Blocks that wait for each other are launched cooperatively, no more of them than fit, for any M. */
static void assert_grids_fit(struct generator *g, const char *arch, const char *key)
{
    struct image_facts facts = {.registers = 64};
    struct gpu gpu = gpu_of(arch);
    struct error e;
    struct launch_plan plan;
    assert_true(generator_launch(g, key, "kernel", &facts, &plan, &e));
    const struct launch *l = &plan.launches[0];
    assert_true(l->cooperative);
    int fit = gpu_blocks_per_sm(&gpu, l->block[0], facts.registers, l->dynamic_smem_bytes);
    for (int64_t M = 1; M < 1 << 20; M *= 5) {
        int64_t blocks, bytes;
        assert_true(expression_evaluate(l->grid_of_M, M, gpu.sms, &blocks, &e));
        assert_true(expression_evaluate(plan.workspace_of_M, M, gpu.sms, &bytes, &e));
        assert_in_range(blocks, 8, fit * gpu.sms);
        assert_true(bytes > 0);
    }
}

static void blocks_that_wait_for_each_other_are_all_resident(void **state)
{
    (void)state;
    static const char *const archs[] = {"sm_90",
                                        "sm_75"}; /* 132 SMs, and 40: fewer than a row may have blocks */
    for (size_t a = 0; a < 2; a++) {
        struct problem p = problem_default(8, a == 0 ? 131072 : 2048);
        struct generator *g = space_for("softmax", a == 1, &p, archs[a]);
        json_t *keys = variants_of(g), *key;
        size_t index, seen = 0;
        json_array_foreach(keys, index, key)
        {
            const char *text = json_string_value(key);
            if (strstr(text, "scope=grid,") != NULL && seen++ % 7 == 0)
                assert_grids_fit(g, archs[a], text);
        }
        assert_true(seen > 0);
        json_decref(keys);
        generator_close(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_of_the_article_has_a_source),
        cmocka_unit_test(every_variant_of_the_default_space_has_a_source),
        cmocka_unit_test(every_gpu_has_a_whole_descriptor),
        cmocka_unit_test(only_v5_of_the_default_space_is_unguarded),
        cmocka_unit_test(unaligned_rows_are_read_by_whole_vectors_too),
        cmocka_unit_test(only_gpus_with_clusters_have_them),
        cmocka_unit_test(blocks_that_wait_for_each_other_are_all_resident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
