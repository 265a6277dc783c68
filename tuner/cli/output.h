/* Writing choices into the output folder: the first in DIR, its runners-up in DIR/candidates/<stem>/2 and so
 * on. */
#ifndef TUNER_CLI_OUTPUT_H
#define TUNER_CLI_OUTPUT_H

#include "tuner/emit/choice.h"

/* Replaces what DIR holds of this stem. *files gets the paths that were written, NULL-terminated, freed by
   output_files_free(). */
bool output_write(const char *folder, const struct choice *const *ranked, int count, char ***files,
                  struct error *e);
void output_files_free(char **files);

/* Prints a document and a newline to standard output. Takes it over. */
void output_json(json_t *document);

#endif
