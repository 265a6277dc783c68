/* A source that no template made: line n of the text comes from line n + 100 of templates/handmade.cu. */
#ifndef TESTS_HANDMADE_SOURCE_H
#define TESTS_HANDMADE_SOURCE_H

#include "generator/generator.h"

#include <string.h>

static inline struct source handmade_source(const char *text)
{
    struct source source = {.text = must_strdup(text), .size = strlen(text), .file_count = 1};
    source.files = must_calloc(1, sizeof *source.files);
    source.files[0] = must_strdup("templates/handmade.cu");
    source.line_count = 1;
    for (const char *at = text; *at != '\0'; at++)
        source.line_count += *at == '\n';
    source.lines = must_calloc((size_t)source.line_count, sizeof *source.lines);
    for (int i = 0; i < source.line_count; i++)
        source.lines[i] = (struct source_line){.file = 0, .line = i + 101};
    return source;
}

#endif
