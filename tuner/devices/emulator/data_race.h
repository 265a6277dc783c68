/* Data races by happens-before, and memory that was never written.

   A record is an epoch's number (machine_state.h) times 32, plus the lane that touched the granule. Records
   below the floor of the launch are of earlier launches and of the host: they happened before everything.
   Within a block, so did everything before its last barrier, which has a floor of its own. Between blocks,
   and between threads that synchronise by flags, vector clocks decide. */
#ifndef TUNER_DEVICES_EMULATOR_DATA_RACE_H
#define TUNER_DEVICES_EMULATOR_DATA_RACE_H

#include "tuner/devices/emulator/machine_state.h"

enum { RECORD_HOST = 1 << 5 }; /* written by the host: epoch 1 */
#define RECORD_GAP UINT32_MAX  /* no variable is here */
#define RECORD_MBARRIER                                                                                      \
    (UINT32_MAX - 1) /* a transaction barrier, which only its own instructions may touch */

/* An access of one lane to the granules [first, first + count) of a shadow. */
struct access {
    struct machine *machine;
    struct warp *warp;
    const struct instruction *instruction;
    const struct shadow *shadow;
    bool shared; /* of the warp's own block, and no other block sees it */
    bool strong;
    enum scope scope;
    uint64_t address;            /* of granule 0 */
    const unsigned char *memory; /* of granule 0: what is there now */
};

/* Check and record; false when the access is an error, which is then reported. `value` is what will be
   written to granule `first` on. */
bool race_read(const struct access *a, size_t first, size_t count, int lane);
bool race_write(const struct access *a, size_t first, size_t count, int lane, const unsigned char *value);

/* A write that is ordered by nothing but the completion of a phase of its mbarrier: of
 * machine.async_stores[index]. */
bool race_write_async(const struct access *a, size_t first, size_t count, int lane, uint32_t index);

/* Makes the granules an mbarrier's; *made tells race_mbarrier_made() whether that happened before what a lane
 * does. */
bool race_mbarrier_make(const struct access *a, size_t first, size_t count, int lane, uint32_t *made);
bool race_mbarrier_made(const struct access *a, uint32_t made, int lane);
/* The store has counted in `phase`: who learns `clock` knows it. */
void race_async_done(const struct async_store *s, struct clock_vector *clock);

/* Of all 32 lanes, which touch `count` granules from `first` on, lane after lane, `per_lane` (a power of two)
   each: true when that is plainly in order, and recorded; false leaves it to race_read() or race_write(). */
bool race_read_all(const struct access *a, size_t first, size_t count, int per_lane_shift);
bool race_write_all(const struct access *a, size_t first, size_t count, int per_lane_shift);

/* Ends the warp's epoch: what it does from now on is later than all that anybody did so far. Returns the
 * time. */
uint32_t race_new_time(struct machine *m, struct warp *w);

/* All live lanes of the warp, or all threads of the block, have met. */
void race_warp_met(struct machine *m, struct warp *w);
void race_block_met(struct machine *m, struct block *b);

/* The lanes of `mask` leave what they know in `clock`, or take what is there. */
void race_publish(struct machine *m, struct warp *w, uint32_t mask, struct clock_vector *clock);
/* What earlier fences of theirs published for the cluster. */
void race_publish_fenced(const struct warp *w, uint32_t mask, struct clock_vector *clock);
void race_learn(struct machine *m, struct warp *w, uint32_t mask, const struct clock_vector *clock);

void race_fence(struct machine *m, struct warp *w, uint32_t mask, const struct modifiers *modifiers);
/* Of the mbarriers alone that the lanes have initialised. */
void race_fence_mbarriers(struct machine *m, struct warp *w, uint32_t mask);
/* A strong read learnt `clock` from the cluster (or the block): a fence makes it known. */
void race_observe(struct warp *w, int lane, const struct clock_vector *clock, enum scope scope);
/* A strong read, write or both of one lane at a word: takes and leaves what the ordering says. */
void race_strong(struct machine *m, struct warp *w, int lane, uint64_t address,
                 const struct modifiers *modifiers, bool reads, bool writes);

/* Starts a launch: what was before it happened before it. */
void race_launch(struct machine *m);
void race_launch_end(struct machine *m);
void race_block_end(struct block *b);

/* Marks bytes [from, to) as belonging to no variable. */
void shadow_mark_gap(struct shadow *s, int from, int to);
void shadow_make(struct shadow *s, size_t bytes, int shift);
void shadow_refine(struct shadow *s, size_t bytes, int shift); /* to a smaller granule */
void shadow_free(struct shadow *s);

#endif
