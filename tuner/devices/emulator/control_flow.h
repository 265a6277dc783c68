/* The flow graph of a program: where the two ways of a branch meet again. */
#ifndef TUNER_DEVICES_EMULATOR_CONTROL_FLOW_H
#define TUNER_DEVICES_EMULATOR_CONTROL_FLOW_H

#include "tuner/devices/emulator/program.h"

struct flow_block {
    int first, last;   /* instructions */
    int successors[2]; /* blocks; -1 where there is none */
};

struct flow {
    struct flow_block *blocks; /* owned, in the order of the code */
    int count;
    int *block_of; /* owned: of each instruction */
};

struct flow flow_of(const struct program *p);
void flow_clear(struct flow *f);

/* Sets `join` of every branch: the first instruction of its block's immediate post-dominator. */
void flow_set_joins(const struct flow *f, struct program *p);

#endif
