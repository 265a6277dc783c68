/* Stored choices: which of them answers a request, and that those which are built in are whole. */
#include "generator/resources.h"
#include "tuner/emit/choices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char file[] =
    "{\"schema\": \"softmax-tune/choices/1\", \"choices\": ["
    "{\"dtype_in\": \"f32\", \"dtype_out\": \"f32\", \"M\": 8192, \"N\": 1024, \"arch\": \"sm_90\", \"gpu\": "
    "\"NVIDIA H100\", \"basis\": \"measured\", \"space\": \"softmax\", \"variant\": \"threads=64\", \"time_us\": 20.0},"
    "{\"dtype_in\": \"f32\", \"dtype_out\": \"f32\", \"M\": 8192, \"N\": 1024, \"arch\": \"sm_90\", \"gpu\": "
    "\"NVIDIA H200\", \"basis\": \"measured\", \"space\": \"softmax\", \"variant\": \"threads=128\", \"time_us\": 16.0, "
    "\"time_us_low\": 15.9, \"time_us_high\": 16.1, \"of_limit\": 0.5, \"max_error\": 0.25},"
    "{\"dtype_in\": \"f32\", \"dtype_out\": \"f32\", \"M\": 8192, \"N\": 2048, \"arch\": \"sm_90\", \"gpu\": "
    "\"NVIDIA H200\", \"basis\": \"predicted\", \"space\": \"softmax\", \"variant\": \"threads=512\"}]}";

static bool find(const struct problem *p, const char *arch, const char *name, struct stored_choice *found)
{
    json_t *document = json_loads(file, 0, NULL);
    assert_non_null(document);
    struct gpu gpu = {0};
    strcpy(gpu.arch, arch);
    strcpy(gpu.name, name);
    bool is = choices_find(document, p, &gpu, found);
    json_decref(document);
    return is;
}

static void choice_of_the_same_gpu_is_measured(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 1024);
    struct stored_choice found;
    assert_true(find(&p, "sm_90", "NVIDIA H200", &found));
    assert_string_equal(found.variant, "threads=128");
    struct choice c = {.gpu = {.name = "NVIDIA H200"}};
    stored_choice_tell(&found, &c);
    assert_string_equal(c.basis, "measured");
    assert_true(c.time_us == 16.0 && c.time_us_low == 15.9 && c.time_us_high == 16.1);
    assert_true(c.limit_us == 8.0 && c.max_error == 0.25 && isnan(c.predicted_us));
    stored_choice_clear(&found);
}

static void choice_of_another_gpu_of_the_architecture_says_which(void **state)
{
    (void)state;
    struct problem p = problem_default(8192, 1024);
    struct stored_choice found;
    assert_true(find(&p, "sm_90", "NVIDIA GH200", &found));
    assert_string_equal(found.variant, "threads=64");
    struct choice c = {.gpu = {.name = "NVIDIA GH200", .dram_gbs = 4000}, .problem = p};
    stored_choice_tell(&found, &c);
    assert_string_equal(c.basis, "measured-on:NVIDIA H100");
    assert_true(isnan(c.max_error));
    assert_true(isnan(choice_figures(&c).of_peak)); /* it was another GPU's time */
    stored_choice_clear(&found);
}

static void nothing_but_the_very_problem_is_answered(void **state)
{
    (void)state;
    struct stored_choice found;
    struct problem p = problem_default(8192, 1024), other = p;
    assert_false(find(&p, "sm_120", "NVIDIA H200", &found));
    assert_false(find(&p, "sm_90a", "NVIDIA H200", &found));
    other.M = 4096;
    assert_false(find(&other, "sm_90", "NVIDIA H200", &found));
    other = p, other.x_stride = 1028;
    assert_false(find(&other, "sm_90", "NVIDIA H200", &found));
    other = p, other.align = 4;
    assert_false(find(&other, "sm_90", "NVIDIA H200", &found));
    other = p, other.in_place = true;
    assert_false(find(&other, "sm_90", "NVIDIA H200", &found));
    other = p, other.cache = CACHE_HOT;
    assert_false(find(&other, "sm_90", "NVIDIA H200", &found));
    other = p, other.dtype_out = DTYPE_BF16;
    assert_false(find(&other, "sm_90", "NVIDIA H200", &found));
}

static void prediction_is_no_stored_choice(void **state)
{
    (void)state;
    struct stored_choice found;
    struct problem p = problem_default(8192, 2048);
    assert_false(find(&p, "sm_90", "NVIDIA H200", &found));
}

/* A variant that the space has no longer would be dropped without a word. */
static void assert_variant_is_valid(const struct problem *p, const struct gpu *gpu,
                                    const struct stored_choice *s)
{
    struct generator_options options = {.config = s->space};
    struct error e = {0};
    struct generator *space = generator_open(&options, &e);
    assert_non_null(space);
    assert_true(generator_set_problem(space, p, gpu, &e));
    char *key = generator_key(space, s->variant, true, &e);
    assert_string_equal(e.text, "");
    assert_non_null(key);
    free(key);
    generator_close(space);
}

static void every_choice_that_is_built_in_is_found_and_valid(void **state)
{
    (void)state;
    struct gpu_list gpus;
    assert_true(gpu_list_load(&gpus, NULL));
    const struct resource *resource;
    for (int i = 0; (resource = resource_at("kernels/", i)) != NULL; i++) {
        json_t *document = json_loadb(resource->text, resource->size, JSON_REJECT_DUPLICATES, NULL);
        json_t *entry, *list = json_object_get(document, "choices");
        size_t index;
        assert_true(json_array_size(list) > 0);
        json_array_foreach(list, index, entry)
        {
            struct problem p;
            struct error e;
            struct gpu gpu;
            struct stored_choice found;
            assert_true(problem_of_json(entry, &p, &e));
            assert_true(gpu_find(&gpus, json_string_value(json_object_get(entry, "arch")),
                                 json_string_value(json_object_get(entry, "gpu")), &gpu, &e));
            assert_true(choices_find_built_in(&p, &gpu, &found));
            assert_string_equal(found.gpu, gpu.name);
            gpu.ptx_version = 90; /* of the NVRTC 13.0 that tune.sh installs */
            assert_variant_is_valid(&p, &gpu, &found);
            stored_choice_clear(&found);
        }
        json_decref(document);
    }
    gpu_list_clear(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_of_the_same_gpu_is_measured),
        cmocka_unit_test(choice_of_another_gpu_of_the_architecture_says_which),
        cmocka_unit_test(nothing_but_the_very_problem_is_answered),
        cmocka_unit_test(prediction_is_no_stored_choice),
        cmocka_unit_test(every_choice_that_is_built_in_is_found_and_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
