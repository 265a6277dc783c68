/* One kind of failure for every layer: an exit status and one line for the user. */
#ifndef GENERATOR_ERROR_H
#define GENERATOR_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The program's exit statuses (design: "Command line"). */
enum status {
    STATUS_DONE = 0,
    STATUS_NONE_SURVIVED = 1, /* no variant of a problem survived; check: a variant is wrong */
    STATUS_USAGE = 2,         /* wrong usage, problem, space or template; an output that cannot be written */
    STATUS_MISSING = 3,       /* NVRTC, the GPU asked for or a usable store is not here */
    STATUS_INTERRUPTED = 130,
    STATUS_TERMINATED = 143,
};

/* Filled by a function that fails; untouched by one that succeeds. Says what, where, and what to do, in one
   line without a final newline or a "softmax-tune:" in front. */
struct error {
    int status;
    char text[2048];
};

/* Writes `e` (which may be NULL). Always returns false, so that a caller can `return error_set(...)`. */
bool error_set(struct error *e, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Out of memory is not survivable here: these print one line and exit with status 3. The caller owns the
   result and frees it with free(). */
void *must_malloc(size_t size);
void *must_calloc(size_t count, size_t size);
void *must_realloc(void *block, size_t size);
char *must_strdup(const char *text);
char *must_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *must_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#endif
