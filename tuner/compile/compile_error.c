#include "tuner/compile/compile_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIC_SMEM_MAX = 48 * 1024 }; /* bytes, of every architecture */

/* The text from "error" on, in "source(63): error: ..." and "source(63): catastrophic error: ..."; NULL for
   another line of the log. */
static const char *frontend_error(const char *line, int *number)
{
    int end = 0;
    if (sscanf(line, "source(%d): %n", number, &end) != 1 || end == 0)
        return NULL;
    const char *text = line + end;
    if (strncmp(text, "catastrophic ", 13) == 0)
        text += 13;
    return strncmp(text, "error", 5) == 0 ? text : NULL;
}

/* The message in "ptxas fatal   : ..." and "ptxas application ptx input, line 30; error   : ...". `*number`
   is the line of the PTX, 0 where none is named. */
static const char *ptxas_error(const char *line, int *number)
{
    *number = 0;
    if (strncmp(line, "ptxas", 5) != 0)
        return NULL;
    const char *at = strstr(line, "error "), *colon = strchr(line, ':');
    if (at == NULL)
        at = strstr(line, "fatal ");
    if (at == NULL || colon == NULL || colon < at)
        return NULL;
    const char *place = strstr(line, ", line ");
    if (place != NULL && place < at)
        *number = atoi(place + 7);
    return colon + 1 + strspn(colon + 1, " ");
}

/* "; PTX: max.f32 %f1, ..." of line `number`, or "". The caller frees it. */
static char *quote_ptx(const char *ptx, int number)
{
    for (int line = 1; line < number && ptx != NULL; line++) {
        ptx = strchr(ptx, '\n');
        ptx = ptx == NULL ? NULL : ptx + 1;
    }
    if (number < 1 || ptx == NULL)
        return must_strdup("");
    ptx += strspn(ptx, " \t");
    return must_format("; PTX: %.*s", (int)strcspn(ptx, "\n"), ptx);
}

/* The line as a message of its own; NULL when it is no error. */
static char *message_of(const struct source *source, const char *line, const char *ptx)
{
    int number;
    const char *text = frontend_error(line, &number);
    if (text != NULL) {
        char place[512];
        source_origin(source, number, place, sizeof place);
        return must_format("%s: %s", place, text);
    }
    text = ptxas_error(line, &number);
    if (text != NULL) {
        char *quote = quote_ptx(ptx, number);
        char *message = must_format("ptxas: %s%s", text, quote);
        free(quote);
        return message;
    }
    return strncmp(line, "nvrtc: error", 12) == 0 ? must_strdup(line) : NULL;
}

/* ptxas refuses too much static shared memory without a word in NVRTC's log but its size. */
static char *silent_error(const char *log, const char *result)
{
    for (const char *at = strstr(log, " bytes smem"); at != NULL; at = strstr(at + 1, " bytes smem")) {
        const char *figure = at;
        while (figure > log && figure[-1] >= '0' && figure[-1] <= '9')
            figure--;
        long bytes = strtol(figure, NULL, 10);
        if (bytes > STATIC_SMEM_MAX)
            return must_format("ptxas: a kernel has %ld bytes of static shared memory, and %d are the most",
                               bytes, STATIC_SMEM_MAX);
    }
    return must_format("NVRTC gave no reason (%s)", result);
}

char *compile_error_line(const struct source *source, const char *log, const char *ptx, const char *result)
{
    char *first = NULL;
    int more = 0;
    for (const char *at = log; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char *line = must_format("%.*s", (int)length, at);
        at += length + (at[length] == '\n');
        char *message = message_of(source, line, ptx);
        free(line);
        if (message == NULL)
            continue;
        if (first == NULL) {
            first = message;
        } else {
            /* "ptxas fatal: Ptx assembly aborted due to errors" only ends the list. */
            more += strstr(message, "aborted due to errors") == NULL;
            free(message);
        }
    }
    if (first == NULL)
        return silent_error(log, result);
    if (more == 0)
        return first;
    char *line = must_format("%s (and %d more)", first, more);
    free(first);
    return line;
}
