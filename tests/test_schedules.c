/* Every row schedule and residency on the emulator, on rows and types that are awkward for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/emulator_proof.h"

static struct compiler *compiler;

#define ONCE  "vec_bytes=16,exp=ex2,passes=2,guard=clamped"
#define BLOCK ONCE ",reduction=butterfly"
#define LANES "vec_bytes=16,exp=ex2,passes=3,reduction=none,cache=registers"

static const struct schedule {
    const char *variant;
    const char *arch;
    int64_t N;
    enum dtype in, out;
} schedules[] = {
    {"scope=block,threads=64,cache=registers," BLOCK, "sm_75", 1025, DTYPE_F32, DTYPE_F32},
    {"scope=block,threads=64,cache=registers," BLOCK, "sm_75", 1023, DTYPE_BF16, DTYPE_BF16},
    {"scope=block,threads=64,cache=packed," BLOCK, "sm_80", 1025, DTYPE_BF16, DTYPE_BF16},
    {"scope=block,threads=64,cache=packed," BLOCK, "sm_86", 1000, DTYPE_F16, DTYPE_F32},
    {"scope=block,threads=64,cache=shared,load=no_allocate,store=stream," BLOCK, "sm_89", 1025, DTYPE_F16,
     DTYPE_F16},
    {"scope=block,threads=64,cache=both,load=stream," BLOCK, "sm_90", 2051, DTYPE_F32, DTYPE_BF16},
    {"scope=block,threads=64,cache=both," BLOCK, "sm_100", 2051, DTYPE_BF16, DTYPE_BF16},
    {"scope=block,threads=64,cache=none,update=vector," BLOCK, "sm_120", 1025, DTYPE_F32, DTYPE_F32},
    {"scope=block,threads=64,cache=registers,load=no_allocate,vec_bytes=32,exp=ex2,passes=2,guard=clamped,"
     "reduction=butterfly",
     "sm_120", 1025, DTYPE_BF16, DTYPE_F32},
    {"scope=warp,lanes=32,threads=64," LANES, "sm_75", 257, DTYPE_F32, DTYPE_F32},
    {"scope=warp,lanes=4,threads=64,programmatic=prefetch," LANES, "sm_90", 65, DTYPE_BF16, DTYPE_BF16},
    {"scope=tile,lanes=8,rows=32,threads=128," LANES, "sm_75", 65, DTYPE_BF16, DTYPE_BF16},
    {"scope=tile,lanes=1,rows=64,threads=64," LANES, "sm_90", 7, DTYPE_F32, DTYPE_F16},
    {"scope=cluster,blocks=2,threads=64,cache=registers," BLOCK, "sm_90", 1025, DTYPE_F32, DTYPE_F32},
    {"scope=cluster,blocks=4,threads=64,cache=packed,programmatic=true," BLOCK, "sm_100", 4099, DTYPE_BF16,
     DTYPE_F32},
    {"scope=cluster,blocks=8,threads=32,cache=shared,programmatic=prefetch," BLOCK, "sm_120", 4099, DTYPE_F16,
     DTYPE_F16},
    {"scope=cluster,blocks=16,threads=96,cache=registers," BLOCK, "sm_90", 8193, DTYPE_F32, DTYPE_F32},
    {"scope=grid,blocks=8,threads=64,cache=registers," BLOCK, "sm_75", 2049, DTYPE_F32, DTYPE_F32},
    {"scope=grid,blocks=16,threads=64,cache=packed,programmatic=prefetch," BLOCK, "sm_90", 8199, DTYPE_BF16,
     DTYPE_BF16},
    {"scope=grid,blocks=64,threads=64,cache=shared," BLOCK, "sm_80", 16385, DTYPE_F32, DTYPE_F32},
    {"scope=split,blocks=8,threads=64,cache=registers," BLOCK, "sm_75", 2049, DTYPE_F16, DTYPE_F16},
    {"scope=split,blocks=64,threads=32,cache=registers,programmatic=true," BLOCK, "sm_90", 8193, DTYPE_F32,
     DTYPE_F32},
    {"scope=tile,lanes=4,rows=64,threads=128,programmatic=true," LANES, "sm_90", 63, DTYPE_BF16, DTYPE_BF16},
    {"scope=tile,lanes=16,rows=16,threads=128," LANES, "sm_80", 257, DTYPE_F16, DTYPE_F32},
    {"scope=tile,lanes=1,rows=1024,threads=256," LANES, "sm_120", 3, DTYPE_BF16, DTYPE_BF16},
    {"scope=cluster,blocks=16,threads=192,cache=both,resident=960,vec_bytes=16,exp=ex2,passes=2,guard=clamped,"
     "reduction=butterfly",
     "sm_90", 65537, DTYPE_BF16, DTYPE_BF16},
};

/* Which of an operation's other circumstances a schedule meets. */
static struct problem problem_for(const struct schedule *s, int kind)
{
    struct problem p = problem_default(64, s->N);
    p.dtype_in = s->in;
    p.dtype_out = s->out;
    p.op = kind % 3 == 1 ? OP_LOG_SOFTMAX : OP_SOFTMAX;
    p.scaled = kind % 4 == 2;
    p.in_place = s->in == s->out && kind % 2 == 1;
    return p;
}

static struct variant_verdict prove(const char *variant, const char *arch, const struct problem *p,
                                    int64_t rows)
{
    struct proof f = proof_open(compiler, "softmax", true, arch, p, rows);
    struct variant_verdict verdict = proof_variant(&f, variant);
    proof_close(&f);
    return verdict;
}

static void every_schedule_is_right(void **state)
{
    (void)state;
    int failures = 0;
    for (int i = 0; i < (int)(sizeof schedules / sizeof schedules[0]); i++) {
        const struct schedule *s = &schedules[i];
        struct problem p = problem_for(s, i);
        struct variant_verdict verdict = prove(s->variant, s->arch, &p, 5);
        if (verdict.verdict != VERDICT_CORRECT) {
            print_error("%s, N = %lld, %s: %s\n", s->variant, (long long)s->N, s->arch, verdict.reason);
            failures++;
        }
        json_decref(verdict.counts);
    }
    assert_int_equal(failures, 0);
}

/* 32 rows of 66 16-bit elements, four at a time: 33 wavefronts into shared memory and out of it, and for each
   four rows 9 elements a lane, each way. */
static void rows_copied_together_meet_no_bank_conflict(void **state)
{
    (void)state;
    struct problem p = problem_default(32, 66);
    p.dtype_in = p.dtype_out = DTYPE_F16;
    struct variant_verdict verdict = prove("scope=tile,lanes=8,rows=32,threads=32," LANES, "sm_90", &p, 5);
    assert_int_equal(verdict.verdict, VERDICT_CORRECT);
    assert_int_equal(json_integer_value(json_object_get(verdict.counts, "shared_wavefronts")),
                     2 * 33 + 2 * 8 * 9);
    json_decref(verdict.counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_schedule_is_right),
                                       cmocka_unit_test(rows_copied_together_meet_no_bank_conflict)};
    compiler = proof_compiler();
    if (compiler == NULL)
        return 77;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
