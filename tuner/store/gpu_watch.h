/* Tells runs that use the same GPU at the same time of each other: both disturb the other's timing. */
#ifndef TUNER_STORE_GPU_WATCH_H
#define TUNER_STORE_GPU_WATCH_H

#include "generator/error.h"

struct gpu_watch;

/* Shows the other runs that share the store in `folder` that this process uses GPU `which` (its number in the
   system, or its UUID), called `name`, until gpu_watch_close() or its end, however that comes. NULL where there is
   no file to do it with: then nobody is told. At most one watch of a GPU a process. */
struct gpu_watch *gpu_watch_open(const char *folder, const char *name, const char *which);
void gpu_watch_close(struct gpu_watch *w); /* NULL is allowed */

/* The process id of another run that uses the GPU now; 0 for none, also for `w` NULL. */
int gpu_watch_other(const struct gpu_watch *w);

#endif
