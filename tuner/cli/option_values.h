/* Values of options, read and checked. Each function fills `e` (status 2) with a line that names the option.
 */
#ifndef TUNER_CLI_OPTION_VALUES_H
#define TUNER_CLI_OPTION_VALUES_H

#include "generator/error.h"

#include <stdint.h>

bool value_integer(const char *option, const char *text, int64_t least, int64_t most, int64_t *value,
                   struct error *e);
bool value_number(const char *option, const char *text, double above, double most, double *value,
                  struct error *e);

struct integer_list {
    int64_t *values; /* owned */
    int count;
};

/* Integers joined by commas. */
bool value_list(const char *option, const char *text, int64_t least, int64_t most, struct integer_list *list,
                struct error *e);

#endif
