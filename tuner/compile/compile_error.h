/* The one line that a failed compile is told in. */
#ifndef TUNER_COMPILE_COMPILE_ERROR_H
#define TUNER_COMPILE_COMPILE_ERROR_H

#include "generator/generator.h"

/* The first error of NVRTC's log and how many more there are: "templates/row_block.cu:41: error: identifier
   "a" is undefined (and 2 more)". `ptx` (may be empty) quotes the instruction that ptxas complains of;
   `result` is NVRTC's own word, for a log without an error. The caller frees it. */
char *compile_error_line(const struct source *source, const char *log, const char *ptx, const char *result);

#endif
