/* The rows of the table that ends a tuning run. */
#ifndef TUNER_CLI_REPORT_ROWS_H
#define TUNER_CLI_REPORT_ROWS_H

#include "tuner/cli/tuning.h"

struct report_row {
    const char *version; /* "v4", "choice", "limit" */
    char idea[64];
    char configuration[64]; /* "8192 blocks of 256" */
    double us;              /* measured, or predicted */
    const char *mark;       /* "*" for a footnote, else "" */
};

/* The row of a trial. */
struct report_row report_row_of(const struct tuning *t, const struct trial *trial, const char *version);

/* What the article did in a version that it calls `label`; NULL for another. */
const char *report_idea(const char *label);

/* Microseconds of a trial, measured or else predicted; its stand-in's where another has the same code. */
double report_us(const struct tuning *t, const struct trial *trial);

/* The trial of a preset: the first with that label, or NULL. */
const struct trial *report_preset(const struct tuning *t, const char *label);

/* Blocks that run at the same time, and rows of x that they work on; 0 where it cannot be said. */
struct rows_in_flight {
    int blocks_per_sm;
    int64_t rows;
    double bytes; /* of input */
};
struct rows_in_flight report_rows_in_flight(const struct tuning *t, const struct trial *trial);

#endif
