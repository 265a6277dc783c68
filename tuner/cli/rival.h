/* Rivals of `bench`: kernels that are not of the space, verified and timed beside its variants. */
#ifndef TUNER_CLI_RIVAL_H
#define TUNER_CLI_RIVAL_H

#include "tuner/cli/tuning.h"

/* Adds the rival that the user named: MANIFEST.json of an emitted kernel of the same problem, or
   FILE.cu:SYMBOL, which NVRTC compiles (docs/command-line.md has its convention). One that does not compile
   is a failed trial; false, with status 2, for what cannot be read or launched. */
bool rival_add(struct tuning *t, const char *named, struct error *e);

#endif
