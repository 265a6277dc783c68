/* Which inputs a variant is run on (docs/verify.md). Private to verify.c and its tests. */
#ifndef TUNER_VERIFY_VERIFY_BATCHES_H
#define TUNER_VERIFY_VERIFY_BATCHES_H

#include "tuner/verify/verify.h"

struct batch_run {
    struct oracle_batch batch;
    int repetitions; /* on the same workspace */
};

struct batch_list {
    struct batch_run *runs; /* the most telling first */
    int count;
};

/* `rows` is what the buffers hold, at most M. Without `thorough` at most `launches` runs of `elements`
   elements in all, but always a few. */
void batch_list_make(struct batch_list *list, const struct problem *p, const struct verify_options *options,
                     int64_t rows, int launches, int64_t elements);
void batch_list_clear(struct batch_list *list);

/* The peak_stride with which rows of peaks show every missing and every doubled column at twice the bound: N
   (one peak a row) where `single`, else as few rows as that takes. */
int64_t batch_peak_stride(const struct oracle_batch *b, bool single);

#endif
