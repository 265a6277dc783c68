/* Whether the GPU runs slower than it could, as NVML tells it (libnvidia-ml.so.1, loaded at run time). */
#ifndef TUNER_DEVICES_CUDA_CUDA_CLOCKS_H
#define TUNER_DEVICES_CUDA_CUDA_CLOCKS_H

#include <stdbool.h>

struct cuda_clocks;

/* `bus_id` as the driver says it. NULL where NVML is not here or does not know the GPU: then nothing is
 * known. */
struct cuda_clocks *cuda_clocks_open(const char *bus_id);
void cuda_clocks_close(struct cuda_clocks *clocks); /* NULL is allowed */

/* Takes the SM clock of now, of a warm GPU, as what it should be. */
void cuda_clocks_settle(struct cuda_clocks *clocks);

/* Whether the hardware slows the GPU down (heat, power brake), or the power cap holds its SM clock more than
   5 % below the settled one. */
bool cuda_clocks_throttled(struct cuda_clocks *clocks);

#endif
