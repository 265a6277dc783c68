/* What a tuning run on a GPU chooses, prints and writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scripted_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void tune_chooses_the_fastest_and_prints_the_article_beside_it(void **state)
{
    (void)state;
    script->wrong_code = code_of_v5();
    assert_int_equal(run_command("tune --quiet " PROBLEM), 0);
    static const char *const rows[] = {"\nv1 ", "\nv2 ", "\nv3 ", "\nv4 ", "\nv5* ", "\nchoice ", "\nlimit "};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(said("out.txt", rows[i]));
    assert_true(said("out.txt", "\n* v5 cannot win: correctness: wrong on rows that begin with -inf\n"));
    assert_true(said("out.txt", "threads=512"));
    assert_false(said("out.txt", "PREDICTED"));
    char *out = read_text("out.txt");
    for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 100 || strncmp(line, "Again:", 6) == 0);
    free(out);
    assert_true(is_there("out/" STEM ".json") && is_there("out/" STEM ".cubin"));
    assert_false(is_there("out/candidates/" STEM));
}

static void the_choice_as_json_is_the_manifest_of_a_measurement(void **state)
{
    (void)state;
    script->wrong_code = code_of_v5();
    json_t *problem = run_json_problem("tune " PROBLEM), *choice = json_object_get(problem, "choice");
    assert_string_equal(json_string_value(json_object_get(choice, "basis")), "measured");
    double us = json_real_value(json_object_get(choice, "time_us"));
    assert_true(fabs(us - 105) < 0.2);
    assert_true(json_real_value(json_object_get(choice, "time_us_low")) <= us);
    assert_true(fabs(json_real_value(json_object_get(choice, "of_limit")) - 100 / us) < 0.01);
    assert_int_equal(threads_of_choice(problem), 512);
    /* Those with 512 threads are tied; the first of the space won. */
    assert_true(json_array_size(json_object_get(problem, "ties")) >= 1);
    json_t *v5 = json_array_get(json_object_get(problem, "presets"), 4);
    assert_string_equal(json_string_value(json_object_get(v5, "name")), "v5");
    assert_string_equal(json_string_value(json_object_get(v5, "verdict")), "correctness");
    assert_true(json_real_value(json_object_get(v5, "time_us")) > 100);
    assert_true(json_integer_value(json_object_get(json_object_get(problem, "trials"), "correctness")) >= 1);
    json_decref(problem);
}

static void a_small_problem_is_raced_cold_and_hot(void **state)
{
    (void)state;
    json_t *problem = run_json_problem("tune --M 64 " PROBLEM),
           *other = json_object_get(problem, "other_cache");
    assert_false(json_is_true(json_object_get(other, "differs")));
    assert_string_equal(json_string_value(json_object_get(other, "cache")), "hot");
    json_decref(problem);
    script->hot_differs = true;
    problem = run_json_problem("tune --M 64 " PROBLEM);
    other = json_object_get(problem, "other_cache");
    assert_true(json_is_true(json_object_get(other, "differs")));
    assert_true(fabs(json_real_value(json_object_get(other, "choice_us")) - 105) < 1);
    assert_non_null(strstr(json_string_value(json_object_get(other, "winner")), "threads=128"));
    json_decref(problem);
    problem = run_json_problem("tune --M 8192 " PROBLEM);
    assert_null(json_object_get(problem, "other_cache"));
    json_decref(problem);
}

static void a_wrong_variant_does_not_win_though_it_is_the_fastest(void **state)
{
    (void)state;
    script->wrong_threads = 512;
    json_t *problem = run_json_problem("tune " PROBLEM);
    assert_int_not_equal(threads_of_choice(problem), 512);
    json_decref(problem);
}

static void when_every_variant_is_wrong_nothing_is_written(void **state)
{
    (void)state;
    script->all_wrong = true;
    assert_int_equal(run_command("tune --quiet " PROBLEM " --output none"), 1);
    char *out = read_text("out.txt");
    assert_string_equal(out, "");
    free(out);
    assert_false(is_there("none/" STEM ".json"));
}

static void a_choice_that_is_wrong_as_emitted_is_not_written(void **state)
{
    (void)state;
    script->wrong_kernel = "_m8192_"; /* only emitted kernels have M in their names */
    assert_int_equal(run_command("tune --quiet " PROBLEM " --output wrong"), 1);
    assert_false(is_there("wrong/" STEM ".json"));
}

static void one_variant_for_all_m_is_measured_beside_the_best_of_each(void **state)
{
    (void)state;
    script->unsteady_threads = 512; /* the fastest */
    json_t *document = run_json("tune " PROBLEM " --M 16,8192 --batch-invariant --output invariant");
    json_t *problems = json_object_get(document, "problems");
    assert_int_equal(json_array_size(problems), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *problem = json_array_get(problems, i), *choice = json_object_get(problem, "choice");
        json_t *proof = json_object_get(problem, "batch_invariant");
        assert_string_equal(json_string_value(json_object_get(choice, "basis")), "measured");
        assert_int_equal(threads_of_choice(problem), 32);
        assert_true(json_is_true(json_object_get(proof, "proven")));
        assert_true(json_integer_value(json_object_get(proof, "passed_over")) >= 1);
        assert_true(fabs(json_real_value(json_object_get(proof, "alone_us")) - 105) < 0.5);
        assert_true(fabs(json_real_value(json_object_get(proof, "cost")) - (120.32 / 105 - 1)) < 0.01);
    }
    json_decref(document);
    assert_true(is_there("invariant/" STEM ".json"));
}

static void random_order_finds_the_same_winner(void **state)
{
    (void)state;
    script->noise = 0;
    json_t *one = run_json_problem("tune " PROBLEM);
    json_t *other = run_json_problem("tune " PROBLEM " --strategy random --seed 5");
    assert_string_equal(json_string_value(json_object_get(json_object_get(one, "choice"), "variant")),
                        json_string_value(json_object_get(json_object_get(other, "choice"), "variant")));
    json_decref(one);
    json_decref(other);
}

#define scripted(test) cmocka_unit_test_setup(test, scripted_set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scripted(tune_chooses_the_fastest_and_prints_the_article_beside_it),
        scripted(the_choice_as_json_is_the_manifest_of_a_measurement),
        scripted(a_small_problem_is_raced_cold_and_hot),
        scripted(a_wrong_variant_does_not_win_though_it_is_the_fastest),
        scripted(when_every_variant_is_wrong_nothing_is_written),
        scripted(a_choice_that_is_wrong_as_emitted_is_not_written),
        scripted(one_variant_for_all_m_is_measured_beside_the_best_of_each),
        scripted(random_order_finds_the_same_winner),
    };
    return cmocka_run_group_tests(tests, scripted_set_up_all, scripted_tear_down_all);
}
