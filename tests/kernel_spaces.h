/* The built-in spaces, opened for one problem and GPU. */
#ifndef TESTS_KERNEL_SPACES_H
#define TESTS_KERNEL_SPACES_H

#include "generator/generator.h"

#include <stdio.h>
#include <stdlib.h>

static inline struct gpu gpu_of(const char *arch)
{
    struct error e = {0};
    struct gpu_list list;
    struct gpu gpu;
    if (!gpu_list_load(&list, &e) || !gpu_find(&list, arch, NULL, &gpu, &e)) {
        fprintf(stderr, "%s\n", e.text);
        exit(1);
    }
    gpu_list_clear(&list);
    return gpu;
}

/* Ends the test on a failure. Closed by generator_close(). */
static inline struct generator *space_for(const char *config, bool full, const struct problem *p,
                                          const char *arch)
{
    struct error e = {0};
    struct gpu gpu = gpu_of(arch);
    struct generator *g = generator_open(&(struct generator_options){.config = config, .full = full}, &e);
    if (g == NULL || !generator_set_problem(g, p, &gpu, &e)) {
        fprintf(stderr, "%s\n", e.text);
        exit(1);
    }
    return g;
}

static inline json_t *variants_of(struct generator *g)
{
    struct error e = {0};
    json_t *keys = generator_list(g, 0, NULL, &e);
    if (keys == NULL) {
        fprintf(stderr, "%s\n", e.text);
        exit(1);
    }
    return keys;
}

/* Problems that differ in every way that a template looks at. */
static inline int problem_spread(struct problem *problems, int most)
{
    static const int64_t columns[] = {1, 7, 33, 1000, 1025, 4096, 8192, 50257};
    static const enum dtype types[][2] = {{DTYPE_F32, DTYPE_F32}, {DTYPE_BF16, DTYPE_BF16},
                                          {DTYPE_F16, DTYPE_F16}, {DTYPE_BF16, DTYPE_F32},
                                          {DTYPE_F32, DTYPE_F16}, {DTYPE_F16, DTYPE_BF16}};
    int count = 0;
    for (size_t n = 0; n < sizeof columns / sizeof columns[0]; n++)
        for (size_t t = 0; t < sizeof types / sizeof types[0] && count < most; t++) {
            struct problem p = problem_default(64, columns[n]);
            int kind = count;
            p.dtype_in = types[t][0];
            p.dtype_out = types[t][1];
            p.op = kind % 3 == 1 ? OP_LOG_SOFTMAX : OP_SOFTMAX;
            p.scaled = kind % 4 == 2;
            if (kind % 5 < 3)
                p.x_stride = p.y_stride = (columns[n] + 7) / 8 * 8;
            p.in_place = p.dtype_in == p.dtype_out && kind % 2 == 1;
            p.align = kind % 7 == 6 ? 4 : 16;
            problems[count++] = p;
        }
    return count;
}

#endif
