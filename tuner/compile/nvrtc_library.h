/* NVRTC, loaded at run time. For worker processes only: it may crash or never return, so that the parent
   loads it never. */
#ifndef TUNER_COMPILE_NVRTC_LIBRARY_H
#define TUNER_COMPILE_NVRTC_LIBRARY_H

#include "generator/error.h"

struct nvrtc_library;

/* Loads the library `path`; NULL: searches for it (docs/compiling.md has the order). NULL and status 3 on
   failure: `e` says where it was looked for and how to get it. */
struct nvrtc_library *nvrtc_library_open(const char *path, struct error *e);
void nvrtc_library_close(struct nvrtc_library *library); /* NULL is allowed */

const char *nvrtc_library_path(const struct nvrtc_library *library); /* as dlopen() took it */
bool nvrtc_library_version(const struct nvrtc_library *library, int *major, int *minor);

/* Stores at most `most` compute capabilities (90) and returns how many. */
int nvrtc_library_archs(const struct nvrtc_library *library, int *archs, int most);

/* What one compile wrote. After a failure of ptxas there still is PTX. */
struct nvrtc_output {
    bool compiled;
    const char *result; /* static: "NVRTC_ERROR_COMPILATION" */
    char *log, *ptx;    /* owned, end with a NUL that is not counted */
    void *cubin;        /* owned; NULL when not compiled */
    size_t log_size, ptx_size, cubin_size;
};

/* Compiles `text`, called "source" in messages. */
void nvrtc_library_compile(const struct nvrtc_library *library, const char *text, const char *const *options,
                           int option_count, struct nvrtc_output *output);
void nvrtc_output_clear(struct nvrtc_output *output);

#endif
