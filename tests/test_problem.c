/* Problems: what is allowed, what is derived, and the names made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/problem.h"

#include <string.h>

static void refused(struct problem p, const char *words)
{
    struct error e = {0};
    assert_false(problem_check(&p, &e));
    assert_int_equal(e.status, STATUS_USAGE);
    if (strstr(e.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", e.text, words);
}

static void impossible_problems_are_refused(void **state)
{
    (void)state;
    struct error e = {0};
    struct problem good = problem_default(8192, 8192), p;
    assert_true(problem_check(&good, &e));
    refused(problem_default(1, 0), "N is 0");
    refused(problem_default(1, 9999999999999), "N is 9999999999999");
    refused(problem_default(-1, 8), "M is -1");
    refused(problem_default(INT64_C(1) << 40, 1 << 20), "2^46");
    p = good, p.x_stride = 8191;
    refused(p, "x stride is 8191");
    p = good, p.y_stride = 1;
    refused(p, "y stride is 1");
    p = good, p.align = 24;
    refused(p, "24 bytes");
    p = good, p.align = 2;
    refused(p, "element's size (4)");
    p = good, p.in_place = true, p.dtype_out = DTYPE_BF16;
    refused(p, "in place");
}

static void no_rows_and_one_column_are_problems(void **state)
{
    (void)state;
    struct error e = {0};
    struct problem p = problem_default(0, 1);
    assert_true(problem_check(&p, &e));
}

static void rows_are_aligned_as_the_strides_allow(void **state)
{
    (void)state;
    struct problem p = problem_default(4, 8192);
    assert_int_equal(problem_row_align(&p), 16);
    p = problem_default(4, 1025);
    assert_int_equal(problem_row_align(&p), 4);
    p = problem_default(4, 1000), p.dtype_in = p.dtype_out = DTYPE_BF16, p.y_stride = 1001;
    assert_int_equal(problem_row_align(&p), 2);
    p = problem_default(4, 8192), p.align = 64;
    assert_int_equal(problem_row_align(&p), 64);
}

static void stems_leave_defaults_out(void **state)
{
    (void)state;
    char stem[STEM_SIZE];
    struct problem p = problem_default(8192, 8192);
    problem_stem(&p, true, "sm_90", NULL, stem);
    assert_string_equal(stem, "softmax_f32_m8192_n8192_sm_90");
    problem_stem(&p, false, "sm_120", "rtx5090", stem);
    assert_string_equal(stem, "softmax_f32_n8192_sm_120_rtx5090");
    p = (struct problem){.op = OP_LOG_SOFTMAX,
                         .dtype_in = DTYPE_BF16,
                         .dtype_out = DTYPE_F32,
                         .M = 3,
                         .N = 5,
                         .x_stride = 8,
                         .y_stride = 6,
                         .align = 4,
                         .scaled = true,
                         .cache = CACHE_HOT};
    problem_stem(&p, true, "sm_90", NULL, stem);
    assert_string_equal(stem, "log_softmax_bf16_f32_m3_n5_xs8_ys6_al4_scaled_hot_sm_90");
}

static void json_keeps_every_field(void **state)
{
    (void)state;
    struct problem p = {.op = OP_LOG_SOFTMAX,
                        .dtype_in = DTYPE_F16,
                        .dtype_out = DTYPE_F16,
                        .M = 3,
                        .N = 5,
                        .x_stride = 8,
                        .y_stride = 8,
                        .align = 4,
                        .in_place = true,
                        .scaled = true,
                        .cache = CACHE_HOT},
                   read;
    struct error e = {0};
    json_t *object = problem_to_json(&p);
    assert_true(problem_of_json(object, &read, &e));
    json_t *again = problem_to_json(&read);
    assert_true(json_equal(object, again));
    json_decref(object);
    json_decref(again);
}

static void absent_fields_take_their_defaults(void **state)
{
    (void)state;
    struct problem p;
    struct error e = {0};
    json_t *object = json_pack("{s:i, s:s}", "N", 100, "dtype_in", "bf16");
    assert_true(problem_of_json(object, &p, &e));
    assert_int_equal(p.M, DEFAULT_M);
    assert_int_equal(p.dtype_out, DTYPE_BF16);
    assert_int_equal(p.y_stride, 100);
    assert_int_equal(p.align, DEFAULT_ALIGN);
    json_decref(object);
    object = json_pack("{s:i, s:i, s:b}", "N", 100, "x_stride", 104, "in_place", true);
    assert_true(problem_of_json(object, &p, &e));
    assert_int_equal(p.y_stride, 104); /* in place, the output has the input's */
    json_decref(object);
}

static void bad_fields_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {{"{\"M\": 4}", "N"},
                 {"{\"N\": \"x\"}", "integer"},
                 {"{\"N\": 4, \"op\": \"softmin\"}", "softmin"},
                 {"{\"N\": 4, \"dtype_in\": \"f64\"}", "f64"},
                 {"{\"N\": 4, \"scale\": \"0.5\"}", "0.5"},
                 {"{\"N\": 4, \"cache\": \"warm\"}", "warm"},
                 {"{\"N\": 4, \"x_stride\": -1}", "the x stride is -1"},
                 {"{\"N\": 4, \"y_stride\": -1}", "the y stride is -1"},
                 {"{\"N\": 4, \"align\": 4294967312}", "the alignment is 4294967312"},
                 {"{\"N\": 0}", "N is 0"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        struct error e = {0};
        json_t *object = json_loads(cases[i].text, 0, NULL);
        assert_non_null(object);
        assert_false(problem_of_json(object, &p, &e));
        assert_int_equal(e.status, STATUS_USAGE);
        if (strstr(e.text, cases[i].words) == NULL)
            fail_msg("'%s' does not say '%s'", e.text, cases[i].words);
        json_decref(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_problems_are_refused),
        cmocka_unit_test(no_rows_and_one_column_are_problems),
        cmocka_unit_test(rows_are_aligned_as_the_strides_allow),
        cmocka_unit_test(stems_leave_defaults_out),
        cmocka_unit_test(json_keeps_every_field),
        cmocka_unit_test(absent_fields_take_their_defaults),
        cmocka_unit_test(bad_fields_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
