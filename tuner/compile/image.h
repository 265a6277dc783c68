/* Image: what NVRTC makes of a source for one architecture. */
#ifndef TUNER_COMPILE_IMAGE_H
#define TUNER_COMPILE_IMAGE_H

#include "generator/problem.h"

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_KERNELS_MAX = 4 };

struct image_kernel {
    char name[STEM_SIZE];
    int registers, static_smem_bytes, spill_bytes, stack_bytes;
};

struct image {
    void *cubin; /* owned */
    size_t cubin_size;
    char *ptx; /* owned, ends with NUL */
    size_t ptx_size;
    int kernel_count;
    struct image_kernel kernels[IMAGE_KERNELS_MAX]; /* in the source's order */
    uint64_t code_hash; /* of the kernels' machine code and constants, whatever their names: equal means that the
                           GPU runs the same instructions */
};

void image_clear(struct image *image);
const struct image_kernel *image_kernel_find(const struct image *image, const char *name); /* or NULL */

#endif
