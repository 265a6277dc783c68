#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scripted_command.h"

#include "tests/kernel_spaces.h"
#include "tests/temporary_folder.h"
#include "tuner/cli/command.h"
#include "tuner/compile/compiler.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static char *folder;

int scripted_set_up_all(void **state)
{
    (void)state;
    folder = temporary_folder();
    char *cache = must_format("%s/cache", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    free(cache);
    return script_open() ? chdir(folder) : -1;
}

int scripted_tear_down_all(void **state)
{
    (void)state;
    temporary_folder_remove(folder);
    return 0;
}

int scripted_set_up(void **state)
{
    (void)state;
    *script = (struct gpu_script){.noise = 0.002};
    return system("rm -f store/trials.sqlite* store/*.lock cache/softmax-tune/trials.sqlite*");
}

/* What the child is. */
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
    free(words);
    return status;
}

int run_command_bounded(const char *line, rlim_t most_bytes)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(run_here(line, most_bytes));
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_command(const char *line)
{
    return run_command_bounded(line, 0);
}

json_t *run_json(const char *line)
{
    char *with_json = must_format("%s --json --quiet", line);
    int status = run_command(with_json);
    char *out = read_text("out.txt");
    json_t *document = json_loads(out, 0, NULL);
    if (status != 0 || document == NULL) {
        char *err = read_text("err.txt");
        fail_msg("'%s' gave status %d, said '%s' and printed '%s'", line, status, err, out);
    }
    free(with_json);
    free(out);
    return document;
}

json_t *run_json_problem(const char *line)
{
    json_t *document = run_json(line);
    json_t *problem = json_incref(json_array_get(json_object_get(document, "problems"), 0));
    json_decref(document);
    return problem;
}

json_int_t threads_of_choice(const json_t *problem)
{
    json_t *config = json_object_get(json_object_get(problem, "choice"), "config");
    return json_integer_value(json_object_get(config, "threads"));
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = must_calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
    fclose(file);
    return text;
}

bool said(const char *path, const char *text)
{
    char *all = read_text(path);
    bool found = strstr(all, text) != NULL;
    free(all);
    return found;
}

int lines_of(const char *path)
{
    char *all = read_text(path);
    int lines = 0;
    for (const char *c = all; *c != '\0'; c++)
        lines += *c == '\n';
    free(all);
    return lines;
}

bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

uint64_t code_of_v5(void)
{
    struct error e = {0};
    struct gpu gpu = gpu_of("sm_90");
    struct problem problem = problem_default(8192, 1024);
    struct compiler *compiler = compiler_open(&(struct compiler_options){.jobs = 1}, &e);
    struct generator *space = generator_open(&(struct generator_options){.config = "article"}, &e);
    assert_true(compiler != NULL && space != NULL);
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
    return hash;
}
