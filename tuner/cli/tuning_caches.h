/* The other cache state: a small problem raced once more, with its buffers in L2 where they were not, or the
   reverse. */
#ifndef TUNER_CLI_TUNING_CACHES_H
#define TUNER_CLI_TUNING_CACHES_H

#include <stdbool.h>

struct error;
struct tuning;

/* Races what is near the best of `t` again where the problem moves less than half of L2, so that some
   programs find its buffers there and others do not; fills t->other. Leaves the device with the other
   problem. */
bool tuning_race_other_cache(struct tuning *t, struct error *e);

/* What an array of the trials of such a race owns, and the array. */
void tuning_other_clear(struct tuning *t);

#endif
