/* The model: what it must rank right, and what it may never claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernel_spaces.h"
#include "tuner/model/model.h"

#include <math.h>
#include <string.h>

/* A variant as the model sees it. */
struct modelled {
    const char *config; /* JSON */
    int registers, spill_bytes, threads;
    const char *grid;
};

#define ROW_BLOCK "{\"scope\": \"block\", \"threads\": 256, "
static const struct modelled v1 = {
    "{\"scope\": \"thread\", \"vec_bytes\": 4, \"reduction\": \"none\", \"passes\": 3}", 32, 0, 256,
    "ceil(M, 256)"};
static const struct modelled v2 = {ROW_BLOCK "\"vec_bytes\": 4, \"reduction\": \"tree\", \"passes\": 3}", 30,
                                   0, 256, "M"};
static const struct modelled v4 = {ROW_BLOCK "\"vec_bytes\": 16, \"reduction\": \"shuffle\", \"passes\": 3}",
                                   38, 0, 256, "M"};
static const struct modelled v5 = {ROW_BLOCK "\"vec_bytes\": 16, \"reduction\": \"shuffle\", \"passes\": 2}",
                                   38, 0, 256, "M"};
static const struct modelled one_read = {
    ROW_BLOCK "\"vec_bytes\": 16, \"cache\": \"registers\", \"reduction\": \"butterfly\", \"passes\": 2}", 48,
    0, 256, "M"};

static double predicted(const struct modelled *v, const struct problem *p, const char *arch)
{
    struct gpu gpu = gpu_of(arch);
    struct image image = {.kernel_count = 1};
    struct launch_plan plan = {.count = 1, .workspace_of_M = "0"};
    struct launch *launch = &plan.launches[0];
    strcpy(image.kernels[0].name, "kernel");
    image.kernels[0].registers = v->registers;
    image.kernels[0].spill_bytes = v->spill_bytes;
    strcpy(launch->kernel, "kernel");
    strcpy(launch->grid_of_M, v->grid);
    for (int i = 0; i < 3; i++)
        launch->block[i] = launch->cluster[i] = 1;
    launch->block[0] = v->threads;
    json_t *config = json_loads(v->config, 0, NULL);
    assert_non_null(config);
    double us = model_predict_us(p, &gpu, config, &image, &plan);
    json_decref(config);
    return us;
}

static void times_on_an_h200_are_within_a_sixth_of_the_measured(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    const struct {
        const struct modelled *v;
        double measured_us;
    } known[] = {{&v1, 4636}, {&v2, 185}, {&v4, 209}, {&v5, 185}, {&one_read, 135}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_float_equal(predicted(known[i].v, &p, "sm_90") / known[i].measured_us, 1, 1.0 / 6);
}

static void the_article_s_gpu_has_the_article_s_bandwidths(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    double bytes = problem_bytes(&p);
    assert_float_equal(bytes / predicted(&v1, &p, "sm_120") * 1e-3, 150, 25);
    assert_float_equal(bytes / predicted(&v2, &p, "sm_120") * 1e-3, 830, 50);
    assert_float_equal(bytes / predicted(&v5, &p, "sm_120") * 1e-3, 830, 50);
}

static void a_thread_a_row_is_far_slower_than_a_block_a_row(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    /* Not sm_75: its memory is so slow that the three reads of v2 take half as long. */
    const char *archs[] = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++)
        assert_true(predicted(&v1, &p, archs[i]) > 2 * predicted(&v2, &p, archs[i]));
}

static void reading_once_is_never_slower_than_reading_three_times(void **state)
{
    (void)state;
    const int64_t rows[] = {1, 64, 1000, 8192, 100000};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct problem p = problem_default(rows[i], 8192);
        assert_true(predicted(&one_read, &p, "sm_90") <= predicted(&v4, &p, "sm_90"));
        assert_true(predicted(&one_read, &p, "sm_120") <= predicted(&v4, &p, "sm_120"));
    }
}

static void nothing_is_faster_than_its_bytes_at_the_peak(void **state)
{
    (void)state;
    struct problem problems[48];
    int count = problem_spread(problems, 48);
    const struct modelled *variants[] = {&v1, &v2, &v4, &v5, &one_read};
    for (int i = 0; i < count; i++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            problems[i].M = 20000;
            double peak_us = problem_bytes(&problems[i]) / (gpu_of("sm_90").dram_gbs * 1e3);
            assert_true(predicted(variants[v], &problems[i], "sm_90") >= peak_us);
        }
}

static void more_rows_take_longer(void **state)
{
    (void)state;
    double before = 0;
    for (int64_t rows = 1; rows <= 1 << 20; rows *= 2) {
        struct problem p = problem_default(rows, 4096);
        double us = predicted(&one_read, &p, "sm_120");
        assert_true(us >= before);
        before = us;
    }
}

static void spills_cost(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    struct modelled spilling = one_read;
    spilling.spill_bytes = 256;
    assert_true(predicted(&spilling, &p, "sm_90") > 1.02 * predicted(&one_read, &p, "sm_90"));
}

static void data_that_stays_in_l2_is_faster(void **state)
{
    (void)state;
    struct problem cold = problem_default(512, 4096), hot = cold;
    hot.cache = CACHE_HOT;
    assert_true(predicted(&v4, &hot, "sm_90") < predicted(&v4, &cold, "sm_90"));
}

static void a_variant_that_cannot_run_has_no_time(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    struct modelled heavy = one_read;
    heavy.threads = 1024;
    heavy.registers = 128;
    assert_true(isnan(predicted(&heavy, &p, "sm_90")));
    struct modelled lost = one_read;
    lost.grid = "M / 0";
    assert_true(isnan(predicted(&lost, &p, "sm_90")));
}

static void a_space_of_other_names_is_taken_as_three_passes(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    struct modelled unknown = v2;
    unknown.config = "{\"colour\": \"red\", \"passes\": \"many\"}";
    assert_float_equal(predicted(&unknown, &p, "sm_90") / predicted(&v2, &p, "sm_90"), 1, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_on_an_h200_are_within_a_sixth_of_the_measured),
        cmocka_unit_test(the_article_s_gpu_has_the_article_s_bandwidths),
        cmocka_unit_test(a_thread_a_row_is_far_slower_than_a_block_a_row),
        cmocka_unit_test(reading_once_is_never_slower_than_reading_three_times),
        cmocka_unit_test(nothing_is_faster_than_its_bytes_at_the_peak),
        cmocka_unit_test(more_rows_take_longer),
        cmocka_unit_test(spills_cost),
        cmocka_unit_test(data_that_stays_in_l2_is_faster),
        cmocka_unit_test(a_variant_that_cannot_run_has_no_time),
        cmocka_unit_test(a_space_of_other_names_is_taken_as_three_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
