/* Vector clocks: what a thread knows to have happened before. */
#ifndef TUNER_DEVICES_EMULATOR_CLOCK_VECTOR_H
#define TUNER_DEVICES_EMULATOR_CLOCK_VECTOR_H

#include <stdint.h>

/* Up to `time`, everything that the holder of `key` did is known. A holder is a block, a warp or a thread. */
struct clock_entry {
    uint64_t key;
    uint32_t time;
};

struct clock_vector {
    struct clock_entry *entries; /* owned, by key */
    int count, capacity;
};

enum { CLOCK_BLOCK = 0, CLOCK_WARP = 1, CLOCK_THREAD = 64, CLOCK_INIT = 2048, CLOCK_MBARRIER = 3072 };
/* Of a block as a whole (CLOCK_BLOCK), of its warp w (CLOCK_WARP + w) or its thread t (CLOCK_THREAD + t); of
   the mbarriers alone that its thread t initialised (CLOCK_INIT + t); of its mbarrier m, whose time is the
   phases that are known to be complete: for what the block itself counted there (CLOCK_MBARRIER + 2 * m) and
   what other blocks did (one more). */
static inline uint64_t clock_key(uint32_t block, uint32_t holder)
{
    return (uint64_t)block << 12 | holder;
}

void clock_vector_clear(struct clock_vector *v);
void clock_vector_raise(struct clock_vector *v, uint64_t key, uint32_t time);
void clock_vector_join(struct clock_vector *v, const struct clock_vector *other);
/* 0 where nothing is known of the key. */
uint32_t clock_vector_time(const struct clock_vector *v, uint64_t key);

#endif
