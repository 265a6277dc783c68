/* The versions of the program and of what it stands on. */
#ifndef TUNER_CLI_VERSION_H
#define TUNER_CLI_VERSION_H

#include <stdio.h>

/* For --version. */
void version_print(FILE *out);

#endif
