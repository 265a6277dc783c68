/* Listing a folder by a pattern. */
#ifndef TUNER_COMPILE_GLOB_FOLDER_H
#define TUNER_COMPILE_GLOB_FOLDER_H

#include <glob.h>
#include <stdbool.h>

/* glob() of `pattern` in `folder`, whose own name is no pattern. Whether there is a match; only then is
   `found` the caller's to free with globfree(). */
bool glob_folder(const char *folder, const char *pattern, int flags, glob_t *found);

#endif
