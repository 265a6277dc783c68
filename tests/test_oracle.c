/* The verifier's inputs, reference and bounds, on the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/verify/oracle_host.h"
#include "tuner/verify/verify.h"
#include "tuner/verify/verify_batches.h"

static struct oracle_batch batch_of(int64_t M, int64_t N, enum dtype in, enum dtype out)
{
    struct problem p = problem_default(M, N);
    struct verify_options options = {.seed = 7, .tolerance = 1};
    p.dtype_in = in;
    p.dtype_out = out;
    return verify_batch(&p, &options, M);
}

static struct oracle_batch batch_of_kind(int64_t M, int64_t N, int kind)
{
    struct oracle_batch b = batch_of(M, N, DTYPE_F32, DTYPE_F32);
    b.first_kind = kind;
    b.kind_count = 1;
    return b;
}

static double element(const struct oracle_batch *b, const void *x, int64_t row, int64_t column)
{
    return oracle_decode(b->dtype_in, oracle_load(b->dtype_in, x, row * b->x_stride + column));
}

static void *make_input(const struct oracle_batch *b)
{
    void *x = must_malloc(oracle_x_bytes(b));
    oracle_host_make_input(b, x);
    return x;
}

static void *make_reference(const struct oracle_batch *b)
{
    size_t bytes = oracle_y_bytes(b), size = (size_t)dtype_size((enum dtype)b->dtype_out);
    char *y = must_malloc(bytes);
    memset(y, ORACLE_POISON, bytes);
    for (int64_t row = 0; row < b->M; row++)
        oracle_host_reference_row(b, row, y + (size_t)(row * b->y_stride) * size);
    return y;
}

static struct oracle_verdict judge(const struct oracle_batch *b, const void *y)
{
    struct oracle_verdict verdict;
    void *x = make_input(b);
    oracle_host_judge(b, x, y, &verdict);
    free(x);
    return verdict;
}

/* ---- types ---- */

static void every_half_survives_decoding_and_encoding(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 0x10000; h++)
        if ((h & 0x7fff) <= 0x7c00) {
            assert_int_equal(oracle_encode(ORACLE_F16, oracle_decode(ORACLE_F16, h)), h);
            assert_int_equal(oracle_encode(ORACLE_BF16, oracle_decode(ORACLE_BF16, h)), h);
        }
    assert_true(isnan(oracle_decode(ORACLE_F16, oracle_encode(ORACLE_F16, NAN))));
    assert_true(isnan(oracle_decode(ORACLE_BF16, oracle_encode(ORACLE_BF16, NAN))));
}

static void values_round_to_the_nearest_and_ties_to_even(void **state)
{
    (void)state;
    for (int dtype = ORACLE_F16; dtype <= ORACLE_BF16; dtype++)
        for (unsigned h = 0; h < (dtype == ORACLE_F16 ? 0x7bffu : 0x7f7fu); h++) {
            float low = oracle_decode(dtype, h), high = oracle_decode(dtype, h + 1);
            float middle = (float)(((double)low + (double)high) / 2);
            assert_int_equal(oracle_encode(dtype, middle), h + (h & 1));
            assert_int_equal(oracle_encode(dtype, nextafterf(middle, INFINITY)), h + 1);
            assert_int_equal(oracle_encode(dtype, -nextafterf(middle, 0)), h | 0x8000u);
        }
}

static void values_too_large_for_a_half_become_infinite(void **state)
{
    (void)state;
    assert_int_equal(oracle_encode(ORACLE_F16, 65519.99f), 0x7bff);
    assert_int_equal(oracle_encode(ORACLE_F16, 65520), 0x7c00);
    assert_int_equal(oracle_encode(ORACLE_F16, -1e30f), 0xfc00);
}

static void one_last_place_is_the_distance_to_the_next_value(void **state)
{
    (void)state;
    for (int dtype = ORACLE_F16; dtype <= ORACLE_BF16; dtype++)
        for (unsigned h = 1; h < (dtype == ORACLE_F16 ? 0x7bffu : 0x7f7fu); h++) {
            double value = oracle_decode(dtype, h);
            assert_true(oracle_last_place(dtype, value) == oracle_decode(dtype, h + 1) - value);
        }
    assert_true(oracle_last_place(ORACLE_F16, 0) == ldexp(1, -24));
    assert_true(oracle_last_place(ORACLE_F32, 1) == 0);
}

/* ---- inputs ---- */

static void rows_of_each_kind_hold_what_they_should(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 2, 3, 31, 257, 1000};
    for (int kind = 0; kind < ORACLE_KINDS; kind++)
        for (int i = 0; i < 6; i++) {
            struct oracle_batch b = batch_of_kind(50, widths[i], kind);
            void *x = make_input(&b);
            for (int64_t row = 0; row < b.M; row++) {
                int64_t finite = 0, nan = 0, plus_inf = 0, peaks = 0;
                for (int64_t c = 0; c < b.N; c++) {
                    double v = element(&b, x, row, c);
                    finite += isfinite(v);
                    nan += isnan(v);
                    plus_inf += v == INFINITY;
                    peaks += v == (double)ORACLE_PEAK;
                }
                assert_int_equal(nan, kind == KIND_NAN);
                assert_int_equal(plus_inf, kind == KIND_PLUS_INF);
                assert_int_equal(peaks, kind == KIND_EDGE_PEAK || kind == KIND_PEAKS);
                if (kind == KIND_ALL_MINUS_INF)
                    assert_int_equal(finite, 0);
                if (kind == KIND_ONE_FINITE)
                    assert_int_equal(finite, 1);
                if (kind == KIND_FINITE_CLASS || kind == KIND_FINITE_WINDOW)
                    assert_true(finite > 0);
                if (kind == KIND_BEGINS_MINUS_INF && b.N > 1)
                    assert_true(element(&b, x, row, 0) == -INFINITY &&
                                isfinite(element(&b, x, row, b.N - 1)));
            }
            free(x);
        }
}

static void rows_begin_with_one_and_with_many_minus_infs(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of_kind(20, 4096, KIND_BEGINS_MINUS_INF);
    void *x = make_input(&b);
    assert_true(element(&b, x, 0, 0) == -INFINITY);
    int64_t shortest = b.N, longest = 0;
    for (int64_t row = 0; row < b.M; row++) {
        int64_t length = 0;
        while (element(&b, x, row, length) == -INFINITY)
            length++;
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
    }
    assert_true(shortest <= 2);
    assert_int_equal(longest, 4095);
    free(x);
}

static void ordinary_rows_are_nearly_normal_and_differ(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of_kind(2, 100000, KIND_ORDINARY);
    void *x = make_input(&b);
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < b.N; c++) {
        sum += element(&b, x, 0, c);
        squares += element(&b, x, 0, c) * element(&b, x, 0, c);
    }
    assert_true(fabs(sum / 1e5) < 0.02);
    assert_true(fabs(squares / 1e5 - 1) < 0.02);
    assert_true(memcmp(x, (char *)x + 400000, 400000) != 0);
    free(x);
}

static void mixed_rows_take_turns_and_do_not_depend_on_the_number_of_rows(void **state)
{
    (void)state;
    struct oracle_batch many = batch_of(40, 100, DTYPE_F32, DTYPE_F32), few = many;
    few.M = 5;
    for (int64_t row = 0; row < 5; row++) {
        struct oracle_row a = oracle_row_of(&many, row), b = oracle_row_of(&few, row);
        assert_int_equal(a.kind, row);
        assert_int_equal(a.hash, b.hash);
    }
    assert_int_equal(oracle_row_of(&many, ORACLE_MIXED_KINDS + 3).kind, 3);
}

static void huge_values_keep_their_differences_finite(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        double most;
    } types[] = {{DTYPE_F32, 3.4e38}, {DTYPE_BF16, 3.38e38}, {DTYPE_F16, 65504}};
    for (int i = 0; i < 3; i++) {
        struct oracle_batch b = batch_of(4, 1000, types[i].dtype, types[i].dtype);
        b.first_kind = KIND_HUGE;
        b.kind_count = 1;
        void *x = make_input(&b);
        double low = 0, high = 0;
        for (int64_t c = 0; c < b.N; c++) {
            low = fmin(low, element(&b, x, 1, c));
            high = fmax(high, element(&b, x, 1, c));
        }
        assert_true(high - low < types[i].most && high - low > types[i].most / 3);
        free(x);
    }
}

static void the_gaps_and_spare_rows_of_the_input_are_poison(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of(3, 10, DTYPE_BF16, DTYPE_BF16);
    b.x_stride = 13;
    b.rows = 5;
    void *x = make_input(&b);
    assert_int_equal(oracle_x_bytes(&b), 2 * (4 * 13 + 10));
    assert_int_equal(oracle_load(ORACLE_BF16, x, 10), 0x7b7b);
    assert_int_equal(oracle_load(ORACLE_BF16, x, 3 * 13), 0x7b7b);
    assert_int_not_equal(oracle_load(ORACLE_BF16, x, 9), 0x7b7b);
    free(x);
}

/* ---- moving peaks ---- */

static void every_column_has_its_peak_once(const struct oracle_batch *b)
{
    unsigned char *seen = must_calloc((size_t)b->N, 1);
    for (int64_t row = 0; row < b->peak_stride; row++) {
        struct oracle_row r = oracle_row_of(b, row);
        for (int64_t c = 0; c < b->N; c++)
            seen[c] = (unsigned char)(seen[c] + (oracle_input(b, &r, c) == oracle_bits_of(ORACLE_PEAK)));
    }
    for (int64_t c = 0; c < b->N; c++)
        assert_int_equal(seen[c], 1);
    free(seen);
}

static void peaks_visit_every_column_once(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of_kind(1000, 333, KIND_PEAKS);
    b.first_peak = 100;
    every_column_has_its_peak_once(&b);
    b.N = 20000;
    b.peak_stride = batch_peak_stride(&b, false);
    assert_true(b.peak_stride < 1000);
    every_column_has_its_peak_once(&b);
}

/* What a kernel would write that counts one column of a row `times` times. */
static void miscount(const struct oracle_batch *b, int64_t row, int64_t column, int times, void *y)
{
    struct oracle_row r = oracle_row_of(b, row);
    double top = -INFINITY, total = 0;
    for (int64_t c = 0; c < b->N; c++)
        top = fmax(top, oracle_scaled(b, oracle_input(b, &r, c)));
    for (int64_t c = 0; c < b->N; c++)
        total += exp(oracle_scaled(b, oracle_input(b, &r, c)) - top) * (c == column ? times : 1);
    for (int64_t c = 0; c < b->N; c++) {
        double z = oracle_scaled(b, oracle_input(b, &r, c)) - top;
        double value = b->log_softmax ? z - log(total) : exp(z) / total;
        oracle_store(b->dtype_out, y, c, oracle_encode(b->dtype_out, (float)value));
    }
}

static void a_column_missed_or_counted_twice_shows_in_its_row_of_peaks(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < 3; dtype++)
        for (int log_softmax = 0; log_softmax < 2; log_softmax++)
            for (int times = 0; times <= 2; times++) {
                struct oracle_batch b = batch_of(1, 50000, (enum dtype)dtype, (enum dtype)dtype);
                b.log_softmax = log_softmax;
                b.first_kind = KIND_PEAKS;
                b.kind_count = 1;
                b.peak_stride = batch_peak_stride(&b, false);
                void *y = must_malloc(oracle_y_bytes(&b));
                for (int64_t column = 0; column < b.N; column += 9999) {
                    struct oracle_verdict verdict = oracle_verdict_empty();
                    b.first_peak = oracle_peak_class(&b, column);
                    miscount(&b, 0, column, times, y);
                    oracle_host_judge_row(&b, 0, y, &verdict);
                    assert_int_equal(verdict.max_error > 1, times != 1);
                }
                free(y);
            }
}

/* ---- judging ---- */

static void the_rounded_reference_is_right_for_all_types_and_kinds(void **state)
{
    (void)state;
    for (int in = 0; in < 3; in++)
        for (int out = 0; out < 3; out++)
            for (int log_softmax = 0; log_softmax < 2; log_softmax++)
                for (int scale = 0; scale < 4; scale++) {
                    struct oracle_batch b =
                        batch_of(2 * ORACLE_MIXED_KINDS, 501, (enum dtype)in, (enum dtype)out);
                    b.log_softmax = log_softmax;
                    b.scale = (float[]){1, 0.7f, 1000, -2}[scale];
                    void *y = make_reference(&b);
                    struct oracle_verdict verdict = judge(&b, y);
                    assert_int_equal(verdict.bad_count, 0);
                    assert_true(verdict.max_error <= 1);
                    free(y);
                }
}

/* A softmax in single precision that adds its terms one after another, as the article's v1 does. */
static void single_precision_row(const struct oracle_batch *b, int64_t row, float *y)
{
    struct oracle_row r = oracle_row_of(b, row);
    float top = -INFINITY, total = 0;
    for (int64_t c = 0; c < b->N; c++)
        top = fmaxf(top, oracle_float_of(oracle_input(b, &r, c)));
    for (int64_t c = 0; c < b->N; c++)
        total += expf(oracle_float_of(oracle_input(b, &r, c)) - top);
    for (int64_t c = 0; c < b->N; c++)
        y[c] = expf(oracle_float_of(oracle_input(b, &r, c)) - top) / total;
}

static void a_plain_softmax_in_single_precision_is_within_the_bound(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of(1, 8192, DTYPE_F32, DTYPE_F32);
    float *y = must_malloc(8192 * sizeof *y);
    for (int kind = 0; kind < ORACLE_KINDS; kind++) {
        struct oracle_verdict verdict = oracle_verdict_empty();
        b.first_kind = kind;
        b.kind_count = 1;
        if (kind == KIND_NAN || kind == KIND_PLUS_INF || kind == KIND_ALL_MINUS_INF)
            continue; /* fmaxf drops a NaN, and what remains is NaN by itself */
        single_precision_row(&b, 0, y);
        oracle_host_judge_row(&b, 0, y, &verdict);
        assert_true(verdict.max_error < 1);
    }
    free(y);
}

static void the_bound_is_the_designs(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of(1, 10000, DTYPE_F32, DTYPE_F32);
    struct oracle_sums s = {.top = 3, .total = 20, .log_total = log(20)};
    double u = ldexp(1, -24), ref = exp(-4) / 20;
    b.tolerance = 2;
    double bound = oracle_bound(&b, &s, -1, ref, 100);
    assert_true(fabs(bound - (2 * u * (6 + 2.5 * 4 + 200) * ref + ldexp(1, -126))) < 1e-12 * bound);
    b.log_softmax = 1;
    bound = oracle_bound(&b, &s, -1, -4 - log(20), 100);
    assert_true(fabs(bound - 2 * u * (6 + 3 * 4 + 3 * log(20) + 200)) < 1e-12 * bound);
}

static void an_answer_of_zeros_is_wrong_at_any_length(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < 3; dtype++) {
        struct oracle_batch b = batch_of(1, 131072, (enum dtype)dtype, (enum dtype)dtype);
        b.kind_count = 1;
        void *y = must_calloc(oracle_y_bytes(&b), 1);
        struct oracle_verdict verdict = judge(&b, y);
        assert_true(verdict.bad_count > 100000);
        free(y);
    }
}

static void an_element_that_was_not_written_is_wrong_in_rows_of_numbers(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < 3; dtype++)
        for (int log_softmax = 0; log_softmax < 2; log_softmax++) {
            struct oracle_batch b = batch_of(1, 5, (enum dtype)dtype, (enum dtype)dtype);
            b.log_softmax = log_softmax;
            void *y = make_reference(&b);
            oracle_store(dtype, y, 2, oracle_poison(dtype));
            struct oracle_verdict verdict = judge(&b, y);
            assert_int_equal(verdict.bad_row, 0);
            assert_int_equal(verdict.bad_column, 2);
            free(y);
        }
}

static void nan_is_required_where_it_is_due_and_wrong_elsewhere(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of(ORACLE_MIXED_KINDS, 64, DTYPE_F32, DTYPE_F32);
    float *y = make_reference(&b);
    y[KIND_NAN * 64 + 63] = 0;
    struct oracle_verdict verdict = judge(&b, y);
    assert_int_equal(verdict.bad_row, KIND_NAN);
    assert_int_equal(verdict.bad_column, 63);
    assert_true(isinf(verdict.max_error) && isnan(verdict.expected));
    y[KIND_NAN * 64 + 63] = NAN;
    y[KIND_WIDE * 64 + 1] = NAN;
    verdict = judge(&b, y);
    assert_int_equal(verdict.bad_row, KIND_WIDE);
    assert_true(isinf(verdict.max_error) && isnan(verdict.got));
    free(y);
}

static void elements_that_all_round_the_wrong_way_fail_by_their_rows_sum(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of_kind(1, 300, KIND_EQUAL);
    b.dtype_in = b.dtype_out = ORACLE_BF16;
    uint16_t *y = make_reference(&b);
    bool up = oracle_decode(ORACLE_BF16, y[0]) < 1.0 / 300;
    for (int i = 0; i < 300;
         i++) /* the neighbour on the other side, less than one unit in the last place away */
        y[i] = (uint16_t)(up ? y[i] + 1 : y[i] - 1);
    struct oracle_verdict verdict = oracle_verdict_empty();
    oracle_host_judge_row(&b, 0, y, &verdict);
    assert_int_equal(verdict.bad_count, 1);
    assert_int_equal(verdict.bad_row, 0);
    assert_int_equal(verdict.bad_column, -1);
    assert_true(verdict.sum_error > 1);
    assert_true(verdict.max_error < 1); /* no element is wrong */
    free(y);
}

static void a_wrong_element_is_told_before_another_rows_wrong_sum(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of_kind(2, 300, KIND_EQUAL);
    b.dtype_in = b.dtype_out = ORACLE_BF16;
    uint16_t *y = make_reference(&b);
    bool up = oracle_decode(ORACLE_BF16, y[0]) < 1.0 / 300;
    for (int i = 0; i < 300; i++)
        y[i] = (uint16_t)(up ? y[i] + 1 : y[i] - 1);
    y[b.y_stride + 7] = (uint16_t)(y[b.y_stride + 7] + 3);
    struct oracle_verdict verdict = judge(&b, y);
    assert_int_equal(verdict.bad_count, 2);
    assert_int_equal(verdict.bad_row, 1);
    assert_int_equal(verdict.bad_column, 7);
    free(y);
}

static void results_rounded_to_16_bits_are_off_by_half_of_the_bound_that_rounding_has(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of_kind(1, 4096, KIND_ORDINARY);
    b.dtype_in = b.dtype_out = ORACLE_BF16;
    void *y = make_reference(&b);
    struct oracle_verdict verdict = judge(&b, y);
    assert_true(verdict.max_error > 0.3 && verdict.max_error <= 0.5);
    free(y);
}

static void a_result_that_overflows_its_type_may_be_infinite(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of(1, 2, DTYPE_F32, DTYPE_F16);
    assert_true(oracle_error(&b, -INFINITY, -70000, 1) == 0);
    assert_true(isinf(oracle_error(&b, INFINITY, -70000, 1)));
    assert_true(isinf(oracle_error(&b, -INFINITY, -60000, 1)));
    assert_true(isinf(oracle_error(&b, -1e30, -INFINITY, 1)));
}

static void changes_of_the_input_and_of_the_gaps_are_counted(void **state)
{
    (void)state;
    struct oracle_batch b = batch_of(3, 10, DTYPE_F16, DTYPE_F32);
    b.x_stride = 12;
    b.y_stride = 11;
    b.rows = 4;
    uint16_t *x = make_input(&b);
    float *y = make_reference(&b);
    struct oracle_verdict verdict;
    oracle_host_judge(&b, x, y, &verdict);
    assert_int_equal(verdict.input_changed + verdict.gap_changed + verdict.bad_count, 0);
    x[5]++;
    x[11]++;
    y[10] = 0;
    y[33] = 0;
    y[42] = 0;
    oracle_host_judge(&b, x, y, &verdict);
    assert_int_equal(verdict.input_changed, 2);
    assert_int_equal(verdict.gap_changed, 3);
    assert_int_equal(verdict.bad_count, 0);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_survives_decoding_and_encoding),
        cmocka_unit_test(values_round_to_the_nearest_and_ties_to_even),
        cmocka_unit_test(values_too_large_for_a_half_become_infinite),
        cmocka_unit_test(one_last_place_is_the_distance_to_the_next_value),
        cmocka_unit_test(rows_of_each_kind_hold_what_they_should),
        cmocka_unit_test(rows_begin_with_one_and_with_many_minus_infs),
        cmocka_unit_test(ordinary_rows_are_nearly_normal_and_differ),
        cmocka_unit_test(mixed_rows_take_turns_and_do_not_depend_on_the_number_of_rows),
        cmocka_unit_test(huge_values_keep_their_differences_finite),
        cmocka_unit_test(the_gaps_and_spare_rows_of_the_input_are_poison),
        cmocka_unit_test(peaks_visit_every_column_once),
        cmocka_unit_test(a_column_missed_or_counted_twice_shows_in_its_row_of_peaks),
        cmocka_unit_test(the_rounded_reference_is_right_for_all_types_and_kinds),
        cmocka_unit_test(a_plain_softmax_in_single_precision_is_within_the_bound),
        cmocka_unit_test(the_bound_is_the_designs),
        cmocka_unit_test(an_answer_of_zeros_is_wrong_at_any_length),
        cmocka_unit_test(an_element_that_was_not_written_is_wrong_in_rows_of_numbers),
        cmocka_unit_test(nan_is_required_where_it_is_due_and_wrong_elsewhere),
        cmocka_unit_test(elements_that_all_round_the_wrong_way_fail_by_their_rows_sum),
        cmocka_unit_test(a_wrong_element_is_told_before_another_rows_wrong_sum),
        cmocka_unit_test(results_rounded_to_16_bits_are_off_by_half_of_the_bound_that_rounding_has),
        cmocka_unit_test(a_result_that_overflows_its_type_may_be_infinite),
        cmocka_unit_test(changes_of_the_input_and_of_the_gaps_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
