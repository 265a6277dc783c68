/* Folders that are written to. */
#ifndef TUNER_CLI_FOLDER_H
#define TUNER_CLI_FOLDER_H

#include "generator/error.h"

/* Makes `path` and the folders above it where they are not there, and tries whether a file can be written in
   it. Status 2, "PATH: why", when it cannot. */
bool folder_writable(const char *path, struct error *e);

/* Removes a folder with all that is in it; what is not there is removed already. */
bool folder_remove(const char *path, struct error *e);

#endif
