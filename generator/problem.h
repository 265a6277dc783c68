/* The problem: what is computed, on which types and shape. M never enters a source. */
#ifndef GENERATOR_PROBLEM_H
#define GENERATOR_PROBLEM_H

#include "generator/error.h"

#include <jansson.h>
#include <stdint.h>

enum operation { OP_SOFTMAX, OP_LOG_SOFTMAX };
enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_BF16 };
enum cache_state { CACHE_COLD, CACHE_HOT };

struct problem {
    enum operation op;
    enum dtype dtype_in, dtype_out;
    int64_t M, N;               /* rows, columns */
    int64_t x_stride, y_stride; /* elements from one row to the next */
    int align;                  /* bytes that divide the address of x and of y: a power of two */
    bool in_place;              /* y is x */
    bool scaled;                /* softmax(scale * x), scale an argument of the kernel */
    enum cache_state cache;     /* how it is timed: buffers that left L2, or that stay in it */
};

enum { DEFAULT_ALIGN = 16, DEFAULT_M = 8192, STEM_SIZE = 256 };

/* softmax, f32 to f32, M x N, packed rows, the default alignment, cold. */
struct problem problem_default(int64_t M, int64_t N);

/* Says in `e` (status 2) what is wrong with a problem that cannot be computed. */
bool problem_check(const struct problem *p, struct error *e);

/* Bytes that divide every row's address, in x and in y. */
int64_t problem_row_align(const struct problem *p);

/* Bytes read plus bytes written, once each: M N (size in + size out). */
double problem_bytes(const struct problem *p);

int dtype_size(enum dtype t);
const char *dtype_name(enum dtype t);
const char *operation_name(enum operation op);
const char *cache_name(enum cache_state cache);
bool dtype_parse(const char *text, enum dtype *t);
bool operation_parse(const char *text, enum operation *op);
bool cache_parse(const char *text, enum cache_state *cache);

/* The manifest's fields: op, dtype_in, dtype_out, M, N, x_stride, y_stride, align, in_place, scale, cache. A
   new reference. problem_of_json takes absent fields at their defaults; `e` gets status 2. */
json_t *problem_to_json(const struct problem *p);
bool problem_of_json(const json_t *object, struct problem *p, struct error *e);

/* "f32 8192x8192", for people. */
void problem_describe(const struct problem *p, char text[STEM_SIZE]);

/* <op>_<in>[_<out>][_m<M>]_n<N>[_xs<S>][_ys<S>][_al<B>][_scaled][_inplace][_hot]_<arch>[_<gpu>]: the name of
   files, kernels and C symbols. `gpu` may be NULL. While tuning `with_M` is false, so that one image serves
   every M. */
void problem_stem(const struct problem *p, bool with_M, const char *arch, const char *gpu,
                  char stem[STEM_SIZE]);

#endif
