#include "tuner/cli/option_values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool value_integer(const char *option, const char *text, int64_t least, int64_t most, int64_t *value,
                   struct error *e)
{
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    if (end == text || *end != '\0')
        return error_set(e, STATUS_USAGE, "%s: '%s' is not a whole number", option, text);
    if (errno == ERANGE || number < least || number > most)
        return error_set(e, STATUS_USAGE, "%s: %s is out of range, %" PRId64 " to %" PRId64, option, text,
                         least, most);
    *value = number;
    return true;
}

bool value_number(const char *option, const char *text, double above, double most, double *value,
                  struct error *e)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || isnan(number))
        return error_set(e, STATUS_USAGE, "%s: '%s' is not a number", option, text);
    if (!(number > above && number <= most))
        return error_set(e, STATUS_USAGE, "%s: %s is out of range, above %g up to %g", option, text, above,
                         most);
    *value = number;
    return true;
}

bool value_list(const char *option, const char *text, int64_t least, int64_t most, struct integer_list *list,
                struct error *e)
{
    char *copy = must_strdup(text), *rest = copy, *item;
    free(list->values);
    *list = (struct integer_list){0};
    bool ok = true;
    while (ok && (item = strsep(&rest, ",")) != NULL) {
        list->values = must_realloc(list->values, (size_t)(list->count + 1) * sizeof *list->values);
        ok = *item == '\0'
                 ? error_set(e, STATUS_USAGE,
                             "%s: '%s': numbers are joined by commas without blanks, 1024,2048", option, text)
                 : value_integer(option, item, least, most, &list->values[list->count], e);
        list->count += ok;
    }
    free(copy);
    return ok;
}
