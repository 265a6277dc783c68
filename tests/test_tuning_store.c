/* Tuning runs that share a store: what is recalled, what is tried again, what a killed run leaves, and a
   store that fails. Each run is a process of its own, on a GPU that is a script; sources and images are real.
 */
#include "tests/temporary_folder.h"
#include "tuner/cli/command.h"
#include "tuner/devices/device_client.h"
#include "tuner/store/gpu_watch.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

/* ---- the GPU ---- */

struct device_client {
    struct gpu gpu;
    int descriptor;
    struct device_verdict verdict;
};

/* Shared with the processes that run commands. */
static struct {
    const char *gpu_name;   /* what the GPU says it is; NULL for an H200 */
    int verified, measured; /* verifications of all runs; entries of the last run's largest measurement */
    int kill_at;            /* the verification in which the process is killed; 0 for none */
    int faulty_threads;     /* blocks of that many fault; 0 for none */
    bool wrong_as_emitted;  /* a kernel with M in its name, as only emitted ones have, faults */
} * script;

struct device_client *device_client_open(enum device_kind kind, int index, const struct gpu *gpu,
                                         struct error *e)
{
    (void)index, (void)gpu;
    struct gpu_list gpus;
    if (kind != DEVICE_CUDA) {
        error_set(e, STATUS_MISSING, "there is no emulator in this test");
        return NULL;
    }
    struct device_client *c = must_calloc(1, sizeof *c);
    if (!gpu_list_load(&gpus, e) || !gpu_find(&gpus, NULL, "h200", &c->gpu, e))
        abort();
    if (script->gpu_name != NULL)
        snprintf(c->gpu.name, sizeof c->gpu.name, "%s", script->gpu_name);
    gpu_list_clear(&gpus);
    c->descriptor = eventfd(0, EFD_NONBLOCK);
    return c;
}

void device_client_close(struct device_client *c)
{
    if (c != NULL)
        close(c->descriptor);
    free(c);
}

const struct gpu *device_client_gpu(const struct device_client *c)
{
    return &c->gpu;
}

enum device_kind device_client_kind(const struct device_client *c)
{
    (void)c;
    return DEVICE_CUDA;
}

bool device_client_set_problem(struct device_client *c, const struct problem *p,
                               const struct verify_options *options, struct error *e)
{
    (void)c, (void)p, (void)options, (void)e;
    return true;
}

/* A copy takes 100 us, a block of 512 threads 105, others 120 and more, a thread a row 2000. */
static double true_time(const struct launch_plan *plan)
{
    const struct launch *l = &plan->launches[0];
    return l->grid_of_M[0] == 'c' ? 2000 : l->block[0] == 512 ? 105 : 120 + l->block[0] / 100.0;
}

bool device_client_verify(struct device_client *c, uint64_t ticket, const struct image *image,
                          const struct launch_plan *plan, struct error *e)
{
    (void)image, (void)e;
    if (++script->verified == script->kill_at)
        raise(SIGKILL);
    bool faulty = plan->launches[0].block[0] == script->faulty_threads ||
                  (script->wrong_as_emitted && strstr(plan->launches[0].kernel, "_m8192_") != NULL);
    c->verdict = (struct device_verdict){.ticket = ticket,
                                         .verdict = faulty ? VERDICT_RUNTIME : VERDICT_CORRECT,
                                         .reason = faulty ? must_strdup("an illegal access") : NULL,
                                         .max_error = faulty ? NAN : 0.25,
                                         .copies = faulty ? NAN : true_time(plan) / 100,
                                         .seconds = 0.01};
    return eventfd_write(c->descriptor, 1) == 0;
}

int device_client_descriptor(const struct device_client *c)
{
    return c->descriptor;
}

bool device_client_next(struct device_client *c, double seconds, struct device_verdict *verdict)
{
    eventfd_t value;
    (void)seconds;
    if (eventfd_read(c->descriptor, &value) != 0)
        return false;
    *verdict = c->verdict;
    return true;
}

bool device_client_measure(struct device_client *c, const struct device_entry *entries, int count, int rounds,
                           uint64_t seed, double *samples, char **failures, struct error *e)
{
    (void)c, (void)failures, (void)e;
    script->measured = count > script->measured ? count : script->measured;
    for (int i = 0; i < rounds * count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double noise = 0.002 * ((double)(seed >> 11) / 9007199254740992.0 - 0.5);
        samples[i] =
            (entries[i % count].image == NULL ? 100 : true_time(entries[i % count].plan)) * (1 + noise);
    }
    return true;
}

bool device_client_compare_batches(struct device_client *c, const struct image *image,
                                   const struct launch_plan *plan, const int64_t *rows, int count,
                                   char **reason, json_t **launched, struct error *e)
{
    (void)c, (void)image, (void)plan, (void)rows, (void)count, (void)reason, (void)launched;
    return error_set(e, STATUS_MISSING, "no test here compares batches");
}

/* ---- running a command ---- */

/* Some forty variants, and v1 to v5. */
#define PROBLEM "--N 1024 --config article --set vec_bytes=16 --set scope=block"
#define STORE   " --store store"

static char *folder;

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = must_calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
    fclose(file);
    return text;
}

/* What the child is: the program with its output in files, whose size may be bounded. */
static int run_here(const char *line, rlim_t most_bytes)
{
    char *words = must_format("softmax-tune %s", line), *rest = words, *argv[64];
    int argc = 0, out = open("out.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600),
        err = open("err.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    while ((argv[argc] = strsep(&rest, " ")) != NULL)
        argc++;
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (most_bytes > 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){most_bytes, most_bytes});
    }
    struct options options;
    struct error e = {0};
    options_parse(argc, argv, &options);
    int status = options.command->run(&options, &e);
    if (e.text[0] != '\0')
        fprintf(stderr, "softmax-tune: %s\n", e.text);
    options_clear(&options);
    fflush(stdout);
    free(words);
    return status;
}

/* Runs the words of `line`; out.txt and err.txt are what it printed. The exit status, or 128 + the signal. */
static int run_bounded(const char *line, rlim_t most_bytes)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(run_here(line, most_bytes));
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(const char *line)
{
    return run_bounded(line, 0);
}

static bool said(const char *path, const char *text)
{
    char *all = read_text(path);
    bool found = strstr(all, text) != NULL;
    free(all);
    return found;
}

/* The only problem of the document that `line` prints. */
static json_t *tune(const char *line)
{
    char *with_json = must_format("tune --json --quiet %s", line), *out = NULL;
    script->measured = 0;
    int status = run(with_json);
    out = read_text("out.txt");
    json_t *document = json_loads(out, 0, NULL);
    if (status != 0 || document == NULL) {
        char *err = read_text("err.txt");
        fail_msg("'%s' gave status %d, said '%s' and printed '%s'", line, status, err, out);
    }
    json_t *problem = json_incref(json_array_get(json_object_get(document, "problems"), 0));
    json_decref(document);
    free(with_json);
    free(out);
    return problem;
}

static json_int_t trials(const json_t *problem, const char *what)
{
    return json_integer_value(json_object_get(json_object_get(problem, "trials"), what));
}

/* Those of 512 threads are the fastest, and tied. */
static void assert_wins_with_512(const json_t *problem)
{
    json_t *config = json_object_get(json_object_get(problem, "choice"), "config");
    assert_int_equal(json_integer_value(json_object_get(config, "threads")), 512);
}

static int set_up(void **state)
{
    (void)state;
    memset(script, 0, sizeof *script);
    /* Images are compiled once for all tests. */
    return system("rm -f store/trials.sqlite* store/*.lock cache/softmax-tune/trials.sqlite*");
}

static int set_up_all(void **state)
{
    (void)state;
    script = mmap(NULL, sizeof *script, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    folder = temporary_folder();
    char *cache = must_format("%s/cache", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    free(cache);
    return script == MAP_FAILED ? -1 : chdir(folder);
}

static int tear_down_all(void **state)
{
    (void)state;
    temporary_folder_remove(folder);
    return 0;
}

/* ---- the tests ---- */

static void a_second_run_verifies_only_what_it_emits_and_races_the_best(void **state)
{
    (void)state;
    json_t *first = tune(PROBLEM STORE);
    int verified = script->verified, raced = script->measured;
    assert_true(verified > 30 && raced > 5);
    assert_int_equal(trials(first, "from_store"), 0);
    json_t *second = tune(PROBLEM STORE);
    assert_int_equal(script->verified - verified, 1);
    assert_true(script->measured < raced);
    assert_true(trials(second, "from_store") >= verified - 1);
    assert_int_equal(trials(second, "correct"), trials(first, "correct"));
    assert_wins_with_512(first);
    assert_wins_with_512(second);
    /* The article's versions keep their figures. */
    json_t *v1 = json_array_get(json_object_get(second, "presets"), 0);
    assert_true(fabs(json_real_value(json_object_get(v1, "time_us")) - 2000) < 5);
    json_decref(first);
    json_decref(second);
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
        int status = run("tune --quiet " PROBLEM STORE);
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
    script->gpu_name = "NVIDIA H200 NVL";
    json_t *other = tune(PROBLEM STORE);
    assert_int_equal(script->verified, 2 * verified);
    assert_int_equal(trials(other, "from_store"), 0);
    assert_true(trials(other, "stale") > 30);
    json_decref(other);
    script->gpu_name = NULL;
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
    script->wrong_as_emitted = true;
    assert_int_equal(run("tune --quiet " PROBLEM STORE), 1);
    assert_true(said("err.txt", "the kernel to be emitted is wrong"));
    script->wrong_as_emitted = false;
    json_t *next = tune(PROBLEM STORE);
    assert_int_equal(trials(next, "correctness"), 1);
    json_decref(next);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void a_damaged_store_that_was_named_ends_the_run_with_status_3(void **state)
{
    (void)state;
    static const char text[] =
        "this is no database, and long enough to have had a header if it were one, as all are "
        "that have one";
    json_decref(tune(PROBLEM STORE));
    write_text("store/trials.sqlite", text);
    assert_int_equal(run("tune --quiet " PROBLEM STORE), 3);
    assert_true(said("err.txt", "store/trials.sqlite is damaged"));
    char *after = read_text("store/trials.sqlite");
    assert_string_equal(after, text);
    free(after);
}

static void a_damaged_store_of_the_cache_is_left_alone_with_one_warning(void **state)
{
    (void)state;
    static const char text[] =
        "this is no database, and long enough to have had a header if it were one, as all are "
        "that have one";
    json_decref(tune(PROBLEM));
    int verified = script->verified;
    write_text("cache/softmax-tune/trials.sqlite", text);
    json_decref(tune(PROBLEM));
    assert_int_equal(script->verified, 2 * verified);
    char *err = read_text("err.txt");
    assert_non_null(strstr(err, "going on without the store"));
    assert_ptr_equal(strchr(err, '\n') + 1, err + strlen(err));
    free(err);
    char *after = read_text("cache/softmax-tune/trials.sqlite");
    assert_string_equal(after, text);
    free(after);
}

/* The store's log soon outgrows this; no image and no emitted file does. */
enum { FULL = 400000 };

static void a_disk_that_fills_in_the_midst_of_a_run_ends_it_where_the_store_was_named(void **state)
{
    (void)state;
    assert_int_equal(run_bounded("tune --quiet " PROBLEM STORE, FULL), 3);
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
    assert_int_equal(run_bounded("tune --quiet " PROBLEM, FULL), 0);
    char *err = read_text("err.txt");
    assert_non_null(strstr(err, "going on without the store"));
    assert_ptr_equal(strchr(err, '\n') + 1, err + strlen(err));
    free(err);
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
            _exit(mkdir(name, 0777) == 0 && chdir(name) == 0 ? run_here(line, 0) : 1);
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
    assert_int_equal(run("store explain " PROBLEM STORE), 0);
    assert_true(said("out.txt", " 0 hits, 0 stale, ") && said("out.txt", "miss: it was never tried"));
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(run("store explain " PROBLEM STORE), 0);
    assert_true(said("out.txt", " 0 stale, 0 misses") && said("out.txt", "  hit\n"));
    assert_int_equal(run("store explain " PROBLEM STORE " --variant threads=512"), 0);
    assert_true(said("out.txt", "hit: correct, 105"));
    assert_int_equal(run("store explain " PROBLEM STORE " --tolerance 2"), 0);
    assert_true(said("out.txt", "stale: protocol 1, tolerance 1 then, 1, tolerance 2 now"));
    assert_int_equal(run("store explain --M 64 " PROBLEM STORE), 0);
    assert_true(said("out.txt", "another problem: M 8192 then, 64 now"));
}

static void what_was_tuned_is_exported(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(run("store export kernel-tuner --N 1024" STORE), 0);
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
    assert_int_equal(run("store export t4 --N 1024 --gpu h200" STORE), 0);
    text = read_text("out.txt");
    file = json_loads(text, 0, NULL);
    assert_true(json_array_size(json_object_get(file, "results")) >= 30);
    json_decref(file);
    free(text);
    assert_int_equal(run("store export t4 --N 4096" STORE), 2);
    assert_true(said("err.txt", "holds no trial of f32 8192x4096"));
}

static void pruning_by_size_says_what_is_left(void **state)
{
    (void)state;
    json_decref(tune(PROBLEM STORE));
    assert_int_equal(run("store prune --bytes 0" STORE), 0);
    assert_true(said("out.txt", ": 0 trials of 0 problems"));
    assert_int_equal(run("store prune" STORE), 2);
}

int main(void)
{
#define with_set_up(test) cmocka_unit_test_setup(test, set_up)
    const struct CMUnitTest tests[] = {
        with_set_up(a_second_run_verifies_only_what_it_emits_and_races_the_best),
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
        with_set_up(two_runs_at_once_are_both_right),
        with_set_up(explain_tells_hits_stale_trials_and_misses_apart),
        with_set_up(what_was_tuned_is_exported),
        with_set_up(pruning_by_size_says_what_is_left),
    };
    return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
