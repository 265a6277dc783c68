/* The variants that were run on a GPU: what is needed to run each again, as one JSON file.

   {"nvrtc": "13.0.88", "arch": "sm_90", "variants": [{"key", "problem", "first_kind", "launches",
   "workspace_of_M", "kernels": [{"name", "registers", "static_smem"}], "ptx"}]}. Variants of one problem
   stand together. Beside it, 000.cubin and so on: the machine code, which only a GPU needs. */
#ifndef TESTS_HARDWARE_HARDWARE_VARIANTS_H
#define TESTS_HARDWARE_HARDWARE_VARIANTS_H

#include "tuner/compile/image.h"
#include "tuner/devices/device.h"
#include "tuner/verify/oracle_host.h"

struct hardware_variant {
    const char *key; /* of the JSON document, which must outlive it */
    struct problem problem;
    struct launch_plan plan;
    struct image image; /* ptx is the document's, cubin its own */
    struct oracle_batch batch;
};

/* `cubins` is the folder of the machine code; NULL: none is needed. Freed by hardware_variant_clear(). */
bool hardware_variant_read(const json_t *document, size_t index, const char *cubins,
                           struct hardware_variant *v, struct error *e);
void hardware_variant_clear(struct hardware_variant *v);

/* What the variant's answers are filed under: its key, its problem and its PTX. */
uint64_t hardware_variant_hash(const struct hardware_variant *v);

/* The rows that a problem is run on, and what is in them. */
int64_t hardware_rows(int64_t N);
struct oracle_batch hardware_batch(const struct problem *p, int first_kind);

/* Runs the variant once on the device, and judges every row. `y` (the caller's, free()) is all of y. */
bool hardware_variant_run(const struct hardware_variant *v, struct device *d, void **y,
                          struct oracle_verdict *verdict, struct error *e);

/* The elements of two rows (of one where rows are long) whose result is not simply NaN, as 32-bit patterns:
   what is kept of an output. `kept` (the caller's, free()); returns how many. */
size_t hardware_variant_kept(const struct hardware_variant *v, const void *y, uint32_t **kept);

/* Where the kept element stands. */
void hardware_variant_place(const struct hardware_variant *v, size_t index, int64_t *row, int64_t *column);

#endif
