#include "generator/text_buffer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `size` more bytes and the NUL. */
static char *reserve(struct text_buffer *b, size_t size)
{
    if (b->size + size + 1 > b->capacity) {
        b->capacity = 2 * b->capacity + size + 64;
        b->data = must_realloc(b->data, b->capacity);
    }
    return b->data + b->size;
}

void text_add(struct text_buffer *b, const char *text, size_t size)
{
    char *end = reserve(b, size);
    if (size > 0)
        memcpy(end, text, size);
    end[size] = '\0';
    b->size += size;
}

void text_add_string(struct text_buffer *b, const char *text)
{
    text_add(b, text, strlen(text));
}

void text_print(struct text_buffer *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = must_vformat(format, arguments);
    va_end(arguments);
    text_add_string(b, text);
    free(text);
}

void text_free(struct text_buffer *b)
{
    free(b->data);
    *b = (struct text_buffer){0};
}

bool text_read_file(struct text_buffer *b, const char *path, size_t limit, struct error *e)
{
    enum { CHUNK = 16384 };
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return error_set(e, STATUS_USAGE, "%s cannot be read: %s", path, strerror(errno));
    size_t got;
    do {
        char *end = reserve(b, CHUNK);
        got = fread(end, 1, CHUNK, file);
        b->size += got;
        b->data[b->size] = '\0';
    } while (got > 0 && b->size <= limit);
    bool failed = ferror(file);
    int reason = errno;
    fclose(file);
    if (failed)
        return error_set(e, STATUS_USAGE, "%s cannot be read: %s", path, strerror(reason));
    if (b->size > limit)
        return error_set(e, STATUS_USAGE, "%s is longer than %zu bytes", path, limit);
    if (memchr(b->data, '\0', b->size) != NULL)
        return error_set(e, STATUS_USAGE, "%s is no text: it has a byte 0", path);
    static const char mark[] = "\xEF\xBB\xBF";
    size_t length = sizeof mark - 1;
    if (b->size >= length && memcmp(b->data, mark, length) == 0) {
        b->size -= length;
        memmove(b->data, b->data + length, b->size + 1);
    }
    return true;
}
