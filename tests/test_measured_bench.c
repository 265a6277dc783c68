/* bench and check on a GPU: variants, rivals, and a kernel of the user's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scripted_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void bench_races_variants_and_an_emitted_rival(void **state)
{
    (void)state;
    assert_int_equal(run_command("tune --quiet --output rival " PROBLEM), 0);
    json_t *problem = run_json_problem("bench --N 1024 --config article v3 v4 --rival rival/" STEM ".json");
    json_t *entries = json_object_get(problem, "entries");
    assert_int_equal(json_array_size(entries), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(entries, 0), "name")), "v3");
    assert_false(json_is_true(json_object_get(json_array_get(entries, 0), "fastest")));
    assert_true(json_is_true(json_object_get(json_array_get(entries, 2), "fastest")));
    json_decref(problem);
}

static void a_rival_of_another_problem_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run_command("tune --quiet --output rival " PROBLEM), 0);
    assert_int_equal(run_command("bench --quiet --N 2048 --config article v3 --rival rival/" STEM ".json"),
                     2);
    assert_true(said("err.txt", "--rival rival/" STEM ".json"));
    assert_true(said("err.txt", "another problem"));
    assert_int_equal(run_command("bench --quiet --N 1024 --config article v3 --rival absent.cu:kernel"), 2);
    assert_true(said("err.txt", "--rival absent.cu cannot be read: "));
}

static void write_rivals(void)
{
    FILE *file = fopen("mine.cu", "w");
    assert_non_null(file);
    fputs("#include <cuda_fp16.h>\n"
          "// softmax-tune: kernel=fast grid=M block=512 args=x,y,N\n"
          "__global__ void fast(const float *x, float *y, int N) { y[N * blockIdx.x] = x[N * blockIdx.x]; }\n"
          "// softmax-tune: kernel=wrong grid=M block=96 args=x,y\n"
          "extern \"C\" __global__ void wrong(const float *x, float *y) { *y = *x; }\n"
          "// softmax-tune: kernel=misfit grid=M block=96 args=x,y,M\n"
          "extern \"C\" __global__ void misfit(const float *x, float *y) { *y = 2 * *x; }\n",
          file);
    fclose(file);
    file = fopen("broken.cu", "w");
    assert_non_null(file);
    fputs("// softmax-tune: grid=M block=96 args=x,y\n"
          "__global__ void broken(const float *x, float *y) { *y = nothing; }\n",
          file);
    fclose(file);
}

static void bench_races_a_kernel_of_the_users(void **state)
{
    (void)state;
    write_rivals();
    json_t *problem = run_json_problem("bench --N 1024 --config article v3 --rival mine.cu:fast");
    json_t *rival = json_array_get(json_object_get(problem, "entries"), 1);
    assert_string_equal(json_string_value(json_object_get(rival, "rival")), "mine.cu:fast");
    assert_string_equal(json_string_value(json_object_get(rival, "verdict")), "correct");
    assert_true(fabs(json_real_value(json_object_get(rival, "time_us")) - 105) < 0.5);
    assert_true(json_is_true(json_object_get(rival, "fastest")));
    json_decref(problem);
}

static void a_wrong_rival_is_timed_and_cannot_win(void **state)
{
    (void)state;
    write_rivals();
    script->wrong_kernel = "wrong";
    assert_int_equal(run_command("bench --quiet --N 1024 --config article v3 --rival mine.cu:wrong"), 0);
    assert_true(said("out.txt", "\ncorrectness "));
    assert_true(said("out.txt", "mine.cu:wrong: wrong on rows that begin with -inf\n"));
    assert_true(said("out.txt", "\nfastest "));
    json_t *problem = run_json_problem("bench --N 1024 --config article v3 --rival mine.cu:wrong");
    json_t *rival = json_array_get(json_object_get(problem, "entries"), 1);
    assert_string_equal(json_string_value(json_object_get(rival, "verdict")), "correctness");
    assert_true(fabs(json_real_value(json_object_get(rival, "time_us")) - 120.96) < 0.5);
    assert_false(json_is_true(json_object_get(rival, "fastest")));
    json_decref(problem);
}

static void a_rival_that_does_not_compile_is_shown_with_its_line(void **state)
{
    (void)state;
    write_rivals();
    json_t *problem = run_json_problem("bench --N 1024 --config article v3 --rival broken.cu:broken");
    json_t *rival = json_array_get(json_object_get(problem, "entries"), 1);
    assert_string_equal(json_string_value(json_object_get(rival, "verdict")), "compile");
    assert_non_null(strstr(json_string_value(json_object_get(rival, "reason")), "broken.cu:2"));
    json_decref(problem);
}

static void a_rival_whose_launch_does_not_fit_is_wrong_usage(void **state)
{
    (void)state;
    write_rivals();
    assert_int_equal(run_command("bench --quiet --N 1024 --config article --rival mine.cu:misfit"), 2);
    assert_true(said("err.txt", "--rival mine.cu:misfit: args has 3 names, and misfit has 2 parameters"));
    assert_int_equal(run_command("bench --quiet --N 1024 --config article --rival mine.cu:absent"), 2);
    assert_true(said("err.txt", "no line says how absent is launched"));
}

static void check_prints_a_line_a_variant_and_fails_for_a_wrong_one(void **state)
{
    (void)state;
    script->wrong_code = code_of_v5();
    assert_int_equal(run_command("check --quiet --N 1024 --config article --variant v4"), 0);
    assert_true(said("out.txt", "\ncorrect        0.250  v4: scope=block"));
    assert_false(said("out.txt", "emulator"));
    assert_int_equal(run_command("check --quiet --N 1024 --config article --variant v4 --variant v5"), 1);
    assert_true(said("out.txt", "\ncorrectness      inf  v5: scope=block"));
    assert_true(said("out.txt", "wrong on rows that begin with -inf"));
}

static void check_as_json_has_the_designed_fields(void **state)
{
    (void)state;
    json_t *document = run_json("check --N 1024 --config article --limit 3");
    json_t *variants = json_object_get(document, "variants");
    assert_int_equal(json_array_size(variants), 3);
    json_t *first = json_array_get(variants, 0);
    assert_true(json_is_string(json_object_get(first, "key")));
    assert_string_equal(json_string_value(json_object_get(first, "verdict")), "correct");
    assert_true(json_real_value(json_object_get(first, "max_error")) == 0.25);
    assert_true(json_is_null(json_object_get(first, "counts")));
    json_decref(document);
}

#define scripted(test) cmocka_unit_test_setup(test, scripted_set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scripted(bench_races_variants_and_an_emitted_rival),
        scripted(a_rival_of_another_problem_is_refused),
        scripted(bench_races_a_kernel_of_the_users),
        scripted(a_wrong_rival_is_timed_and_cannot_win),
        scripted(a_rival_that_does_not_compile_is_shown_with_its_line),
        scripted(a_rival_whose_launch_does_not_fit_is_wrong_usage),
        scripted(check_prints_a_line_a_variant_and_fails_for_a_wrong_one),
        scripted(check_as_json_has_the_designed_fields),
    };
    return cmocka_run_group_tests(tests, scripted_set_up_all, scripted_tear_down_all);
}
