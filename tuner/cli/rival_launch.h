/* How a user's kernel is launched, as a line in its file says:

   softmax-tune: [kernel=SYMBOL] grid=EXPRESSION block=X[xY[xZ]] args=NAME,... [smem=BYTES]
                 [workspace=EXPRESSION] [cluster=X] [cooperative=true] */
#ifndef TUNER_CLI_RIVAL_LAUNCH_H
#define TUNER_CLI_RIVAL_LAUNCH_H

#include "generator/launch.h"

/* The plan of the first such line of `text` that names `symbol` or no kernel. The arguments' types are not
   set. Status 2, "PATH:LINE: what", when there is none or it is wrong. */
bool rival_launch_read(const char *path, const char *text, const char *symbol, struct launch_plan *plan,
                       struct error *e);

/* Sets the arguments' types to those of the kernel's parameters, which its PTX declares: pointers where the
   line names buffers, int or long long, float for the scale. Status 2 where number or kinds differ. */
bool rival_launch_type(const char *ptx, const char *kernel, struct launch *launch, struct error *e);

#endif
