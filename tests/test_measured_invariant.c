/* --batch-invariant on a GPU that is a script, where the space lists other variants for few rows than for
   many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scripted_command.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Blocks of 64 to 1024 threads, of which one does a row's work. For few rows those up to 256 are listed, for
   many those from 256; 1024 are not valid for few. */
static void write_space(void)
{
    FILE *template = fopen("row.cu", "w"), *space = fopen("few.lua", "w");
    assert_true(template != NULL && space != NULL);
    fputs("extern \"C\" __global__ void ${kernel}(const float *x, float *y)\n"
          "{\n"
          "    if (threadIdx.x == 0)\n"
          "        y[blockIdx.x] = x[blockIdx.x];\n"
          "}\n",
          template);
    fputs("return space { name = 'few', template = 'row.cu',\n"
          "  parameters = { { 'threads', { 64, 128, 256, 512, 1024 }, 'of a block' } },\n"
          "  constraints = {\n"
          "    { { 'threads' }, function(threads, problem) return threads < 1024 or problem.M >= 100 end,\n"
          "      'a large block has rows enough' },\n"
          "    { { 'threads' }, function(threads, problem)\n"
          "        return problem.M < 100 and threads <= 256 or problem.M >= 100 and threads >= 256\n"
          "      end, 'small blocks for few rows', only = 'default' } },\n"
          "  launch = function(v)\n"
          "    return { { grid_of_M = 'M', block = v.threads, args = { 'x', 'y' } } }\n"
          "  end }\n",
          space);
    fclose(template);
    fclose(space);
}

#define FEW "tune --N 64 --M 8,8192 --config few.lua --templates . --batch-invariant"

static int set_up(void **state)
{
    write_space();
    return scripted_set_up(state);
}

/* What both lists have, 256, is slow everywhere. For few rows the best is 64, for many 1024. */
static double the_best_for_both_is_listed_for_many(int64_t M, int threads)
{
    if (M < 100)
        return threads == 64 ? 200 : threads == 512 ? 220 : threads == 256 ? 300 : 500;
    return threads == 1024 ? 200 : threads == 512 ? 210 : threads == 256 ? 400 : 900;
}

static double the_best_for_both_is_listed_for_few(int64_t M, int threads)
{
    if (M < 100)
        return threads == 128 ? 210 : threads == 64 ? 200 : 400;
    return threads == 128 ? 230 : threads >= 512 ? 200 : 400;
}

/* One that is listed for many rows alone is also the fastest for few. */
static double the_best_for_few_is_listed_for_many(int64_t M, int threads)
{
    return M < 100 ? (threads == 512 ? 180 : 200) : (threads == 512 ? 200 : 220);
}

/* A signal comes in the last race of the lists, when all of them have been verified. */
static double interrupted(int64_t M, int threads)
{
    static int calls;
    calls += M >= 100;
    if (calls == 20)
        raise(SIGINT);
    return the_best_for_both_is_listed_for_many(M, threads);
}

static double the_best_for_both_is_in_both_lists(int64_t M, int threads)
{
    (void)M;
    return threads == 256 ? 200 : 210;
}

static double of_proof(json_t *document, size_t index, const char *name)
{
    json_t *problem = json_array_get(json_object_get(document, "problems"), index);
    return json_number_value(json_object_get(json_object_get(problem, "batch_invariant"), name));
}

static void assert_choice(json_t *document, json_int_t threads)
{
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(threads_of_choice(json_array_get(json_object_get(document, "problems"), i)),
                         threads);
}

static void the_choice_may_be_listed_for_many_rows_alone(void **state)
{
    (void)state;
    script->time_us = the_best_for_both_is_listed_for_many;
    json_t *document = run_json(FEW);
    assert_choice(document, 512);
    assert_true(fabs(of_proof(document, 0, "cost") - 0.10) < 0.01);
    assert_true(fabs(of_proof(document, 1, "cost") - 0.05) < 0.01);
    assert_true(fabs(of_proof(document, 0, "alone_us") - 200) < 1);
    json_decref(document);
}

static void the_choice_may_be_listed_for_few_rows_alone(void **state)
{
    (void)state;
    script->time_us = the_best_for_both_is_listed_for_few;
    json_t *document = run_json(FEW);
    assert_choice(document, 128);
    assert_true(fabs(of_proof(document, 0, "cost") - 0.05) < 0.01);
    assert_true(fabs(of_proof(document, 1, "cost") - 0.15) < 0.01);
    json_decref(document);
}

static void what_the_choice_costs_is_told_beside_the_best_that_any_list_has(void **state)
{
    (void)state;
    script->time_us = the_best_for_few_is_listed_for_many;
    json_t *document = run_json(FEW);
    assert_choice(document, 512);
    assert_true(fabs(of_proof(document, 0, "cost")) < 0.01);
    assert_true(fabs(of_proof(document, 0, "alone_us") - 180) < 1);
    json_decref(document);
}

static void a_variant_that_is_wrong_at_one_m_is_not_the_choice(void **state)
{
    (void)state;
    script->time_us = the_best_for_both_is_listed_for_many;
    script->wrong_threads = 512;
    json_t *document = run_json(FEW);
    assert_choice(document, 256);
    json_decref(document);
}

static void a_variant_of_one_list_whose_bits_depend_on_m_is_passed_over(void **state)
{
    (void)state;
    script->time_us = the_best_for_both_is_listed_for_many;
    script->unsteady_threads = 512;
    json_t *document = run_json(FEW);
    assert_choice(document, 256);
    assert_true(of_proof(document, 0, "passed_over") == 1);
    json_decref(document);
}

static void what_cannot_be_better_is_not_tried_at_another_m(void **state)
{
    (void)state;
    script->time_us = the_best_for_both_is_in_both_lists;
    assert_int_equal(run_command(FEW " --quiet"), 0);
    assert_true(
        said("out.txt", "\nChoice: threads=256\nCost:   f32 8x64 and its other M: 0.0 % on the average"));
    assert_false(said("out.txt", "were tried at M that do not list them"));
}

static void the_table_says_where_another_variant_is_the_best(void **state)
{
    (void)state;
    script->time_us = the_best_for_both_is_listed_for_many;
    assert_int_equal(run_command(FEW " --quiet"), 0);
    assert_true(said("out.txt",
                     "7.5 % on the average, 10.0 % at most, beside the best variant for each M\n"
                     "        5 variants are listed for some M; 2 of them were tried at M that do"));
    assert_true(said("out.txt", "\nBest:   f32 8x64 alone: as the choice, but threads=64\n"
                                "        f32 8192x64 alone: as the choice, but threads=1024\n"));
}

static void an_interrupt_ends_with_what_is_the_best_so_far(void **state)
{
    (void)state;
    script->time_us = interrupted;
    assert_int_equal(run_command(FEW " --quiet --output interrupted"), 0);
    assert_true(said("out.txt", "\nChoice: threads=256\n"));
    assert_true(is_there("interrupted/softmax_f32_m8_n64_sm_90.json"));
    assert_true(is_there("interrupted/softmax_f32_m8192_n64_sm_90.json"));
}

/* 64 are not valid for many rows and 1024 not for few; of the others each list has one. */
static double the_best_of_each_is_not_valid_for_the_other(int64_t M, int threads)
{
    if (M < 100)
        return threads == 64 ? 200 : threads == 128 ? 400 : 500;
    return threads == 1024 ? 200 : threads == 512 ? 400 : 900;
}

static void a_slow_variant_is_chosen_where_no_fast_one_is_valid_for_all(void **state)
{
    (void)state;
    script->time_us = the_best_of_each_is_not_valid_for_the_other;
    FILE *space = fopen("apart.lua", "w");
    assert_non_null(space);
    fputs("return space { name = 'apart', template = 'row.cu',\n"
          "  parameters = { { 'threads', { 64, 128, 512, 1024 }, 'of a block' } },\n"
          "  constraints = {\n"
          "    { { 'threads' }, function(threads, problem)\n"
          "        return threads ~= (problem.M < 100 and 1024 or 64)\n"
          "      end, 'blocks are as large as the problem' },\n"
          "    { { 'threads' }, function(threads, problem) return (problem.M < 100) == (threads < 512) end,\n"
          "      'small blocks for few rows', only = 'default' } },\n"
          "  launch = function(v)\n"
          "    return { { grid_of_M = 'M', block = v.threads, args = { 'x', 'y' } } }\n"
          "  end }\n",
          space);
    fclose(space);
    json_t *document = run_json(FEW " --config apart.lua");
    assert_choice(document, 512);
    json_decref(document);
}

static void it_is_said_why_there_is_none(void **state)
{
    (void)state;
    script->all_wrong = true;
    assert_int_equal(run_command(FEW " --quiet --output none"), 1);
    assert_true(said("err.txt", "none is right at each of them; threads=64 fails at f32 8x64: wrong on rows "
                                "that begin with -inf"));
    assert_false(is_there("none/softmax_f32_m8_n64_sm_90.json"));
}

#define scripted(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scripted(the_choice_may_be_listed_for_many_rows_alone),
        scripted(the_choice_may_be_listed_for_few_rows_alone),
        scripted(what_the_choice_costs_is_told_beside_the_best_that_any_list_has),
        scripted(a_variant_that_is_wrong_at_one_m_is_not_the_choice),
        scripted(a_variant_of_one_list_whose_bits_depend_on_m_is_passed_over),
        scripted(what_cannot_be_better_is_not_tried_at_another_m),
        scripted(the_table_says_where_another_variant_is_the_best),
        scripted(an_interrupt_ends_with_what_is_the_best_so_far),
        scripted(a_slow_variant_is_chosen_where_no_fast_one_is_valid_for_all),
        scripted(it_is_said_why_there_is_none),
    };
    return cmocka_run_group_tests(tests, scripted_set_up_all, scripted_tear_down_all);
}
