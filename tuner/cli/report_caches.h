/* What a report says of the race in the other cache state. */
#ifndef TUNER_CLI_REPORT_CACHES_H
#define TUNER_CLI_REPORT_CACHES_H

#include "tuner/cli/tuning.h"

#include <stdio.h>

/* Nothing where there was no such race. */
void report_caches_print(FILE *out, const struct tuning *t);

/* {"cache", "limit_us", "choice_us", "winner", "winner_us", "differs"}; a new reference, NULL where there was
   no such race. */
json_t *report_caches_json(const struct tuning *t);

#endif
