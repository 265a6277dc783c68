#include "tuner/store/gpu_watch.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gpu_watch {
    int descriptor;
};

/* A shared record lock: the kernel names who else holds one, and takes it from a process that dies. It
   belongs to the process, so that workers forked from it do not count. */
static const struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

struct gpu_watch *gpu_watch_open(const char *folder, const char *name, const char *which)
{
    char *path = must_format("%s/gpu-%s-%s.lock", folder, name, which);
    for (char *c = path + strlen(folder) + 1; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-')
            *c = '_';
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) /* another user's: to read is enough */
        descriptor = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    if (descriptor < 0)
        return NULL;
    struct gpu_watch *w = must_malloc(sizeof *w);
    w->descriptor = descriptor;
    struct flock lock = shared;
    fcntl(descriptor, F_SETLK, &lock);
    return w;
}

void gpu_watch_close(struct gpu_watch *w)
{
    if (w == NULL)
        return;
    close(w->descriptor);
    free(w);
}

int gpu_watch_other(const struct gpu_watch *w)
{
    struct flock other = shared;
    other.l_type = F_WRLCK; /* what a shared lock of another process would refuse */
    if (w == NULL || fcntl(w->descriptor, F_GETLK, &other) != 0 || other.l_type == F_UNLCK)
        return 0;
    return (int)other.l_pid;
}
