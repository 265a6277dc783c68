/* --batch-invariant end to end, on the emulator: one variant for all M, whose rows' bits do not depend on M.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

/* A thread a row; `how` is in which order it adds: in one that depends on M, in one that depends on the row,
   or always in the same. */
static void write_space(const char *folder)
{
    write_text(folder, "sum.cu",
               "extern \"C\" __global__ void ${kernel}(const float *x, float *y, long long M)\n"
               "{\n"
               "    x += 64ll * blockIdx.x;\n"
               "    y += 64ll * blockIdx.x;\n"
               "    float top = x[0], sum = 0;\n"
               "    for (int i = 1; i < 64; i++)\n"
               "        top = fmaxf(top, x[i]);\n"
               "% if how == 'by_batch' then\n"
               "    const bool backwards = M > 5;\n"
               "% elseif how == 'by_row' then\n"
               "    const bool backwards = blockIdx.x % 2;\n"
               "% else\n"
               "    const bool backwards = false;\n"
               "% end\n"
               "    for (int i = 0; i < 64; i++)\n"
               "        sum += expf(x[backwards ? 63 - i : i] - top);\n"
               "    for (int i = 0; i < 64; i++)\n"
               "        y[i] = expf(x[i] - top) / sum;\n"
               "}\n");
    write_text(
        folder, "sum.lua",
        "return space { name = 'sum', template = 'sum.cu',\n"
        "  parameters = { { 'how', { 'by_batch', 'by_row', 'same' }, 'order of the sum' } },\n"
        "  launch = function(v) return { { grid_of_M = 'M', block = 1, args = { 'x', 'y', 'M' } } } end }\n");
}

#define RUN "--arch sm_120 --config sum.lua --templates . --device emulator --batch-invariant --quiet "

static void the_variant_whose_bits_do_not_depend_on_the_batch_is_chosen_for_all(void **state)
{
    write_space(*state);
    json_t *document = run_json(*state, RUN "--N 64 --M 1,8,100 --json");
    json_t *problems = json_object_get(document, "problems");
    assert_int_equal(json_array_size(problems), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *problem = json_array_get(problems, i);
        json_t *proof = json_object_get(problem, "batch_invariant");
        json_t *rows = json_object_get(proof, "rows");
        assert_string_equal(json_string_value(json_object_get(json_object_get(problem, "choice"), "variant")),
                            "how=same");
        assert_true(json_is_true(json_object_get(proof, "proven")));
        assert_int_equal(json_integer_value(json_object_get(proof, "passed_over")), 2);
        assert_int_equal(json_integer_value(json_array_get(rows, 0)), 1);
        assert_int_equal(json_integer_value(json_array_get(rows, json_array_size(rows) - 1)), 100);
        assert_true(json_real_value(json_object_get(proof, "cost")) >= 0);
    }
    json_decref(document);
}

static void the_table_says_what_was_proven_and_what_was_passed_over(void **state)
{
    write_space(*state);
    struct run run = run_well(*state, RUN "--N 64 --M 1,8");
    assert_non_null(strstr(run.out, " best    cost  choice\n"));
    assert_non_null(strstr(run.out, "\nChoice: how=same\n"));
    assert_non_null(strstr(run.out, "rows have the same bits, wherever they are, in batches of 1, 2, 3, 8"));
    assert_non_null(strstr(run.out, "2 passed over: how=by_batch: a row's bits depend on the batch"));
    run_clear(&run);
}

/* What is listed for few rows and for many has bits that depend on how many there are. */
static void a_variant_that_few_rows_do_not_list_is_chosen_where_it_is_valid_for_them(void **state)
{
    write_space(*state);
    write_text(*state, "lists.lua",
               "return space { name = 'lists', template = 'sum.cu',\n"
               "  parameters = { { 'how', { 'by_batch', 'same', 'by_row' }, 'order of the sum' } },\n"
               "  constraints = {\n"
               "    { { 'how' }, function(how, problem) return how ~= 'by_row' or problem.M == 100 end,\n"
               "      'rows are even' },\n"
               "    { { 'how' }, function(how, problem) return how ~= 'same' or problem.M > 8 end,\n"
               "      'not seen to win', only = 'default' } },\n"
               "  launch = function(v)\n"
               "    return { { grid_of_M = 'M', block = 1, args = { 'x', 'y', 'M' } } }\n"
               "  end }\n");
    struct run run = run_well(*state, RUN "--config lists.lua --N 64 --M 1,8,100");
    assert_non_null(strstr(run.out, "\nChoice: how=same\n"));
    assert_non_null(strstr(
        run.out, "3 variants are listed for some M; 1 of them were tried at M that do not list them\n"));
    assert_non_null(strstr(run.out, "1 passed over: how=by_batch: a row's bits"));
    run_clear(&run);
    run = run_program(*state, RUN "--config lists.lua --N 64 --M 8,100 --set how=by_row --output none");
    assert_int_equal(run.status, 2); /* one of the lists is empty */
    run_clear(&run);
}

/* Their sums follow the alignment, which 16-bit results of most rows do not show. */
static void loads_wider_than_the_alignment_of_rows_are_passed_over(void **state)
{
    struct run run = run_well(
        *state,
        "tune --arch sm_90 --device none --batch-invariant --N 1023 --M 1,50 --dtype bf16 --output wide");
    assert_non_null(strstr(run.out, "passed over: "));
    assert_non_null(strstr(run.out, "a row's alignment"));
    assert_true(strstr(run.out, "\nChoice: scope=tile") != NULL || strstr(run.out, "vec_bytes=2,") != NULL);
    run_clear(&run);
}

static void none_is_chosen_where_all_depend_on_the_batch(void **state)
{
    write_space(*state);
    struct run run = run_program(*state, RUN "--N 64 --M 4,8 --set how=by_row --output none");
    assert_int_equal(run.status, 1);
    assert_int_equal(count_lines(run.err), 1);
    assert_non_null(strstr(run.err, "how=by_row: a row's bits depend on the batch: row "));
    run_clear(&run);
}

static void problems_of_other_columns_have_a_choice_of_their_own(void **state)
{
    json_t *document = run_json(*state, "--arch sm_120 --N 64,512 --M 2,4 --config article --set passes=3 "
                                        "--set scope=block --set reduction=shuffle --device none --json "
                                        "--batch-invariant --quiet");
    json_t *problems = json_object_get(document, "problems");
    assert_int_equal(json_array_size(problems), 4);
    const char *variants[4];
    for (size_t i = 0; i < 4; i++) {
        json_t *problem = json_array_get(problems, i);
        variants[i] = json_string_value(json_object_get(json_object_get(problem, "choice"), "variant"));
        assert_non_null(variants[i]);
        assert_true(json_is_false(json_object_get(json_object_get(problem, "batch_invariant"), "proven")));
    }
    assert_string_equal(variants[0], variants[1]);
    assert_string_equal(variants[2], variants[3]);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variant_whose_bits_do_not_depend_on_the_batch_is_chosen_for_all),
        cmocka_unit_test(the_table_says_what_was_proven_and_what_was_passed_over),
        cmocka_unit_test(a_variant_that_few_rows_do_not_list_is_chosen_where_it_is_valid_for_them),
        cmocka_unit_test(loads_wider_than_the_alignment_of_rows_are_passed_over),
        cmocka_unit_test(none_is_chosen_where_all_depend_on_the_batch),
        cmocka_unit_test(problems_of_other_columns_have_a_choice_of_their_own),
    };
    return cmocka_run_group_tests(tests, temporary_folder_set_up, temporary_folder_tear_down);
}
