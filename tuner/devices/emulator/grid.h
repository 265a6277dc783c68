/* Running the launch that the machine holds. Private to the machine. */
#ifndef TUNER_DEVICES_EMULATOR_GRID_H
#define TUNER_DEVICES_EMULATOR_GRID_H

#include "tuner/devices/emulator/machine_state.h"

bool grid_run(struct machine *m);

#endif
