/* The compiler: NVRTC in worker processes, behind a cache of images on disk.

   Sources go in with a ticket, results come out in any order. A compile that crashes, never ends or runs out
   of memory is a result like any other, and its worker is replaced. */
#ifndef TUNER_COMPILE_COMPILER_H
#define TUNER_COMPILE_COMPILER_H

#include "generator/generator.h"
#include "tuner/compile/image.h"

#include <poll.h>

struct compiler;

struct compiler_options {
    int jobs;                /* worker processes; 0: one a core */
    const char *cache;       /* folder of the image cache; NULL: none */
    double deadline_seconds; /* of one compile; 0 for the default, 30 */
};

/* Starts no worker yet. Status 3 when NVRTC cannot be loaded: says where it was looked for and how to get it.
 */
struct compiler *compiler_open(const struct compiler_options *options, struct error *e);
void compiler_close(struct compiler *c);

void compiler_version(const struct compiler *c, int *major, int *minor); /* NVRTC's: 13, 0 */
const char *compiler_build(const struct compiler *c);                    /* "13.0.88" */
const char *compiler_options_text(void); /* what every source is compiled with besides its architecture */
int compiler_ptx_version(const struct compiler *c);              /* of the PTX it writes: 90 */
bool compiler_knows(const struct compiler *c, const char *arch); /* whether it targets "sm_120" */

/* One line where the image cache is off, since its folder cannot be written; else NULL. For the user, once,
   after compiler_open() and at the end. */
const char *compiler_warning(const struct compiler *c);

struct compile_request {
    uint64_t ticket;             /* the caller's, given back with the result */
    const struct source *source; /* copied before the call returns */
    const char *arch;            /* "sm_120" */
    bool line_info;              /* .loc lines in the PTX, for the emulator's messages; never for emission */
    const char *headers;         /* folder that #include searches; NULL for none, as the generator's need */
};

enum compile_outcome { COMPILE_DONE, COMPILE_FAILED, COMPILE_LATE };

struct compile_result {
    uint64_t ticket;
    enum compile_outcome outcome;
    struct image image; /* when done; the caller's, image_clear() */
    char *reason; /* when not: one line, "templates/row_block.cu:41: error: ..."; the caller's, free() */
    bool from_cache;
    double seconds; /* spent compiling */
};

/* True while a submitted source would start at once (a worker is free or can be started). */
bool compiler_has_room(const struct compiler *c);
int compiler_pending(const struct compiler *c); /* submitted and not yet returned by compiler_next() */

/* Never blocks for long; a cached image is ready at once. May be called without room: the source waits.
   Status 2 for an architecture that this NVRTC does not know. */
bool compiler_submit(struct compiler *c, const struct compile_request *request, struct error *e);

/* Descriptors to poll for reading; returns how many were written (at most `most`). Call compiler_next(c, 0,
   ...) until it is false before, since cached images need no poll, and at least every second, since deadlines
   need one. */
int compiler_poll(const struct compiler *c, struct pollfd *descriptors, int most);

/* The next result, waiting at most `seconds` (0: only what is ready); false when there is none by then, when
   nothing is pending, and when a signal came. */
bool compiler_next(struct compiler *c, double seconds, struct compile_result *result);

/* Gives up all that is pending: no result of it will come. */
void compiler_abandon(struct compiler *c);

/* Submit one and wait for it; other pending results stay pending. */
bool compiler_compile(struct compiler *c, const struct compile_request *request,
                      struct compile_result *result, struct error *e);

#endif
