/* Runs the program that was built, as a user would, and keeps what it printed. cmocka.h comes before. */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include "generator/error.h"
#include "temporary_folder.h"

#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

struct run {
    int status;      /* the exit status; 128 + the signal where one ended it */
    char *out, *err; /* owned */
};

static inline char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t size = 0, room = 4096;
    char *text = must_malloc(room);
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    for (size_t read; (read = fread(text + size, 1, room - size - 1, file)) > 0;) {
        size += read;
        if (room - size < 2048)
            text = must_realloc(text, room *= 2);
    }
    fclose(file);
    text[size] = '\0';
    return text;
}

/* Runs PROGRAM with `arguments` (a shell's words) in `folder`, which also is its home: no cache of the user
   is read or written. */
static inline struct run run_program(const char *folder, const char *arguments)
{
    char *command =
        must_format("cd '%s' && exec env HOME='%s' XDG_CACHE_HOME= '%s' %s >stdout.txt 2>stderr.txt", folder,
                    folder, PROGRAM, arguments);
    int status = system(command);
    char *out = must_format("%s/stdout.txt", folder), *err = must_format("%s/stderr.txt", folder);
    struct run run = {
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .out = read_all(out),
        .err = read_all(err),
    };
    free(command);
    free(out);
    free(err);
    return run;
}

static inline void run_clear(struct run *run)
{
    free(run->out);
    free(run->err);
}

static inline int count_lines(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static inline struct run run_well(const char *folder, const char *arguments)
{
    struct run run = run_program(folder, arguments);
    if (run.status != 0)
        fail_msg("'%s' gave status %d and said '%s'", arguments, run.status, run.err);
    return run;
}

static inline json_t *run_json(const char *folder, const char *arguments)
{
    struct run run = run_well(folder, arguments);
    json_error_t why;
    json_t *document = json_loads(run.out, 0, &why);
    if (document == NULL)
        fail_msg("'%s' printed what is no JSON document: line %d: %s", arguments, why.line, why.text);
    run_clear(&run);
    return document;
}

static inline bool gpu_is_here(const char *folder)
{
    json_t *gpus = run_json(folder, "gpus --json");
    bool here = json_is_object(json_object_get(gpus, "here"));
    json_decref(gpus);
    return here;
}

static inline void write_text(const char *folder, const char *name, const char *text)
{
    char *path = must_format("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("%s cannot be written", path);
    free(path);
}

#endif
