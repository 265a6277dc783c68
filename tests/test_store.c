/* The store: what is put is found again, or said to be stale or missing; pruning; several runs at once. */
#include "tests/store_fixture.h"
#include "tuner/store/gpu_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

static struct error error;

static struct store *open_or_fail(const char *folder)
{
    struct store *s = fixture_open(folder, &error);
    if (s == NULL)
        fail_msg("%s", error.text);
    return s;
}

static void put(struct store *s, int number)
{
    if (!fixture_put(s, number, &error))
        fail_msg("%s", error.text);
}

static void set_problem(struct store *s, const struct store_environment *environment, int64_t M)
{
    struct problem p = problem_default(M, 8192);
    assert_true(store_set_problem(s, environment, &p, &error));
}

static void a_trial_is_found_again_as_it_was_put(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    put(s, 7);
    store_close(s);
    s = open_or_fail(folder);
    struct store_key key = fixture_key(7);
    struct store_trial trial;
    struct store_times times;
    assert_int_equal(store_find(s, &key, &trial, &times, &error), STORE_HIT);
    assert_string_equal(trial.space, "softmax");
    assert_string_equal(trial.variant, "threads=7");
    assert_string_equal(trial.config, "{\"threads\": 7}");
    assert_int_equal(trial.verdict, VERDICT_CORRECT);
    assert_null(trial.reason);
    assert_true(trial.max_error == 0.25 && trial.compile_seconds == 0.1 && trial.verify_seconds == 0.02);
    assert_int_equal(trial.attempts, 1);
    assert_true(trial.copies == 1.5 && times.count == 3 && times.limit_us == 90);
    assert_true(times.samples[0] == 107 && times.time.median == 108);
    free(times.samples);
    store_trial_clear(&trial);
    store_close(s);
    temporary_folder_remove(folder);
}

static void what_cannot_be_a_number_survives(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    struct store_key key = fixture_key(1);
    struct store_trial trial = fixture_trial(1), found;
    struct store_times times;
    trial.verdict = VERDICT_RUNTIME;
    trial.reason = (char *)"it's \"an illegal\" access";
    trial.max_error = NAN;
    assert_true(store_put(s, &key, &trial, &error));
    assert_int_equal(store_find(s, &key, &found, &times, &error), STORE_HIT);
    assert_true(isnan(found.max_error));
    assert_string_equal(found.reason, "it's \"an illegal\" access");
    assert_int_equal(times.count, 0);
    free(times.samples);
    store_trial_clear(&found);
    trial.max_error = INFINITY;
    assert_true(store_put(s, &key, &trial, &error));
    assert_int_equal(store_find(s, &key, &found, NULL, &error), STORE_HIT);
    assert_true(isinf(found.max_error));
    store_trial_clear(&found);
    store_close(s);
    temporary_folder_remove(folder);
}

static void a_failure_is_believed_when_it_came_twice(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    struct store_key key = fixture_key(1);
    struct store_trial trial = fixture_trial(1), found;
    trial.verdict = VERDICT_TIMEOUT;
    trial.reason = (char *)"it did not end";
    for (int attempt = 1; attempt <= 2; attempt++) {
        assert_true(store_put(s, &key, &trial, &error));
        assert_int_equal(store_find(s, &key, &found, NULL, &error), STORE_HIT);
        assert_int_equal(found.attempts, attempt);
        assert_int_equal(store_trusts(&found), attempt == 2);
        store_trial_clear(&found);
    }
    trial.verdict = VERDICT_CORRECTNESS;
    assert_true(store_put(s, &key, &trial, &error));
    assert_int_equal(store_find(s, &key, &found, NULL, &error), STORE_HIT);
    assert_int_equal(found.attempts, 1);
    assert_true(store_trusts(&found));
    store_trial_clear(&found);
    store_close(s);
    temporary_folder_remove(folder);
}

static void each_part_of_the_environment_makes_a_trial_stale_and_is_named(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    put(s, 1);
    struct store_environment other[8];
    static const char *const said[] = {
        "NVRTC 13.0.48 then, 13.1.2 now",
        "compile options --ptxas-options=-v -std=c++17 then, -O0 now",
        "GPU NVIDIA H200 then, NVIDIA H100 now",
        "compute capability 90 then, 100 now",
        "SMs 132 then, 66 now",
        "bytes of L2 62914560 then, 1 now",
        "driver 580.65.06 then, none now",
        "protocol 1, tolerance 1 then, 1, tolerance 2 now",
    };
    for (int i = 0; i < 8; i++)
        other[i] = fixture_environment();
    strcpy(other[0].nvrtc, "13.1.2");
    strcpy(other[1].options, "-O0");
    strcpy(other[2].gpu, "NVIDIA H100");
    other[3].compute_capability = 100;
    other[4].sms = 66;
    other[5].l2_bytes = 1;
    other[6].driver[0] = '\0';
    strcpy(other[7].protocol, "1, tolerance 2");
    struct store_key key = fixture_key(1);
    for (int i = 0; i < 8; i++) {
        struct store_times times;
        enum store_answer answer;
        set_problem(s, &other[i], 8192);
        assert_int_equal(store_find(s, &key, NULL, &times, &error), STORE_STALE);
        assert_true(times.time.median == 102);
        free(times.samples);
        char *text = store_explain(s, &key, "softmax", "threads=1", &answer, &error);
        assert_int_equal(answer, STORE_STALE);
        assert_non_null(strstr(text, said[i]));
        free(text);
    }
    store_close(s);
    temporary_folder_remove(folder);
}

static void a_stale_trial_does_not_hide_the_hit(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    struct store_environment now = fixture_environment(), then = now;
    strcpy(then.driver, "570.1");
    struct store_key key = fixture_key(1);
    put(s, 1);
    set_problem(s, &then, 8192);
    put(s, 1);
    set_problem(s, &now, 8192);
    assert_int_equal(store_find(s, &key, NULL, NULL, &error), STORE_HIT);
    struct store_size size;
    assert_true(store_measure(s, &size, &error));
    assert_int_equal(size.trials, 2);
    store_close(s);
    temporary_folder_remove(folder);
}

/* Explains the key with the problem as it is set, and looks for `said`. */
static void assert_miss(struct store *s, const struct store_key *key, const char *variant, const char *said)
{
    enum store_answer answer;
    char *text = store_explain(s, key, "softmax", variant, &answer, &error);
    assert_int_equal(answer, STORE_MISS);
    if (strstr(text, said) == NULL)
        fail_msg("'%s' does not say '%s'", text, said);
    free(text);
}

static void a_miss_says_which_part_differs(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    put(s, 1);
    struct store_key key = fixture_key(1), other = store_key_of_source("edited", 6);
    struct launch_plan plan = fixture_plan(256);
    store_key_add_launches(&other, &plan);
    assert_miss(s, &other, "threads=1", "another source");
    assert_miss(s, &other, "threads=2", "never tried");
    struct store_key relaunched = store_key_of_source("source 1", 8);
    plan = fixture_plan(128);
    store_key_add_launches(&relaunched, &plan);
    assert_miss(s, &relaunched, "threads=1", "other launches");
    struct store_environment environment = fixture_environment();
    set_problem(s, &environment, 4096);
    assert_miss(s, &key, "threads=1", "M 8192 then, 4096 now");
    store_close(s);
    temporary_folder_remove(folder);
}

static void a_hit_says_what_was_found(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    put(s, 1);
    struct store_key key = fixture_key(1);
    enum store_answer answer;
    char *text = store_explain(s, &key, "softmax", "threads=1", &answer, &error);
    assert_int_equal(answer, STORE_HIT);
    assert_non_null(strstr(text, "hit: correct, 102 us (101 to 103)"));
    free(text);
    store_close(s);
    temporary_folder_remove(folder);
}

static void expected_times_come_from_any_environment_and_the_present_one_wins(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    struct store_environment now = fixture_environment(), then = now;
    strcpy(then.driver, "570.1");
    struct store_key rough_key = fixture_key(4), bad_key = store_key_of_source("bad", 3),
                     key = fixture_key(1);
    struct store_trial trial;
    put(s, 1); /* 102 us where a copy takes 90 */
    set_problem(s, &then, 8192);
    put(s, 2);
    trial = fixture_trial(1);
    trial.copies = 9;
    assert_true(store_put(s, &key, &trial, &error)); /* another environment's word on 1 */
    trial = fixture_trial(3);
    trial.verdict = VERDICT_COMPILE;
    assert_true(store_put(s, &bad_key, &trial, &error));
    trial = fixture_trial(4);
    assert_true(store_put(s, &rough_key, &trial, &error));
    set_problem(s, &now, 8192);
    json_t *expected = store_expectations(s, "softmax", &error);
    assert_int_equal(json_object_size(expected), 4);
    assert_true(json_real_value(json_object_get(expected, "threads=1")) == 102.0 / 90);
    assert_true(json_real_value(json_object_get(expected, "threads=2")) == 103.0 / 90);
    assert_true(json_is_null(json_object_get(expected, "threads=3")));
    assert_true(json_real_value(json_object_get(expected, "threads=4")) == 1.5);
    json_decref(expected);
    store_close(s);
    temporary_folder_remove(folder);
}

static void pruning_takes_the_problem_used_longest_ago_and_keeps_the_bound(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    struct store_environment environment = fixture_environment();
    for (int M = 1; M <= 3; M++) {
        set_problem(s, &environment, M);
        for (int i = 0; i < 1000; i++)
            put(s, i);
    }
    set_problem(s, &environment, 1); /* used again: 2 is now the oldest */
    struct store_size before, after;
    assert_true(store_measure(s, &before, &error));
    assert_int_equal(before.trials, 3000);
    assert_int_equal(before.problems, 3);
    uint64_t bound = before.bytes * 9 / 10;
    assert_true(store_prune(s, INFINITY, bound, &error));
    assert_true(store_measure(s, &after, &error));
    assert_true(after.bytes <= bound && after.trials < 3000 && after.trials >= 1000);
    struct store_key key = fixture_key(999);
    assert_int_equal(store_find(s, &key, NULL, NULL, &error), STORE_HIT);
    set_problem(s, &environment, 2);
    key = fixture_key(0);
    assert_int_equal(store_find(s, &key, NULL, NULL, &error), STORE_MISS);
    store_close(s);
    /* The same bound when it is opened. */
    s = store_open(folder, after.bytes / 2, &error);
    assert_non_null(s);
    assert_true(store_measure(s, &before, &error));
    assert_true(before.bytes <= after.bytes / 2);
    store_close(s);
    temporary_folder_remove(folder);
}

static void pruning_by_age_leaves_what_is_newer(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct store *s = open_or_fail(folder);
    struct store_size size;
    put(s, 1);
    assert_true(store_prune(s, 3600, UINT32_MAX, &error));
    assert_true(store_measure(s, &size, &error));
    assert_int_equal(size.trials, 1);
    assert_true(store_prune(s, -10, UINT32_MAX, &error)); /* older than ten seconds from now */
    assert_true(store_measure(s, &size, &error));
    assert_int_equal(size.trials, 0);
    store_close(s);
    temporary_folder_remove(folder);
}

/* Puts trials first, first + 1, ... in another process. */
static pid_t fork_writer(const char *folder, int first, int count)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    struct store *s = fixture_open(folder, &error);
    bool ok = s != NULL;
    for (int i = first; ok && i < first + count; i++)
        ok = fixture_put(s, i, &error);
    if (!ok)
        fprintf(stderr, "%s\n", error.text);
    store_close(s);
    _exit(ok ? 0 : 1);
}

static void several_runs_write_at_the_same_time_and_nothing_is_counted_twice(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    pid_t writers[4];
    for (int i = 0; i < 4; i++) /* a new store; each range is half that of the next */
        writers[i] = fork_writer(folder, i * 100, 200);
    for (int i = 0; i < 4; i++) {
        int status;
        waitpid(writers[i], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    struct store *s = open_or_fail(folder);
    struct store_size size;
    assert_true(store_measure(s, &size, &error));
    assert_int_equal(size.trials, 500);
    assert_int_equal(size.problems, 1);
    store_close(s);
    temporary_folder_remove(folder);
}

static void runs_on_one_gpu_see_each_other_until_they_end(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    struct gpu_watch *here = gpu_watch_open(folder, "NVIDIA H200", "0");
    assert_non_null(here);
    assert_int_equal(gpu_watch_other(here), 0);
    int up[2], down[2];
    assert_true(pipe(up) == 0 && pipe(down) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct gpu_watch *there = gpu_watch_open(folder, "NVIDIA H200", "0");
        struct gpu_watch *elsewhere = gpu_watch_open(folder, "NVIDIA H200", "1");
        char seen = there != NULL && gpu_watch_other(there) == getppid() && gpu_watch_other(elsewhere) == 0;
        bool told = write(up[1], &seen, 1) == 1 && read(down[0], &seen, 1) == 1;
        _exit(told ? 0 : 1); /* without closing them */
    }
    char seen = 0;
    assert_int_equal(read(up[0], &seen, 1), 1);
    assert_true(seen);
    assert_int_equal(gpu_watch_other(here), child);
    assert_int_equal(write(down[1], &seen, 1), 1);
    waitpid(child, NULL, 0);
    assert_int_equal(gpu_watch_other(here), 0);
    gpu_watch_close(here);
    temporary_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_is_found_again_as_it_was_put),
        cmocka_unit_test(what_cannot_be_a_number_survives),
        cmocka_unit_test(a_failure_is_believed_when_it_came_twice),
        cmocka_unit_test(each_part_of_the_environment_makes_a_trial_stale_and_is_named),
        cmocka_unit_test(a_stale_trial_does_not_hide_the_hit),
        cmocka_unit_test(a_miss_says_which_part_differs),
        cmocka_unit_test(a_hit_says_what_was_found),
        cmocka_unit_test(expected_times_come_from_any_environment_and_the_present_one_wins),
        cmocka_unit_test(pruning_takes_the_problem_used_longest_ago_and_keeps_the_bound),
        cmocka_unit_test(pruning_by_age_leaves_what_is_newer),
        cmocka_unit_test(several_runs_write_at_the_same_time_and_nothing_is_counted_twice),
        cmocka_unit_test(runs_on_one_gpu_see_each_other_until_they_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
