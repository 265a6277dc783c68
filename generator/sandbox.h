/* A Lua state for text that is not trusted: base, table, string and math without the ways out of them, a
   limit on memory, and a clock that stops endless loops. It runs in a worker process, whose parent stops what
   no clock in the same thread can (a pattern match that backtracks). Deterministic: no random numbers, no
   time, and pairs() goes through keys in order. */
#ifndef GENERATOR_SANDBOX_H
#define GENERATOR_SANDBOX_H

#include "generator/text_buffer.h"

#include <jansson.h>
#include <lua.h>

/* What is being evaluated, for the message when it does not end: place is "configs/softmax.lua" or with a
   line, what is "constraint 'rows are whole vectors'". Shared with the parent, which reads it after it killed
   the child. */
struct activity {
    char place[256], what[256];
};

struct sandbox {
    lua_State *L;
    size_t used, limit;    /* bytes of the Lua state */
    double begin, seconds; /* of the present request: when it began, on the monotonic clock, and how long it
                              may take; 0 for as long as it likes */
    bool raised;           /* sandbox_raise() was called: the message says all that is to be said */
    struct activity *activity; /* never NULL; not owned */
    char **paths;              /* of the chunks loaded, for those that Lua shortens in its messages; owned */
    int path_count;
};

/* `s` must stay where it is until sandbox_close(), which accepts one that failed to open. */
bool sandbox_open(struct sandbox *s, size_t memory_bytes, struct activity *activity, struct error *e);
void sandbox_close(struct sandbox *s);

/* Calls `f` with `context` as a light userdata, protected and for `seconds` at most. All access to the state
   goes through here; within `f` every failure is a Lua error. */
bool sandbox_run(struct sandbox *s, double seconds, lua_CFunction f, void *context, struct error *e);

/* The functions below run within sandbox_run(). */

/* Notes what is evaluated from now on; cut to what `struct activity` holds. */
void sandbox_doing(lua_State *L, const char *place, const char *what);

/* Whether the request is about to run out of its time. */
bool sandbox_is_late(lua_State *L);

/* Compiles text and pushes the function; a syntax error is raised. */
void sandbox_load(lua_State *L, const char *text, size_t size, const char *path);

/* Raises "place:line: text", without the line where it is 0 and without a place where `place` is NULL. */
_Noreturn void sandbox_raise(lua_State *L, const char *place, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Pushes an empty buffer that Lua frees. */
struct text_buffer *sandbox_push_buffer(lua_State *L);

/* Pushes a read-only table of `object`'s fields. Reading another one is an error: `name` has none such. */
void sandbox_push_record(lua_State *L, const json_t *object, const char *name);

/* Makes reading an unknown field of the table at `index` an error that says `name` has none such. */
void sandbox_make_strict(lua_State *L, int index, const char *name);

/* The list of flat tables at `index` as a JSON array of objects; NULL where it is none. A new reference. */
json_t *sandbox_records_to_json(lua_State *L, int index);

#endif
