/* The commands that measure, in this process, on a GPU that is a script: tune, bench, check and confirm.
   Sources and images are real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "temporary_folder.h"
#include "tuner/cli/command.h"
#include "tuner/compile/compiler.h"
#include "tuner/devices/device_client.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/eventfd.h>

/* ---- the GPU ---- */

struct device_client {
    struct gpu gpu;
    int descriptor;
    enum cache_state cache;
    struct device_verdict verdict;
};

static struct {
    uint64_t v5; /* hash of the article's v5, which is wrong on rows that begin with -inf */
    bool all_wrong;
    const char *wrong_kernel; /* a kernel whose name has this in it is wrong; NULL for none */
    int wrong_threads;        /* blocks of that many are wrong; 0 for none */
    int unsteady_threads;     /* likewise, give rows other bits at another M */
    bool hot_differs;
    double noise;
} script;

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
    assert_true(gpu_list_load(&gpus, NULL) && gpu_find(&gpus, NULL, "h200", &c->gpu, NULL));
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
    (void)options, (void)e;
    c->cache = p->cache;
    return true;
}

bool device_client_verify(struct device_client *c, uint64_t ticket, const struct image *image,
                          const struct launch_plan *plan, struct error *e)
{
    (void)e;
    bool wrong =
        script.all_wrong || image->code_hash == script.v5 ||
        (script.wrong_kernel != NULL && strstr(plan->launches[0].kernel, script.wrong_kernel) != NULL) ||
        plan->launches[0].block[0] == script.wrong_threads;
    c->verdict = (struct device_verdict){
        .ticket = ticket,
        .verdict = wrong ? VERDICT_CORRECTNESS : VERDICT_CORRECT,
        .reason = wrong ? must_strdup("wrong on rows that begin with -inf") : NULL,
        .max_error = wrong ? INFINITY : 0.25,
        .copies = NAN,
    };
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

/* A copy takes 100 us, a block of 512 threads 105, others 120 and more, a thread a row 2000. With hot buffers
   a block of 128 threads is the fastest where the script says so. */
static double true_time(const struct device_client *c, const struct device_entry *entry)
{
    if (entry->image == NULL)
        return 100;
    const struct launch *l = &entry->plan->launches[0];
    if (l->grid_of_M[0] == 'c')
        return 2000;
    if (script.hot_differs && c->cache == CACHE_HOT && l->block[0] == 128)
        return 95;
    return l->block[0] == 512 ? 105 : 120 + l->block[0] / 100.0;
}

bool device_client_measure(struct device_client *c, const struct device_entry *entries, int count, int rounds,
                           uint64_t seed, double *samples, char **failures, struct error *e)
{
    (void)failures, (void)e;
    for (int i = 0; i < rounds * count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double noise = script.noise * ((double)(seed >> 11) / 9007199254740992.0 - 0.5);
        samples[i] = true_time(c, &entries[i % count]) * (1 + noise);
    }
    return true;
}

bool device_client_compare_batches(struct device_client *c, const struct image *image,
                                   const struct launch_plan *plan, const int64_t *rows, int count,
                                   char **reason, json_t **launched, struct error *e)
{
    (void)c, (void)image, (void)e;
    bool differs = plan->launches[0].block[0] == script.unsteady_threads;
    *reason = differs ? must_strdup("a row's bits depend on the batch") : NULL;
    *launched = differs ? NULL : json_array();
    for (int i = 0; !differs && i < count; i++)
        json_array_append_new(*launched, json_integer(rows[i]));
    return true;
}

/* ---- running a command ---- */

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

/* Runs the words of `line` in the folder. The caller frees *out; the error's text is in `e`. */
static int run(const char *line, char **out, struct error *e)
{
    char *words = must_format("softmax-tune %s --quiet --store %s/store", line, folder), *rest = words;
    char *argv[64];
    int argc = 0;
    while ((argv[argc] = strsep(&rest, " ")) != NULL)
        argc++;
    struct options options;
    char *path = must_format("%s/stdout.txt", folder);
    *e = (struct error){0};
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDOUT_FILENO);
    options_parse(argc, argv, &options);
    int status = options.command->run(&options, e);
    options_clear(&options);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(file);
    *out = read_text(path);
    free(path);
    free(words);
    return status;
}

static json_t *run_json(const char *line)
{
    char *out, *with_json = must_format("%s --json", line);
    struct error e;
    int status = run(with_json, &out, &e);
    json_t *document = json_loads(out, 0, NULL);
    if (status != 0 || document == NULL)
        fail_msg("'%s' gave status %d, said '%s' and printed '%s'", line, status, e.text, out);
    free(with_json);
    free(out);
    return document;
}

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

/* The machine code of v5 as the article's space makes it, for the pinned problem. */
static uint64_t hash_of_v5(void)
{
    struct error e;
    struct gpu_list gpus;
    struct gpu gpu;
    struct problem problem = problem_default(8192, 1024);
    struct compiler *compiler = compiler_open(&(struct compiler_options){.jobs = 1}, &e);
    struct generator *space = generator_open(&(struct generator_options){.config = "article"}, &e);
    assert_true(compiler != NULL && space != NULL && gpu_list_load(&gpus, &e) &&
                gpu_find(&gpus, NULL, "h200", &gpu, &e));
    gpu.ptx_version = compiler_ptx_version(compiler);
    assert_true(generator_set_problem(space, &problem, &gpu, &e));
    char *key = generator_key(space, "v5", true, &e);
    struct source source;
    struct compile_result result;
    assert_true(key != NULL && generator_source(space, key, "softmax_f32_n1024_sm_90", &source, &e));
    struct compile_request request = {.source = &source, .arch = "sm_90"};
    assert_true(compiler_compile(compiler, &request, &result, &e));
    assert_int_equal(result.outcome, COMPILE_DONE);
    uint64_t hash = result.image.code_hash;
    image_clear(&result.image);
    source_clear(&source);
    free(key);
    generator_close(space);
    compiler_close(compiler);
    gpu_list_clear(&gpus);
    return hash;
}

static int set_up_all(void **state)
{
    (void)state;
    folder = temporary_folder();
    return chdir(folder);
}

static int tear_down_all(void **state)
{
    (void)state;
    temporary_folder_remove(folder);
    return 0;
}

/* What one script's GPU said is not to answer for another's; images stay. */
static void forget_trials(void)
{
    static const char *const files[] = {"store/trials.sqlite", "store/trials.sqlite-wal",
                                        "store/trials.sqlite-shm"};
    for (int i = 0; i < 3; i++)
        unlink(files[i]);
}

static int set_up(void **state)
{
    (void)state;
    memset(&script, 0, sizeof script);
    script.v5 = 1;
    script.noise = 0.002;
    forget_trials();
    return 0;
}

/* Some thirty variants: one image each for the machine to compile, once for all tests. */
#define PROBLEM "--N 1024 --config article --set vec_bytes=16 --set scope=block"
#define STEM    "softmax_f32_m8192_n1024_sm_90"

/* ---- the tests ---- */

static void tune_chooses_the_fastest_and_prints_the_article_beside_it(void **state)
{
    (void)state;
    char *out;
    struct error e;
    script.v5 = hash_of_v5();
    assert_int_equal(run("tune " PROBLEM, &out, &e), 0);
    static const char *const rows[] = {"\nv1 ", "\nv2 ", "\nv3 ", "\nv4 ", "\nv5* ", "\nchoice ", "\nlimit "};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_non_null(strstr(out, rows[i]));
    assert_non_null(strstr(out, "\n* v5 cannot win: correctness: wrong on rows that begin with -inf\n"));
    assert_non_null(strstr(out, "threads=512"));
    assert_null(strstr(out, "PREDICTED"));
    for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 100 || strncmp(line, "Again:", 6) == 0);
    free(out);
    assert_true(is_there("out/" STEM ".json") && is_there("out/" STEM ".cubin"));
    assert_false(is_there("out/candidates/" STEM));
}

static void the_choice_as_json_is_the_manifest_of_a_measurement(void **state)
{
    (void)state;
    script.v5 = hash_of_v5();
    json_t *document = run_json("tune " PROBLEM);
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    json_t *choice = json_object_get(problem, "choice");
    assert_string_equal(json_string_value(json_object_get(choice, "basis")), "measured");
    double us = json_real_value(json_object_get(choice, "time_us"));
    assert_true(fabs(us - 105) < 0.2);
    assert_true(json_real_value(json_object_get(choice, "time_us_low")) <= us);
    assert_true(fabs(json_real_value(json_object_get(choice, "of_limit")) - 100 / us) < 0.01);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(choice, "config"), "threads")), 512);
    /* Those with 512 threads are tied; the first of the space won. */
    assert_true(json_array_size(json_object_get(problem, "ties")) >= 1);
    json_t *v5 = json_array_get(json_object_get(problem, "presets"), 4);
    assert_string_equal(json_string_value(json_object_get(v5, "name")), "v5");
    assert_string_equal(json_string_value(json_object_get(v5, "verdict")), "correctness");
    assert_true(json_real_value(json_object_get(v5, "time_us")) > 100);
    assert_true(json_integer_value(json_object_get(json_object_get(problem, "trials"), "correctness")) >= 1);
    json_decref(document);
}

static json_t *other_cache_of(const json_t *document)
{
    return json_object_get(json_array_get(json_object_get(document, "problems"), 0), "other_cache");
}

static void a_small_problem_is_raced_cold_and_hot(void **state)
{
    (void)state;
    json_t *document = run_json("tune --M 64 " PROBLEM);
    assert_false(json_is_true(json_object_get(other_cache_of(document), "differs")));
    assert_string_equal(json_string_value(json_object_get(other_cache_of(document), "cache")), "hot");
    json_decref(document);
    script.hot_differs = true;
    document = run_json("tune --M 64 " PROBLEM);
    assert_true(json_is_true(json_object_get(other_cache_of(document), "differs")));
    assert_true(fabs(json_real_value(json_object_get(other_cache_of(document), "choice_us")) - 105) < 1);
    assert_non_null(
        strstr(json_string_value(json_object_get(other_cache_of(document), "winner")), "threads=128"));
    json_decref(document);
    document = run_json("tune --M 8192 " PROBLEM);
    assert_null(other_cache_of(document));
    json_decref(document);
}

static void a_wrong_variant_does_not_win_though_it_is_the_fastest(void **state)
{
    (void)state;
    script.wrong_threads = 512;
    json_t *document = run_json("tune " PROBLEM);
    json_t *choice = json_object_get(json_array_get(json_object_get(document, "problems"), 0), "choice");
    assert_int_not_equal(json_integer_value(json_object_get(json_object_get(choice, "config"), "threads")),
                         512);
    json_decref(document);
}

static void when_every_variant_is_wrong_nothing_is_written(void **state)
{
    (void)state;
    char *out;
    struct error e;
    script.all_wrong = true;
    assert_int_equal(run("tune " PROBLEM " --output none", &out, &e), 1);
    assert_string_equal(out, "");
    assert_false(is_there("none/" STEM ".json"));
    free(out);
}

static void a_choice_that_is_wrong_as_emitted_is_not_written(void **state)
{
    (void)state;
    char *out;
    struct error e;
    script.wrong_kernel = "_m8192_"; /* only emitted kernels have M in their names */
    assert_int_equal(run("tune " PROBLEM " --output wrong", &out, &e), 1);
    assert_false(is_there("wrong/" STEM ".json"));
    free(out);
}

static void the_name_of_the_folder_to_confirm_is_no_pattern(void **state)
{
    (void)state;
    char *out;
    struct error e;
    static const char *const names[] = {"o[1]", "a\\b", "what?*"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *tune = must_format("tune --arch sm_90 --device none --output %s " PROBLEM, names[i]);
        char *confirm = must_format("confirm %s", names[i]);
        assert_int_equal(run(tune, &out, &e), 0);
        free(out);
        json_decref(run_json(confirm));
        free(confirm);
        free(tune);
    }
}

static void a_prediction_is_confirmed_in_its_folder(void **state)
{
    (void)state;
    char *out;
    struct error e;
    assert_int_equal(run("tune --arch sm_90 --device none --output there " PROBLEM, &out, &e), 0);
    assert_non_null(strstr(out, "PREDICTED"));
    free(out);
    char *before = read_text("there/" STEM ".json");
    assert_non_null(strstr(before, "\"predicted\""));
    free(before);
    script.wrong_threads = 256;
    json_t *document = run_json("confirm there");
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    size_t right = 1 + json_array_size(json_object_get(problem, "runners_up"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(problem, "choice"), "basis")),
                        "measured");
    json_decref(document);
    char *after = read_text("there/" STEM ".json");
    assert_non_null(strstr(after, "\"measured\""));
    assert_null(strstr(after, "threads=256,"));
    free(after);
    for (size_t rank = 2; rank <= 5; rank++) {
        char *path = must_format("there/candidates/" STEM "/%zu/" STEM ".json", rank);
        assert_int_equal(is_there(path), rank <= right);
        if (rank <= right) {
            char *manifest = read_text(path);
            assert_non_null(strstr(manifest, "\"measured\""));
            assert_null(strstr(manifest, "threads=256,"));
            free(manifest);
        }
        free(path);
    }
}

static void confirm_changes_nothing_when_no_candidate_is_right(void **state)
{
    (void)state;
    char *out;
    struct error e;
    assert_int_equal(run("tune --arch sm_90 --device none --output kept " PROBLEM, &out, &e), 0);
    free(out);
    script.all_wrong = true;
    assert_int_equal(run("confirm kept", &out, &e), 1);
    free(out);
    char *manifest = read_text("kept/" STEM ".json");
    assert_non_null(strstr(manifest, "\"predicted\""));
    free(manifest);
}

static void confirm_goes_on_with_the_others_of_a_folder(void **state)
{
    (void)state;
    char *out;
    struct error e;
    assert_int_equal(run("tune --arch sm_90 --device none --output many --M 16,8192 " PROBLEM, &out, &e), 0);
    free(out);
    assert_int_equal(run("tune --arch sm_120 --device none --output many " PROBLEM, &out, &e), 0);
    free(out);
    script.wrong_kernel = "_m16_";
    assert_int_equal(run("confirm many", &out, &e), 1);
    assert_string_equal(e.text, "");
    assert_non_null(strstr(out, "\nf32 16x1024 "));
    assert_non_null(strstr(out, "none: no candidate in many is right"));
    assert_non_null(strstr(out, "\nf32 8192x1024 "));
    assert_non_null(strstr(out, "\nFiles:  1 kernel in many"));
    free(out);
    static const char *const manifests[][2] = {{"many/softmax_f32_m16_n1024_sm_90.json", "\"predicted\""},
                                               {"many/" STEM ".json", "\"measured\""},
                                               {"many/softmax_f32_m8192_n1024_sm_120.json", "\"predicted\""}};
    for (size_t i = 0; i < 3; i++) {
        char *manifest = read_text(manifests[i][0]);
        assert_non_null(strstr(manifest, manifests[i][1]));
        free(manifest);
    }
    assert_int_equal(run("tune --arch sm_120 --device none --output foreign " PROBLEM, &out, &e), 0);
    free(out);
    assert_int_equal(run("confirm foreign", &out, &e), 3);
    assert_non_null(strstr(e.text, "foreign holds no kernel for the GPU here"));
    free(out);
}

static void one_variant_for_all_m_is_measured_beside_the_best_of_each(void **state)
{
    (void)state;
    script.unsteady_threads = 512; /* the fastest */
    json_t *document = run_json("tune " PROBLEM " --M 16,8192 --batch-invariant --output invariant");
    json_t *problems = json_object_get(document, "problems");
    assert_int_equal(json_array_size(problems), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *problem = json_array_get(problems, i), *choice = json_object_get(problem, "choice");
        json_t *proof = json_object_get(problem, "batch_invariant");
        assert_string_equal(json_string_value(json_object_get(choice, "basis")), "measured");
        assert_int_equal(json_integer_value(json_object_get(json_object_get(choice, "config"), "threads")),
                         32);
        assert_true(json_is_true(json_object_get(proof, "proven")));
        assert_true(json_integer_value(json_object_get(proof, "passed_over")) >= 1);
        assert_true(fabs(json_real_value(json_object_get(proof, "alone_us")) - 105) < 0.5);
        assert_true(fabs(json_real_value(json_object_get(proof, "cost")) - (120.32 / 105 - 1)) < 0.01);
    }
    json_decref(document);
    assert_true(is_there("invariant/" STEM ".json"));
}

static void bench_races_variants_and_an_emitted_rival(void **state)
{
    (void)state;
    char *out;
    struct error e;
    assert_int_equal(run("tune --output rival " PROBLEM, &out, &e), 0);
    free(out);
    json_t *document = run_json("bench --N 1024 --config article v3 v4 --rival rival/" STEM ".json");
    json_t *entries = json_object_get(json_array_get(json_object_get(document, "problems"), 0), "entries");
    assert_int_equal(json_array_size(entries), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(entries, 0), "name")), "v3");
    assert_false(json_is_true(json_object_get(json_array_get(entries, 0), "fastest")));
    assert_true(json_is_true(json_object_get(json_array_get(entries, 2), "fastest")));
    json_decref(document);
}

static void a_rival_of_another_problem_is_refused(void **state)
{
    (void)state;
    char *out;
    struct error e;
    assert_int_equal(run("bench --N 2048 --config article v3 --rival rival/" STEM ".json", &out, &e), 2);
    assert_non_null(strstr(e.text, "--rival rival/" STEM ".json"));
    assert_non_null(strstr(e.text, "another problem"));
    free(out);
    assert_int_equal(run("bench --N 1024 --config article v3 --rival absent.cu:kernel", &out, &e), 2);
    assert_non_null(strstr(e.text, "--rival absent.cu cannot be read: "));
    free(out);
}

static void write_rivals(void)
{
    FILE *file = fopen("mine.cu", "w");
    assert_non_null(file);
    fputs("#include <cuda_fp16.h>\n"
          "// softmax-tune: kernel=fast grid=M block=512 args=x,y,N\n"
          "__global__ void fast(const float *x, float *y, int N) { y[N * blockIdx.x] = x[N * blockIdx.x]; }\n"
          "// softmax-tune: kernel=wrong grid=M block=96 args=x,y\n"
          "extern \"C\" __global__ void wrong(const float *x, float *y) { *y = *x; }\n"
          "// softmax-tune: kernel=misfit grid=M block=96 args=x,y,M\n"
          "extern \"C\" __global__ void misfit(const float *x, float *y) { *y = 2 * *x; }\n",
          file);
    fclose(file);
    file = fopen("broken.cu", "w");
    assert_non_null(file);
    fputs("// softmax-tune: grid=M block=96 args=x,y\n"
          "__global__ void broken(const float *x, float *y) { *y = nothing; }\n",
          file);
    fclose(file);
}

static json_t *entry_of(json_t *document, size_t index)
{
    json_t *problem = json_array_get(json_object_get(document, "problems"), 0);
    return json_array_get(json_object_get(problem, "entries"), index);
}

static void bench_races_a_kernel_of_the_users(void **state)
{
    (void)state;
    write_rivals();
    json_t *document = run_json("bench --N 1024 --config article v3 --rival mine.cu:fast");
    json_t *rival = entry_of(document, 1);
    assert_string_equal(json_string_value(json_object_get(rival, "rival")), "mine.cu:fast");
    assert_string_equal(json_string_value(json_object_get(rival, "verdict")), "correct");
    assert_true(fabs(json_real_value(json_object_get(rival, "time_us")) - 105) < 0.5);
    assert_true(json_is_true(json_object_get(rival, "fastest")));
    json_decref(document);
}

static void a_wrong_rival_is_timed_and_cannot_win(void **state)
{
    (void)state;
    write_rivals();
    script.wrong_kernel = "wrong";
    char *out;
    struct error e;
    assert_int_equal(run("bench --N 1024 --config article v3 --rival mine.cu:wrong", &out, &e), 0);
    assert_non_null(strstr(out, "\ncorrectness "));
    assert_non_null(strstr(out, "mine.cu:wrong: wrong on rows that begin with -inf\n"));
    assert_non_null(strstr(out, "\nfastest "));
    free(out);
    json_t *document = run_json("bench --N 1024 --config article v3 --rival mine.cu:wrong");
    json_t *rival = entry_of(document, 1);
    assert_string_equal(json_string_value(json_object_get(rival, "verdict")), "correctness");
    assert_true(fabs(json_real_value(json_object_get(rival, "time_us")) - 120.96) < 0.5);
    assert_false(json_is_true(json_object_get(rival, "fastest")));
    json_decref(document);
}

static void a_rival_that_does_not_compile_is_shown_with_its_line(void **state)
{
    (void)state;
    write_rivals();
    json_t *document = run_json("bench --N 1024 --config article v3 --rival broken.cu:broken");
    json_t *rival = entry_of(document, 1);
    assert_string_equal(json_string_value(json_object_get(rival, "verdict")), "compile");
    assert_non_null(strstr(json_string_value(json_object_get(rival, "reason")), "broken.cu:2"));
    json_decref(document);
}

static void a_rival_whose_launch_does_not_fit_is_wrong_usage(void **state)
{
    (void)state;
    write_rivals();
    char *out;
    struct error e;
    assert_int_equal(run("bench --N 1024 --config article --rival mine.cu:misfit", &out, &e), 2);
    assert_non_null(strstr(e.text, "--rival mine.cu:misfit: args has 3 names, and misfit has 2 parameters"));
    free(out);
    assert_int_equal(run("bench --N 1024 --config article --rival mine.cu:absent", &out, &e), 2);
    assert_non_null(strstr(e.text, "no line says how absent is launched"));
    free(out);
}

static void check_prints_a_line_a_variant_and_fails_for_a_wrong_one(void **state)
{
    (void)state;
    char *out;
    struct error e;
    script.v5 = hash_of_v5();
    assert_int_equal(run("check --N 1024 --config article --variant v4", &out, &e), 0);
    assert_non_null(strstr(out, "\ncorrect        0.250  v4: scope=block"));
    assert_null(strstr(out, "emulator"));
    free(out);
    assert_int_equal(run("check --N 1024 --config article --variant v4 --variant v5", &out, &e), 1);
    assert_non_null(strstr(out, "\ncorrectness      inf  v5: scope=block"));
    assert_non_null(strstr(out, "wrong on rows that begin with -inf"));
    free(out);
}

static void check_as_json_has_the_designed_fields(void **state)
{
    (void)state;
    json_t *document = run_json("check --N 1024 --config article --limit 3");
    json_t *variants = json_object_get(document, "variants");
    assert_int_equal(json_array_size(variants), 3);
    json_t *first = json_array_get(variants, 0);
    assert_true(json_is_string(json_object_get(first, "key")));
    assert_string_equal(json_string_value(json_object_get(first, "verdict")), "correct");
    assert_true(json_real_value(json_object_get(first, "max_error")) == 0.25);
    assert_true(json_is_null(json_object_get(first, "counts")));
    json_decref(document);
}

static void random_order_finds_the_same_winner(void **state)
{
    (void)state;
    script.noise = 0;
    json_t *one = run_json("tune " PROBLEM), *other = run_json("tune " PROBLEM " --strategy random --seed 5");
    const char *a = json_string_value(json_object_get(
        json_object_get(json_array_get(json_object_get(one, "problems"), 0), "choice"), "variant"));
    const char *b = json_string_value(json_object_get(
        json_object_get(json_array_get(json_object_get(other, "problems"), 0), "choice"), "variant"));
    assert_string_equal(a, b);
    json_decref(one);
    json_decref(other);
}

#define scripted(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scripted(tune_chooses_the_fastest_and_prints_the_article_beside_it),
        scripted(the_choice_as_json_is_the_manifest_of_a_measurement),
        scripted(a_small_problem_is_raced_cold_and_hot),
        scripted(a_wrong_variant_does_not_win_though_it_is_the_fastest),
        scripted(when_every_variant_is_wrong_nothing_is_written),
        scripted(a_choice_that_is_wrong_as_emitted_is_not_written),
        scripted(the_name_of_the_folder_to_confirm_is_no_pattern),
        scripted(a_prediction_is_confirmed_in_its_folder),
        scripted(confirm_changes_nothing_when_no_candidate_is_right),
        scripted(confirm_goes_on_with_the_others_of_a_folder),
        scripted(one_variant_for_all_m_is_measured_beside_the_best_of_each),
        scripted(bench_races_variants_and_an_emitted_rival),
        scripted(a_rival_of_another_problem_is_refused),
        scripted(bench_races_a_kernel_of_the_users),
        scripted(a_wrong_rival_is_timed_and_cannot_win),
        scripted(a_rival_that_does_not_compile_is_shown_with_its_line),
        scripted(a_rival_whose_launch_does_not_fit_is_wrong_usage),
        scripted(check_prints_a_line_a_variant_and_fails_for_a_wrong_one),
        scripted(check_as_json_has_the_designed_fields),
        scripted(random_order_finds_the_same_winner),
    };
    return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
