#include "tuner/compile/cuda_headers.h"

#include "generator/error.h"

#include <stdlib.h>
#include <unistd.h>

/* `root`/include where the headers are there, else NULL. */
static char *headers_below(const char *root, const char *folder)
{
    if (root == NULL || root[0] == '\0')
        return NULL;
    char *path = must_format("%s%s/include", root, folder), *header = must_format("%s/cuda_fp16.h", path);
    bool there = access(header, R_OK) == 0;
    free(header);
    if (there)
        return path;
    free(path);
    return NULL;
}

char *cuda_headers_folder(void)
{
    static const char packages[] = "/softmax-tune/cuda/nvidia/cu13";
    char *home = getenv("HOME") != NULL ? must_format("%s/.local/share", getenv("HOME")) : NULL;
    const char *data = getenv("XDG_DATA_HOME");
    const struct {
        const char *root, *folder;
    } places[] = {{getenv("CUDA_HOME"), ""},
                  {getenv("CUDA_PATH"), ""},
                  {"/usr/local/cuda", ""},
                  {data != NULL && data[0] == '/' ? data : home, packages}};
    char *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof places / sizeof places[0]; i++)
        found = headers_below(places[i].root, places[i].folder);
    free(home);
    return found;
}
