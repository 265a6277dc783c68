/* The versions of the program and of what it stands on. */
#ifndef TUNER_CLI_VERSION_H
#define TUNER_CLI_VERSION_H

#include <argp.h>
#include <stdio.h>

/* For --version. */
void version_print(FILE *stream, struct argp_state *state);

#endif
