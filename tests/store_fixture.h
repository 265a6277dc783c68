/* A store in a folder of its own, and trials to put into it. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "tests/hopper_gpu.h"
#include "tests/temporary_folder.h"
#include "tuner/store/store.h"

#include <math.h>
#include <string.h>

static inline struct store_environment fixture_environment(void)
{
    struct store_environment environment =
        store_environment_of(&hopper_gpu, "13.0.48", "--ptxas-options=-v -std=c++17", 1);
    snprintf(environment.driver, sizeof environment.driver, "580.65.06");
    return environment;
}

static inline struct launch_plan fixture_plan(int threads)
{
    struct launch_plan plan = {.count = 1, .workspace_of_M = "0"};
    plan.launches[0] = (struct launch){.kernel = "k",
                                       .grid_of_M = "M",
                                       .block = {threads, 1, 1},
                                       .cluster = {1, 1, 1},
                                       .arg_count = 1,
                                       .args = {{ARG_X, TYPE_PTR}}};
    return plan;
}

/* The key of the source "source <number>". */
static inline struct store_key fixture_key(int number)
{
    char text[32];
    int size = snprintf(text, sizeof text, "source %d", number);
    struct store_key key = store_key_of_source(text, (size_t)size);
    struct launch_plan plan = fixture_plan(256);
    store_key_add_launches(&key, &plan);
    return key;
}

/* A correct trial of the variant "threads=<number>"; its texts are static. */
static inline struct store_trial fixture_trial(int number)
{
    static char variant[32], config[32];
    snprintf(variant, sizeof variant, "threads=%d", number);
    snprintf(config, sizeof config, "{\"threads\": %d}", number);
    return (struct store_trial){.space = (char *)"softmax",
                                .variant = variant,
                                .config = config,
                                .verdict = VERDICT_CORRECT,
                                .max_error = 0.25,
                                .copies = 1.5,
                                .compile_seconds = 0.1,
                                .verify_seconds = 0.02};
}

/* Opens the store and sets the problem f32 8192x8192; NULL and `e` when that fails. */
static inline struct store *fixture_open(const char *folder, struct error *e)
{
    struct store *s = store_open(folder, 0, e);
    struct store_environment environment = fixture_environment();
    struct problem p = problem_default(8192, 8192);
    if (s != NULL && !store_set_problem(s, &environment, &p, e)) {
        store_close(s);
        s = NULL;
    }
    return s;
}

static inline bool fixture_put(struct store *s, int number, struct error *e)
{
    struct store_key key = fixture_key(number);
    struct store_trial trial = fixture_trial(number);
    double samples[] = {100 + number, 101 + number, 102 + number};
    struct store_times times = {.samples = samples, .count = 3, .limit_us = 90};
    return store_put(s, &key, &trial, e) && store_put_times(s, &key, &times, e);
}

#endif
