/* The verifier, on a device of host memory whose modules are C functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/devices/device.h"
#include "tuner/verify/oracle_host.h"
#include "tuner/verify/verify.h"

/* ---- the device ---- */

enum { LOG_MAX = 4096, GUARD = 256 };

struct test_device {
    struct device device;
    int launches;
    int64_t rows[LOG_MAX];
    float scales[LOG_MAX];
    int live; /* buffers */
    bool broken_oracle, lost;
};

typedef void kernel(struct test_device *d, const struct launch_values *v);

static struct test_device *device_of(struct device *d)
{
    return (struct test_device *)d;
}

static void *host(device_address address)
{
    return (void *)(uintptr_t)address;
}

/* The guards: GUARD bytes after each buffer, whose place is kept before it. */
static struct guarded {
    char *base, *end;
} buffers[16];

static bool allocate(struct device *d, size_t bytes, size_t align, device_address *address, struct error *e)
{
    (void)align, (void)e;
    for (int i = 0; i < 16; i++)
        if (buffers[i].base == NULL) {
            buffers[i].base = must_malloc(bytes + GUARD);
            buffers[i].end = buffers[i].base + bytes;
            memset(buffers[i].end, ORACLE_POISON, GUARD);
            *address = (uintptr_t)buffers[i].base;
            device_of(d)->live++;
            return true;
        }
    return false;
}

static void release(struct device *d, device_address address)
{
    for (int i = 0; i < 16; i++)
        if (buffers[i].base == host(address)) {
            free(buffers[i].base);
            buffers[i].base = NULL;
            device_of(d)->live--;
        }
}

static bool fill(struct device *d, device_address address, unsigned char byte, size_t bytes, struct error *e)
{
    (void)d, (void)e;
    memset(host(address), byte, bytes);
    return true;
}

static bool read_bytes(struct device *d, void *to, device_address from, size_t bytes, struct error *e)
{
    if (device_of(d)->lost)
        return error_set(e, STATUS_MISSING, "lost");
    memcpy(to, host(from), bytes);
    return true;
}

static bool write_bytes(struct device *d, device_address to, const void *from, size_t bytes, struct error *e)
{
    (void)d, (void)e;
    memcpy(host(to), from, bytes);
    return true;
}

static bool guards_whole(struct device *d, struct error *e)
{
    (void)d;
    for (int i = 0; i < 16; i++)
        for (int k = 0; buffers[i].base != NULL && k < GUARD; k++)
            if (buffers[i].end[k] != ORACLE_POISON) {
                memset(buffers[i].end, ORACLE_POISON, GUARD);
                return error_set(e, STATUS_MISSING, "writes beyond its buffer by %d bytes", k);
            }
    return true;
}

static bool launch(struct device *d, void *module, const struct launch_plan *plan,
                   const struct launch_values *v, struct error *e)
{
    (void)plan;
    struct test_device *t = device_of(d);
    kernel *run;
    memcpy(&run, module, sizeof run);
    assert_true(v->M > 0);
    t->rows[t->launches] = v->M;
    t->scales[t->launches++] = v->scale;
    run(t, v);
    return !t->lost || error_set(e, STATUS_MISSING, "an illegal memory access");
}

static bool make_input(struct device *d, const struct oracle_batch *b, device_address x, struct error *e)
{
    (void)e;
    oracle_host_make_input(b, host(x));
    if (device_of(d)->broken_oracle)
        *(unsigned *)host(x) ^= 1;
    return true;
}

static bool judge(struct device *d, const struct oracle_batch *b, device_address x, device_address y,
                  struct oracle_verdict *verdict, struct error *e)
{
    (void)d, (void)e;
    oracle_host_judge(b, host(x), host(y), verdict);
    return true;
}

static json_t *count(struct device *d, void *module, const struct launch_plan *plan, const struct problem *p)
{
    (void)d, (void)module, (void)plan;
    return json_pack("{s:I}", "rows", (json_int_t)p->M);
}

static const struct device_operations operations = {.name = "test",
                                                    .allocate = allocate,
                                                    .release = release,
                                                    .fill = fill,
                                                    .read = read_bytes,
                                                    .write = write_bytes,
                                                    .guards_whole = guards_whole,
                                                    .launch = launch,
                                                    .make_input = make_input,
                                                    .judge = judge,
                                                    .count = count};

static struct test_device test_device(void)
{
    return (struct test_device){
        .device = {
            .operations = &operations, .batch_elements = 1 << 20, .verify_launches = 24, .gpu = {.sms = 4}}};
}

/* ---- kernels ---- */

static enum dtype dtype;

static double load(const struct launch_values *v, int64_t row, int64_t c)
{
    return oracle_decode((int)dtype, oracle_load((int)dtype, host(v->x), row * v->x_stride + c));
}

static void store(const struct launch_values *v, int64_t row, int64_t c, double value)
{
    oracle_store((int)dtype, host(v->y), row * v->y_stride + c, oracle_encode((int)dtype, (float)value));
}

/* Of the scaled values, `columns` of which are counted. */
static void softmax_row(const struct launch_values *v, int64_t row, int64_t columns)
{
    double *z = must_malloc((size_t)v->N * sizeof *z), top = -INFINITY, total = 0;
    bool nan = false;
    for (int64_t c = 0; c < v->N; c++) {
        z[c] = v->scale * load(v, row, c);
        nan |= isnan(z[c]);
        top = z[c] > top ? z[c] : top;
    }
    for (int64_t c = 0; c < columns; c++)
        total += exp(z[c] - top);
    for (int64_t c = 0; c < v->N; c++)
        store(v, row, c, nan ? NAN : exp(z[c] - top) / total);
    free(z);
}

static void right(struct test_device *d, const struct launch_values *v)
{
    (void)d;
    for (int64_t row = 0; row < v->M; row++)
        softmax_row(v, row, v->N);
}

static void skips_last(struct test_device *d, const struct launch_values *v)
{
    (void)d;
    for (int64_t row = 0; row < v->M; row++)
        softmax_row(v, row, v->N - 1);
}

static void unguarded(struct test_device *d, const struct launch_values *v)
{
    right(d, v);
    for (int64_t row = 0; row < v->M; row++)
        for (int64_t c = 0; load(v, row, 0) == -INFINITY && c < v->N; c++)
            store(v, row, c, NAN);
}

static void writes_beyond(struct test_device *d, const struct launch_values *v)
{
    right(d, v);
    store(v, v->M - 1, v->N, 0);
}

static void writes_a_row_too_many(struct test_device *d, const struct launch_values *v)
{
    right(d, v);
    if (d->launches > 1 && d->rows[d->launches - 1] < d->rows[0])
        store(v, v->M, 0, 0);
}

static void changes_input(struct test_device *d, const struct launch_values *v)
{
    right(d, v);
    *(unsigned *)host(v->x) ^= 1;
}

static void needs_a_clean_workspace(struct test_device *d, const struct launch_values *v)
{
    unsigned *used = host(v->workspace);
    if ((*used)++ == 0)
        right(d, v);
}

static void needs_the_workspace_of_the_last_run(struct test_device *d, const struct launch_values *v)
{
    unsigned *runs = host(v->workspace);
    if ((int)(*runs)++ == d->launches - 1)
        right(d, v);
}

static void ignores_scale(struct test_device *d, const struct launch_values *v)
{
    struct launch_values plain = *v;
    plain.scale = 0.7f;
    right(d, &plain);
}

static void faults(struct test_device *d, const struct launch_values *v)
{
    right(d, v);
    d->lost = true;
}

/* ---- what the tests share ---- */

static struct variant_verdict run(struct test_device *d, struct problem p, struct verify_options options,
                                  kernel *k)
{
    struct launch_plan plan = {.count = 1, .workspace_of_M = "M * 4"};
    struct variant_verdict verdict;
    struct error e;
    dtype = p.dtype_in;
    options.tolerance = 1;
    struct verifier *v = verifier_open(&d->device, &p, &options, &e);
    assert_non_null(v);
    verifier_run(v, &k, &plan, &verdict);
    verifier_close(v);
    assert_int_equal(d->live, 0);
    json_decref(verdict.counts);
    return verdict;
}

static struct variant_verdict run_on(struct problem p, kernel *k)
{
    struct test_device d = test_device();
    return run(&d, p, (struct verify_options){.seed = 3}, k);
}

static void assert_wrong(struct problem p, kernel *k, const char *begin)
{
    struct variant_verdict verdict = run_on(p, k);
    assert_int_equal(verdict.verdict, VERDICT_CORRECTNESS);
    verdict.reason[strlen(begin)] = '\0';
    assert_string_equal(verdict.reason, begin);
}

/* ---- tests ---- */

static void a_right_variant_is_correct_for_every_type_and_shape(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{64, 300}, {1, 1}, {1, 1000}, {2, 17}, {5, 2000}, {300, 3}};
    for (int i = 0; i < 6; i++)
        for (int t = 0; t < 3; t++)
            for (int flags = 0; flags < 4; flags++) {
                struct problem p = problem_default(shapes[i][0], shapes[i][1]);
                p.dtype_in = p.dtype_out = (enum dtype)t;
                p.in_place = flags & 1;
                p.scaled = flags & 2;
                p.x_stride = p.y_stride = p.N + 3;
                struct variant_verdict verdict = run_on(p, right);
                assert_string_equal(verdict.reason, "");
                assert_int_equal(verdict.verdict, VERDICT_CORRECT);
                assert_true(verdict.max_error <= 1);
            }
}

static void wrong_variants_are_told_with_kind_row_and_column(void **state)
{
    (void)state;
    struct problem p = problem_default(32, 200);
    assert_wrong(p, skips_last, "wrong on rows of ordinary values: row ");
    assert_wrong(p, unguarded, "wrong on rows that begin with -inf: row 1, column 0 is nan, expected 0");
    assert_wrong(p, writes_beyond, "writes beyond its buffer by 0 bytes");
    assert_wrong(p, writes_a_row_too_many,
                 "writes beyond its rows: 1 elements between or after the rows of y");
    assert_wrong(p, changes_input, "changes its input: 1 elements of x differ afterwards");
    p.y_stride = 201;
    p.M = 1;
    p.N = 199;
    assert_wrong(p, writes_beyond, "writes beyond its buffer by 0 bytes");
    p.M = 4;
    p.x_stride = 203;
    assert_wrong(p, writes_a_row_too_many, "writes beyond its rows");
}

static void a_device_that_was_written_to_astray_is_not_used_again(void **state)
{
    (void)state;
    assert_true(run_on(problem_default(32, 200), writes_beyond).device_lost);
    assert_true(run_on(problem_default(32, 200), changes_input).device_lost);
    assert_false(run_on(problem_default(32, 200), skips_last).device_lost);
}

static void a_variant_that_leaves_its_workspace_dirty_is_wrong(void **state)
{
    (void)state;
    assert_wrong(problem_default(32, 100), needs_a_clean_workspace, "wrong on rows");
    assert_int_equal(run_on(problem_default(32, 100), needs_the_workspace_of_the_last_run).verdict,
                     VERDICT_CORRECT);
}

static void scaled_problems_are_run_with_several_scales(void **state)
{
    (void)state;
    struct problem p = problem_default(32, 100);
    p.scaled = true;
    struct test_device d = test_device();
    run(&d, p, (struct verify_options){0}, right);
    bool small = false, large = false, negative = false;
    for (int i = 0; i < d.launches; i++) {
        small |= d.scales[i] == 0.7f;
        large |= d.scales[i] == 1000;
        negative |= d.scales[i] == -2;
    }
    assert_true(small && large && negative);
    assert_wrong(p, ignores_scale, "wrong on rows");
}

static void other_numbers_of_rows_are_tried_but_never_none(void **state)
{
    (void)state;
    struct test_device d = test_device();
    run(&d, problem_default(100, 64), (struct verify_options){0}, right);
    bool odd = false, one = false;
    for (int i = 0; i < d.launches; i++) {
        odd |= d.rows[i] == 51;
        one |= d.rows[i] == 1;
        assert_true(d.rows[i] >= 1 && d.rows[i] <= 100);
    }
    assert_true(odd && one);
    d = test_device();
    run(&d, problem_default(0, 64), (struct verify_options){0}, right);
    assert_int_equal(d.rows[0], 1);
}

static void a_tuning_run_keeps_to_the_devices_launches_and_elements(void **state)
{
    (void)state;
    struct test_device d = test_device();
    d.device.verify_launches = 5;
    d.device.batch_elements = 10000;
    run(&d, problem_default(1000, 1000), (struct verify_options){0}, right);
    assert_true(d.launches <= 6); /* one of the five runs twice */
    for (int i = 0; i < d.launches; i++)
        assert_true(d.rows[i] <= 10);
    int launches = d.launches;
    d = test_device();
    d.device.batch_elements = 10000;
    run(&d, problem_default(1000, 1000), (struct verify_options){.thorough = true}, right);
    assert_true(d.launches > launches);
}

/* Misses one column, wherever that is. */
static int64_t missed;

static void misses_a_column(struct test_device *d, const struct launch_values *v)
{
    (void)d;
    for (int64_t row = 0; row < v->M; row++) {
        double top = -INFINITY, total = 0;
        for (int64_t c = 0; c < v->N; c++)
            top = load(v, row, c) > top ? load(v, row, c) : top;
        for (int64_t c = 0; c < v->N; c++)
            total += c == missed ? 0 : exp(load(v, row, c) - top);
        for (int64_t c = 0; c < v->N; c++)
            store(v, row, c, exp(load(v, row, c) - top) / total);
    }
}

static void a_missed_column_is_found_wherever_it_is(void **state)
{
    (void)state;
    struct problem p = problem_default(16, 3001);
    p.dtype_in = p.dtype_out = DTYPE_BF16;
    for (missed = 0; missed < p.N; missed += 250) {
        struct test_device d = test_device();
        struct variant_verdict verdict =
            run(&d, p, (struct verify_options){.thorough = true}, misses_a_column);
        assert_int_equal(verdict.verdict, VERDICT_CORRECTNESS);
    }
}

static void a_fault_is_a_runtime_failure_and_the_device_is_lost(void **state)
{
    (void)state;
    struct variant_verdict verdict = run_on(problem_default(4, 10), faults);
    assert_int_equal(verdict.verdict, VERDICT_RUNTIME);
    assert_string_equal(verdict.reason, "an illegal memory access");
    assert_true(verdict.device_lost);
    assert_true(isnan(verdict.max_error));
}

static void counts_are_of_the_whole_problem(void **state)
{
    (void)state;
    struct test_device d = test_device();
    struct problem p = problem_default(1000, 16);
    struct verify_options options = {.rows = 8, .tolerance = 1};
    struct launch_plan plan = {.count = 1, .workspace_of_M = "0"};
    struct variant_verdict verdict;
    struct error e;
    kernel *k = right;
    dtype = DTYPE_F32;
    struct verifier *v = verifier_open(&d.device, &p, &options, &e);
    verifier_run(v, &k, &plan, &verdict);
    assert_int_equal(json_integer_value(json_object_get(verdict.counts, "rows")), 1000);
    json_decref(verdict.counts);
    verifier_close(v);
}

static void a_device_whose_oracle_is_broken_is_refused(void **state)
{
    (void)state;
    struct test_device d = test_device();
    d.broken_oracle = true;
    struct problem p = problem_default(4, 10);
    struct error e;
    assert_null(verifier_open(&d.device, &p, &(struct verify_options){0}, &e));
    assert_int_equal(e.status, STATUS_MISSING);
    assert_string_equal(e.text, "the test device does not make the verifier's inputs as this CPU does");
    assert_int_equal(d.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_variant_is_correct_for_every_type_and_shape),
        cmocka_unit_test(wrong_variants_are_told_with_kind_row_and_column),
        cmocka_unit_test(a_device_that_was_written_to_astray_is_not_used_again),
        cmocka_unit_test(a_variant_that_leaves_its_workspace_dirty_is_wrong),
        cmocka_unit_test(scaled_problems_are_run_with_several_scales),
        cmocka_unit_test(other_numbers_of_rows_are_tried_but_never_none),
        cmocka_unit_test(a_tuning_run_keeps_to_the_devices_launches_and_elements),
        cmocka_unit_test(a_missed_column_is_found_wherever_it_is),
        cmocka_unit_test(a_fault_is_a_runtime_failure_and_the_device_is_lost),
        cmocka_unit_test(counts_are_of_the_whole_problem),
        cmocka_unit_test(a_device_whose_oracle_is_broken_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
