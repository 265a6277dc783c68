/* The report of `check`: verdicts, and what the emulator counted. */
#ifndef TUNER_CLI_REPORT_CHECK_H
#define TUNER_CLI_REPORT_CHECK_H

#include "tuner/cli/tuning.h"

#include <stdio.h>

/* Problem, device and what the columns are. */
void report_check_head(FILE *out, const struct tuning *t);

/* A line of a trial that is finished, and under it what was counted; beside that what the article's profiler
   read, where the problem is the article's and the variant its v4 or v5. */
void report_check_print(FILE *out, const struct tuning *t, const struct trial *trial);

/* An element of `variants` of design.md; a new reference. */
json_t *report_check_json(const struct tuning *t, const struct trial *trial);

#endif
