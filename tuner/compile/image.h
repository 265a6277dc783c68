/* Image: what NVRTC makes of a source for one architecture. */
#ifndef TUNER_COMPILE_IMAGE_H
#define TUNER_COMPILE_IMAGE_H

#include "generator/problem.h"

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_KERNELS_MAX = 4 };

struct image_kernel {
    char name[STEM_SIZE];
    int registers, static_smem_bytes;
    int spill_bytes; /* stored and loaded by a thread, as ptxas counts them */
    int stack_bytes;
};

struct image {
    void *cubin; /* owned */
    size_t cubin_size;
    char *ptx; /* owned, ends with a NUL that ptx_size does not count */
    size_t ptx_size;
    int kernel_count;
    struct image_kernel kernels[IMAGE_KERNELS_MAX]; /* in the source's order */
    uint64_t code_hash; /* of the kernels' machine code and constants, whatever their names: equal means that
                           the GPU runs the same instructions */
};

/* An image of a cubin and its PTX, both copied. `log` is NVRTC's, with ptxas' figures of each kernel; NULL:
   they are not known and stay 0. False, with nothing to clear, for a cubin that is not whole, PTX without a
   kernel, or a log that leaves a kernel out. */
bool image_make(struct image *image, const void *cubin, size_t cubin_size, const char *ptx, size_t ptx_size,
                const char *log, struct error *e);
void image_clear(struct image *image);
void image_drop_code(struct image *image); /* frees cubin and PTX alone */
/* Gives an image without cubin and PTX copies of those of `from`, which has the same code. */
void image_copy_code(struct image *image, const struct image *from);
const struct image_kernel *image_kernel_find(const struct image *image, const char *name); /* or NULL */

#endif
