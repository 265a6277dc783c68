/* The program's commands on the GPU that is a script, in a folder of the test's. cmocka.h comes before. */
#ifndef TESTS_SCRIPTED_COMMAND_H
#define TESTS_SCRIPTED_COMMAND_H

#include "tests/scripted_gpu.h"

#include <jansson.h>
#include <sys/resource.h>

/* Some forty variants, and v1 to v5; and the stem of what is emitted. */
#define PROBLEM "--N 1024 --config article --set vec_bytes=16 --set scope=block"
#define STEM    "softmax_f32_m8192_n1024_sm_90"

/* For a group of tests: makes its folder, in which they run, with a cache of its own; removes it. */
int scripted_set_up_all(void **state);
int scripted_tear_down_all(void **state);
/* For each test: clears the script and forgets trials, which another script's GPU gave; images stay. */
int scripted_set_up(void **state);

/* Runs the words of `line` in a process of its own; out.txt and err.txt are what it printed. The exit status,
   or 128 + the signal. */
int run_command(const char *line);
int run_command_bounded(const char *line, rlim_t most_bytes); /* whose files may have at most so many */

/* The document that the command prints with --json; the test fails where it fails. */
json_t *run_json(const char *line);
/* Its first problem, which is the caller's too. */
json_t *run_json_problem(const char *line);
json_int_t threads_of_choice(const json_t *problem); /* of such a problem */

char *read_text(const char *path); /* the caller frees it */
bool said(const char *path, const char *text);
int lines_of(const char *path);
bool is_there(const char *path);

/* The hash of the machine code of v5 in PROBLEM's space. */
uint64_t code_of_v5(void);

#endif
