/* mkdir -p. */
#ifndef TUNER_COMPILE_MAKE_FOLDERS_H
#define TUNER_COMPILE_MAKE_FOLDERS_H

#include <stdbool.h>

/* Makes `path` and the folders above it where they are not there; false, with errno, when it cannot. */
bool make_folders(const char *path);

#endif
