/* Running the instructions of a warp. Private to the machine. */
#ifndef TUNER_DEVICES_EMULATOR_WARP_H
#define TUNER_DEVICES_EMULATOR_WARP_H

#include "tuner/devices/emulator/machine_state.h"

/* Runs the warp for about `quantum` instructions, or until it waits or ends. False on an error. Keeps its bit
   in block->runnable. */
bool warp_run(struct machine *m, struct warp *w, int quantum);

/* warp_splits.c: the lanes that run together. */
void warp_start(struct warp *w, int threads_left);
/* Sends the current split's lanes in `taken` to `target`, the others on to `next`; they meet at `join`. */
void warp_diverge(struct machine *m, struct warp *w, uint32_t taken, int target, int next, int join);
/* Ends lanes of the current split. */
void warp_exit(struct warp *w, uint32_t lanes);
/* Splits that have come to where they join wait there or go on together. Call it whenever a split's pc was
   set other than by the next instruction; `current` is one that runs afterwards, if there is any. */
void warp_settle(struct warp *w);
/* Makes another split that runs the current one; false where none does. */
bool warp_switch(struct warp *w);
/* Whether lanes wait where they join others; lets them go on, since these may be waiting for them, in a loop.
 */
bool warp_has_waiting_lanes(const struct warp *w);
void warp_stop_waiting(struct warp *w);
/* The lanes `asking` of the current split have come to an instruction that those in `members` (of them the
   ones that live) execute together: true, with all that do in *together, when they are here; else the split
   waits, and false. */
bool warp_gather(struct machine *m, struct warp *w, uint32_t asking, uint32_t members, uint32_t *together);
/* The splits that were gathered, but for the current one, go on behind the instruction. */
void warp_release_gathered(struct warp *w, uint32_t together);

/* special_registers.c: a lane's value. */
uint64_t special_register_value(const struct machine *m, const struct warp *w, enum special_register s,
                                int lane);

/* warp_memory.c */
bool warp_load(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
bool warp_store(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
/* What a lane stores, as it will stand in memory. */
void warp_gather_value(const struct machine *m, const struct warp *w, const struct instruction *i, int lane,
                       unsigned char *to);
void warp_load_parameter(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);

/* warp_atomic.c */
bool warp_atomic(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);

/* warp_together.c: the lanes of `mask`, which is complete, exchange values. */
bool warp_shuffle(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
void warp_vote(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
void warp_match(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
void warp_redux(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);

/* warp_barrier.c: the current split has come to the instruction with `mask`. Unlike all others, these set the
   split's pc themselves. */
bool warp_barrier(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
bool warp_cluster_arrive(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
bool warp_cluster_wait(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);

/* warp_mbarrier.c: transaction barriers and the stores that count at them. warp_mbarrier_wait() sets the
   split's pc like the barriers. */
bool warp_mbarrier_init(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
bool warp_mbarrier_arrive(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
bool warp_mbarrier_wait(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
bool warp_store_async(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask);
/* Performs some of the stores that are on their way to the block, in any order. */
bool block_receive(struct machine *m, struct block *b);
/* The block has ended: false, after reporting it, where a store is on its way to its memory, which is gone,
   or where more bytes have come than were ever expected. */
bool block_received_all(struct machine *m, const struct block *b);
/* Lets all waits for mbarriers in the cluster end without success, as the hardware does after a while:
   nothing else can go on. False where there are none, or where that has not helped often enough. */
bool cluster_time_out(struct machine *m, struct cluster *c);
/* A wait that nothing ends. Always false. */
bool report_waiting_mbarrier(struct machine *m, const struct block *b, const struct warp *w,
                             const struct split *s);

/* No warp of the block (of its whole cluster) can run: reports why. Always false. */
bool block_stuck(struct machine *m, struct block *b);
/* A thread's mask operand, which must be the same in all lanes of `mask` and name them; false after
 * reporting. */
bool warp_members(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask,
                  uint32_t *members);

/* Writes the lanes of `mask` of a register. */
static inline void write_lanes_32(void *to, const uint32_t *from, uint32_t mask)
{
    uint32_t *d = to;
    for (int i = 0; i < WARP_LANES; i++)
        d[i] = mask >> i & 1 ? from[i] : d[i];
}
static inline void write_lanes_64(void *to, const uint64_t *from, uint32_t mask)
{
    uint64_t *d = to;
    for (int i = 0; i < WARP_LANES; i++)
        d[i] = mask >> i & 1 ? from[i] : d[i];
}
static inline void write_predicate(void *to, uint32_t value, uint32_t mask)
{
    uint32_t *d = to;
    *d = (*d & ~mask) | (value & mask);
}

#endif
