/* The cuda device behind its worker, on a driver of host memory (fake_cuda.c): what goes wrong in one variant
   costs that variant only, and times are what the driver's clock says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/temporary_folder.h"
#include "tuner/devices/cuda/cuda_sets.h"
#include "tuner/devices/device_client.h"

static struct launch_plan plan_of(const char *kernel)
{
    struct launch_plan plan = {.count = 1, .workspace_of_M = "M * 4"};
    struct launch *l = &plan.launches[0];
    static const enum argument names[] = {ARG_X, ARG_Y,        ARG_WORKSPACE, ARG_M,
                                          ARG_N, ARG_X_STRIDE, ARG_Y_STRIDE,  ARG_SCALE};
    snprintf(l->kernel, sizeof l->kernel, "%s", kernel);
    snprintf(l->grid_of_M, sizeof l->grid_of_M, "M");
    l->block[0] = 32;
    l->block[1] = l->block[2] = l->cluster[0] = l->cluster[1] = l->cluster[2] = 1;
    for (l->arg_count = 0; l->arg_count < 8; l->arg_count++) {
        l->args[l->arg_count].name = names[l->arg_count];
        l->args[l->arg_count].type = l->arg_count < 3 ? TYPE_PTR : l->arg_count < 7 ? TYPE_I64 : TYPE_F32;
    }
    return plan;
}

static struct image image = {.cubin = "GOOD", .cubin_size = 4};
static struct image bad_image = {.cubin = "BAD!", .cubin_size = 4};

static struct device_client *open_client_to(bool timed, struct problem p, double deadline)
{
    struct error e = {0};
    struct device_client *c = device_client_open(DEVICE_CUDA, 0, NULL, &e);
    if (c == NULL)
        fail_msg("%s", e.text);
    struct verify_options options = {
        .rows = 16, .tolerance = 1, .seed = 5, .timed = timed, .deadline_seconds = deadline};
    if (!device_client_set_problem(c, &p, &options, &e))
        fail_msg("%s", e.text);
    return c;
}

static struct device_client *open_client(struct problem p, double deadline)
{
    return open_client_to(false, p, deadline);
}

static struct device_verdict verify_plan(struct device_client *c, const struct launch_plan *plan)
{
    struct error e = {0};
    struct device_verdict verdict;
    if (!device_client_verify(c, 42, &image, plan, &e))
        fail_msg("%s", e.text);
    assert_true(device_client_busy(c));
    while (!device_client_next(c, 1, &verdict))
        ;
    assert_false(device_client_busy(c));
    assert_int_equal(verdict.ticket, 42);
    return verdict;
}

static void assert_verdict(struct device_client *c, const char *kernel, enum verdict expected,
                           const char *reason)
{
    struct launch_plan plan = plan_of(kernel);
    struct device_verdict verdict = verify_plan(c, &plan);
    assert_string_equal(verdict_name(verdict.verdict), verdict_name(expected));
    if (reason == NULL)
        assert_null(verdict.reason);
    else if (strncmp(verdict.reason, reason, strlen(reason)) != 0)
        fail_msg("%s: %s", kernel, verdict.reason);
    free(verdict.reason);
}

/* ---- opening ---- */

static void assert_no_device(int index, const char *reason)
{
    struct error e = {0};
    struct device_client *c = device_client_open(DEVICE_CUDA, index, NULL, &e);
    assert_null(c);
    assert_int_equal(e.status, STATUS_MISSING);
    if (strstr(e.text, reason) == NULL)
        fail_msg("%s", e.text);
    assert_null(strchr(e.text, '\n'));
}

static void a_machine_without_what_it_takes_is_told_so(void **state)
{
    (void)state;
    assert_no_device(1, "there is no GPU 1: this machine has 1, counted from 0");
    setenv("FAKE_CUDA_VERSION", "11040", 1);
    assert_no_device(0, "the CUDA driver is too old: it is for CUDA 11.4; update");
    unsetenv("FAKE_CUDA_VERSION");
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    assert_no_device(0, "there is no NVIDIA GPU on this machine");
    unsetenv("FAKE_CUDA_DEVICES");
    setenv("FAKE_CUDA_REFUSE", "1", 1);
    assert_no_device(0, "is too old for the machine code of the NVRTC in use");
    unsetenv("FAKE_CUDA_REFUSE");
    setenv("SOFTMAX_TUNE_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
    assert_no_device(0, "there is no CUDA driver (/nowhere/libcuda.so.1: ");
    setenv("SOFTMAX_TUNE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("SOFTMAX_TUNE_NVRTC", "/nowhere/libnvrtc.so", 1);
    assert_no_device(0, "NVRTC");
    setenv("SOFTMAX_TUNE_NVRTC", FAKE_NVRTC, 1);
}

static void a_known_gpu_has_its_descriptors_name_and_peak(void **state)
{
    (void)state;
    struct error e;
    struct device_client *c = device_client_open(DEVICE_CUDA, 0, NULL, &e);
    const struct gpu *gpu = device_client_gpu(c);
    assert_string_equal(gpu->name, "NVIDIA H200");
    assert_string_equal(gpu->short_name, "h200");
    assert_string_equal(gpu->arch, "sm_90");
    assert_true(gpu->dram_gbs > 4000);
    assert_int_equal(gpu->sms, 4);
    device_client_close(c);
}

static void an_unknown_gpu_has_the_peak_of_its_memory_clock_and_bus(void **state)
{
    (void)state;
    struct error e;
    setenv("FAKE_CUDA_NAME", "NVIDIA GeForce RTX 9999 Ti", 1);
    struct device_client *c = device_client_open(DEVICE_CUDA, 0, NULL, &e);
    unsetenv("FAKE_CUDA_NAME");
    assert_string_equal(device_client_gpu(c)->short_name, "rtx9999ti");
    assert_true(fabs(device_client_gpu(c)->dram_gbs - 128) < 1e-9);
    device_client_close(c);
}

/* ---- verifying ---- */

static void each_fault_costs_its_variant_only(void **state)
{
    (void)state;
    struct device_client *c = open_client(problem_default(16, 100), 0.5);
    static const struct {
        const char *kernel;
        enum verdict verdict;
        const char *reason;
    } cases[] = {
        {"skips_last", VERDICT_CORRECTNESS, "wrong on rows of ordinary values: row "},
        {"unguarded", VERDICT_CORRECTNESS,
         "wrong on rows that begin with -inf: row 1, column 0 is nan, expected 0"},
        {"writes_beyond", VERDICT_CORRECTNESS,
         "writes outside its buffers: at byte 8 after the end of one of 6400 bytes"},
        {"right_once", VERDICT_CORRECTNESS, "wrong on rows "},
        {"faults", VERDICT_RUNTIME,
         "the kernel fails: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"},
        {"crashes", VERDICT_RUNTIME, "its process was killed by signal 9"},
        {"is_stopped", VERDICT_RUNTIME, "its process was stopped by signal 19"},
        {"hangs", VERDICT_TIMEOUT, "did not end within 0.5 s"},
        {"too_large", VERDICT_RUNTIME, "cannot be launched: too many blocks in cooperative launch"},
        {"not_there", VERDICT_RUNTIME, "not_there: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_verdict(c, cases[i].kernel, cases[i].verdict, cases[i].reason);
        assert_verdict(c, "right", VERDICT_CORRECT, NULL);
    }
    device_client_close(c);
}

static void launches_ask_for_what_the_plan_says(void **state)
{
    (void)state;
    struct device_client *c = open_client(problem_default(1, 100), 0);
    struct launch_plan plan = plan_of("needs_attributes");
    struct launch *l = &plan.launches[0];
    snprintf(l->grid_of_M, sizeof l->grid_of_M, "sms * 4");
    l->block[0] = 64;
    l->block[1] = 2;
    l->cluster[0] = 16;
    l->dynamic_smem_bytes = 100000;
    l->cooperative = l->programmatic = true;
    struct device_verdict verdict = verify_plan(c, &plan);
    assert_int_equal(verdict.verdict, VERDICT_CORRECT);
    l->cooperative = false;
    verdict = verify_plan(c, &plan);
    assert_int_equal(verdict.verdict, VERDICT_RUNTIME);
    free(verdict.reason);
    device_client_close(c);
}

static void strides_and_small_alignments_are_verified(void **state)
{
    (void)state;
    struct problem p = problem_default(7, 33);
    p.x_stride = 40;
    p.y_stride = 35;
    p.align = 4;
    struct device_client *c = open_client(p, 0);
    assert_verdict(c, "right", VERDICT_CORRECT, NULL);
    assert_verdict(c, "writes_beyond", VERDICT_CORRECTNESS, "writes ");
    device_client_close(c);
}

/* ---- measuring ---- */

enum { ENTRIES_MAX = 8, ROUNDS = 3 };

struct measured {
    double samples[ROUNDS * ENTRIES_MAX];
    char *failures[ENTRIES_MAX];
    int count;
};

/* `kernels`: "" for the limit, "BAD" for an image that the driver refuses. */
static struct measured measure(struct device_client *c, const char *const *kernels, int count)
{
    struct measured m = {.count = count};
    struct launch_plan plans[ENTRIES_MAX];
    struct device_entry entries[ENTRIES_MAX];
    struct error e = {0};
    for (int i = 0; i < count; i++) {
        plans[i] = plan_of(kernels[i]);
        entries[i] = (struct device_entry){.image = strcmp(kernels[i], "BAD") == 0 ? &bad_image : &image,
                                           .plan = &plans[i]};
        if (kernels[i][0] == '\0')
            entries[i] = (struct device_entry){0};
    }
    if (!device_client_measure(c, entries, count, ROUNDS, 9, m.samples, m.failures, &e))
        fail_msg("%s", e.text);
    return m;
}

/* Every round of the entry has this time. */
static void assert_time(const struct measured *m, int entry, double us)
{
    assert_null(m->failures[entry]);
    for (int r = 0; r < ROUNDS; r++)
        assert_true(fabs(m->samples[r * m->count + entry] - us) < 1e-3 * us);
}

static void assert_failed(struct measured *m, int entry, const char *reason)
{
    assert_non_null(m->failures[entry]);
    if (strncmp(m->failures[entry], reason, strlen(reason)) != 0)
        fail_msg("%s", m->failures[entry]);
    for (int r = 0; r < ROUNDS; r++)
        assert_true(isnan(m->samples[r * m->count + entry]));
    free(m->failures[entry]);
}

static void times_are_microseconds_a_launch_and_the_limit_is_the_fastest_copy(void **state)
{
    (void)state;
    struct device_client *c = open_client(problem_default(16, 100), 0);
    struct measured m = measure(c, (const char *const[]){"right", "", "slow"}, 3);
    assert_time(&m, 0, 100);
    assert_time(&m, 1, 45);
    assert_time(&m, 2, 300);
    device_client_close(c);
}

static void assert_graph(const char *path, const char *kernel, int launches, int sets)
{
    char line[128], expected[128];
    bool found = false;
    FILE *f = fopen(path, "r");
    snprintf(expected, sizeof expected, "graph %s %d %d\n", kernel, launches, sets);
    while (fgets(line, sizeof line, f) != NULL)
        found |= strcmp(line, expected) == 0;
    fclose(f);
    if (!found)
        fail_msg("no %s", expected);
}

static void a_slow_entry_gets_few_launches(void **state)
{
    (void)state;
    char *folder = temporary_folder(), *path = must_format("%s/log", folder);
    setenv("FAKE_CUDA_LOG", path, 1);
    struct device_client *c = open_client(problem_default(16, 100), 0);
    unsetenv("FAKE_CUDA_LOG");
    struct measured m = measure(c, (const char *const[]){"right", "very_slow"}, 2);
    assert_time(&m, 0, 100);
    assert_time(&m, 1, 5000);
    assert_graph(path, "right", 21, 21);
    assert_graph(path, "very_slow", 2, 2); /* 12 ms hold two */
    device_client_close(c);
    free(path);
    temporary_folder_remove(folder);
}

static void a_correct_variant_is_timed_roughly_where_that_is_wanted(void **state)
{
    (void)state;
    struct device_client *c = open_client_to(true, problem_default(16, 100), 2);
    const struct {
        const char *kernel;
        enum verdict verdict;
        double copies; /* the driver's copy takes 50 us */
    } cases[] = {
        {"right", VERDICT_CORRECT, 2},
        {"very_slow", VERDICT_CORRECT, 100},
        {"skips_last", VERDICT_CORRECTNESS, NAN},
        {"wrong_after_graphs", VERDICT_CORRECTNESS, NAN},
        {"faults_in_graphs", VERDICT_RUNTIME, NAN},
        {"hangs_in_graphs", VERDICT_TIMEOUT, NAN},
        {"slow", VERDICT_CORRECT, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct launch_plan plan = plan_of(cases[i].kernel);
        struct device_verdict verdict = verify_plan(c, &plan);
        assert_string_equal(verdict_name(verdict.verdict), verdict_name(cases[i].verdict));
        if (isnan(cases[i].copies))
            assert_true(verdict.verdict != VERDICT_CORRECT);
        else
            assert_true(fabs(verdict.copies - cases[i].copies) < 0.01 * cases[i].copies);
        free(verdict.reason);
    }
    device_client_close(c);
}

static void a_failure_while_measuring_costs_its_entry_only(void **state)
{
    (void)state;
    struct device_client *c = open_client(problem_default(16, 100), 2);
    struct measured m = measure(c,
                                (const char *const[]){"right", "faults_in_graphs", "", "hangs_in_graphs",
                                                      "wrong_after_graphs", "BAD", "too_large", "slow"},
                                8);
    assert_time(&m, 0, 100);
    assert_failed(&m, 1, "the kernel fails while it is timed: an illegal memory access");
    assert_time(&m, 2, 45);
    assert_failed(&m, 3, "did not end within 2 s while it was timed");
    assert_failed(&m, 4, "after it was timed: wrong on rows of ordinary values");
    assert_failed(&m, 5, "loading the kernel: ");
    assert_failed(&m, 6, "cannot be launched: too many blocks");
    assert_time(&m, 7, 300);
    assert_verdict(c, "right", VERDICT_CORRECT, NULL);
    device_client_close(c);
}

static void a_throttled_round_has_no_times(void **state)
{
    (void)state;
    setenv("FAKE_NVML_THROTTLE", "4", 1); /* asked at the end of the second round */
    struct device_client *c = open_client(problem_default(16, 100), 0);
    unsetenv("FAKE_NVML_THROTTLE");
    struct measured m = measure(c, (const char *const[]){"right", "slow"}, 2);
    for (int i = 0; i < 2; i++) {
        assert_null(m.failures[i]);
        assert_false(isnan(m.samples[0 * 2 + i]));
        assert_true(isnan(m.samples[1 * 2 + i]));
        assert_false(isnan(m.samples[2 * 2 + i]));
    }
    device_client_close(c);
}

/* What the log says after the warm-up: the replays of kernels alone, in order. */
static int read_replays(const char *path, char names[][32], int most)
{
    char line[128];
    int count = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL && count < most)
        count += sscanf(line, "replay %31s", names[count]) == 1 && strcmp(names[count], "memcpy") != 0 &&
                 strncmp(names[count], "copy", 4) != 0;
    fclose(f);
    return count;
}

static void rounds_are_interleaved_over_rotating_buffers(void **state)
{
    (void)state;
    char *folder = temporary_folder(), *path = must_format("%s/log", folder);
    setenv("FAKE_CUDA_LOG", path, 1);
    struct device_client *c = open_client(problem_default(16, 100), 0); /* moves 12800 bytes; L2 has 65536 */
    unsetenv("FAKE_CUDA_LOG");
    measure(c, (const char *const[]){"right", "slow"}, 2);
    device_client_close(c);
    assert_graph(path, "right", 21, 21);
    assert_graph(path, "memcpy", 21, 21);

    /* Replays: one warm and two timed of each graph; in a round one warm and as many as fill 12 ms, five at
       most: four of 21 launches of 100 us, one of 300 us. */
    enum { PREPARING = 2 * 3, RIGHT = 5, SLOW = 2, ALL = PREPARING + ROUNDS * (RIGHT + SLOW) };
    char names[ALL + 1][32];
    assert_int_equal(read_replays(path, names, ALL + 1), ALL);
    for (int at = PREPARING; at < ALL; at += RIGHT + SLOW) {
        int slow = strcmp(names[at], "slow") == 0 ? at : at + RIGHT;
        for (int i = at; i < at + RIGHT + SLOW; i++)
            assert_string_equal(names[i], i >= slow && i < slow + SLOW ? "slow" : "right");
    }
    free(path);
    temporary_folder_remove(folder);
}

static void cold_buffers_add_up_to_four_times_l2_and_hot_ones_are_one(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 8192);
    const int64_t l2 = 60 << 20;
    int sets, launches;
    cuda_sets_shape(&p, l2, &sets, &launches);
    assert_int_equal(sets, 2);
    assert_int_equal(launches, 8);
    p = problem_default(128, 1024);
    cuda_sets_shape(&p, l2, &sets, &launches);
    assert_int_equal(sets, 240);
    assert_int_equal(launches, 240);
    p.cache = CACHE_HOT;
    cuda_sets_shape(&p, l2, &sets, &launches);
    assert_int_equal(sets, 1);
    assert_int_equal(launches, 190);
    p = problem_default(1, 1);
    cuda_sets_shape(&p, l2, &sets, &launches);
    assert_int_equal(sets, 2000);
}

int main(void)
{
    setenv("SOFTMAX_TUNE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("SOFTMAX_TUNE_NVML", FAKE_CUDA, 1);
    setenv("SOFTMAX_TUNE_NVRTC", FAKE_NVRTC, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_without_what_it_takes_is_told_so),
        cmocka_unit_test(a_known_gpu_has_its_descriptors_name_and_peak),
        cmocka_unit_test(an_unknown_gpu_has_the_peak_of_its_memory_clock_and_bus),
        cmocka_unit_test(each_fault_costs_its_variant_only),
        cmocka_unit_test(launches_ask_for_what_the_plan_says),
        cmocka_unit_test(strides_and_small_alignments_are_verified),
        cmocka_unit_test(times_are_microseconds_a_launch_and_the_limit_is_the_fastest_copy),
        cmocka_unit_test(a_slow_entry_gets_few_launches),
        cmocka_unit_test(a_correct_variant_is_timed_roughly_where_that_is_wanted),
        cmocka_unit_test(a_failure_while_measuring_costs_its_entry_only),
        cmocka_unit_test(a_throttled_round_has_no_times),
        cmocka_unit_test(rounds_are_interleaved_over_rotating_buffers),
        cmocka_unit_test(cold_buffers_add_up_to_four_times_l2_and_hot_ones_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
