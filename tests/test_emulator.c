/* The emulator executes: values, divergence, barriers, counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/emulator_run.h"

/* Stores %r9 to out[thread]. */
#define STORE_R9 "add.s64 %rd9, %rd2, %rd4;\nst.global.u32 [%rd9], %r9;\n"

static void a_thread_knows_its_place(void **state)
{
    (void)state;
    struct run r = {.grid = 3, .block = 48};
    run_right(&r, "mov.u32 %r3, %ntid.x;\n"
                  "mad.lo.u32 %r4, %r2, %r3, %r1;\n"
                  "mul.wide.u32 %rd5, %r4, 4;\n"
                  "add.s64 %rd5, %rd5, %rd2;\n"
                  "mov.u32 %r5, %laneid;\n"
                  "mov.u32 %r6, %warpid;\n"
                  "mov.u32 %r7, %nctaid.x;\n"
                  "mad.lo.u32 %r8, %r6, 100, %r5;\n"
                  "mad.lo.u32 %r8, %r7, 1000, %r8;\n"
                  "st.global.u32 [%rd5], %r8;");
    assert_int_equal(r.out[0], 3000);
    assert_int_equal(r.out[48 + 33], 3101);
    assert_int_equal(r.out[2 * 48 + 47], 3115);
}

static void lanes_that_part_meet_again(void **state)
{
    (void)state;
    struct run r = {0};
    /* Odd lanes walk a loop as often as their index says; then all shuffle. */
    run_right(&r, "mov.u32 %r9, 0;\n"
                  "and.b32 %r3, %r1, 1;\n"
                  "setp.eq.u32 %p1, %r3, 0;\n"
                  "@%p1 bra DONE;\n"
                  "mov.u32 %r4, %r1;\n"
                  "LOOP:\n"
                  "add.u32 %r9, %r9, 2;\n"
                  "sub.u32 %r4, %r4, 1;\n"
                  "setp.gt.u32 %p2, %r4, 0;\n"
                  "@%p2 bra LOOP;\n"
                  "DONE:\n"
                  "shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;\n" STORE_R9);
    assert_int_equal(r.out[0], 2);
    assert_int_equal(r.out[1], 0);
    assert_int_equal(r.out[30], 62);
    assert_true(r.counts.divergent_branches > 0);
}

static void a_lane_may_wait_for_another_of_its_warp(void **state)
{
    (void)state;
    struct run r = {0};
    /* A lock that every lane takes in turn: the lane that has it must go on while the others spin. */
    run_right(&r, "mov.u32 %r9, 0;\n"
                  "SPIN:\n"
                  "atom.acquire.gpu.global.cas.b32 %r3, [%rd3], 0, 1;\n"
                  "setp.ne.u32 %p1, %r3, 0;\n"
                  "@%p1 bra SPIN;\n"
                  "ld.global.u32 %r9, [%rd3+4];\n"
                  "add.u32 %r9, %r9, 1;\n"
                  "st.global.u32 [%rd3+4], %r9;\n"
                  "atom.release.gpu.global.exch.b32 %r3, [%rd3], 0;\n" STORE_R9);
    uint32_t sum = 0;
    for (int i = 0; i < 32; i++)
        sum += r.out[i];
    assert_int_equal(sum, 32 * 33 / 2);
}

static void shuffles_follow_the_manual(void **state)
{
    (void)state;
    struct run r = {0};
    run_right(&r, "shfl.sync.down.b32 %r9|%p1, %r1, 4, 31, -1;\n"
                  "selp.b32 %r3, 100, 0, %p1;\n"
                  "add.u32 %r9, %r9, %r3;\n" STORE_R9);
    assert_int_equal(r.out[0], 104);
    assert_int_equal(r.out[30], 30); /* beyond the end: its own value */
    run_right(&r, "shfl.sync.up.b32 %r9, %r1, 1, 0, -1;\n" STORE_R9);
    assert_int_equal(r.out[0], 0);
    assert_int_equal(r.out[5], 4);
    /* Segments of eight lanes. */
    run_right(&r, "shfl.sync.idx.b32 %r9, %r1, 3, 6175, -1;\n" STORE_R9);
    assert_int_equal(r.out[0], 3);
    assert_int_equal(r.out[15], 11);
    run_right(&r, "shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;\n" STORE_R9);
    assert_int_equal(r.out[3], 19);
}

static void votes_and_reductions_take_all_lanes(void **state)
{
    (void)state;
    struct run r = {0};
    run_right(&r, "setp.lt.u32 %p1, %r1, 5;\nvote.sync.ballot.b32 %r9, %p1, -1;\n" STORE_R9);
    assert_int_equal(r.out[31], 31);
    run_right(
        &r,
        "setp.lt.u32 %p1, %r1, 5;\nvote.sync.any.pred %p2, !%p1, -1;\nselp.b32 %r9, 1, 0, %p2;\n" STORE_R9);
    assert_int_equal(r.out[0], 1);
    run_right(&r, "sub.u32 %r3, %r1, 16;\nredux.sync.max.s32 %r9, %r3, -1;\n" STORE_R9);
    assert_int_equal(r.out[7], 15);
    run_right(&r, "sub.u32 %r3, %r1, 16;\nredux.sync.min.u32 %r9, %r3, -1;\n" STORE_R9);
    assert_int_equal(r.out[7], 0);
    run_right(&r, "shr.u32 %r3, %r1, 3;\nmatch.any.sync.b32 %r9, %r3, -1;\n" STORE_R9);
    assert_int_equal(r.out[9], 0xff00);
}

static void shared_memory_carries_values_across_a_barrier(void **state)
{
    (void)state;
    struct run r = {.block = 256, .declarations = ".shared .align 4 .b8 s[1024];"};
    run_right(&r, "mov.u32 %r3, s;\n"
                  "shl.b32 %r4, %r1, 2;\n"
                  "add.u32 %r5, %r3, %r4;\n"
                  "st.shared.u32 [%r5], %r1;\n"
                  "bar.sync 0;\n"
                  "xor.b32 %r6, %r4, 1020;\n"
                  "add.u32 %r6, %r6, %r3;\n"
                  "ld.shared.u32 %r9, [%r6];\n" STORE_R9);
    for (int i = 0; i < 256; i++)
        assert_int_equal(r.out[i], 255 - i);
    assert_int_equal(r.counts.barriers, 1);
    assert_int_equal(r.counts.shared_wavefronts, 16);
}

static void dynamic_shared_memory_lies_behind_the_static_part(void **state)
{
    (void)state;
    struct run r = {.dynamic_smem = 128,
                    .declarations = ".shared .align 4 .b8 s[20];\n.extern .shared .align 16 .b8 d[];"};
    run_right(&r, "mov.u32 %r3, s;\nmov.u32 %r4, d;\nsub.u32 %r9, %r4, %r3;\n"
                  "add.u32 %r5, %r4, 124;\nst.shared.u32 [%r5], %r9;\n" STORE_R9);
    assert_true(r.out[0] >= 20 && r.out[0] % 16 == 0);
    run_wrong(&r, "mov.u32 %r4, d;\nst.shared.u32 [%r4+128], 1;",
              "source:2: block 0, thread 0: writes 4 bytes");
}

static void vectors_of_every_width_load_and_store(void **state)
{
    (void)state;
    struct run r = {0};
    run_right(&r, "mul.wide.u32 %rd5, %r1, 16;\n"
                  "add.s64 %rd6, %rd5, %rd1;\n"
                  "add.s64 %rd7, %rd5, %rd2;\n"
                  "ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];\n"
                  "st.global.cs.v4.f32 [%rd7], {%f4, %f3, %f2, %f1};");
    assert_int_equal(r.out[0], 3);
    assert_int_equal(r.out[127], 124);
    assert_int_equal(r.counts.global_load_sectors, 16);
    assert_int_equal(r.counts.global_load_requests, 1);
    run_right(&r, "mul.wide.u32 %rd5, %r1, 32;\n"
                  "add.s64 %rd6, %rd5, %rd1;\n"
                  "add.s64 %rd7, %rd5, %rd2;\n"
                  "ld.global.L2::evict_first.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd6];\n"
                  "st.global.v8.f32 [%rd7], {%f8, %f7, %f6, %f5, %f4, %f3, %f2, %f1};");
    assert_int_equal(r.out[9], 14);
    run_right(&r, "mul.wide.u32 %rd5, %r1, 2;\n"
                  "add.s64 %rd6, %rd5, %rd1;\n"
                  "add.s64 %rd7, %rd5, %rd2;\n"
                  "ld.global.u16 %h1, [%rd6];\n"
                  "st.global.u16 [%rd7], %h1;");
    assert_int_equal(r.out[15], 15);
    assert_int_equal(r.counts.global_load_sectors, 2);
    run_right(&r, "mul.wide.u32 %rd5, %r1, 16;\n"
                  "add.s64 %rd6, %rd5, %rd1;\n"
                  "add.s64 %rd7, %rd5, %rd2;\n"
                  "createpolicy.fractional.L2::evict_first.b64 %rd8, 1.0;\n"
                  "ld.global.L2::cache_hint.v2.b64 {%rd10, %rd11}, [%rd6], %rd8;\n"
                  "st.global.L2::cache_hint.v2.b64 [%rd7], {%rd10, %rd11}, %rd8;");
    assert_int_equal(r.out[126], 126);
}

static void strided_loads_ask_for_a_sector_a_lane(void **state)
{
    (void)state;
    struct run r = {0};
    run_right(
        &r, "mul.wide.u32 %rd5, %r1, 256;\nadd.s64 %rd5, %rd5, %rd1;\nld.global.u32 %r9, [%rd5];\n" STORE_R9);
    assert_int_equal(r.out[2], 128);
    assert_int_equal(r.counts.global_load_sectors, 32);
    assert_int_equal(r.counts.global_load_bytes, 128);
}

static void bank_conflicts_cost_wavefronts(void **state)
{
    (void)state;
    struct run r = {.declarations = ".shared .align 4 .b8 s[8192];"};
    run_right(&r, "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, 8, %r3;\nst.shared.u32 [%r4], %r1;");
    assert_int_equal(r.counts.shared_wavefronts, 2);
    run_right(&r, "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, 128, %r3;\nst.shared.u32 [%r4], %r1;");
    assert_int_equal(r.counts.shared_wavefronts, 32);
}

static void local_memory_is_each_threads_own(void **state)
{
    (void)state;
    struct run r = {0};
    run_right(&r, ".local .align 4 .b8 depot[16];\n"
                  "mov.u64 %rd5, depot;\n"
                  "cvta.local.u64 %rd6, %rd5;\n"
                  "and.b32 %r3, %r1, 3;\n"
                  "mul.wide.u32 %rd7, %r3, 4;\n"
                  "add.s64 %rd8, %rd5, %rd7;\n"
                  "st.local.u32 [%rd8], %r1;\n"
                  "add.s64 %rd8, %rd6, %rd7;\n"
                  "ld.u32 %r9, [%rd8];\n" STORE_R9);
    assert_int_equal(r.out[17], 17);
}

static void atomics_add_up_over_blocks(void **state)
{
    (void)state;
    struct run r = {.grid = 5, .block = 64};
    run_right(&r, "red.global.add.u32 [%rd3], 3;\n"
                  "atom.global.inc.u32 %r3, [%rd3+4], 319;\n"
                  "atom.global.max.s32 %r4, [%rd3+8], %r3;\n"
                  "setp.ne.u32 %p1, %r3, 319;\n"
                  "@%p1 bra END;\n"
                  "ld.relaxed.gpu.global.u32 %r9, [%rd3+4];\n"
                  "st.global.u32 [%rd2], %r9;\n"
                  "ld.relaxed.gpu.global.u32 %r9, [%rd3];\n"
                  "st.global.u32 [%rd2+4], %r9;\n"
                  "END:");
    assert_int_equal(r.out[0], 0);
    assert_true(r.out[1] <= 960 && r.out[1] > 0);
    assert_int_equal(r.counts.atomics, 30);
}

static void named_barriers_join_some_warps(void **state)
{
    (void)state;
    struct run r = {.block = 128, .declarations = ".shared .align 4 .b8 s[512];"};
    /* Warps 0 and 1 exchange through barrier 1, warps 2 and 3 through barrier 2. */
    run_right(&r, "mov.u32 %r3, s;\n"
                  "mad.lo.u32 %r4, %r1, 4, %r3;\n"
                  "st.shared.u32 [%r4], %r1;\n"
                  "shr.u32 %r5, %r1, 6;\n"
                  "add.u32 %r5, %r5, 1;\n"
                  "bar.sync %r5, 64;\n"
                  "xor.b32 %r6, %r1, 32;\n"
                  "mad.lo.u32 %r4, %r6, 4, %r3;\n"
                  "ld.shared.u32 %r9, [%r4];\n" STORE_R9);
    assert_int_equal(r.out[0], 32);
    assert_int_equal(r.out[127], 95);
}

static void barriers_reduce(void **state)
{
    (void)state;
    struct run r = {.block = 96};
    run_right(&r, "setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r9, 0, %p1;\n" STORE_R9);
    assert_int_equal(r.out[95], 40);
    run_right(
        &r, "setp.lt.u32 %p1, %r1, 40;\nbar.red.and.pred %p2, 0, %p1;\nselp.b32 %r9, 1, 2, %p2;\n" STORE_R9);
    assert_int_equal(r.out[95], 2);
}

static void a_grid_barrier_works_where_all_blocks_fit(void **state)
{
    (void)state;
    struct run r = {.grid = 8, .block = 64, .blocks_per_sm = 2, .cooperative = true};
    /* Every block writes a word, all meet at a counter, every block reads its neighbour's. */
    const char *body = "setp.ne.u32 %p1, %r1, 0;\n"
                       "mul.wide.u32 %rd5, %r2, 4;\n"
                       "add.s64 %rd6, %rd5, %rd2;\n"
                       "@%p1 bra WAIT;\n"
                       "st.global.u32 [%rd6+256], %r2;\n"
                       "fence.acq_rel.gpu;\n"
                       "red.relaxed.gpu.global.add.u32 [%rd3], 1;\n"
                       "SPIN:\n"
                       "ld.relaxed.gpu.global.u32 %r3, [%rd3];\n"
                       "setp.lt.u32 %p2, %r3, 8;\n"
                       "@%p2 bra SPIN;\n"
                       "fence.acq_rel.gpu;\n"
                       "WAIT:\n"
                       "bar.sync 0;\n"
                       "xor.b32 %r4, %r2, 7;\n"
                       "mul.wide.u32 %rd7, %r4, 4;\n"
                       "add.s64 %rd7, %rd7, %rd2;\n"
                       "ld.global.u32 %r9, [%rd7+256];\n"
                       "@%p1 bra END;\n"
                       "st.global.u32 [%rd6], %r9;\n"
                       "END:";
    run_right(&r, body);
    assert_int_equal(r.out[0], 7);
    assert_int_equal(r.out[5], 2);
    r.cooperative = false; /* the blocks are let in as the others wait */
    run_right(&r, body);
    assert_int_equal(r.out[7], 0);
}

static void blocks_of_a_cluster_read_each_others_shared_memory(void **state)
{
    (void)state;
    struct run r = {.grid = 4, .cluster = 2, .block = 32, .declarations = ".shared .align 4 .b8 s[128];"};
    run_right(&r, "mov.u32 %r3, s;\n"
                  "mad.lo.u32 %r4, %r1, 4, %r3;\n"
                  "mad.lo.u32 %r5, %r2, 100, %r1;\n"
                  "st.shared.u32 [%r4], %r5;\n"
                  "barrier.cluster.arrive.aligned;\n"
                  "barrier.cluster.wait.aligned;\n"
                  "mov.u32 %r6, %cluster_ctarank;\n"
                  "xor.b32 %r6, %r6, 1;\n"
                  "mapa.shared::cluster.u32 %r7, %r4, %r6;\n"
                  "ld.shared::cluster.u32 %r9, [%r7];\n"
                  "barrier.cluster.arrive.aligned;\n"
                  "barrier.cluster.wait.aligned;\n"
                  "mad.lo.u32 %r8, %r2, 32, %r1;\n"
                  "mul.wide.u32 %rd5, %r8, 4;\n"
                  "add.s64 %rd5, %rd5, %rd2;\n"
                  "st.global.u32 [%rd5], %r9;");
    assert_int_equal(r.out[0], 100);
    assert_int_equal(r.out[33], 1);
    assert_int_equal(r.out[64 + 5], 305);
}

static void results_do_not_depend_on_the_seed(void **state)
{
    (void)state;
    struct run r = {.grid = 16, .block = 256};
    int64_t instructions = 0;
    for (r.seed = 0; r.seed < 5; r.seed++) {
        run_right(
            &r,
            "red.global.add.u32 [%rd3], %r1;\nmad.lo.u32 %r3, %r2, 256, %r1;\nmul.wide.u32 %rd5, %r3, 4;\n"
            "add.s64 %rd5, %rd5, %rd2;\nst.global.u32 [%rd5], %r3;");
        assert_int_equal(r.out[4095], 4095);
        assert_true(r.seed == 0 || instructions == r.counts.thread_instructions);
        instructions = r.counts.thread_instructions;
    }
}

static void an_empty_mask_runs_nothing(void **state)
{
    (void)state;
    struct run r = {0};
    run_right(
        &r,
        "setp.gt.u32 %p1, %r1, 99;\n@%p1 trap;\n@%p1 st.global.u32 [%rd1+-4], 1;\n@!%p1 mov.u32 %r9, 7;\n" STORE_R9);
    assert_int_equal(r.out[31], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_knows_its_place),
        cmocka_unit_test(lanes_that_part_meet_again),
        cmocka_unit_test(a_lane_may_wait_for_another_of_its_warp),
        cmocka_unit_test(shuffles_follow_the_manual),
        cmocka_unit_test(votes_and_reductions_take_all_lanes),
        cmocka_unit_test(shared_memory_carries_values_across_a_barrier),
        cmocka_unit_test(dynamic_shared_memory_lies_behind_the_static_part),
        cmocka_unit_test(vectors_of_every_width_load_and_store),
        cmocka_unit_test(strided_loads_ask_for_a_sector_a_lane),
        cmocka_unit_test(bank_conflicts_cost_wavefronts),
        cmocka_unit_test(local_memory_is_each_threads_own),
        cmocka_unit_test(atomics_add_up_over_blocks),
        cmocka_unit_test(named_barriers_join_some_warps),
        cmocka_unit_test(barriers_reduce),
        cmocka_unit_test(a_grid_barrier_works_where_all_blocks_fit),
        cmocka_unit_test(blocks_of_a_cluster_read_each_others_shared_memory),
        cmocka_unit_test(results_do_not_depend_on_the_seed),
        cmocka_unit_test(an_empty_mask_runs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
