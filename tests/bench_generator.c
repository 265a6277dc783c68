/* How fast variants are listed and sources made: bench_generator [CONFIG [N]]. No test: nothing runs it. */
#include "generator/worker.h"
#include "tests/kernel_spaces.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(const struct error *e)
{
    fprintf(stderr, "bench_generator: %s\n", e->text);
    return e->status;
}

/* Makes every source once; their number of lines, or -1. */
static long make_sources(struct generator *g, const json_t *keys, struct error *e)
{
    long lines = 0;
    size_t i;
    json_t *key;
    json_array_foreach((json_t *)keys, i, key)
    {
        struct source source;
        if (!generator_source(g, json_string_value(key), "softmax", &source, e))
            return -1;
        lines += source.line_count;
        source_clear(&source);
    }
    return lines;
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 5 };
    struct generator_options options = {.config = argc > 1 ? argv[1] : NULL};
    struct problem problem = problem_default(DEFAULT_M, argc > 2 ? atoll(argv[2]) : 8192);
    struct gpu gpu = gpu_of("sm_90");
    struct error e;
    struct generator *g = generator_open(&options, &e);
    if (g == NULL || !generator_set_problem(g, &problem, &gpu, &e))
        return fail(&e);
    double start = monotonic_seconds();
    json_t *keys = generator_list(g, 0, NULL, &e);
    if (keys == NULL)
        return fail(&e);
    size_t count = json_array_size(keys);
    printf("%zu variants listed in %.1f ms\n", count, 1e3 * (monotonic_seconds() - start));
    start = monotonic_seconds();
    long lines = 0;
    for (int i = 0; i < ROUNDS && lines >= 0; i++)
        lines = make_sources(g, keys, &e);
    if (lines < 0)
        return fail(&e);
    if (count > 0)
        printf("%.0f sources a second, of %ld lines each\n",
               (double)(ROUNDS * count) / (monotonic_seconds() - start), lines / (long)count);
    json_decref(keys);
    generator_close(g);
    return 0;
}
