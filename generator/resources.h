/* Files that are built into the program: templates, configs, the verifier's kernels, stored choices. */
#ifndef GENERATOR_RESOURCES_H
#define GENERATOR_RESOURCES_H

#include <stddef.h>

struct resource {
    const char *path; /* from the repository's root: "templates/row_block.cu" */
    const char *text; /* ends with a NUL that is not counted */
    size_t size;
};

/* NULL where no such file was built in. */
const struct resource *resource_find(const char *path);

/* The index-th built-in file whose path begins with `prefix`, in the order of their paths; NULL past the
 * last. */
const struct resource *resource_at(const char *prefix, int index);

#endif
