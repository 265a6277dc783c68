/* The kernels of the driver of host memory (fake_cuda.c), each known by its name: the oracle's call the CPU's
   oracle, the others are softmax kernels with something the matter. */
#ifndef TESTS_FAKE_KERNELS_H
#define TESTS_FAKE_KERNELS_H

#include <cuda.h>

#include "tuner/verify/oracle.h"

enum { ARGUMENTS_MAX = 8 };

struct op {
    const struct script *script;
    struct oracle_batch batch; /* of the oracle's kernels, their first argument */
    uint64_t values[ARGUMENTS_MAX];
    bool replayed; /* runs as a part of a graph */
};

struct script {
    const char *name;
    CUresult (*run)(struct op *op);
    double us;
    int arguments;
    int narrow; /* the argument that has four bytes, or -1: others have eight */
    bool takes_batch;
    CUresult at_launch; /* what launching it returns at once */
};

/* The driver's copy: to, from, bytes. */
extern const struct script fake_memcpy;

/* NULL for a name that no kernel has. */
const struct script *fake_kernel(const char *name);

#endif
