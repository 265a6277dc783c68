/* From lines of a source back to the template lines that made them. */
#include "generator/generator.h"
#include "generator/text_buffer.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void source_clear(struct source *s)
{
    for (int i = 0; i < s->file_count; i++)
        free(s->files[i]);
    free(s->files);
    free(s->lines);
    free(s->text);
    *s = (struct source){0};
}

/* Where line `line` came from; NULL where no template made it. */
static const struct source_line *find_line(const struct source *s, long line)
{
    if (line < 1 || line > s->line_count || s->lines[line - 1].line == 0)
        return NULL;
    return &s->lines[line - 1];
}

void source_origin(const struct source *s, int line, char *text, size_t size)
{
    const struct source_line *origin = find_line(s, line);
    if (origin == NULL)
        snprintf(text, size, "source:%d", line);
    else
        snprintf(text, size, "%s:%d", s->files[origin->file], origin->line);
}

char *source_locate(const struct source *s, const char *text)
{
    static const char mark[] = "source:";
    enum { MARK_LENGTH = sizeof mark - 1 };
    struct text_buffer out = {0};
    text_add(&out, "", 0);
    for (const char *c = text, *found; *c != '\0'; c = found) {
        found = strstr(c, mark);
        if (found == NULL) {
            text_add_string(&out, c);
            break;
        }
        text_add(&out, c, (size_t)(found - c));
        char *end;
        const char *digits = found + MARK_LENGTH;
        long line = isdigit((unsigned char)*digits) ? strtol(digits, &end, 10) : 0;
        const struct source_line *origin = find_line(s, line);
        bool whole_word = found == text || !(isalnum((unsigned char)found[-1]) || found[-1] == '_');
        if (origin != NULL && whole_word) {
            text_print(&out, "%s:%d (line %ld of the source)", s->files[origin->file], origin->line, line);
            found = end;
        } else {
            text_add(&out, mark, MARK_LENGTH);
            found += MARK_LENGTH;
        }
    }
    return out.data;
}
