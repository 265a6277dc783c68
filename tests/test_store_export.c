/* What is exported for Kernel Tuner and as T4, and that it is what is stored. */
#include "tests/store_fixture.h"
#include "tuner/store/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct error error;
static const char *const words[] = {"correct", "constraints", "compile", "runtime", "timeout", "correctness"};

/* A variant of a boolean, a word and a number, each in its own way in a key. */
static void put(struct store *s, int number, enum verdict verdict, bool timed)
{
    struct store_key key = fixture_key(number);
    char variant[64], config[96];
    snprintf(variant, sizeof variant, "threads=%d,scope=block,clustered=true", number);
    snprintf(config, sizeof config, "{\"threads\": %d, \"scope\": \"block\", \"clustered\": true}", number);
    struct store_trial trial = fixture_trial(number);
    trial.variant = variant;
    trial.config = config;
    trial.verdict = verdict;
    trial.reason = verdict != VERDICT_CORRECT ? (char *)"because" : NULL;
    trial.copies = number == 7 ? 4 : NAN;
    double samples[] = {2000, 1000, 3000};
    struct store_times times = {.samples = samples, .count = 3, .limit_us = 900};
    if (!store_put(s, &key, &trial, &error) || (timed && !store_put_times(s, &key, &times, &error)))
        fail_msg("%s", error.text);
}

/* Trials 0 to 5 have one verdict each, of which 0 is timed; 6 is right and
   untimed, 7 was timed roughly. One of another space and
   one of another environment are not to be seen. */
static struct store *make_store(const char *folder)
{
    struct store *s = store_open(folder, 0, &error);
    struct store_environment old = fixture_environment(), now = fixture_environment();
    struct problem p = problem_default(8192, 4096);
    strcpy(old.driver, "570.1");
    assert_non_null(s);
    assert_true(store_set_problem(s, &old, &p, &error));
    put(s, 100, VERDICT_CORRECT, true);
    assert_true(store_set_problem(s, &now, &p, &error));
    for (int v = VERDICT_CORRECT; v <= VERDICT_CORRECTNESS; v++)
        put(s, v, (enum verdict)v, v == VERDICT_CORRECT);
    put(s, 6, VERDICT_CORRECT, false);
    put(s, 7, VERDICT_CORRECT, false); /* roughly, four times a copy */
    struct store_key key = fixture_key(200);
    struct store_trial other = fixture_trial(200);
    other.space = (char *)"article";
    other.copies = NAN;
    assert_true(store_put(s, &key, &other, &error));
    return s;
}

static char *export(char *(*format)(struct store *s, const struct export_selection *selection,
                                    struct error *e))
{
    char *folder = temporary_folder();
    struct store *s = make_store(folder);
    struct problem p = problem_default(8192, 4096);
    char *text = format(s, &(struct export_selection){.problem = &p}, &error);
    if (text == NULL)
        fail_msg("%s", error.text);
    store_close(s);
    temporary_folder_remove(folder);
    return text;
}

static double number_at(const json_t *object, const char *name)
{
    assert_true(json_is_number(json_object_get(object, name)));
    return json_number_value(json_object_get(object, name));
}

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void a_kernel_tuner_cache_holds_what_its_reader_needs(void **state)
{
    (void)state;
    char *text = export(export_kernel_tuner);
    size_t size = strlen(text);
    assert_string_equal(text + size - 3, "}\n}");
    json_t *file = json_loads(text, 0, NULL), *cache = json_object_get(file, "cache");
    assert_string_equal(text_at(file, "device_name"), "NVIDIA H200");
    assert_string_equal(text_at(file, "kernel_name"), "softmax_f32_m8192_n4096_sm_90");
    assert_string_equal(text_at(file, "objective"), "time");
    assert_int_equal(json_array_size(json_object_get(file, "problem_size")), 2);
    json_t *names = json_object_get(file, "tune_params_keys");
    assert_int_equal(json_array_size(names), 3);
    assert_string_equal(json_string_value(json_array_get(names, 1)), "scope");
    assert_int_equal(json_array_size(json_object_get(json_object_get(file, "tune_params"), "threads")), 7);

    assert_int_equal(json_object_size(cache), 7); /* the right one without a time is left out */
    json_t *best = json_object_get(cache, "0,block,True");
    assert_true(number_at(best, "time") == 2.0);
    assert_int_equal(json_array_size(json_object_get(best, "times")), 3);
    assert_true(json_is_true(json_object_get(best, "clustered")));
    assert_true(number_at(best, "compile_time") == 100 && number_at(best, "verification_time") == 20);
    assert_true(number_at(best, "benchmark_time") == 6 && number_at(best, "strategy_time") == 0 &&
                number_at(best, "framework_time") == 0);
    assert_non_null(text_at(best, "timestamp"));
    json_t *rough = json_object_get(cache, "7,block,True");
    assert_true(number_at(rough, "time") == 3.6); /* the limit was 0.9 ms */
    assert_int_equal(json_array_size(json_object_get(rough, "times")), 1);
    static const char *const errors[] = {NULL,
                                         "InvalidConfig",
                                         "CompilationFailedConfig",
                                         "RuntimeFailedConfig",
                                         "RuntimeFailedConfig",
                                         "RuntimeFailedConfig"};
    for (int v = 1; v <= 5; v++) {
        char key[32];
        snprintf(key, sizeof key, "%d,block,True", v);
        assert_string_equal(text_at(json_object_get(cache, key), "__error__"), errors[v]);
        assert_null(json_object_get(json_object_get(cache, key), "time"));
    }
    json_decref(file);
    free(text);
}

static void t4_results_hold_what_the_schema_requires(void **state)
{
    (void)state;
    char *text = export(export_t4);
    json_t *file = json_loads(text, 0, NULL), *results = json_object_get(file, "results"), *result;
    assert_string_equal(text_at(file, "schema_version"), "1.0.0");
    assert_string_equal(text_at(json_object_get(file, "metadata"), "timeunit"), "milliseconds");
    assert_int_equal(json_array_size(results), 8);
    size_t index;
    json_array_foreach(results, index, result)
    {
        json_t *times = json_object_get(result, "times");
        bool right = index == 0 || index >= 6;
        assert_string_equal(text_at(result, "invalidity"), words[index >= 6 ? 0 : index]);
        assert_true(number_at(result, "correctness") == right);
        assert_true(json_integer_value(json_object_get(json_object_get(result, "configuration"),
                                                       "threads")) == (json_int_t)index);
        assert_true(number_at(times, "compilation") == 100 && number_at(times, "validation") == 20);
        assert_true(number_at(times, "benchmark") >= 0 && number_at(times, "framework") == 0 &&
                    number_at(times, "search_algorithm") == 0);
        assert_int_equal(json_array_size(json_object_get(times, "runtimes")), index == 0 ? 3 : index == 7);
        assert_string_equal(json_string_value(json_array_get(json_object_get(result, "objectives"), 0)),
                            "time");
        assert_non_null(text_at(result, "timestamp"));
    }
    json_t *time = json_array_get(json_object_get(json_array_get(results, 0), "measurements"), 0);
    assert_string_equal(text_at(time, "name"), "time");
    assert_true(number_at(time, "value") == 2.0);
    assert_string_equal(text_at(time, "unit"), "ms");
    json_decref(file);
    free(text);
}

static void what_is_not_stored_is_said(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = make_store(folder);
    struct problem p = problem_default(1, 4096), stored = problem_default(8192, 4096);
    assert_null(export_t4(s, &(struct export_selection){.problem = &p}, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "f32 1x4096"));
    assert_null(export_t4(s, &(struct export_selection){.problem = &stored, .gpu = "NVIDIA H100"}, &error));
    assert_non_null(strstr(error.text, "NVIDIA H100"));
    assert_null(
        export_kernel_tuner(s, &(struct export_selection){.problem = &stored, .space = "article"}, &error));
    assert_non_null(strstr(error.text, "no time"));
    store_close(s);
    temporary_folder_remove(folder);
}

/* With a folder as its argument it writes the exports there, for their own readers. */
static int write_exports(const char *folder)
{
    static const struct {
        const char *name;
        char *(*format)(struct store *s, const struct export_selection *selection, struct error *e);
    } files[] = {{"kernel_tuner.json", export_kernel_tuner}, {"t4.json", export_t4}};
    for (int i = 0; i < 2; i++) {
        char *path = must_format("%s/%s", folder, files[i].name), *text = export(files[i].format);
        FILE *file = fopen(path, "w");
        if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
            return 1;
        free(path);
        free(text);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_tuner_cache_holds_what_its_reader_needs),
        cmocka_unit_test(t4_results_hold_what_the_schema_requires),
        cmocka_unit_test(what_is_not_stored_is_said),
    };
    return argc == 2 ? write_exports(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
