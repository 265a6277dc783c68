/* How many variants each strategy tries until it has one within 1 % of the best, on recorded spaces: the
   table of docs/strategies.md. Not a test: it takes recordings (`softmax-tune store export t4`). */
#include "generator/generator.h"
#include "tuner/model/model_expect.h"
#include "tuner/race/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 20, JOBS = 16 };
static const double margin = 1.01;

struct recorded {
    struct replay replay;
    struct problem problem;
    struct gpu gpu;
    double *expected;
};

static bool find_gpu(struct recorded *r, struct error *e)
{
    const json_t *hardware = json_object_get(r->replay.metadata, "hardware");
    const char *name = json_string_value(json_object_get(hardware, "device_name"));
    struct gpu_list known;
    if (!gpu_list_load(&known, e))
        return false;
    bool found = gpu_find(&known, NULL, name, &r->gpu, e);
    gpu_list_clear(&known);
    r->gpu.ptx_version = 90;
    return found;
}

/* What the model expects of each recorded variant; of one that the space has no more, nothing. */
static bool expect_all(struct recorded *r, struct error *e)
{
    struct generator *space = generator_open(&(struct generator_options){.full = true}, e);
    bool ok = space != NULL && generator_set_problem(space, &r->problem, &r->gpu, e);
    for (int i = 0; ok && i < r->replay.count; i++) {
        struct error unknown;
        if (!model_expect_us(space, r->replay.keys[i], &r->problem, &r->gpu, &r->expected[i], &unknown))
            r->expected[i] = NAN;
    }
    generator_close(space);
    return ok;
}

static bool read_recording(const char *path, struct recorded *r, struct error *e)
{
    *r = (struct recorded){0};
    if (!replay_read(path, &r->replay, e))
        return false;
    r->expected = must_malloc((size_t)(r->replay.count + 1) * sizeof *r->expected);
    return problem_of_json(json_object_get(r->replay.metadata, "problem"), &r->problem, e) &&
           find_gpu(r, e) && expect_all(r, e);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void print_strategy(const struct recorded *r, enum strategy_kind kind)
{
    int trials[SEEDS];
    for (int i = 0; i < SEEDS; i++)
        trials[i] = replay_trials(&r->replay, kind, r->expected, (uint64_t)i + 1, JOBS, margin);
    qsort(trials, SEEDS, sizeof trials[0], ascending);
    printf(" | %d (%d to %d)", (trials[SEEDS / 2 - 1] + trials[SEEDS / 2]) / 2, trials[0], trials[SEEDS - 1]);
}

static void print_row(const struct recorded *r)
{
    char text[STEM_SIZE];
    int good = 0;
    for (int i = 0; i < r->replay.count; i++)
        good += r->replay.us[i] <= r->replay.best_us * margin;
    problem_describe(&r->problem, text);
    printf("| %s | %d | %d", text, r->replay.count, good);
    for (enum strategy_kind kind = STRATEGY_EXHAUSTIVE; kind <= STRATEGY_LOCAL; kind++)
        print_strategy(r, kind);
    printf(" |\n");
}

int main(int argc, char **argv)
{
    int status = STATUS_DONE;
    printf(
        "| problem | variants | within 1 %% | exhaustive | random | local |\n| --- | --- | --- | --- | --- | --- |\n");
    for (int i = 1; i < argc; i++) {
        struct recorded r;
        struct error e;
        if (read_recording(argv[i], &r, &e)) {
            print_row(&r);
        } else {
            fprintf(stderr, "%s\n", e.text);
            status = e.status;
        }
        free(r.expected);
        replay_clear(&r.replay);
    }
    return status;
}
