/* What is told of a variant that serves all M. */
#ifndef TUNER_CLI_REPORT_INVARIANCE_H
#define TUNER_CLI_REPORT_INVARIANCE_H

#include "tuner/cli/report_summary.h"
#include "tuner/cli/tuning_invariant.h"

/* Adds what it costs, which variants would be the best, its proof and what was passed over for it to the
   notes of the table, whose last rows are its problems. */
void report_invariance(struct report_summary *s, const struct invariance *v);

/* {"proven", "rows", "alone_us", "cost", "passed_over"}; a new reference. */
json_t *invariance_json(const struct invariance *v, const struct tuning *t, double alone_us);

#endif
