#include "generator/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAB_COLUMNS = 4 };

/* One line of a template, without its end. */
struct line {
    const char *begin, *end; /* of what follows the indentation, without blanks at the end */
    int indent;
};

static struct line line_at(const char *text)
{
    struct line l = {.begin = text, .end = text + strcspn(text, "\n")};
    for (; l.begin < l.end && (*l.begin == ' ' || *l.begin == '\t'); l.begin++)
        l.indent += *l.begin == ' ' ? 1 : TAB_COLUMNS;
    while (l.end > l.begin && (l.end[-1] == ' ' || l.end[-1] == '\t' || l.end[-1] == '\r'))
        l.end--;
    return l;
}

/* The closing brace of a value whose first character is at `c`; NULL where it is not in this line. Braces in
   a string of the expression do not count. */
static const char *value_end(const char *c, const char *end)
{
    char quote = '\0';
    for (int depth = 1; c < end; c++) {
        if (quote != '\0') {
            if (*c == '\\' && c + 1 < end)
                c++;
            else if (*c == quote)
                quote = '\0';
        } else if (*c == '"' || *c == '\'')
            quote = *c;
        else if (*c == '{')
            depth++;
        else if (*c == '}' && --depth == 0)
            return c;
    }
    return NULL;
}

/* The first "${" in [c, end), or `end`. */
static const char *value_begin(const char *c, const char *end)
{
    for (; c + 1 < end; c++)
        if (c[0] == '$' && c[1] == '{')
            return c;
    return end;
}

static void add_quoted(struct text_buffer *lua, const char *c, const char *end)
{
    text_add_string(lua, ",\"");
    for (; c < end; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            text_print(lua, "\\%c", byte);
        else if (byte < ' ')
            text_print(lua, "\\%03d", byte);
        else
            text_add(lua, c, 1);
    }
    text_add_string(lua, "\"");
}

/* A line of text becomes a call. The semicolon keeps it apart from an unfinished line of Lua above. */
static bool add_text_line(struct text_buffer *lua, struct line l, const char *path, int number,
                          struct error *e)
{
    text_print(lua, ";__emit(%d", number);
    for (const char *c = l.begin; c < l.end;) {
        const char *value = value_begin(c, l.end);
        add_quoted(lua, c, value); /* may be empty: text and value take turns */
        if (value == l.end)
            break;
        const char *end = value_end(value + 2, l.end);
        if (end == NULL)
            return error_set(e, STATUS_USAGE, "%s:%d: '${' is not closed in its line", path, number);
        text_add_string(lua, ",(");
        text_add(lua, value + 2, (size_t)(end - value - 2));
        text_add_string(lua, ")");
        c = end + 1;
    }
    text_add_string(lua, ")");
    return true;
}

bool template_translate(const char *path, const char *text, struct text_buffer *lua,
                        struct template_lines *lines, struct error *e)
{
    int capacity = 1;
    for (const char *c = text; (c = strchr(c, '\n')) != NULL; c++)
        capacity++;
    *lines = (struct template_lines){.indent = must_calloc((size_t)capacity, sizeof *lines->indent),
                                     .text = must_calloc((size_t)capacity, sizeof *lines->text)};
    text_add_string(lua, "local _ENV, __emit = ...; ");
    for (const char *c = text; *c != '\0';) {
        struct line l = line_at(c);
        int i = lines->count++;
        lines->indent[i] = l.indent;
        lines->text[i] = l.begin == l.end || *l.begin != '%';
        if (!lines->text[i])
            text_add(lua, l.begin + 1, (size_t)(l.end - l.begin - 1));
        else if (!add_text_line(lua, l, path, i + 1, e))
            return false;
        text_add_string(lua, "\n");
        c += strcspn(c, "\n");
        c += *c == '\n';
    }
    return true;
}

void template_lines_free(struct template_lines *lines)
{
    free(lines->indent);
    free(lines->text);
    *lines = (struct template_lines){0};
}

bool template_expression(const char *text, int line, int index, char *expression, size_t size)
{
    for (int i = 1; i < line; i++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    struct line l = line_at(text);
    for (const char *c = l.begin; (c = value_begin(c, l.end)) < l.end;) {
        const char *end = value_end(c + 2, l.end);
        if (end == NULL)
            return false;
        if (index-- == 0) {
            snprintf(expression, size, "%.*s", (int)(end - c - 2), c + 2);
            return true;
        }
        c = end + 1;
    }
    return false;
}
