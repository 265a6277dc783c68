/* Tuning runs that share a store: what is recalled, what is tried again, what a killed run leaves, and a
   store that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/error.h"
#include "tests/scripted_command.h"
#include "tuner/store/gpu_watch.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STORE " --store store"

/* The only problem of the document. */
static json_t *tune(const char *line)
{
    char *command = must_format("tune %s", line);
    script->measured = 0;
    json_t *problem = run_json_problem(command);
    free(command);
    return problem;
}

static json_int_t trials(const json_t *problem, const char *what)
{
    return json_integer_value(json_object_get(json_object_get(problem, "trials"), what));
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Those of 512 threads are the fastest, and tied. */
static void assert_wins_with_512(const json_t *problem)
{
    assert_int_equal(threads_of_choice(problem), 512);
}

/* ---- the tests ---- */

static void a_second_run_verifies_only_what_it_emits_and_measures_nothing(void **state)
{
    (void)state;
    json_t *first = tune(PROBLEM STORE);
    int verified = script->verified;
    assert_true(verified > 30 && script->measured > 5);
    assert_int_equal(trials(first, "from_store"), 0);
    assert_false(json_is_true(json_object_get(first, "recalled")));
    json_t *second = tune(PROBLEM STORE);
    assert_int_equal(script->verified - verified, 1);
    assert_int_equal(script->measured, 0);
    assert_true(json_is_true(json_object_get(second, "recalled")));
    assert_true(trials(second, "from_store") >= verified - 1);
    assert_int_equal(trials(second, "correct"), trials(first, "correct"));
    const json_t *chosen = json_object_get(first, "choice"), *again = json_object_get(second, "choice");
    assert_wins_with_512(first);
    assert_string_equal(text_of(chosen, "variant"), text_of(again, "variant"));
    assert_float_equal(json_real_value(json_object_get(chosen, "time_us")),
                       json_real_value(json_object_get(again, "time_us")), 0);
    assert_int_equal(json_array_size(json_object_get(first, "ties")),
                     json_array_size(json_object_get(second, "ties")));
    /* The article's versions keep their figures. */
    json_t *v1 = json_array_get(json_object_get(second, "presets"), 0);
    assert_true(fabs(json_real_value(json_object_get(v1, "time_us")) - 2000) < 5);
    json_decref(first);
    json_decref(second);
}

static void what_is_new_in_the_space_is_raced_against_what_is_known(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM STORE " --set threads=256"));
    json_t *whole = tune(PROBLEM STORE);
    assert_true(script->measured > 0 && trials(whole, "from_store") > 0);
    assert_wins_with_512(whole);
    json_decref(whole);
}

static void a_killed_run_goes_on_where_it_was(void **state)
{
    (void)state;
    json_t *whole = tune(PROBLEM " --store whole");
    int needed = script->verified, kills = 0;
    script->verified = 0;
    srand(4);
    for (int at = 1 + rand() % 8; at < needed; at += 1 + rand() % 8) {
        script->kill_at = script->verified + 1 + rand() % 8;
        int status = run_command("tune --quiet " PROBLEM STORE);
        if (status != 128 + SIGKILL)
            break;
        kills++;
    }
    script->kill_at = 0;
    json_t *last = tune(PROBLEM STORE);
    assert_true(kills >= 4);
    /* A kill costs what is being verified, and the one before it, which is stored meanwhile. */
    assert_true(script->verified <= needed + 2 * kills + 1);
    assert_int_equal(trials(last, "correct"), trials(whole, "correct"));
    assert_wins_with_512(last);
    json_decref(whole);
    json_decref(last);
}

static void another_gpu_or_tolerance_makes_trials_stale_and_takes_nothing_away(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM STORE));
    int verified = script->verified;
    script->name = "NVIDIA H200 NVL";
    json_t *other = tune(PROBLEM STORE);
    assert_int_equal(script->verified, 2 * verified);
    assert_int_equal(trials(other, "from_store"), 0);
    assert_true(trials(other, "stale") > 30);
    json_decref(other);
    script->name = NULL;
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(script->verified, 2 * verified + 1);
    json_decref(tune(PROBLEM STORE " --tolerance 2"));
    assert_int_equal(script->verified, 3 * verified + 1);
}

static void a_failure_is_tried_a_second_time_and_then_believed(void **state)
{
    (void)state;
    script->faulty_threads = 256;
    json_t *first = tune(PROBLEM STORE);
    int verified = script->verified;
    json_int_t faulty = trials(first, "runtime");
    assert_true(faulty > 1);
    json_decref(tune(PROBLEM STORE));
    int again = script->verified - verified;
    assert_true(again > 1); /* and the choice */
    json_t *third = tune(PROBLEM STORE);
    assert_int_equal(script->verified - verified - again, 1);
    assert_int_equal(trials(third, "runtime"), faulty);
    json_decref(first);
    json_decref(third);
}

static void a_fault_of_the_moment_is_forgotten(void **state)
{
    (void)state;
    script->faulty_threads = 512;
    json_decref(tune(PROBLEM STORE));
    script->faulty_threads = 0;
    json_t *second = tune(PROBLEM STORE);
    assert_int_equal(trials(second, "runtime"), 0);
    assert_wins_with_512(second);
    json_decref(second);
}

static void a_winner_that_was_wrong_as_emitted_is_not_chosen_again(void **state)
{
    (void)state;
    script->wrong_kernel = "_m8192_"; /* only emitted kernels have M in their names */
    assert_int_equal(run_command("tune --quiet " PROBLEM STORE), 1);
    assert_true(said("err.txt", "the kernel to be emitted is wrong"));
    script->wrong_kernel = NULL;
    json_t *next = tune(PROBLEM STORE);
    assert_int_equal(trials(next, "correctness"), 1);
    json_decref(next);
}

static const char no_database[] =
    "this is no database, and long enough to have had a header if it were one, as all are that have one";

static void damage(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(no_database, file) >= 0 && fclose(file) == 0);
}

static void assert_still_damaged(const char *path)
{
    char *text = read_text(path);
    assert_string_equal(text, no_database);
    free(text);
}

static void a_damaged_store_that_was_named_ends_the_run_with_status_3(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM STORE));
    damage("store/trials.sqlite");
    assert_int_equal(run_command("tune --quiet " PROBLEM STORE), 3);
    assert_true(said("err.txt", "store/trials.sqlite is damaged"));
    assert_still_damaged("store/trials.sqlite");
}

static void a_damaged_store_of_the_cache_is_left_alone_with_one_warning(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM));
    int verified = script->verified;
    damage("cache/softmax-tune/trials.sqlite");
    json_decref(tune(PROBLEM));
    assert_int_equal(script->verified, 2 * verified);
    assert_true(said("err.txt", "going on without the store"));
    assert_int_equal(lines_of("err.txt"), 1);
    assert_still_damaged("cache/softmax-tune/trials.sqlite");
}

/* The store's log soon outgrows this; no image and no emitted file does. */
enum { FULL = 400000 };

static void a_disk_that_fills_in_the_midst_of_a_run_ends_it_where_the_store_was_named(void **state)
{
    (void)state;
    assert_int_equal(run_command_bounded("tune --quiet " PROBLEM STORE, FULL), 3);
    assert_true(said("err.txt", "make room"));
    int verified = script->verified;
    assert_true(verified > 3);
    json_t *next = tune(PROBLEM STORE); /* with room: what was finished is there */
    assert_true(trials(next, "from_store") >= verified - 3);
    json_decref(next);
}

static void a_disk_that_fills_in_the_midst_of_a_run_is_said_once_else(void **state)
{
    (void)state;
    assert_int_equal(run_command_bounded("tune --quiet " PROBLEM, FULL), 0);
    assert_true(said("err.txt", "going on without the store"));
    assert_int_equal(lines_of("err.txt"), 1);
    assert_true(said("out.txt", "Choice:"));
}

static void a_run_is_told_of_another_on_its_gpu(void **state)
{
    (void)state;
    json_t *alone = tune(PROBLEM STORE);
    assert_true(json_is_null(json_object_get(alone, "disturbed_by")));
    json_decref(alone);
    struct gpu_watch *mine = gpu_watch_open("store", "NVIDIA H200", "0");
    json_t *disturbed = tune(PROBLEM STORE);
    gpu_watch_close(mine);
    assert_int_equal(json_integer_value(json_object_get(disturbed, "disturbed_by")), getpid());
    assert_true(said("err.txt", "uses this GPU too"));
    json_decref(disturbed);
}

static void a_race_that_another_run_disturbed_is_run_again(void **state)
{
    (void)state;
    struct gpu_watch *mine = gpu_watch_open("store", "NVIDIA H200", "0");
    json_decref(tune(PROBLEM STORE));
    gpu_watch_close(mine);
    json_t *alone = tune(PROBLEM STORE);
    assert_false(json_is_true(json_object_get(alone, "recalled")));
    assert_true(script->measured > 0 && trials(alone, "from_store") > 0);
    json_decref(alone);
    alone = tune(PROBLEM STORE);
    assert_true(json_is_true(json_object_get(alone, "recalled")));
    json_decref(alone);
}

static void two_runs_at_once_are_both_right(void **state)
{
    (void)state;
    fflush(NULL);
    pid_t runs[2];
    for (int i = 0; i < 2; i++) {
        runs[i] = fork();
        if (runs[i] == 0) {
            char name[8];
            snprintf(name, sizeof name, "run%d", i);
            char *line = must_format("tune --json --quiet " PROBLEM " --store ../store");
            _exit(mkdir(name, 0777) == 0 && chdir(name) == 0 ? run_command(line) : 1);
        }
    }
    for (int i = 0; i < 2; i++) {
        int status;
        waitpid(runs[i], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        char *out = read_text(i == 0 ? "run0/out.txt" : "run1/out.txt");
        json_t *document = json_loads(out, 0, NULL);
        assert_wins_with_512(json_array_get(json_object_get(document, "problems"), 0));
        json_decref(document);
        free(out);
    }
    int verified = script->verified;
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(script->verified - verified, 1);
}

static void explain_tells_hits_stale_trials_and_misses_apart(void **state)
{
    (void)state;
    assert_int_equal(run_command("store explain " PROBLEM STORE), 0);
    assert_true(said("out.txt", " 0 hits, 0 stale, ") && said("out.txt", "miss: it was never tried"));
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(run_command("store explain " PROBLEM STORE), 0);
    assert_true(said("out.txt", " 0 stale, 0 misses") && said("out.txt", "  hit\n"));
    assert_int_equal(run_command("store explain " PROBLEM STORE " --variant threads=512"), 0);
    assert_true(said("out.txt", "hit: correct, 105"));
    assert_int_equal(run_command("store explain " PROBLEM STORE " --tolerance 2"), 0);
    assert_true(said("out.txt", "stale: protocol 1, tolerance 1 then, 1, tolerance 2 now"));
    assert_int_equal(run_command("store explain --M 64 " PROBLEM STORE), 0);
    assert_true(said("out.txt", "another problem: M 8192 then, 64 now"));
}

static void what_was_tuned_is_exported(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(run_command("store export kernel-tuner --N 1024" STORE), 0);
    char *text = read_text("out.txt");
    json_t *file = json_loads(text, 0, NULL), *entry;
    const char *values;
    double best = INFINITY;
    json_object_foreach(json_object_get(file, "cache"), values, entry)
    {
        assert_true(json_array_size(json_object_get(entry, "times")) > 0);
        best = fmin(best, json_real_value(json_object_get(entry, "time")));
    }
    assert_true(json_object_size(json_object_get(file, "cache")) >= 30);
    assert_true(fabs(best - 0.105) < 0.001);
    json_decref(file);
    free(text);
    assert_int_equal(run_command("store export t4 --N 1024 --gpu h200" STORE), 0);
    text = read_text("out.txt");
    file = json_loads(text, 0, NULL);
    assert_true(json_array_size(json_object_get(file, "results")) >= 30);
    json_decref(file);
    free(text);
    assert_int_equal(run_command("store export t4 --N 4096" STORE), 2);
    assert_true(said("err.txt", "holds no trial of f32 8192x4096"));
}

static void pruning_by_size_says_what_is_left(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(run_command("store prune --bytes 0" STORE), 0);
    assert_true(said("out.txt", ": 0 trials of 0 problems"));
    assert_int_equal(run_command("store prune" STORE), 2);
}

int main(void)
{
#define with_set_up(test) cmocka_unit_test_setup(test, scripted_set_up)
    const struct CMUnitTest tests[] = {
        with_set_up(a_second_run_verifies_only_what_it_emits_and_measures_nothing),
        with_set_up(what_is_new_in_the_space_is_raced_against_what_is_known),
        with_set_up(a_killed_run_goes_on_where_it_was),
        with_set_up(another_gpu_or_tolerance_makes_trials_stale_and_takes_nothing_away),
        with_set_up(a_failure_is_tried_a_second_time_and_then_believed),
        with_set_up(a_fault_of_the_moment_is_forgotten),
        with_set_up(a_winner_that_was_wrong_as_emitted_is_not_chosen_again),
        with_set_up(a_damaged_store_that_was_named_ends_the_run_with_status_3),
        with_set_up(a_damaged_store_of_the_cache_is_left_alone_with_one_warning),
        with_set_up(a_disk_that_fills_in_the_midst_of_a_run_ends_it_where_the_store_was_named),
        with_set_up(a_disk_that_fills_in_the_midst_of_a_run_is_said_once_else),
        with_set_up(a_run_is_told_of_another_on_its_gpu),
        with_set_up(a_race_that_another_run_disturbed_is_run_again),
        with_set_up(two_runs_at_once_are_both_right),
        with_set_up(explain_tells_hits_stale_trials_and_misses_apart),
        with_set_up(what_was_tuned_is_exported),
        with_set_up(pruning_by_size_says_what_is_left),
    };
    return cmocka_run_group_tests(tests, scripted_set_up_all, scripted_tear_down_all);
}
