/* The emulator's checks: each kernel is wrong in one way, and the message says which and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/emulator_run.h"

#define SHARED   ".shared .align 4 .b8 s[1024];"
#define STORE_R9 "add.s64 %rd9, %rd2, %rd4;\nst.global.u32 [%rd9], %r9;\n"

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    struct run r = {0};
    run_wrong(&r, "mov.u32 %r3, 1;\nfrobnicate.u32 %r3, %r3;", "source:2: PTX line");
    run_wrong(&r, "frobnicate.u32 %r3, %r3;",
              "'frobnicate.u32': the emulator does not know this instruction");
    run_wrong(&r, "add.wide.u32 %r3, %r3, 1;", "'add.wide.u32'");
    run_wrong(&r, "ld.global.L9::x.u32 %r3, [%rd1];", "'ld.global.L9::x.u32'");
    run_wrong(&r, "add.u32 %r3, %rd3, 1;", "an operand's register has 64 bits");
    run_wrong(&r, "mov.u32 %r3, %nosuch;", "'%nosuch' is no register");
    run_right(&r, ".reg .b32 %none<0>;");
    run_wrong(&r, "bra NOWHERE;", "'NOWHERE' is not declared");
    run_wrong(&r, ".tex .u64 t;", "no directive that the emulator knows");
    run_wrong(&r, "add.u32 %r3, %r4;",
              "'add.u32': the emulator does not know this instruction with 2 operands");
    run_wrong(&r, "ld.global.v4.u32 {%r3, %r4}, [%rd1];",
              "2 elements are not the number that the vector has");
}

static void accesses_out_of_bounds_are_found(void **state)
{
    (void)state;
    struct run r = {0};
    run_wrong(&r, "mov.u32 %r3, 0;\nld.global.u32 %r9, [%rd1+16384];",
              "source:2: block 0, thread 0: reads 4 bytes of global memory at 0x");
    run_wrong(&r, "ld.global.u32 %r9, [%rd1+16384];", "0 bytes beyond the end of a buffer of 16384 bytes");
    run_wrong(&r, "ld.global.u32 %r9, [%rd1+-4];", "out of bounds");
    run_wrong(&r, "add.s64 %rd5, %rd1, %rd4;\nst.global.u32 [%rd5+16300], %r1;",
              "source:2: block 0, thread 21: writes");
    run_wrong(&r, "mov.u64 %rd5, 0;\nld.global.u32 %r9, [%rd5];", "in no buffer");
    r.declarations = SHARED;
    run_wrong(
        &r, "mov.u32 %r3, s;\nmad.lo.u32 %r3, %r1, 64, %r3;\nst.shared.u32 [%r3], %r1;",
        "source:3: block 0, thread 16: writes 4 bytes of shared memory at 0x800, out of bounds: 0 bytes beyond");
    run_wrong(&r, ".local .align 4 .b8 d[8];\nmov.u64 %rd5, d;\nst.local.u32 [%rd5+8], 0;",
              "the thread's 8 bytes");
}

static void misaligned_accesses_are_found(void **state)
{
    (void)state;
    struct run r = {0};
    run_wrong(&r, "ld.global.u32 %r9, [%rd1+2];", "which is misaligned");
    run_wrong(&r, "add.s64 %rd5, %rd1, %rd4;\nld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd5];",
              "source:2: block 0, thread 1: reads 16 bytes of global memory at 0x");
}

static void memory_that_nobody_wrote_is_not_read(void **state)
{
    (void)state;
    struct run r = {.declarations = SHARED};
    run_wrong(&r, "ld.global.u32 %r9, [%rd2];", "reads global memory at 0x");
    run_wrong(&r, "mov.u32 %r3, s;\nld.shared.u32 %r9, [%r3+4];",
              "source:2: block 0, thread 0: reads shared memory at 0x404 that was never written");
    run_wrong(
        &r,
        ".local .align 4 .b8 d[8];\nmov.u64 %rd5, d;\nst.local.u32 [%rd5], 0;\nld.local.u32 %r9, [%rd5+4];",
        "source:4: block 0, thread 0: reads local memory at offset 4 that was never written");
    run_wrong(&r, "mov.u32 %r3, s;\nred.shared.add.u32 [%r3], 1;", "that was never written");
}

static void a_barrier_that_not_all_reach_is_found(void **state)
{
    (void)state;
    struct run r = {.block = 64};
    run_wrong(
        &r, "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra END;\nbar.sync 0;\nEND:",
        "source:3: block 0, thread 16: a barrier in a divergent branch: lanes 0xffff0000 of the warp reach it");
    run_wrong(&r, "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nbar.sync 0;\nbra END;\nA:\nbar.sync 0;\nEND:",
              "a barrier in a divergent branch");
    run_wrong(&r, "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra END;\nbar.sync 0;\nEND:",
              "source:3: block 0, thread 32: a barrier");
    run_wrong(&r, "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 0;\nbra END;\nA:\nbar.sync 0;\nEND:",
              "others wait at the barrier of source:");
    run_wrong(&r, "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra END;\nbar.sync 1, 64;\nEND:",
              "a barrier that not all threads reach");
    run_wrong(&r, "bar.sync 1, 96;", "a barrier for 96 threads");
}

static void lanes_that_do_not_take_part_are_found(void **state)
{
    (void)state;
    struct run r = {.block = 16};
    run_wrong(&r, "shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;",
              "source:1: block 0, thread 0: shuffles from lane 16, which does not take part");
    r.block = 32;
    run_wrong(
        &r,
        "setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra END;\nshfl.sync.down.b32 %r9, %r1, 1, 31, -1;\nEND:\nst.global.u32 [%rd2], 0;",
        "source:3: block 0, thread 0: names lanes 0xffffffff, of which 0xffff0000 do not take part");
    run_wrong(&r, "shfl.sync.down.b32 %r9, %r1, 1, 31, 0xffff;",
              "thread 16: is not among the lanes 0x0000ffff");
    run_wrong(&r, "mov.u32 %r3, %lanemask_eq;\nvote.sync.any.pred %p1, %p1, %r3;", "names the lanes");
    /* Both sides shuffle among themselves: that is right. */
    run_right(
        &r,
        "setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra HIGH;\nshfl.sync.down.b32 %r9, %r1, 1, 15, 0xffff;\nbra END;\n"
        "HIGH:\nshfl.sync.down.b32 %r9, %r1, 1, 31, 0xffff0000;\nEND:");
}

/* Each thread writes a word, reads that of thread ^ OTHER, and writes its own again. */
#define EXCHANGE(between, OTHER, after)                                                                      \
    "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, 4, %r3;\nst.shared.u32 [%r4], %r1;\n" between                     \
    "\nxor.b32 %r5, %r1, " OTHER ";\nmad.lo.u32 %r5, %r5, 4, %r3;\nld.shared.u32 %r9, [%r5];\n" after        \
    "\nst.shared.u32 [%r4], %r9;"

static void races_over_shared_memory_are_found(void **state)
{
    (void)state;
    struct run r = {.block = 64, .declarations = SHARED};
    run_right(&r, EXCHANGE("bar.sync 0;", "32", "bar.sync 0;"));
    run_wrong(&r, EXCHANGE("", "32", "bar.sync 0;"), "source:7: block 0, thread ");
    run_wrong(&r, EXCHANGE("bar.sync 0;", "32", ""), "data race: ");
    /* Within a warp a warp's barrier is enough, and needed. */
    run_right(&r, EXCHANGE("bar.warp.sync -1;", "1", "bar.warp.sync -1;"));
    run_wrong(&r, EXCHANGE("", "1", "bar.warp.sync -1;"), "source:7: block 0, thread ");
    run_wrong(&r, EXCHANGE("bar.warp.sync -1;", "1", ""), "source:9: block 0, thread ");
    run_wrong(&r, EXCHANGE("bar.warp.sync -1;", "32", "bar.sync 0;"), "source:7: block 0, thread ");
    /* Half a warp's barrier orders that half. */
    run_right(&r, "setp.ge.u32 %p1, %r1, 16;\n@%p1 bra END;\n" EXCHANGE("bar.warp.sync 0xffff;", "1",
                                                                        "bar.warp.sync 0xffff;") "\nEND:");
    run_wrong(
        &r, "setp.ge.u32 %p1, %r1, 16;\n@%p1 bra END;\n" EXCHANGE("bar.warp.sync 0xffff;", "1", "") "\nEND:",
        "source:11: block 0, thread ");
}

static void a_race_of_two_writes_names_both_threads(void **state)
{
    (void)state;
    struct run r = {.declarations = SHARED};
    run_wrong(
        &r, "st.shared.u32 [s], %r1;",
        "source:1: block 0, thread 1: data race: writes shared memory at 0x400, which thread 0 of block 0 wrote");
    /* The same value is worth a note only. */
    run_right(&r, "st.shared.u32 [s], 7;");
    assert_int_equal(r.counts.same_value_writes, 31);
}

static void races_between_blocks_are_found(void **state)
{
    (void)state;
    struct run r = {.grid = 2};
    run_wrong(&r, "st.global.u32 [%rd2], %r2;", "data race: writes global memory");
    run_wrong(&r, "red.global.add.u32 [%rd3], 1;\nst.global.u32 [%rd3], 5;", "data race: ");
    /* Of the block's own scope, atomics of two blocks do not meet. */
    run_wrong(&r, "red.relaxed.cta.global.add.u32 [%rd3], 1;", "data race: ");
    run_right(&r, "red.relaxed.gpu.global.add.u32 [%rd3], 1;");
}

/* Block 0 writes a word and raises a flag, block 1 waits for it and reads the word. */
static const char *flag_body(const char *before, const char *store, const char *load, const char *after)
{
    static char body[1024];
    snprintf(body, sizeof body,
             "setp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra END;\nsetp.eq.u32 %%p2, %%r2, 0;\n@!%%p2 bra WAIT;\n"
             "st.global.u32 [%%rd2], 42;\n%s\n%s [%%rd3], 1;\nbra END;\nWAIT:\n%s %%r3, [%%rd3];\n"
             "setp.eq.u32 %%p3, %%r3, 0;\n@%%p3 bra WAIT;\n%s\nld.global.u32 %%r4, [%%rd2];\nEND:",
             before, store, load, after);
    return body;
}

static void a_flag_needs_its_fences(void **state)
{
    (void)state;
    struct run r = {.grid = 2};
    const char *relaxed = "st.relaxed.gpu.global.u32", *poll = "ld.relaxed.gpu.global.u32";
    const char *fence = "fence.acq_rel.gpu;";
    run_right(&r, flag_body(fence, relaxed, poll, fence));
    run_right(&r, flag_body("membar.gl;", "st.volatile.global.u32", "ld.volatile.global.u32", "membar.gl;"));
    run_right(&r, flag_body("", "st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", ""));
    run_wrong(&r, flag_body("", relaxed, poll, fence), "source:14: block 1, thread 0: data race: reads");
    run_wrong(&r, flag_body(fence, relaxed, poll, ""), "source:14: block 1, thread 0: data race: reads");
    run_wrong(&r, flag_body("fence.acq_rel.cta;", relaxed, poll, fence), "data race: reads");
    run_wrong(&r, flag_body("", "st.release.cta.global.u32", "ld.acquire.gpu.global.u32", ""), "data race: ");
    run_wrong(&r, flag_body("", "st.global.u32", "ld.global.u32", ""), "data race: ");
}

static void what_never_ends_is_stopped(void **state)
{
    (void)state;
    struct run r = {0};
    run_wrong(&r, "LOOP:\nadd.u32 %r3, %r3, 1;\nbra LOOP;", "more than 100000 instructions of one warp");
    run_wrong(&r, "LOOP:\nst.global.u32 [%rd2], 1;\nbra.uni LOOP;", "source:");
    /* A barrier of the grid, where one block more than fits is launched. */
    const char *grid_barrier =
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nmov.u32 %r5, %nctaid.x;\n"
        "red.relaxed.gpu.global.add.u32 [%rd3], 1;\nSPIN:\n"
        "ld.relaxed.gpu.global.u32 %r3, [%rd3];\nsetp.lt.u32 %p2, %r3, %r5;\n@%p2 bra SPIN;\nEND:";
    r.grid = 8;
    run_right(&r, grid_barrier);
    r.grid = 9;
    run_wrong(&r, grid_barrier, "1 of 9 have not started");
    r.cooperative = true;
    run_wrong(&r, grid_barrier, "9 blocks are too many for a cooperative launch, 8 fit");
    /* A counter that the first launch left raised: the second goes on too early, or, counting down, never. */
    r = (struct run){.grid = 2, .launches = 2};
    run_wrong(&r,
              "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nred.relaxed.gpu.global.add.u32 [%rd3], 1;\nSPIN:\n"
              "ld.relaxed.gpu.global.u32 %r3, [%rd3];\nsetp.ne.u32 %p2, %r3, 2;\n@%p2 bra SPIN;\nEND:",
              "source:");
}

static void a_launch_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct run r = {.block = 2048};
    run_wrong(&r, "", "wrong extent");
    r = (struct run){.dynamic_smem = 200 << 10};
    run_wrong(&r, "", "bytes of shared memory, where 101376 are allowed");
    r = (struct run){.grid = 3, .cluster = 2};
    run_wrong(&r, "", "wrong extent");
}

static void a_trap_says_so(void **state)
{
    (void)state;
    struct run r = {0};
    run_wrong(&r, "setp.eq.u32 %p1, %r1, 9;\n@%p1 trap;", "source:2: block 0, thread 9: the kernel traps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(accesses_out_of_bounds_are_found),
        cmocka_unit_test(misaligned_accesses_are_found),
        cmocka_unit_test(memory_that_nobody_wrote_is_not_read),
        cmocka_unit_test(a_barrier_that_not_all_reach_is_found),
        cmocka_unit_test(lanes_that_do_not_take_part_are_found),
        cmocka_unit_test(races_over_shared_memory_are_found),
        cmocka_unit_test(a_race_of_two_writes_names_both_threads),
        cmocka_unit_test(races_between_blocks_are_found),
        cmocka_unit_test(a_flag_needs_its_fences),
        cmocka_unit_test(what_never_ends_is_stopped),
        cmocka_unit_test(a_launch_that_does_not_fit_is_refused),
        cmocka_unit_test(a_trap_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
