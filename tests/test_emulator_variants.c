/* Variants of the templates on the emulator: a sample of valid pairs of variant and problem, and v1 to v5.
   None is accused, and all are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/emulator_proof.h"

enum { VARIANTS_OF_A_PROBLEM = 7, AHEAD = 4 };

static struct compiler *compiler;

/* One variant under way. */
struct candidate {
    const char *key;
    struct source source;
};

static bool submit(const struct proof *f, struct candidate *c, uint64_t ticket)
{
    struct error e = {0};
    c->source = proof_source(f, c->key);
    struct compile_request request = {
        .ticket = ticket, .source = &c->source, .arch = f->gpu.arch, .line_info = true};
    if (!compiler_submit(f->compiler, &request, &e))
        proof_die(&e);
    return true;
}

/* Whether the variant is wrong by its nature: an online sum from -inf without a guard, as the article has it.
 */
static bool is_unguarded(const char *key)
{
    return strstr(key, "passes=2") != NULL && strstr(key, "guard=none") != NULL;
}

static int finish(const struct proof *f, const struct candidate *c, struct compile_result *r)
{
    if (r->outcome != COMPILE_DONE) {
        print_error("%s: %s\n", c->key, r->reason);
        free(r->reason);
        return 1;
    }
    struct variant_verdict verdict = proof_verify(f, c->key, &r->image);
    bool right = verdict.verdict == VERDICT_CORRECT ||
                 (is_unguarded(c->key) && strstr(verdict.reason, "wrong on rows") != NULL);
    if (!right)
        print_error("%s: %s\n", c->key, verdict.reason);
    json_decref(verdict.counts);
    return !right;
}

/* Proves `count` keys, compiling the next while one runs. Returns how many are wrong. */
static int prove(const struct proof *f, struct candidate *candidates, int count)
{
    int failures = 0;
    for (int sent = 0, done = 0; done < count; done++) {
        for (; sent < count && sent < done + AHEAD; sent++)
            submit(f, &candidates[sent], (uint64_t)sent);
        struct compile_result r;
        if (!compiler_next(f->compiler, COMPILE_SECONDS, &r)) {
            print_error("the compiler does not answer\n");
            return failures + 1;
        }
        failures += finish(f, &candidates[r.ticket], &r);
        source_clear(&candidates[r.ticket].source);
    }
    return failures;
}

/* At most `most` variants spread evenly over the space, other ones for each `offset`, on launches of `rows`
   rows (0: the device chooses). */
static int prove_sample(const char *arch, const struct problem *p, int64_t rows, size_t most, int offset,
                        int *tried)
{
    struct proof f = proof_open(compiler, "softmax", true, arch, p, rows);
    json_t *keys = variants_of(f.generator);
    size_t total = json_array_size(keys), count = total < most ? total : most;
    struct candidate candidates[VARIANTS_OF_A_PROBLEM];
    for (size_t i = 0; i < count; i++)
        candidates[i].key =
            json_string_value(json_array_get(keys, (i * total / count + (size_t)offset * 37) % total));
    int failures = prove(&f, candidates, (int)count);
    *tried += (int)count;
    json_decref(keys);
    proof_close(&f);
    if (failures > 0)
        print_error("%d of %zu are wrong for N = %lld, %s\n", failures, count, (long long)p->N, arch);
    return failures;
}

static void a_sample_of_the_space_is_right_for_every_target(void **state)
{
    (void)state;
    static const char *const targets[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};
    static const int64_t columns[] = {1,    7,    32,   33,   100,  257,  512,  769,
                                      1000, 1024, 1025, 2048, 4095, 8192, 16384};
    static const enum dtype types[][2] = {
        {DTYPE_F32, DTYPE_F32}, {DTYPE_F16, DTYPE_F16}, {DTYPE_BF16, DTYPE_BF16}, {DTYPE_BF16, DTYPE_F32}};
    int failures = 0, tried = 0, kind = 0;
    for (size_t n = 0; n < sizeof columns / sizeof columns[0]; n++) {
        for (int t = 0; t < 3; t++, kind++) {
            struct problem p = problem_default(64, columns[n]);
            const enum dtype *type = types[kind % 11 == 10 ? 3 : t];
            p.dtype_in = type[0];
            p.dtype_out = type[1];
            p.op = kind % 5 == 4 ? OP_LOG_SOFTMAX : OP_SOFTMAX;
            p.in_place = kind % 7 == 6 && type[0] == type[1];
            p.scaled = kind % 6 == 5;
            failures +=
                prove_sample(targets[kind % 7], &p, p.N > 2000 ? 3 : 10, VARIANTS_OF_A_PROBLEM, kind, &tried);
        }
    }
    print_message("%d pairs of variant and problem\n", tried);
    assert_true(tried >= 300);
    assert_int_equal(failures, 0);
}

static void shapes_that_broke_kernels_elsewhere_are_right(void **state)
{
    (void)state;
    struct problem p[12];
    int count = 0, failures = 0, tried = 0;
    p[count++] = problem_default(7, 1);
    p[count] = problem_default(16, 4096); /* aligned to one element only */
    p[count++].align = 4;
    p[count] = problem_default(16, 1000); /* rows with gaps */
    p[count].x_stride = 1024;
    p[count++].y_stride = 1008;
    p[count++] = problem_default(65536, 8); /* more rows than grid.y has */
    p[count] = problem_default(64, 769);    /* odd rows of two bytes */
    p[count].align = 4;
    p[count++].dtype_in = DTYPE_BF16;
    p[count++] = problem_default(2, 50257);
    p[count] = problem_default(4, 32000);
    p[count++].dtype_in = DTYPE_F16;
    p[count] = problem_default(2, 40448); /* near what shared memory holds */
    p[count].dtype_in = DTYPE_F16;
    p[count++].dtype_out = DTYPE_F16;
    p[count] = problem_default(32, 2048);
    p[count++].in_place = true;
    p[count] = problem_default(4, 300);
    p[count++].scaled = true;
    p[count] = problem_default(4, 1000);
    p[count].dtype_in = p[count].dtype_out = DTYPE_F16;
    p[count++].op = OP_LOG_SOFTMAX;
    p[count++] = problem_default(9, 1025);
    for (int i = 0; i < count; i++)
        failures +=
            prove_sample(i % 2 == 0 ? "sm_90" : "sm_120", &p[i], p[i].N > 20000 ? 1 : 0, 2, i, &tried);
    assert_int_equal(failures, 0);
}

static void the_articles_kernels_are_right_but_for_v5(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    struct proof f = proof_open(compiler, "article", false, "sm_120", &p, 8);
    static const char *const presets[] = {"v1", "v2", "v3", "v4", "v5"};
    static const int64_t load_sectors[] = {201326592, 25165824, 25165824, 25165824, 16777216};
    static const int64_t store_sectors[] = {67108864, 8388608, 8388608, 8388608, 8388608};
    for (int i = 0; i < 5; i++) {
        struct variant_verdict verdict = proof_variant(&f, presets[i]);
        if (i < 4)
            assert_int_equal(verdict.verdict, VERDICT_CORRECT);
        else
            assert_non_null(strstr(verdict.reason, "wrong on rows that begin with -inf"));
        /* The article's profiler read as many, and a little of its own. */
        json_t *loads = json_object_get(verdict.counts, "global_load_sectors");
        json_t *requests = json_object_get(verdict.counts, "global_load_requests");
        json_t *stores = json_object_get(verdict.counts, "global_store_sectors");
        assert_int_equal(json_integer_value(loads), load_sectors[i]);
        assert_int_equal(json_integer_value(stores), store_sectors[i]);
        if (i == 0)
            assert_int_equal(json_integer_value(loads) / json_integer_value(requests), 32);
        json_decref(verdict.counts);
    }
    proof_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_articles_kernels_are_right_but_for_v5),
        cmocka_unit_test(shapes_that_broke_kernels_elsewhere_are_right),
        cmocka_unit_test(a_sample_of_the_space_is_right_for_every_target),
    };
    compiler = proof_compiler();
    if (compiler == NULL)
        return 77;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
