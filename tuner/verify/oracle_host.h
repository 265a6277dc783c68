/* The oracle's two loops on the CPU: what the emulator uses, and what the GPU's are checked against. */
#ifndef TUNER_VERIFY_ORACLE_HOST_H
#define TUNER_VERIFY_ORACLE_HOST_H

#include "tuner/verify/oracle.h"

/* Bytes that x and y span for the batch: `rows` rows, the last one without its gap. */
size_t oracle_x_bytes(const struct oracle_batch *b);
size_t oracle_y_bytes(const struct oracle_batch *b);

/* Writes every element of x: rows, gaps and spare rows. */
void oracle_host_make_input(const struct oracle_batch *b, void *x);

/* Judges y against the reference for what oracle_host_make_input() writes. `x` is compared with that, unless
   the batch is in place (then x is not read). */
void oracle_host_judge(const struct oracle_batch *b, const void *x, const void *y,
                       struct oracle_verdict *verdict);

/* Judges one row: `y` is its first element. Fields as in the verdict; gap_changed and input_changed are not
 * touched. */
void oracle_host_judge_row(const struct oracle_batch *b, int64_t row, const void *y,
                           struct oracle_verdict *verdict);

/* Writes the reference of one row, rounded to dtype_out, to `y`, the row's first element. */
void oracle_host_reference_row(const struct oracle_batch *b, int64_t row, void *y);

/* An empty verdict, which the judging functions add to. */
struct oracle_verdict oracle_verdict_empty(void);

/* "that begin with -inf": ends the phrase "rows ...". */
const char *oracle_kind_phrase(int kind);

#endif
