/* Cubin: the ELF file of machine code that NVRTC makes. Every offset in it is checked before it is followed.
 */
#ifndef TUNER_COMPILE_CUBIN_H
#define TUNER_COMPILE_CUBIN_H

#include "generator/error.h"

#include <stdint.h>

/* A hash of the machine code, the constants and the sizes of shared memory; the kernels' names, the order of
   the sections and line information leave it as it is. Status 2 for bytes that are no whole cubin. */
bool cubin_code_hash(const void *cubin, size_t size, uint64_t *hash, struct error *e);

/* Whether the GPU would run the same instructions for both. False, with `e`, also when either is damaged. */
bool cubin_same_code(const void *a, size_t a_size, const void *b, size_t b_size, struct error *e);

#endif
