#include "tuner/compile/glob_folder.h"

#include "generator/error.h"

#include <stdlib.h>
#include <string.h>

bool glob_folder(const char *folder, const char *pattern, int flags, glob_t *found)
{
    char *escaped = must_malloc(2 * strlen(folder) + 1), *end = escaped;
    for (; *folder != '\0'; folder++) {
        if (strchr("*?[]\\", *folder) != NULL)
            *end++ = '\\';
        *end++ = *folder;
    }
    *end = '\0';
    char *path = must_format("%s/%s", escaped, pattern);
    bool matched = glob(path, flags, NULL, found) == 0;
    if (!matched)
        globfree(found);
    free(path);
    free(escaped);
    return matched;
}
