/* From the addresses of a warp's lanes to bytes, with every check that does not need to know what is done
 * there. */
#ifndef TUNER_DEVICES_EMULATOR_MEMORY_ACCESS_H
#define TUNER_DEVICES_EMULATOR_MEMORY_ACCESS_H

#include "tuner/devices/emulator/data_race.h"

/* Lanes of one instruction that touch one piece of memory. */
struct reach {
    uint32_t mask;
    enum state_space space;      /* never generic */
    uint64_t offset[WARP_LANES]; /* in the piece, of the lanes in `mask` */
    bool contiguous;             /* all 32 lanes, one behind the other */
    unsigned char *memory;
    struct block *owner;  /* of shared memory, else NULL */
    struct access access; /* shadow NULL: local memory */
};

/* Computes the lanes' addresses; generic ones are told apart. Takes the lanes out of *left that share a piece
   with the first of them, so it is called until *left is 0. Checks bounds and alignment; false on an error.
   `verb` is "reads". */
bool memory_reach(struct machine *m, struct warp *w, const struct instruction *i, uint32_t *left, int bytes,
                  const char *verb, struct reach *r);

/* 32-byte sectors that the reach touches, each lane `bytes`, as if the buffer began with one: that a buffer
   lies at an odd address is the verifier's doing. Wavefronts of shared memory. */
int memory_sectors(const struct reach *r, int bytes);
int memory_wavefronts(const struct reach *r, int bytes);

#endif
