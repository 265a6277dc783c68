/* The emulator beside a GPU: each instruction bit by bit, or within the error that the PTX manual states, and
   the outputs of a sample of variants. The GPU's answers are data (tests/hardware/, record_hardware.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tests/hardware/hardware_answers.h"
#include "tests/hardware/hardware_program.h"
#include "tests/hardware/hardware_variants.h"
#include "tests/hardware/stated_error.h"
#include "tests/kernel_spaces.h"

static struct answers *answers;
static struct device *emulator;

/* ---- instructions ---- */

enum { GROUPS = PROGRAM_THREADS / ANSWER_GROUP };

struct tally {
    int compared, unknown, other_nans, wrong;
};

static void say_where(const struct instruction *i, int thread, const char *what, uint64_t result)
{
    uint64_t(*inputs)[4] = must_calloc(PROGRAM_THREADS, sizeof *inputs);
    program_inputs(i, inputs);
    print_error("%s: thread %d of a 0x%" PRIx64 ", b 0x%" PRIx64 ", c 0x%" PRIx64 ": 0x%" PRIx64 " %s\n",
                i->text, thread, inputs[thread][0], inputs[thread][1], inputs[thread][2], result, what);
    free(inputs);
}

/* Each group of results as it is, or with NaNs of other bits: PTX does not define those. */
static void compare_hashes(const struct instruction *i, const uint64_t *results, const unsigned char *data,
                           struct tally *t)
{
    uint32_t hashes[2][GROUPS];
    uint64_t canonical[ANSWER_GROUP];
    bool other_nans = false;
    memcpy(hashes, data, sizeof hashes);
    for (int g = 0; g < GROUPS; g++) {
        const uint64_t *group = results + g * ANSWER_GROUP;
        for (int k = 0; k < ANSWER_GROUP; k++)
            canonical[k] = program_canonical(i->d, group[k]);
        if (answer_hash(group, ANSWER_GROUP) == hashes[0][g])
            continue;
        other_nans = true;
        if (answer_hash(canonical, ANSWER_GROUP) == hashes[1][g])
            continue;
        say_where(i, g * ANSWER_GROUP, "is among 64 results of which the GPU has another", group[0]);
        t->wrong++;
        return;
    }
    t->other_nans += other_nans;
}

/* Both are within the stated error of the truth. */
static void compare_values(const struct instruction *i, const uint64_t *results, const unsigned char *data,
                           struct tally *t)
{
    uint64_t(*inputs)[4] = must_calloc(PROGRAM_THREADS, sizeof *inputs);
    bool packed = stated_error_type(i->d) != i->d, good = true;
    program_inputs(i, inputs);
    for (int k = 0; k < PROGRAM_THREADS && good; k++) {
        uint32_t gpu;
        memcpy(&gpu, data + (size_t)k * sizeof gpu, sizeof gpu);
        for (int shift = 0; shift <= (packed ? 16 : 0); shift += 16) {
            uint32_t mask = packed ? 0xffff : UINT32_MAX, a = (uint32_t)inputs[k][0] >> shift & mask,
                     b = (uint32_t)inputs[k][1] >> shift & mask;
            if (!stated_error_holds(i, a, b, (uint32_t)results[k] >> shift & mask)) {
                say_where(i, k, "is beyond the stated error", results[k]);
                good = false;
            }
            if (!stated_error_holds(i, a, b, gpu >> shift & mask)) {
                say_where(i, k, "of the GPU is beyond the stated error", gpu);
                good = false;
            }
        }
    }
    t->wrong += !good;
    free(inputs);
}

static void compare_instruction(const struct instruction *i, struct tally *t)
{
    uint64_t results[PROGRAM_THREADS];
    const unsigned char *data;
    struct error e = {0};
    const struct answer *answer = answers_find(answers, program_hash(i), &data);
    if (!program_run(i, emulator, results, &e)) {
        print_error("%s: %s\n", i->text, e.text);
        t->wrong++;
    } else if (answer == NULL) {
        print_message("%s: no answer recorded\n", i->text);
        t->unknown++;
    } else if (answer->kind == ANSWER_REFUSED) {
        print_error("%s: the GPU says: %s\n", i->text, (const char *)data);
        t->wrong++;
    } else if (answer->kind == ANSWER_VALUES) {
        compare_values(i, results, data, t);
        t->compared++;
    } else {
        compare_hashes(i, results, data, t);
        t->compared++;
    }
}

static void every_instruction_answers_as_the_gpu_does(void **state)
{
    (void)state;
    struct tally t = {0};
    for (int i = 0; i < hardware_instruction_count; i++)
        compare_instruction(&hardware_instructions[i], &t);
    print_message("%d instructions compared, %d of them with NaNs of other bits; %d not recorded\n",
                  t.compared, t.other_nans, t.unknown);
    assert_int_equal(t.wrong, 0);
    assert_true(t.compared > 9 * t.unknown);
}

/* ---- variants ---- */

struct kept {
    uint32_t *elements;
    size_t count;
};

struct comparison {
    int variants, identical;
    int64_t elements, same;
    double worst; /* the largest difference, in bounds */
};

static struct oracle_sums sum_row(const struct oracle_batch *b, const struct oracle_row *r)
{
    struct oracle_sums s = {.top = -INFINITY};
    for (int64_t c = 0; c < b->N; c++)
        s.top = fmax(s.top, oracle_scaled(b, oracle_input(b, r, c)));
    for (int64_t c = 0; c < b->N; c++)
        s.total += exp(oracle_scaled(b, oracle_input(b, r, c)) - s.top);
    s.log_total = log(s.total);
    return s;
}

/* The worst difference of the kept elements over the verifier's bound; both may be a NaN, as an unguarded
   online sum makes it. */
static double worst_difference(const struct hardware_variant *v, const struct kept *ours,
                               const uint32_t *theirs, int64_t *same)
{
    const struct oracle_batch *b = &v->batch;
    double worst = 0;
    int64_t of_row = -1;
    struct oracle_row r;
    struct oracle_sums s = {0};
    for (size_t k = 0; k < ours->count; k++) {
        int64_t row, column;
        hardware_variant_place(v, k, &row, &column);
        if (row != of_row) {
            r = oracle_row_of(b, row);
            s = sum_row(b, &r);
            of_row = row;
        }
        *same += ours->elements[k] == theirs[k];
        double x = oracle_scaled(b, oracle_input(b, &r, column)), ref = oracle_reference(b, &s, x),
               bound = oracle_bound(b, &s, x, ref, sqrt((double)b->N)) + oracle_last_place(b->dtype_out, ref),
               one = oracle_decode(b->dtype_out, ours->elements[k]),
               other = oracle_decode(b->dtype_out, theirs[k]);
        worst = isnan(one) && isnan(other) ? worst : fmax(worst, oracle_error(b, one, other, bound));
    }
    return worst;
}

/* One variant. `before`: the GPU's elements of the variant before, and of this one afterwards. */
static bool compare_variant(const struct hardware_variant *v, struct kept *before, struct comparison *c)
{
    struct error e = {0};
    const unsigned char *data;
    const struct answer *answer = answers_find(answers, hardware_variant_hash(v), &data);
    struct oracle_verdict verdict;
    struct variant_answer head;
    struct kept ours;
    void *y;
    if (answer == NULL || answer->kind != ANSWER_VARIANT) {
        print_error("%s: %s\n", v->key, answer == NULL ? "no answer recorded" : (const char *)data);
        return false;
    }
    if (!hardware_variant_run(v, emulator, &y, &verdict, &e)) {
        print_error("%s: %s\n", v->key, e.text);
        return false;
    }
    ours.count = hardware_variant_kept(v, y, &ours.elements);
    memcpy(&head, data, sizeof head);
    uint32_t *theirs = must_calloc(ours.count, sizeof *theirs);
    bool good = answer_decode(data + sizeof head, answer->bytes - sizeof head,
                              before->count == ours.count ? before->elements : NULL, ours.count,
                              theirs) == answer->bytes - sizeof head;
    double worst = good ? worst_difference(v, &ours, theirs, &c->same) : INFINITY;
    if (worst > 1)
        print_error("%s: the GPU's output is %.3g bounds away\n", v->key, worst);
    c->variants++;
    c->identical += XXH64(y, oracle_y_bytes(&v->batch), 0) == head.whole_hash;
    c->elements += (int64_t)ours.count;
    c->worst = fmax(c->worst, worst);
    free(before->elements);
    *before = (struct kept){theirs, ours.count};
    free(ours.elements);
    free(y);
    return worst <= 1;
}

static void a_sample_of_variants_computes_what_the_gpu_does(void **state)
{
    (void)state;
    json_error_t why;
    json_t *document = json_load_file(ANSWERS "/variants.json", 0, &why);
    struct comparison c = {0};
    struct kept before = {0};
    int wrong = 0;
    assert_non_null(document);
    for (size_t i = 0; i < json_array_size(json_object_get(document, "variants")); i++) {
        struct error e = {0};
        struct hardware_variant v;
        if (!hardware_variant_read(document, i, NULL, &v, &e))
            fail_msg("%s", e.text);
        wrong += !compare_variant(&v, &before, &c);
        hardware_variant_clear(&v);
    }
    print_message("%d variants compared, %d identical in every bit of every row; %.1f %% of %" PRId64
                  " elements are; the others are at most %.2f of the verifier's bound apart\n",
                  c.variants, c.identical, 100.0 * (double)c.same / (double)c.elements, c.elements, c.worst);
    free(before.elements);
    json_decref(document);
    assert_int_equal(wrong, 0);
    assert_true(c.variants >= 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_answers_as_the_gpu_does),
        cmocka_unit_test(a_sample_of_variants_computes_what_the_gpu_does),
    };
    struct error e = {0};
    struct gpu gpu = gpu_of("sm_90");
    answers = answers_read(ANSWERS "/h200.bin", &e);
    if (answers == NULL && e.status == STATUS_MISSING) {
        fprintf(stderr, "skipped: no answers recorded (record_hardware on a GPU)\n");
        return 77;
    }
    if (answers == NULL || !emulator_device_open(&gpu, &emulator, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    print_message("answers of %s\n", answers_title(answers));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    emulator->operations->close(emulator);
    answers_free(answers);
    return failed;
}
