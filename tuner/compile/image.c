#include "tuner/compile/image.h"

#include "tuner/compile/cubin.h"
#include "tuner/compile/ptxas_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernels are ".visible .entry NAME(" in the PTX, in the source's order; ptxas' log has another. */
static bool find_kernels(struct image *image, struct error *e)
{
    const char *mark = ".entry ";
    for (const char *at = strstr(image->ptx, mark); at != NULL; at = strstr(at, mark)) {
        at += strlen(mark);
        size_t length = strcspn(at, "( \t\n");
        if (image->kernel_count == IMAGE_KERNELS_MAX)
            return error_set(e, STATUS_USAGE, "the source has more than %d kernels", IMAGE_KERNELS_MAX);
        if (length == 0 || length >= STEM_SIZE)
            return error_set(e, STATUS_USAGE, "the PTX names a kernel of %zu characters", length);
        memcpy(image->kernels[image->kernel_count++].name, at, length);
    }
    return image->kernel_count > 0 || error_set(e, STATUS_USAGE, "the PTX holds no kernel");
}

bool image_make(struct image *image, const void *cubin, size_t cubin_size, const char *ptx, size_t ptx_size,
                const char *log, struct error *e)
{
    *image = (struct image){.cubin_size = cubin_size, .ptx_size = ptx_size};
    image->cubin = must_malloc(cubin_size + 1);
    memcpy(image->cubin, cubin, cubin_size);
    image->ptx = must_malloc(ptx_size + 1);
    memcpy(image->ptx, ptx, ptx_size);
    image->ptx[ptx_size] = '\0';
    bool made = find_kernels(image, e) && cubin_code_hash(image->cubin, cubin_size, &image->code_hash, e);
    if (made && log != NULL &&
        ptxas_log_read(log, image->kernels, image->kernel_count) != image->kernel_count)
        made = error_set(e, STATUS_USAGE, "ptxas said nothing of a kernel's registers");
    if (!made)
        image_clear(image);
    return made;
}

void image_drop_code(struct image *image)
{
    free(image->cubin);
    free(image->ptx);
    image->cubin = image->ptx = NULL;
    image->cubin_size = image->ptx_size = 0;
}

void image_copy_code(struct image *image, const struct image *from)
{
    image->cubin_size = from->cubin_size;
    image->cubin = memcpy(must_malloc(from->cubin_size + 1), from->cubin, from->cubin_size);
    image->ptx_size = from->ptx_size;
    image->ptx = memcpy(must_malloc(from->ptx_size + 1), from->ptx, from->ptx_size + 1);
}

void image_clear(struct image *image)
{
    image_drop_code(image);
    *image = (struct image){0};
}

const struct image_kernel *image_kernel_find(const struct image *image, const char *name)
{
    for (int i = 0; i < image->kernel_count; i++)
        if (strcmp(image->kernels[i].name, name) == 0)
            return &image->kernels[i];
    return NULL;
}
