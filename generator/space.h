/* The space: parameters, values, constraints, launch and presets, as a Lua file declares them
   (docs/space.md).

   The functions that take a lua_State run within sandbox_run() and raise Lua errors; what they allocate
   belongs to the space at once, so that an error loses nothing. */
#ifndef GENERATOR_SPACE_H
#define GENERATOR_SPACE_H

#include "generator/generator.h"
#include "generator/gpu.h"
#include "generator/launch.h"
#include "generator/text_buffer.h"

#include <lua.h>

enum { PARAMETERS_MAX = 64, VALUES_MAX = 4096, WORD_MAX = 64 };

enum value_kind { VALUE_INTEGER, VALUE_BOOLEAN, VALUE_WORD };

struct value {
    enum value_kind kind;
    int64_t number; /* of an integer or boolean */
    char *text;     /* as it stands in a key; owned */
};

struct parameter {
    char *name, *doc;
    int line; /* of the space file where it is declared, as far as it can be told; or 0 */
    int values_ref,
        full_ref;         /* in the registry: a list or a function(problem, gpu); full_ref may be LUA_NOREF */
    struct value *values; /* for the problem: those of the default space, then those of the full one */
    int default_count, count; /* values of the default space, of the full one */
    int pinned;               /* the only value listed; -1 for none */
};

struct constraint {
    int *parameters;               /* indices, in the order of the function's arguments */
    int parameter_count, bound_at; /* bound_at: how many parameters must be bound before it can be checked */
    int function, line;
    char *sentence, *title, *place; /* "constraint 'sentence'", "configs/softmax.lua:41" */
    bool default_only;
    unsigned char
        *answers; /* for the problem, by the values' indices: 0 unknown, 1 holds, 2 does not; or NULL */
    double cut;   /* combinations that it ruled out in the last listing */
};

struct setting {
    int parameter;
    struct value value;
};

struct preset {
    char *name;
    struct setting *settings;
    int count;
};

struct space {
    const char *path; /* as messages name it; not owned */
    struct text_buffer text;
    int line; /* of the call space { ... } */
    bool full;
    const char *const *pins; /* NAME=VALUE, NULL-terminated, or NULL; not owned */
    char *name, *template;   /* template: NULL where template_ref is a function */
    int template_ref, template_line, launch_ref, launch_line;
    struct parameter *parameters;
    int parameter_count;
    struct constraint *constraints;
    int constraint_count;
    struct preset *presets;
    int preset_count;

    bool has_problem;
    int64_t M; /* the problem's rows */
    struct gpu gpu;
    int problem_ref, source_problem_ref, gpu_ref; /* source_problem: without M */
};

/* The index of each parameter's value. */
struct variant {
    int value[PARAMETERS_MAX];
};

/* Evaluates the file's text, which is in `s`; path, full and pins are set. */
void space_read(lua_State *L, struct space *s);
void space_free(struct space *s);

/* Raises an error in the space file at `line`, or at the file where that is 0. */
_Noreturn void space_fail(lua_State *L, const struct space *s, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets what the functions below speak of. Takes M out of `problem`. */
void space_set_problem(lua_State *L, struct space *s, json_t *problem, const struct gpu *gpu,
                       const json_t *gpu_record);

/* How many entries the list on the top of the stack has; `what` and `line` are for the error. */
int space_list_length(lua_State *L, const struct space *s, int line, const char *what);

/* The line on which the function at `index` begins. */
int space_function_line(lua_State *L, int index);

/* Evaluates the lists of a parameter: for the problem; while there is none, what depends on none. */
void parameter_evaluate(lua_State *L, const struct space *s, struct parameter *p);
bool parameter_is_fixed(lua_State *L, const struct parameter *p);
void parameter_clear_values(struct parameter *p);

bool value_is_word(const char *text, size_t size);

/* Reads the Lua value at `index` into `v`, which is all zero before. NULL, or what is wrong with it. */
const char *value_read(lua_State *L, int index, struct value *v);
void value_push(lua_State *L, const struct value *v);
bool value_equal(const struct value *a, const struct value *b);
int parameter_find_value(const struct parameter *p, const struct value *v);       /* -1 for none */
int space_find_parameter(const struct space *s, const char *name, size_t length); /* -1 for none */

/* Completes what a user typed. */
void space_parse_key(lua_State *L, const struct space *s, const char *typed, struct variant *v);
void space_key(const struct space *s, const struct variant *v, struct text_buffer *key);
json_t *space_config(const struct space *s, const struct variant *v);
json_t *space_describe(const struct space *s);

/* The values that a listing goes through: indices from `first` to before `end`. */
struct value_range {
    int first, end;
};
struct value_range parameter_range(const struct space *s, const struct parameter *p);

/* Whether a listing heeds the constraint. */
bool constraint_applies(const struct space *s, const struct constraint *c);

/* Whether a constraint allows the variant, of which the parameters that it names must be set. */
bool constraint_holds(lua_State *L, const struct space *s, struct constraint *c, const struct variant *v);

/* Raises an error with the sentence of the first constraint of the full space that forbids the variant. */
void space_require_valid(lua_State *L, struct space *s, const struct variant *v);

/* Appends the keys, a line each, at most `most` (0: all) and at most `size_max` bytes; their number. */
size_t space_list(lua_State *L, struct space *s, size_t most, size_t size_max, struct text_buffer *keys);

/* After a listing of nothing: which constraints ruled out how much. One line without its end. */
void space_explain(const struct space *s, struct text_buffer *why);

/* The variant's template. It lives on the Lua stack, where it is pushed. */
const char *space_template(lua_State *L, const struct space *s, const struct variant *v);

/* Pushes a table of what a template sees: the parameters by name, problem, gpu and kernel. */
void space_push_globals(lua_State *L, const struct space *s, const struct variant *v, const char *kernel);

/* The launches, each kernel's name being `kernel` and the suffix. `facts` may be NULL. */
void space_launch(lua_State *L, const struct space *s, const struct variant *v, const char *kernel,
                  const struct image_facts *facts, struct launch_plan *plan);

#endif
