/* GPU descriptors: occupancy as NVIDIA's calculator gives it, look-up by architecture and name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/hopper_gpu.h"

#include <string.h>

static int blocks(int threads, int registers, int64_t smem_bytes)
{
    return gpu_blocks_per_sm(&hopper_gpu, threads, registers, smem_bytes);
}

static void each_resource_limits_the_blocks(void **state)
{
    (void)state;
    assert_int_equal(blocks(256, 32, 0), 8);         /* threads */
    assert_int_equal(blocks(256, 33, 0), 6);         /* registers: 40 a thread after rounding */
    assert_int_equal(blocks(1024, 64, 0), 1);        /* registers, a whole file */
    assert_int_equal(blocks(32, 16, 0), 32);         /* block slots */
    assert_int_equal(blocks(128, 16, 100 << 10), 2); /* shared memory */
    assert_int_equal(blocks(128, 16, (227 << 10) + 1), 0);
    assert_int_equal(blocks(1024, 65, 0), 0);
    assert_int_equal(blocks(33, 32, 0), 32); /* 33 threads are two warps */
}

static void gpus_are_found_by_architecture_and_name(void **state)
{
    (void)state;
    struct gpu all[2] = {hopper_gpu, hopper_gpu}, found;
    strcpy(all[1].short_name, "h100");
    strcpy(all[1].name, "NVIDIA H100 80GB HBM3");
    struct gpu_list list = {.gpus = all, .count = 2};
    struct error e = {0};
    assert_true(gpu_find(&list, "sm_90", NULL, &found, &e));
    assert_string_equal(found.short_name, "h200");
    assert_true(gpu_find(&list, NULL, "H100", &found, &e));
    assert_string_equal(found.short_name, "h100");
    assert_true(gpu_find(&list, NULL, "nvidia h200", &found, &e));
    assert_true(gpu_find(&list, "sm_90a", "h100", &found, &e));
    assert_string_equal(found.arch, "sm_90a");
    assert_false(gpu_find(&list, "sm_999", NULL, &found, &e));
    assert_int_equal(e.status, STATUS_USAGE);
    assert_non_null(strstr(e.text, "'sm_999' is described: known are sm_90"));
    assert_false(gpu_find(&list, "sm_900", NULL, &found, &e));
    assert_false(gpu_find(&list, NULL, "b200", &found, &e));
    assert_non_null(strstr(e.text, "h200, h100"));
}

static void a_descriptor_survives_json(void **state)
{
    (void)state;
    struct error e = {0};
    struct gpu read;
    json_t *object = gpu_to_json(&hopper_gpu);
    assert_true(gpu_of_json(object, &read, &e));
    json_t *again = gpu_to_json(&read);
    assert_true(json_equal(object, again));
    json_object_del(object, "sms");
    assert_false(gpu_of_json(object, &read, &e));
    assert_non_null(strstr(e.text, "NVIDIA H200 has no integer 'sms'"));
    json_decref(object);
    json_decref(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_resource_limits_the_blocks),
        cmocka_unit_test(gpus_are_found_by_architecture_and_name),
        cmocka_unit_test(a_descriptor_survives_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
