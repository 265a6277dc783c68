/* Problems that broke a softmax kernel somewhere in public, with the values that did: on the emulator, three
   variants of the default space are right on each, of different schedules as far as there are any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/emulator_proof.h"
#include "tuner/verify/oracle_host.h"

enum { F32 = 1 << DTYPE_F32, F16 = 1 << DTYPE_F16, BF16 = 1 << DTYPE_BF16, ALL = F32 | F16 | BF16 };
enum { VARIANTS_OF_A_CASE = 3 };

/* Every element is normal * deviation + mean, but for columns from `first` to before `end`, and those of
   first_of_every + k * step. */
struct problem_case {
    const char *name;
    int64_t M, N;
    int types;             /* of x, and of y too unless out_f32 */
    float deviation, mean; /* 0 and C: the constant C */
    int64_t first, end;    /* columns that hold `value` instead; equal for none */
    float value;
    int64_t first_of_every, step; /* columns that hold every_value; step 0 for none */
    float every_value;
    int64_t x_stride, y_stride; /* 0: packed rows */
    float scale;                /* 0: the problem is not scaled */
    enum operation op;
    bool out_f32, in_place, element_aligned;
    bool nan_row; /* `value` is in row 1 alone, which becomes NaN */
};

#define NORMAL  .deviation = 1
#define NOTHING .mean = -INFINITY

static const struct problem_case cases[] = {
    {"one column", 7, 1, ALL, NORMAL},
    {"one more than a warp", 5, 33, ALL, NORMAL},
    {"just past a power of two", 9, 1025, ALL, NORMAL},
    {"odd rows misalign every second row", 64, 769, ALL, NORMAL},
    {"base address aligned to one element only", 16, 4096, ALL, NORMAL, .element_aligned = true},
    {"row stride larger than the row", 16, 1000, F32 | BF16, NORMAL, .x_stride = 1024, .y_stride = 1008},
    {"more rows than grid.y allows", 65536, 8, F32, NORMAL},
    {"vocabulary rows", 2, 50257, F32 | BF16, NORMAL},
    {"16-bit logits, f32 probabilities", 4, 32000, F16 | BF16, .deviation = 8, .out_f32 = true},
    {"shared memory limit zone", 2, 40448, F32 | F16, NORMAL},
    {"logits of tens of thousands", 8, 1024, ALL, .deviation = 10000},
    {"all equal and very negative", 8, 1000, ALL, .mean = -60000},
    {"maximum in the last column", 8, 4095, F32 | BF16, NORMAL, .first = 4094, .end = 4095, .value = 50},
    {"first value -inf (an online update from -inf)", 8, 2048, F32 | BF16, NORMAL, .end = 1024,
     .value = -INFINITY},
    {"one finite value", 8, 4096, F32 | BF16, NOTHING, .first = 4001, .end = 4002, .value = 3},
    {"only one warp's contiguous share finite", 8, 8192, F32 | BF16, NOTHING, .first = 1024, .end = 1056,
     .value = 1},
    {"only every 256th column finite", 8, 8192, F32 | BF16, NOTHING, .first_of_every = 5, .step = 256,
     .every_value = 1},
    {"all -inf", 3, 257, ALL, NORMAL, .end = 257, .value = -INFINITY, .nan_row = true},
    {"a NaN", 3, 257, ALL, NORMAL, .first = 100, .end = 101, .value = NAN, .nan_row = true},
    {"a +inf", 3, 257, ALL, NORMAL, .first = 100, .end = 101, .value = INFINITY, .nan_row = true},
    {"results below the smallest normal number", 4, 512, F32, .mean = -95, .end = 1, .value = 0},
    {"log of tiny probabilities", 4, 1000, ALL, .deviation = 30, .mean = 1000, .op = OP_LOG_SOFTMAX},
    {"small temperature", 4, 4096, F32 | BF16, NORMAL, .scale = 1000},
    {"negative scale (the maximum is of the scaled values)", 4, 300, F32, NORMAL, .scale = -2},
    {"in place", 32, 2048, F32 | BF16, NORMAL, .in_place = true},
    {"no rows", 0, 128, F32, NORMAL},
};

static struct proof proof; /* no verifier: the inputs are this file's */

/* ---- a case's input ---- */

static struct problem problem_of(const struct problem_case *c, enum dtype type)
{
    struct problem p = problem_default(c->M, c->N);
    p.op = c->op;
    p.dtype_in = type;
    p.dtype_out = c->out_f32 ? DTYPE_F32 : type;
    p.x_stride = c->x_stride > 0 ? c->x_stride : c->N;
    p.y_stride = c->y_stride > 0 ? c->y_stride : c->N;
    p.align = c->element_aligned ? dtype_size(type) : DEFAULT_ALIGN;
    p.in_place = c->in_place;
    p.scaled = c->scale != 0;
    return p;
}

/* Standard normal: Box and Muller's. */
static double normal(uint64_t index)
{
    uint64_t h = oracle_mix(index + 0x9e3779b97f4a7c15ull);
    double u = ((double)(h >> 32) + 0.5) / 4294967296.0, turn = (double)(h & 0xffffffffu) / 4294967296.0;
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * turn);
}

static float element(const struct problem_case *c, int64_t row, int64_t column)
{
    if (column >= c->first && column < c->end && (!c->nan_row || row == 1))
        return c->value;
    if (c->step > 0 && column % c->step == c->first_of_every)
        return c->every_value;
    if (c->deviation == 0)
        return c->mean;
    return (float)(normal((uint64_t)(row * c->N + column)) * (double)c->deviation + (double)c->mean);
}

/* The caller frees it. Gaps hold poison, and so does the one row of a case without rows. */
static void *make_x(const struct problem_case *c, const struct oracle_batch *b)
{
    size_t bytes = oracle_x_bytes(b);
    void *x = must_malloc(bytes);
    memset(x, ORACLE_POISON, bytes);
    for (int64_t row = 0; row < c->M; row++)
        for (int64_t column = 0; column < c->N; column++)
            oracle_store(b->dtype_in, x, row * b->x_stride + column,
                         oracle_encode(b->dtype_in, element(c, row, column)));
    return x;
}

/* ---- judging ---- */

static double scaled(const struct oracle_batch *b, const void *x, int64_t row, int64_t column)
{
    return oracle_scaled(b, oracle_load(b->dtype_in, x, row * b->x_stride + column));
}

static struct oracle_sums sums_of(const struct oracle_batch *b, const void *x, int64_t row)
{
    struct oracle_sums s = {.top = -INFINITY};
    for (int64_t i = 0; i < b->N; i++) {
        double v = scaled(b, x, row, i);
        s.nan |= isnan(v) || v == (double)INFINITY;
        s.top = v > s.top ? v : s.top;
    }
    s.nan |= s.top == -(double)INFINITY;
    for (int64_t i = 0; i < b->N && !s.nan; i++)
        s.total += exp(scaled(b, x, row, i) - s.top);
    s.log_total = log(s.total);
    return s;
}

static bool row_is_right(const struct oracle_batch *b, const void *x, const void *y, int64_t row,
                         bool is_nan_row)
{
    struct oracle_sums s = sums_of(b, x, row);
    double root = sqrt((double)b->N), sum = 0, sum_bound = 0;
    assert_int_equal(s.nan, is_nan_row); /* the case's own word for it */
    for (int64_t i = 0; i < b->N; i++) {
        double got = oracle_decode(b->dtype_out, oracle_load(b->dtype_out, y, row * b->y_stride + i));
        double v = scaled(b, x, row, i), ref = is_nan_row ? (double)NAN : oracle_reference(b, &s, v);
        double bound = oracle_bound(b, &s, v, ref, root);
        double last = is_nan_row ? 0 : b->tolerance * oracle_last_place(b->dtype_out, ref);
        if (is_nan_row ? !isnan(got) : oracle_error(b, got, ref, bound + last) > 1) {
            print_error("row %lld, column %lld is %g, expected %g\n", (long long)row, (long long)i, got, ref);
            return false;
        }
        sum += got;
        sum_bound += bound + last / 2;
    }
    if (is_nan_row || b->log_softmax || fabs(sum - 1) <= sum_bound)
        return true;
    print_error("row %lld sums to %.9g\n", (long long)row, sum);
    return false;
}

/* Whether the gaps between rows, and the row of a case without rows, still hold poison. */
static bool gaps_are_whole(const struct oracle_batch *b, const void *y)
{
    int64_t elements = (int64_t)oracle_y_bytes(b) / dtype_size((enum dtype)b->dtype_out);
    for (int64_t i = 0; i < elements; i++) {
        bool is_result = i / b->y_stride < b->M && i % b->y_stride < b->N;
        if (!is_result && oracle_load(b->dtype_out, y, i) != oracle_poison(b->dtype_out)) {
            print_error("element %lld of y, which is no result, was written\n", (long long)i);
            return false;
        }
    }
    return true;
}

/* ---- one variant on one case ---- */

struct buffers {
    device_address x, y, workspace;
};

static bool buffers_make(const struct problem *p, const struct oracle_batch *b,
                         const struct launch_plan *plan, struct buffers *at, struct error *e)
{
    const struct device_operations *o = proof.device->operations;
    int64_t bytes;
    *at = (struct buffers){0};
    if (!expression_evaluate(plan->workspace_of_M, b->M, proof.gpu.sms, &bytes, e))
        return false;
    bytes = bytes > 0 ? bytes : 1; /* there is no empty buffer */
    if (!o->allocate(proof.device, (size_t)bytes, 256, &at->workspace, e) ||
        !o->fill(proof.device, at->workspace, 0, (size_t)bytes, e) ||
        !o->allocate(proof.device, oracle_x_bytes(b), (size_t)p->align, &at->x, e))
        return false;
    at->y = at->x;
    return p->in_place || (o->allocate(proof.device, oracle_y_bytes(b), (size_t)p->align, &at->y, e) &&
                           o->fill(proof.device, at->y, ORACLE_POISON, oracle_y_bytes(b), e));
}

static void buffers_release(const struct buffers *at)
{
    const struct device_operations *o = proof.device->operations;
    if (at->workspace != 0)
        o->release(proof.device, at->workspace);
    if (at->y != 0 && at->y != at->x)
        o->release(proof.device, at->y);
    if (at->x != 0)
        o->release(proof.device, at->x);
}

/* Launches, and reads back x and y. */
static bool run(const struct oracle_batch *b, void *module, const struct launch_plan *plan,
                const struct buffers *at, const void *x, void *x_after, void *y, struct error *e)
{
    const struct device_operations *o = proof.device->operations;
    struct launch_values values = {.x = at->x,
                                   .y = at->y,
                                   .workspace = at->workspace,
                                   .M = b->M,
                                   .N = b->N,
                                   .x_stride = b->x_stride,
                                   .y_stride = b->y_stride,
                                   .scale = b->scale};
    return o->write(proof.device, at->x, x, oracle_x_bytes(b), e) &&
           o->launch(proof.device, module, plan, &values, e) && o->guards_whole(proof.device, e) &&
           o->read(proof.device, x_after, at->x, oracle_x_bytes(b), e) &&
           o->read(proof.device, y, at->y, oracle_y_bytes(b), e);
}

static bool judge(const struct problem_case *c, const struct oracle_batch *b, const void *x,
                  const void *x_after, const void *y)
{
    if (!b->in_place && memcmp(x, x_after, oracle_x_bytes(b)) != 0) {
        print_error("the input was changed\n");
        return false;
    }
    for (int64_t row = 0; row < b->M; row++)
        if (!row_is_right(b, x, y, row, c->nan_row && row == 1))
            return false;
    return gaps_are_whole(b, y);
}

static bool is_right(const struct problem_case *c, const struct problem *p, const struct oracle_batch *b,
                     const void *x, void *module, const struct launch_plan *plan)
{
    struct error e = {0};
    struct buffers at;
    void *x_after = must_malloc(oracle_x_bytes(b)), *y = must_malloc(oracle_y_bytes(b));
    bool right = buffers_make(p, b, plan, &at, &e) && run(b, module, plan, &at, x, x_after, y, &e);
    if (!right)
        print_error("%s\n", e.text);
    right = right && judge(c, b, x, x_after, y);
    buffers_release(&at);
    free(x_after);
    free(y);
    return right;
}

static bool variant_is_right(const struct problem_case *c, const struct problem *p,
                             const struct oracle_batch *b, const void *x, const char *key)
{
    struct error e = {0};
    struct source source = proof_source(&proof, key);
    struct image image = proof_compile(&proof, &source);
    struct image_facts facts = {.registers = image.kernels[0].registers,
                                .static_smem_bytes = image.kernels[0].static_smem_bytes};
    struct launch_plan plan;
    void *module = NULL;
    if (!generator_launch(proof.generator, key, "kernel", &facts, &plan, &e) ||
        !proof.device->operations->load(proof.device, &image, &plan, &module, &e))
        fail_msg("%s: %s", key, e.text);
    bool right = is_right(c, p, b, x, module, &plan);
    proof.device->operations->unload(proof.device, module);
    image_clear(&image);
    source_clear(&source);
    return right;
}

/* ---- which variants ---- */

/* An online sum from -inf without a guard, as the article has it, is wrong where a share is all -inf. */
static bool is_unguarded(const char *key)
{
    return strstr(key, "passes=2") != NULL && strstr(key, "guard=none") != NULL;
}

/* Keys begin with the scope. */
static bool same_scope(const char *a, const char *b)
{
    return strcspn(a, ",") == strcspn(b, ",") && strncmp(a, b, strcspn(a, ",")) == 0;
}

static bool is_new(const char *key, const char *const *chosen, int count, bool new_scope)
{
    for (int i = 0; i < count; i++)
        if (strcmp(key, chosen[i]) == 0 || (new_scope && same_scope(key, chosen[i])))
            return false;
    return !is_unguarded(key);
}

/* Variants spread over the list, other ones for each `turn`, of as many schedules as it has. */
static int choose(const json_t *keys, size_t turn, const char *chosen[VARIANTS_OF_A_CASE])
{
    size_t total = json_array_size(keys);
    int count = 0;
    for (int new_scope = 1; new_scope >= 0; new_scope--)
        for (size_t i = 0; i < total && count < VARIANTS_OF_A_CASE; i++) {
            size_t at = (turn * 37 + (size_t)count * total / VARIANTS_OF_A_CASE + i) % total;
            const char *key = json_string_value(json_array_get(keys, at));
            if (is_new(key, chosen, count, new_scope))
                chosen[count++] = key;
        }
    return count;
}

/* Returns how many variants are wrong. */
static int prove(const struct problem_case *c, enum dtype type, size_t turn, int *tried)
{
    struct error e = {0};
    struct problem p = problem_of(c, type);
    if (!problem_check(&p, &e) || !generator_set_problem(proof.generator, &p, &proof.gpu, &e))
        fail_msg("%s: %s", c->name, e.text);
    struct oracle_batch b = verify_batch(&p, &(struct verify_options){.tolerance = 1}, p.M);
    b.rows = p.M > 0 ? p.M : 1; /* with no rows, one that must not be touched */
    b.scale = p.scaled ? c->scale : 1;
    void *x = make_x(c, &b);
    json_t *keys = variants_of(proof.generator);
    const char *chosen[VARIANTS_OF_A_CASE];
    int failures = 0, count = choose(keys, turn, chosen);
    assert_true(count >= 2);
    for (int i = 0; i < count; i++)
        if (!variant_is_right(c, &p, &b, x, chosen[i])) {
            print_error("%s, %s: %s is wrong\n", c->name, dtype_name(type), chosen[i]);
            failures++;
        }
    *tried += count;
    json_decref(keys);
    free(x);
    return failures;
}

static void problems_that_broke_kernels_are_right_with_their_values(void **state)
{
    (void)state;
    int failures = 0, tried = 0;
    size_t turn = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (enum dtype type = DTYPE_F32; type <= DTYPE_BF16; type++)
            if (cases[i].types & 1 << type)
                failures += prove(&cases[i], type, turn++, &tried);
    print_message("%d variants on %zu problems\n", tried, turn);
    assert_int_equal(failures, 0);
}

static void no_columns_are_refused_before_any_launch(void **state)
{
    (void)state;
    struct error e = {0};
    struct problem p = problem_default(4, 0);
    assert_false(problem_check(&p, &e));
    assert_int_equal(e.status, STATUS_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_that_broke_kernels_are_right_with_their_values),
        cmocka_unit_test(no_columns_are_refused_before_any_launch),
    };
    struct error e = {0};
    struct problem p = problem_default(8, 1024);
    proof = (struct proof){.compiler = proof_compiler(), .gpu = gpu_of("sm_90")};
    if (proof.compiler == NULL)
        return 77;
    if (!emulator_device_open(&proof.gpu, &proof.device, &e))
        proof_die(&e);
    proof.generator = space_for("softmax", false, &p, "sm_90");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    proof_close(&proof);
    compiler_close(proof.compiler);
    return failed;
}
