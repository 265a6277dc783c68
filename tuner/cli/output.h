/* Writing choices into the output folder: the first in DIR, its runners-up in DIR/candidates/<stem>/2 and so
 * on. */
#ifndef TUNER_CLI_OUTPUT_H
#define TUNER_CLI_OUTPUT_H

#include "tuner/emit/choice.h"

#include <stdio.h>

/* Replaces what DIR holds of this stem. *manifests gets the paths of the manifests that were written,
   NULL-terminated, freed by output_free(). */
bool output_write(const char *folder, const struct choice *const *ranked, int count, char ***manifests,
                  struct error *e);
void output_free(char **manifests);

/* The lines of a report that name the files. */
void output_print(FILE *out, char *const *manifests);

/* Prints a document and a newline to standard output. Takes it over. */
void output_json(json_t *document);

#endif
