#include "tuner/compile/make_folders.h"

#include "generator/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool make_folders(const char *path)
{
    char *copy = must_strdup(path);
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777); /* one that cannot be made shows in the last */
        *slash = '/';
    }
    struct stat status;
    bool made = mkdir(copy, 0777) == 0;
    if (!made && errno == EEXIST && stat(copy, &status) == 0) {
        errno = ENOTDIR;
        made = S_ISDIR(status.st_mode);
    }
    free(copy);
    return made;
}
