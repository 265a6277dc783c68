/* The oracle: inputs, reference and bound of the verifier (design.md, "Verify"), written once for both
   places.

   This header holds what verify.c and the devices share in C. oracle_rules.h, which it includes, is written
   in the common part of C and CUDA C++, so that the CPU and the GPU evaluate the very same text. */
#ifndef TUNER_VERIFY_ORACLE_H
#define TUNER_VERIFY_ORACLE_H

#include "generator/problem.h"

#include <math.h> /* which oracle_rules.h expects */

#include "tuner/verify/oracle_rules.h"

struct oracle_verdict {
    double max_error;            /* the worst element's error over its bound; infinite for a misplaced NaN */
    double sum_error;            /* the worst row sum's error over its own bound, 0 where no sum was judged */
    int64_t bad_row, bad_column; /* the worst element above 1, else the worst sum above 1 (column -1), else -1
                                  */
    double got, expected;        /* there */
    int64_t bad_count;           /* elements and row sums above their bound */
    int64_t input_changed; /* elements of x, gaps and spare rows included, that are not what make_input wrote
                              (0 in place) */
    int64_t gap_changed;   /* elements of y between the rows and after row M that lost their poison */
};

#endif
