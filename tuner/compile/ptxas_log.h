/* What `--ptxas-options=-v` says of each kernel. */
#ifndef TUNER_COMPILE_PTXAS_LOG_H
#define TUNER_COMPILE_PTXAS_LOG_H

#include "tuner/compile/image.h"

/* Fills the figures of those of `kernels`, known by name, of which the log speaks; returns how many these
 * are. */
int ptxas_log_read(const char *log, struct image_kernel *kernels, int kernel_count);

#endif
