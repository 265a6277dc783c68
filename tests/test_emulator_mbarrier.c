/* Transaction barriers and asynchronous stores on the emulator: what they do, and what a kernel may do wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/emulator_run.h"

enum { SEEDS = 20 };

#define VARIABLES ".shared .align 16 .b8 s[256];\n.shared .align 8 .b8 bar[16];"
/* %r10: the address of s, %r11: of bar, %r12: the other block's rank, %p1: this is not thread 0, %r13 and
   %r14: s and bar in the other block. Lines 1 to 8. */
#define NAMES                                                                                                \
    "mov.u32 %r10, s;\nmov.u32 %r11, bar;\nmov.u32 %r12, %cluster_ctarank;\nxor.b32 %r12, %r12, 1;\n"        \
    "setp.ne.u32 %p1, %r1, 0;\nmapa.shared::cluster.u32 %r13, %r10, %r12;\n"                                 \
    "mapa.shared::cluster.u32 %r14, %r11, %r12;\n\n"
#define INIT(count) "@!%p1 mbarrier.init.shared::cta.b64 [%r11], " count ";\n"
#define FENCE       "fence.mbarrier_init.release.cluster;\n"
#define EXPECT(n)   "@!%p1 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%r11], " n ";\n"
#define BEGUN       "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
#define SEND        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
/* Lines 9 to 13. */
#define READY(bytes) INIT("1") FENCE EXPECT(bytes) BEGUN
#define TELL         "@!%p1 " SEND ".v2.b32 [%r13], {%r2, 77}, [%r14];\n"
#define TRY(n)       "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r11], " n ";\n"
/* Two lines and the label's. */
#define HEAR   "HEAR:\n" TRY("0") "@!%p2 bra HEAR;\n"
#define OUT    "mad.lo.u32 %r40, %r2, 256, 0;\ncvt.u64.u32 %rd10, %r40;\nadd.s64 %rd10, %rd10, %rd2;\n"
#define READ   "ld.shared.v2.u32 {%r20, %r21}, [%r10];\n"
#define REPORT OUT "@!%p1 st.global.v2.u32 [%rd10], {%r20, %r21};\n"

static struct run pair(void)
{
    return (struct run){.grid = 2, .cluster = 2, .block = 64, .declarations = VARIABLES};
}

static void right_for_all_seeds(struct run *r, const char *body)
{
    for (r->seed = 0; r->seed < SEEDS; r->seed++)
        run_right(r, body);
}

static void wrong_for_all_seeds(struct run *r, const char *body, const char *text)
{
    for (r->seed = 0; r->seed < SEEDS; r->seed++)
        run_wrong(r, body, text);
}

static void what_is_stored_asynchronously_has_come_when_the_phase_is_complete(void **state)
{
    (void)state;
    struct run r = pair();
    for (r.seed = 0; r.seed < SEEDS; r.seed++) {
        run_right(&r, NAMES READY("8") TELL HEAR READ REPORT);
        assert_int_equal(r.out[0], 1);
        assert_int_equal(r.out[1], 77);
        assert_int_equal(r.out[64], 0);
        assert_int_equal(r.out[65], 77);
    }
    /* Every thread writes 16 bytes to a place of its own. */
    r.declarations = ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b8 bar[16];";
    right_for_all_seeds(
        &r,
        NAMES READY(
            "1024") "mad.lo.u32 %r15, %r1, 16, %r13;\n" SEND
                    ".v4.f32 [%r15], {%r1, %r2, 3, 4}, [%r14+0];\n" HEAR
                    "mad.lo.u32 %r16, %r1, 16, %r10;\nld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r16];\n"
                    "mad.lo.u32 %r40, %r2, 256, 0;\nmad.lo.u32 %r40, %r1, 4, %r40;\n"
                    "cvt.u64.u32 %rd10, %r40;\nadd.s64 %rd10, %rd10, %rd2;\nst.global.u32 [%rd10], %r20;\n");
    assert_int_equal(r.out[63], 63);
    /* To the own block, of 8 bytes each, and asked without waiting. */
    r = (struct run){.declarations = VARIABLES};
    right_for_all_seeds(
        &r, NAMES READY(
                "256") "mapa.shared::cluster.u32 %r13, %r10, 0;\nmapa.shared::cluster.u32 %r14, %r11, 0;\n"
                       "mad.lo.u32 %r15, %r1, 8, %r13;\ncvt.u64.u32 %rd6, %r1;\n" SEND
                       ".b64 [%r15], %rd6, [%r14];\nHEAR:\n"
                       "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra HEAR;\n"
                       "mad.lo.u32 %r16, %r1, 8, %r10;\nld.shared.u32 %r9, [%r16];\n"
                       "add.s64 %rd9, %rd2, %rd4;\nst.global.u32 [%rd9], %r9;\n");
    assert_int_equal(r.out[31], 31);
}

/* Each thread writes a word, arrives, waits and reads the word of the other warp; then again in the next
 * phase. */
#define PHASES(arrive, wait, after)                                                                          \
    INIT("64")                                                                                               \
    "bar.sync 0;\nmad.lo.u32 %r20, %r1, 4, %r10;\nxor.b32 %r21, %r1, 32;\n"                                  \
    "mad.lo.u32 %r21, %r21, 4, %r10;\nst.shared.u32 [%r20], %r1;\n" arrive " _, [%r11];\nA:\n" wait          \
    " %p2, [%r11], 0;\n@!%p2 bra A;\n" after "\nld.shared.u32 %r9, [%r21];\n" arrive                         \
    " _, [%r11], 1;\nB:\n" wait " %p2, [%r11], 1;\n@!%p2 bra B;\n" after                                     \
    "\nst.shared.u32 [%r20], %r9;\n" arrive " _, [%r11];\nC:\n" wait                                         \
    " %p2, [%r11], 0;\n@!%p2 bra C;\n" after                                                                 \
    "\nld.shared.u32 %r9, [%r21];\nadd.s64 %rd9, %rd2, %rd4;\nst.global.u32 [%rd9], %r9;\n"

static void arrivals_order_what_was_before_them(void **state)
{
    (void)state;
    struct run r = {.block = 64, .declarations = VARIABLES};
    right_for_all_seeds(
        &r, NAMES PHASES("mbarrier.arrive.shared.b64", "mbarrier.try_wait.parity.shared.b64", ""));
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(r.out[t], t);
    wrong_for_all_seeds(
        &r, NAMES PHASES("mbarrier.arrive.relaxed.cta.shared.b64", "mbarrier.try_wait.parity.shared.b64", ""),
        "data race: reads shared memory");
    wrong_for_all_seeds(&r,
                        NAMES PHASES("mbarrier.arrive.shared::cta.b64",
                                     "mbarrier.test_wait.parity.relaxed.cta.shared.b64", ""),
                        "data race: reads shared memory");
    right_for_all_seeds(&r, NAMES PHASES("mbarrier.arrive.shared::cta.b64",
                                         "mbarrier.test_wait.parity.relaxed.cta.shared.b64",
                                         "fence.acq_rel.cta;"));
}

static void who_has_not_waited_races_with_what_is_stored(void **state)
{
    (void)state;
    struct run r = pair();
    wrong_for_all_seeds(&r, NAMES READY("8") TELL READ HEAR, "source:15: block ");
    /* One answer that is not looked at is not to have waited. */
    wrong_for_all_seeds(&r, NAMES READY("8") TELL TRY("0") READ HEAR, "source:16: block ");
    /* Parity 1 is that of the phase before the first, which is complete. */
    wrong_for_all_seeds(&r, NAMES READY("8") TELL "HEAR:\n" TRY("1") "@!%p2 bra HEAR;\n" READ,
                        "source:18: block ");
    /* What was written and the count reach as far as the wait's scope. */
    wrong_for_all_seeds(&r,
                        NAMES READY("8") TELL
                        "HEAR:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r11], 0;\n@!%p2 bra HEAR;\n" READ,
                        "source:18: block ");
    /* A barrier of the block or the cluster does not make it known either. */
    r.grid = r.cluster = 1;
    r.block = 32;
    wrong_for_all_seeds(
        &r,
        NAMES READY(
            "8") "mapa.shared::cluster.u32 %r13, %r10, 0;\nmapa.shared::cluster.u32 %r14, %r11, 0;\n" TELL
                 "bar.sync 0;\n" READ HEAR,
        "thread 0 of block 0 stores asynchronously, and has not waited for it");
    /* Two stores to one place are in no order; nor is one with a plain store after it. */
    r = pair();
    wrong_for_all_seeds(&r, NAMES READY("16") TELL TELL HEAR, "source:15: block ");
    wrong_for_all_seeds(&r, NAMES READY("8") TELL "@!%p1 st.shared::cluster.u32 [%r13], 1;\n" HEAR,
                        "source:15: block ");
}

static void an_mbarrier_is_used_after_its_initialisation(void **state)
{
    (void)state;
    struct run r = pair();
    const char *unordered = "nothing orders that after its initialisation";
    wrong_for_all_seeds(&r, NAMES INIT("1") EXPECT("8") BEGUN TELL HEAR, unordered);
    right_for_all_seeds(&r, NAMES INIT("1") "fence.acq_rel.cluster;\n" EXPECT("8") BEGUN TELL HEAR);
    wrong_for_all_seeds(&r, NAMES INIT("1") "fence.acq_rel.cta;\n" EXPECT("8") BEGUN TELL HEAR, unordered);
    right_for_all_seeds(
        &r, NAMES INIT("1") EXPECT(
                "8") "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.aligned;\n" TELL HEAR);
    wrong_for_all_seeds(&r, NAMES FENCE INIT("1") EXPECT("8") BEGUN TELL HEAR, unordered);
    wrong_for_all_seeds(&r, NAMES INIT("1") FENCE EXPECT("8") TELL BEGUN HEAR, "uses ");
    wrong_for_all_seeds(&r, NAMES BEGUN INIT("1") FENCE EXPECT("8") TELL HEAR, "uses ");
    /* The fence is for mbarriers alone. */
    wrong_for_all_seeds(&r,
                        NAMES "@!%p1 st.shared.u32 [%r10+8], 5;\n" READY("8") TELL HEAR
                        "ld.shared::cluster.u32 %r20, [%r13+8];\n",
                        "source:19: block ");
    right_for_all_seeds(&r, NAMES "@!%p1 st.shared.u32 [%r10+8], 5;\nfence.acq_rel.cluster;\n" READY("8") TELL
                        "ld.shared::cluster.u32 %r20, [%r13+8];\n" HEAR BEGUN);
    /* Within the block its barrier is enough. */
    r = (struct run){.block = 64, .declarations = VARIABLES};
    right_for_all_seeds(&r, NAMES INIT("64") "bar.sync 0;\nmbarrier.arrive.shared.b64 _, [bar];\n");
    wrong_for_all_seeds(&r, NAMES INIT("64") "mbarrier.arrive.shared.b64 _, [bar];\n", "uses ");
}

static void what_is_no_mbarrier_is_not_used_as_one(void **state)
{
    (void)state;
    struct run r = {.declarations = VARIABLES};
    run_wrong(&r, "mbarrier.arrive.shared.b64 _, [bar];",
              "source:1: block 0, thread 0: uses an mbarrier at 0x");
    run_wrong(&r, NAMES "mbarrier.init.shared.b64 [bar+4], 1;", "which is misaligned");
    run_wrong(&r, NAMES "mbarrier.init.shared.b64 [bar+16], 1;", "out of bounds");
    run_wrong(&r, NAMES "mbarrier.init.b64 [%rd1], 1;", "not in shared memory");
    run_right(
        &r, NAMES
        "cvta.shared.u64 %rd5, bar;\n@!%p1 mbarrier.init.b64 [%rd5], 1;\n@!%p1 mbarrier.arrive.b64 _, [%rd5];");
    run_wrong(&r, NAMES INIT("0"), "an mbarrier for 0 arrivals, where 1 to 1048575 are allowed");
    run_wrong(&r, NAMES INIT("1048576"), "an mbarrier for 1048576 arrivals");
    run_wrong(&r, NAMES INIT("1") INIT("1"), "source:10: block 0, thread 0: writes shared memory at 0x");
    run_wrong(&r, NAMES INIT("1") "@!%p1 st.shared.u32 [bar+4], 1;",
              "source:10: block 0, thread 0: writes shared memory at 0x");
    run_wrong(&r, NAMES INIT("1") "@!%p1 ld.shared.u32 %r9, [bar];", "which holds an mbarrier");
    run_wrong(&r, NAMES INIT("1") "@!%p1 atom.shared.add.u32 %r9, [bar], 1;", "which holds an mbarrier");
    run_wrong(&r, NAMES INIT("1") EXPECT("1048576"), "expects 1048576 bytes, where 1048575 are the most");
    run_wrong(&r, NAMES INIT("2") EXPECT("1048575") EXPECT("1"), "an mbarrier counts 1048576 bytes");
    run_wrong(
        &r, NAMES INIT("1") EXPECT("8") EXPECT("8"),
        "source:11: block 0, thread 0: arrives 1 times at an mbarrier that waits for 0 more of 1 arrivals");
    run_wrong(&r, NAMES INIT("1") "@!%p1 mbarrier.try_wait.parity.shared.b64 %p2, [bar], 2;",
              "waits for parity 2");
    r = pair();
    run_wrong(&r, NAMES READY("8") "@!%p1 mbarrier.try_wait.parity.shared.b64 %p2, [%r14], 0;",
              "uses an mbarrier of another block");
    run_wrong(&r, NAMES READY("8") "@!%p1 " SEND ".v2.b32 [%r13], {1, 2}, [%r11];",
              "stores into one block and counts at an mbarrier of another");
    run_wrong(&r, NAMES READY("8") "@!%p1 " SEND ".v2.b32 [%r13], {1, 2}, [%r14+8];",
              "nobody has initialised");
    run_wrong(&r, NAMES READY("8") "@!%p1 " SEND ".v2.b32 [%r13+4], {1, 2}, [%r14];", "misaligned");
    run_wrong(&r, NAMES READY("8") "@!%p1 " SEND ".v2.b32 [%r14], {1, 2}, [%r14];",
              "which holds an mbarrier");
    run_wrong(
        &r,
        NAMES READY(
            "8") "mapa.shared::cluster.u32 %r13, %r10, 2;\nmapa.shared::cluster.u32 %r14, %r11, 2;\n" TELL,
        "in no block of the cluster");
}

static void what_is_not_there_of_mbarriers_is_refused_by_name(void **state)
{
    (void)state;
    struct run r = {.declarations = VARIABLES};
    run_wrong(&r, "mbarrier.inval.b64 [bar];", "'mbarrier.inval.b64': the emulator does not know");
    run_wrong(&r, "mbarrier.complete_tx.shared.b64 [bar], 8;", "does not know");
    run_wrong(&r, "mbarrier.arrive.shared::cluster.b64 _, [bar];", "does not know");
    run_wrong(&r, "mbarrier.try_wait.shared.b64 %p1, [bar], %rd4;", "does not know");
    run_wrong(&r, "mbarrier.arrive.shared.b64 %rd4, [bar];", "the state of an mbarrier is not supported");
    run_wrong(&r, "mbarrier.arrive.expect_tx.shared.b64 _, [bar];", "2 operands are not the number");
    run_wrong(&r, "st.async.b32 [bar], 1, [bar];", "'st.async.b32': the emulator does not know");
    run_wrong(&r, SEND ".v2.b32 [bar], 1, [bar];", "1 elements are not the number");
}

static void a_phase_that_never_completes_is_a_deadlock(void **state)
{
    (void)state;
    struct run r = pair();
    wrong_for_all_seeds(&r, NAMES READY("16") TELL HEAR,
                        "never completes: 0 arrivals are still to come, and 8 bytes of those");
    wrong_for_all_seeds(&r, NAMES READY("16") TELL HEAR, "source:16: block ");
    wrong_for_all_seeds(&r, NAMES INIT("2") FENCE EXPECT("8") BEGUN TELL HEAR,
                        "1 arrivals are still to come, and 0 bytes");
    /* More than is expected completes no phase either. */
    r = (struct run){.declarations = VARIABLES};
    wrong_for_all_seeds(
        &r,
        NAMES INIT("2") FENCE EXPECT("4") BEGUN
        "mapa.shared::cluster.u32 %r13, %r10, 0;\nmapa.shared::cluster.u32 %r14, %r11, 0;\n" TELL
        "@!%p1 mbarrier.arrive.shared.b64 _, [bar];\n" HEAR,
        "0 arrivals are still to come, and 4 bytes more have come than are expected");
    /* Asked without waiting it is an endless loop. */
    r = pair();
    run_wrong(&r,
              NAMES READY("16") TELL
              "HEAR:\nmbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra HEAR;\n",
              "does not end: nothing changes");
}

static void a_wait_that_ends_without_success_lets_others_go_on(void **state)
{
    (void)state;
    /* Thread 0 waits for an arrival that the other lanes are to make where they join it. */
    struct run r = {.declarations = VARIABLES};
    right_for_all_seeds(&r, NAMES INIT("31") "bar.warp.sync -1;\n@%p1 bra JOIN;\n" HEAR
                                             "JOIN:\n@%p1 mbarrier.arrive.shared.b64 _, [bar];\n");
    /* It is who asks in vain that goes on to tell. */
    right_for_all_seeds(&r, NAMES INIT("1") "bar.warp.sync -1;\n@%p1 bra END;\nmov.u32 %r20, 0;\nASK:\n" TRY(
                                "0") "@%p2 bra END;\nadd.u32 %r20, %r20, 1;\nsetp.eq.u32 %p3, %r20, 5;\n"
                                     "@%p3 mbarrier.arrive.shared.b64 _, [bar];\nbra ASK;\nEND:\n");
}

static void a_block_stays_until_all_has_come(void **state)
{
    (void)state;
    struct run r = pair();
    run_wrong(&r, NAMES READY("8") TELL, "source:14: block ");
    run_wrong(&r, NAMES READY("8") TELL "setp.eq.u32 %p4, %r2, 1;\n@%p4 bra END;\n" HEAR "END:\n",
              "source:14: block 0, thread 0: ");
    /* Eight bytes are expected, and eight more come: early or late. */
    wrong_for_all_seeds(&r, NAMES READY("8") TELL "@!%p1 " SEND ".v2.b32 [%r13+8], {1, 2}, [%r14];\n" HEAR,
                        "source:1");
}

static void a_store_counts_as_one_of_shared_memory(void **state)
{
    (void)state;
    struct run r = {.declarations = VARIABLES};
    run_right(&r,
              NAMES READY(
                  "256") "mapa.shared::cluster.u32 %r13, %r10, 0;\nmapa.shared::cluster.u32 %r14, %r11, 0;\n"
                         "mad.lo.u32 %r15, %r1, 8, %r13;\ncvt.u64.u32 %rd6, %r1;\n");
    int64_t lsu = r.counts.pipes[PIPE_LSU], wavefronts = r.counts.shared_wavefronts;
    assert_int_equal(wavefronts, 0);
    run_right(&r,
              NAMES READY(
                  "256") "mapa.shared::cluster.u32 %r13, %r10, 0;\nmapa.shared::cluster.u32 %r14, %r11, 0;\n"
                         "mad.lo.u32 %r15, %r1, 8, %r13;\ncvt.u64.u32 %rd6, %r1;\n" SEND
                         ".b64 [%r15], %rd6, [%r14];\nHEAR:\n"
                         "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra HEAR;\n");
    assert_int_equal(r.counts.shared_wavefronts, 2);
    assert_true(r.counts.pipes[PIPE_LSU] > lsu + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_asynchronously_has_come_when_the_phase_is_complete),
        cmocka_unit_test(arrivals_order_what_was_before_them),
        cmocka_unit_test(who_has_not_waited_races_with_what_is_stored),
        cmocka_unit_test(an_mbarrier_is_used_after_its_initialisation),
        cmocka_unit_test(what_is_no_mbarrier_is_not_used_as_one),
        cmocka_unit_test(what_is_not_there_of_mbarriers_is_refused_by_name),
        cmocka_unit_test(a_phase_that_never_completes_is_a_deadlock),
        cmocka_unit_test(a_wait_that_ends_without_success_lets_others_go_on),
        cmocka_unit_test(a_block_stays_until_all_has_come),
        cmocka_unit_test(a_store_counts_as_one_of_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
