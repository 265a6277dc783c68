#include "generator/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool error_set(struct error *e, int status, const char *format, ...)
{
    if (e == NULL)
        return false;
    /* The old text may be an argument of the new one ("%s:%d: %s"), so it is not written over while read. */
    char text[sizeof e->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    e->status = status;
    memcpy(e->text, text, sizeof text);
    return false;
}

static void *or_die(void *block, size_t size)
{
    if (block == NULL && size > 0) {
        fprintf(stderr, "softmax-tune: out of memory (%zu bytes)\n", size);
        exit(STATUS_MISSING);
    }
    return block;
}

void *must_malloc(size_t size)
{
    return or_die(malloc(size), size);
}

void *must_calloc(size_t count, size_t size)
{
    return or_die(calloc(count, size), count * size);
}

void *must_realloc(void *block, size_t size)
{
    return or_die(realloc(block, size), size);
}

char *must_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(must_malloc(size), text, size);
}

char *must_vformat(const char *format, va_list arguments)
{
    va_list measured;
    va_copy(measured, arguments);
    int length = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    if (length < 0)
        abort(); /* a wrong format, which the compiler refuses */
    char *text = must_malloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *must_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = must_vformat(format, arguments);
    va_end(arguments);
    return text;
}
