/* The answers file: what a GPU made of the programs and of the variants.

   A line of JSON (gpu, driver, date), then records: what it answers (a hash), how (enum answer_kind), the
   size, the bytes. Numbers are little-endian. */
#ifndef TESTS_HARDWARE_HARDWARE_ANSWERS_H
#define TESTS_HARDWARE_HARDWARE_ANSWERS_H

#include "generator/error.h"

#include <stdint.h>
#include <stdio.h>

enum answer_kind {
    ANSWER_REFUSED, /* the GPU does not take the program: the text says why */
    ANSWER_HASHES,  /* a hash for each group of results as they are, then of the canonical ones */
    ANSWER_VALUES,  /* the results themselves, of `width` bytes each */
    ANSWER_VARIANT, /* of a variant: struct variant_answer, then the kept elements */
};

/* Results that are hashed together. */
enum { ANSWER_GROUP = 64 };

struct answer {
    uint64_t hash;
    uint32_t kind, bytes;
};

struct variant_answer {
    double max_error;    /* over all rows, in bounds (oracle_host.h) */
    uint64_t whole_hash; /* of all of y */
};

uint32_t answer_hash(const uint64_t *results, int count);

void answer_write(FILE *file, uint64_t hash, enum answer_kind kind, const void *data, size_t bytes);

struct answers;

/* Reads a file whole. NULL and `e` where it is not there or not whole. */
struct answers *answers_read(const char *path, struct error *e);
void answers_free(struct answers *a);
const char *answers_title(const struct answers *a); /* the line of JSON */

/* The record and its bytes; NULL for none. */
const struct answer *answers_find(const struct answers *a, uint64_t hash, const unsigned char **data);

/* Elements as differences from those of the variant before, which has the same problem and so nearly the same
   results: seven bits a byte, the eighth says that more follow. `before` may be NULL (all zeros). The
   encoder's `to` has room for 5 bytes an element; both return how many bytes they used, the decoder 0 where
   there are too few. */
size_t answer_encode(const uint32_t *elements, const uint32_t *before, size_t count, unsigned char *to);
size_t answer_decode(const unsigned char *from, size_t bytes, const uint32_t *before, size_t count,
                     uint32_t *elements);

#endif
