/* The report of a tuning run: the article's table for this GPU, on standard output. */
#ifndef TUNER_CLI_REPORT_H
#define TUNER_CLI_REPORT_H

#include "tuner/cli/tuning.h"

#include <stdio.h>

/* Everything about one problem, choice or not. `manifests` are the paths written, NULL-terminated; NULL for
 * none.
 */
void report_print(FILE *out, const struct tuning *t, char *const *manifests);

/* A variant's key under a label of at most 7 characters, its lines broken after commas. */
void report_key(FILE *out, const char *label, const char *key);

/* The line that runs the same again. */
void report_again(FILE *out, const struct options *o);

/* Everything about a race of a few kernels, a line each, by their labels. */
void report_race_print(FILE *out, const struct tuning *t);
/* {"problem", "limit_us", "rounds", "entries": [...]}; a new reference. */
json_t *report_race_json(const struct tuning *t);

/* One element of `problems` of design.md, and what is beside it: "problem", "choice" (null where there is
   none, and then "error"), "runners_up", "ties", "limit_us", "presets", "trials", "seconds", "files". A new
   reference; NULL and `e` on failure. `why` is the error of tuning_run(), or NULL. */
json_t *report_json(const struct tuning *t, const struct error *why, char *const *manifests, struct error *e);

/* Whether standard output takes colour: a terminal, and NO_COLOR is not set. */
bool report_has_color(FILE *out);

/* `value` in a column of `width` after a blank, "-" where it is no number; how many characters that took. */
int report_cell(FILE *out, int width, int decimals, double value, const char *unit);

#endif
