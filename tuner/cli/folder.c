#include "tuner/cli/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool folder_writable(const char *path, struct error *e)
{
    if (path[0] == '\0')
        return error_set(e, STATUS_USAGE, "'': this is no folder");
    char *copy = must_strdup(path);
    bool made = make_folders(copy);
    free(copy);
    if (!made)
        return error_set(e, STATUS_USAGE, "%s: %s", path, strerror(errno));
    char *probe = must_format("%s/.writable-XXXXXX", path);
    int descriptor = mkstemp(probe);
    int why = errno;
    if (descriptor >= 0) {
        close(descriptor);
        unlink(probe);
    }
    free(probe);
    return descriptor >= 0 || error_set(e, STATUS_USAGE, "%s: %s", path, strerror(why));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

bool folder_remove(const char *path, struct error *e)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
        return true;
    return error_set(e, STATUS_USAGE, "%s: %s", path, strerror(errno));
}
