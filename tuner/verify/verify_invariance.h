/* Batch invariance: whether the bits of a row's result depend on how many rows there are, or on which of them
   it is. */
#ifndef TUNER_VERIFY_VERIFY_INVARIANCE_H
#define TUNER_VERIFY_VERIFY_INVARIANCE_H

#include "generator/launch.h"

struct device; /* tuner/devices/device.h */

enum { INVARIANCE_ROWS_MAX = 64 };

struct invariance_verdict {
    bool alike;
    char reason[512]; /* one line where not: "row 7 of 9: column 3 is not, bit for bit, ..." */
    int64_t launched[INVARIANCE_ROWS_MAX]; /* the numbers of rows that were launched, ascending */
    int launched_count;
};

/* Launches the plan with 1 row, with a few, and with each of the `count` numbers of rows in `rows`, as far as
   the device verifies that many. The rows of all launches hold the same few contents, in other places each
   time; every row's result must be, bit for bit, what that content gave before. False when the device fails,
   which then answers no more. */
bool verify_invariance(struct device *d, const struct problem *p, void *module,
                       const struct launch_plan *plan, const int64_t *rows, int count, uint64_t seed,
                       struct invariance_verdict *verdict, struct error *e);

#endif
