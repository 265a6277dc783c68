/* Text that grows as it is written. */
#ifndef GENERATOR_TEXT_BUFFER_H
#define GENERATOR_TEXT_BUFFER_H

#include "generator/error.h"

/* All zero is an empty buffer. `data` ends with a NUL that is not counted, once something was added. */
struct text_buffer {
    char *data;
    size_t size, capacity;
};

void text_add(struct text_buffer *b, const char *text, size_t size);
void text_add_string(struct text_buffer *b, const char *text);
void text_print(struct text_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text_buffer *b);

/* Reads a whole file, text of at most `limit` bytes without a NUL; the mark that some editors put before
   UTF-8 is left out. `b` is empty before, and freed by text_free() whatever the result is. Status 2. */
bool text_read_file(struct text_buffer *b, const char *path, size_t limit, struct error *e);

#endif
