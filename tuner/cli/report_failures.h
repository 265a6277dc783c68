/* What a report says of the variants that failed: each by its name, with its reason. */
#ifndef TUNER_CLI_REPORT_FAILURES_H
#define TUNER_CLI_REPORT_FAILURES_H

#include "tuner/cli/tuning.h"

#include <stdio.h>

/* A few of them, and how many more there are. */
void report_failures_print(FILE *out, const struct tuning *t);

/* All: [{"variant", "verdict", "reason"}]; a new reference. */
json_t *report_failures_json(const struct tuning *t);

#endif
