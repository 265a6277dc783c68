/* The table that ends a run of several problems: a line each. */
#ifndef TUNER_CLI_REPORT_SUMMARY_H
#define TUNER_CLI_REPORT_SUMMARY_H

#include "generator/text_buffer.h"
#include "tuner/cli/tuning.h"

#include <stdio.h>

struct summary_row {
    char problem[STEM_SIZE];
    char *key, *why;                  /* owned: the choice, or why there is none; the other is NULL */
    double us, bandwidth_gbs;         /* measured or predicted; NaN without a choice */
    double limit_us, v1_us, alone_us; /* NaN where unknown; alone: the best variant for this M alone */
};

/* All zero is an empty one. */
struct report_summary {
    struct summary_row *rows; /* owned */
    int count;
    bool predicted;           /* the times of all */
    struct text_buffer notes; /* owned: lines under the table */
    struct pipeline_times times;
    double measure_seconds, seconds;
};

/* Adds a tuning that has come to its end, `why` being its error where it found no choice. `alone_us` is NaN
   but where one variant was chosen for several M (tuning_invariant.h). */
void report_summary_add(struct report_summary *s, const struct tuning *t, const struct error *why,
                        double alone_us);
/* `folder` is where the kernels are. */
void report_summary_print(FILE *out, const struct report_summary *s, const struct session *session,
                          const char *folder);
void report_summary_clear(struct report_summary *s);

#endif
