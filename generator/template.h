/* Templates: CUDA text with lines of Lua (% at their beginning), values (${...}) and parts (% include
   "x.cu"). docs/space.md is the reference. A file is compiled once and rendered for many variants. */
#ifndef GENERATOR_TEMPLATE_H
#define GENERATOR_TEMPLATE_H

#include "generator/error.h"
#include "generator/generator.h"
#include "generator/text_buffer.h"

#include <lua.h>

/* The Lua text of a template, line for line, so that Lua's messages have the template's line numbers. */
struct template_lines {
    int count;
    int *indent; /* columns before the text or the %, one for each line */
    bool *text;  /* whether the line is text to be produced */
};

/* Appends the Lua text to `lua`. template_lines_free() frees `lines`, also after a failure. Status 2. */
bool template_translate(const char *path, const char *text, struct text_buffer *lua,
                        struct template_lines *lines, struct error *e);
void template_lines_free(struct template_lines *lines);

/* The text of the index-th ${...} (from 0) of line `line` (from 1), for messages; false for none. */
bool template_expression(const char *text, int line, int index, char *expression, size_t size);

struct templates;

/* `folder` is searched before the built-in files; NULL for none; it must outlive the result. Freed by
   templates_free(). */
struct templates *templates_new(const char *folder);
void templates_free(struct templates *t);

/* What the last rendering made; valid until the next. */
struct rendering {
    struct text_buffer text;
    struct source_line *lines;
    int line_count, line_capacity;
    const char **paths; /* of the files it came from, the template first; owned by the templates */
    int path_count;
};

/* Renders the template `name` ("row_block.cu") with the globals of the table on the top of the stack, which
   is popped. Raises Lua errors. `place` and `line` say who asked, for the message where there is no such
   file. */
const struct rendering *template_render(lua_State *L, struct templates *t, const char *name,
                                        const char *place, int line);

#endif
