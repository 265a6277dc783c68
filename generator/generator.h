/* The generator: a Lua space and templates in, variants and CUDA source out. No CUDA call in it.

   The Lua state lives in a worker process with a deadline and a memory limit for every request; what the
   space does wrong comes back as an error with file and line. */
#ifndef GENERATOR_GENERATOR_H
#define GENERATOR_GENERATOR_H

#include "generator/error.h"
#include "generator/gpu.h"
#include "generator/launch.h"
#include "generator/problem.h"

struct generator;

struct generator_options {
    const char *config;      /* a space file; NULL for the built-in configs/softmax.lua; "article" and
                                "softmax" name the built-in ones */
    const char *templates;   /* a folder whose files win over the built-in ones; NULL for none */
    bool full;               /* --space full: the `full` values of each parameter as well */
    const char *const *pins; /* --set NAME=VALUE, NULL-terminated; NULL for none */
    double deadline_seconds; /* of one request; 0 for the default, 10 */
    size_t memory_bytes;     /* of the Lua state; 0 for the default, 512 MiB */
};

/* Evaluates the space file. Strings of `options` must outlive the generator. */
struct generator *generator_open(const struct generator_options *options, struct error *e);
void generator_close(struct generator *g);

/* Sets the problem and GPU that the calls below speak of: evaluates parameters given as functions. */
bool generator_set_problem(struct generator *g, const struct problem *p, const struct gpu *gpu,
                           struct error *e);

/* {"name", "parameters": [{"name", "doc", "values": [...]}], "presets": {name: key}, "combinations": n,
   "constraints": [reason, ...]}; a new reference. Presets are complete keys, also of those not valid here. */
json_t *generator_describe(struct generator *g, struct error *e);

/* The keys of valid variants in the space's order (the first value of every parameter first), at most `most`
   (0: all). An array of strings, a new reference; empty when there are none, and `*why` (may be NULL; else
   freed by the caller) then says which constraints cut how many combinations. */
json_t *generator_list(struct generator *g, size_t most, char **why, struct error *e);

/* Completes and orders what a user typed: name=value joined by commas, or a preset, or a preset and then
   name=value. The key is the caller's. Status 2 for an unknown name or value, and, where `valid_only`, for a
   variant that a constraint forbids, with the constraint's sentence. */
char *generator_key(struct generator *g, const char *typed, bool valid_only, struct error *e);

/* The variant's values as an object, in the space's order; a new reference. */
json_t *generator_config(struct generator *g, const char *key, struct error *e);

/* Where a line of a source came from. */
struct source_line {
    int file; /* index into source.files */
    int line; /* from 1; 0 for a line that no template holds */
};

struct source {
    char *text; /* ends with NUL */
    size_t size;
    char **files; /* "templates/row_block.cu", the first being the template itself */
    int file_count;
    struct source_line *lines; /* one for each line of text */
    int line_count;
};

/* The source of a variant for the current problem: `kernel` is the kernel's name. Freed by source_clear(). */
bool generator_source(struct generator *g, const char *key, const char *kernel, struct source *out,
                      struct error *e);
void source_clear(struct source *s);

/* "templates/row_block.cu:41" for line `line` (from 1) of the source; "source:63" where no template line made
 * it. */
void source_origin(const struct source *s, int line, char *text, size_t size);

/* `text` with every "source:63" in it replaced by "templates/row_block.cu:41 (line 63 of the source)": how a
   message of the compiler or the emulator, which see only the source, comes to name the template. The caller
   frees it. */
char *source_locate(const struct source *s, const char *text);

/* What the space's launch function may look at. */
struct image_facts {
    int registers, static_smem_bytes, spill_bytes;
};

/* The variant's launches, each kernel's name being `kernel` plus what the launch's `suffix` says. The space
   sees blocks_per_sm, computed for the launch's block; 0 for `facts` NULL (no image yet). */
bool generator_launch(struct generator *g, const char *key, const char *kernel,
                      const struct image_facts *facts, struct launch_plan *plan, struct error *e);

/* "Lua 5.4.6": the interpreter that spaces and templates run in. */
const char *generator_lua_version(void);

#endif
