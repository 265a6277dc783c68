/* The process that holds the Lua state of a generator and answers its requests. Private to generator/. */
#ifndef GENERATOR_SPACE_WORKER_H
#define GENERATOR_SPACE_WORKER_H

#include "generator/generator.h"
#include "generator/sandbox.h"

struct space_worker_context {
    struct generator_options options; /* its deadline and memory are set */
    const char *path;                 /* of the space file, for messages */
    bool built_in;                    /* whether it is the resource of that path */
    struct activity *activity;        /* in memory that is shared with the parent */
};

/* A worker_main(). A request's body is {"request": name, ...}; the reply's {"status": 0, ...}, or {"status":
   2} and the error's text as the blob. open problem   problem, gpu describe                      ->
   description list      most                -> count, why; blob: the keys, a line each key       typed,
   valid_only   -> key config    typed               -> config source    typed, kernel       -> files, size,
   lines; blob: the text, a NUL, an array of struct source_line launch    typed, kernel[, registers,
   static_smem_bytes, spill_bytes]   -> blob: a struct launch_plan */
int space_worker_run(int descriptor, void *context);

#endif
