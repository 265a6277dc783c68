/* Gives the registers of a program places in a warp's register file: registers that are never live together
   share one, so that the file stays small enough for the CPU's caches. */
#ifndef TUNER_DEVICES_EMULATOR_REGISTER_PLACES_H
#define TUNER_DEVICES_EMULATOR_REGISTER_PLACES_H

#include "tuner/devices/emulator/control_flow.h"

/* `bits` has the width of each of the `count` registers. Rewrites every place and sets p->register_bytes. */
void register_places_assign(struct program *p, const struct flow *f, const unsigned char *bits, int count);

#endif
