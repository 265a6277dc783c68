/* What the files of the machine share. Private to them. */
#ifndef TUNER_DEVICES_EMULATOR_MACHINE_STATE_H
#define TUNER_DEVICES_EMULATOR_MACHINE_STATE_H

#include "tuner/devices/emulator/clock_vector.h"
#include "tuner/devices/emulator/machine.h"

enum { MBARRIERS_MOST = 512, MBARRIER_BYTES = 8 };
enum { BARRIERS = 16, BLOCK_WARPS_MAX = 32, SPLITS_MAX = 32, JOINS_MAX = 64 };

/* Generic addresses: windows for shared and local memory; everything else is global. A block of a cluster
   sees the shared memory of rank r at (r + 1) << CLUSTER_SHIFT within the window, and its own at 0 as well.
 */
#define GLOBAL_FIRST   UINT64_C(0x700000000000)
#define GENERIC_SHARED UINT64_C(0x600000000000)
#define GENERIC_LOCAL  UINT64_C(0x500000000000)
#define GENERIC_WINDOW UINT64_C(0x100000000)
enum { CLUSTER_SHIFT = 24 };

/* Who touched each granule of memory last: records, see race.h. `written` is 0 for memory that nothing wrote.
 */
struct shadow {
    uint32_t *written, *read;
    int shift; /* of an offset, to its granule */
};

struct allocation {
    uint64_t address;
    size_t size, mapped; /* bytes; of the mapping that `data` begins */
    unsigned char *data;
    struct shadow shadow;
};

/* A period of a warp's execution between two points at which its accesses become ordered before others'. Its
   number is its time: a smaller one began earlier. */
enum epoch_kind {
    EPOCH_LANE,
    EPOCH_WARP,
    EPOCH_BLOCK,
    EPOCH_GRID,
    EPOCH_ASYNC /* of one asynchronous store, which is ordered by nothing but its mbarrier */
};
struct epoch {
    uint32_t block; /* of EPOCH_ASYNC: the index in machine.async_stores */
    uint8_t warp, kind;
    bool strong; /* made by atomics and other strong operations of `scope` */
    uint8_t scope;
};

/* The synchronisation that one thread has taken part in, made when it first does. */
struct thread_clock {
    struct clock_vector known;     /* happened before what the thread does now */
    struct clock_vector fenced[3]; /* what a strong write now publishes, by the fence's scope */
    struct clock_vector
        observed[3]; /* what a fence now makes known: read by strong reads from writers of that scope */
};

enum split_state {
    SPLIT_RUNS,
    SPLIT_WAITS_WARP,    /* for the lanes in `members` to come to the same instruction */
    SPLIT_WAITS_BARRIER, /* for the block's barrier `barrier` */
    SPLIT_WAITS_CLUSTER,
    SPLIT_WAITS_MBARRIER, /* for the block's mbarrier `barrier` to complete a phase */
};

#define NO_PHASE                                                                                             \
    UINT32_MAX /* of a cluster's barrier: not arrived; of an asynchronous store: not counted yet */

/* Lanes of a warp that run together. */
struct split {
    int pc, join; /* join: the innermost, or -1 */
    uint32_t mask;
    uint32_t members, asking; /* while it waits for lanes: those named, and its own that named them */
    enum split_state state;
    int barrier;
    bool timed_out; /* it has waited long enough for an mbarrier */
};

/* Where lanes that went apart wait for each other. */
struct join {
    int pc, parent;
    uint32_t expected, arrived; /* expected 0: free */
};

struct block;

struct warp {
    struct block *block;
    int index;
    unsigned char *registers;
    uint32_t lanes, live; /* that exist; that have not ended */
    struct split splits[SPLITS_MAX];
    int split_count, current;
    struct join joins[JOINS_MAX];
    int join_count;              /* joins at this index and above are free */
    int64_t steps, joined_steps; /* run; when no lanes waited for others, last */
    uint32_t epoch;              /* the records' high part for accesses now, 0: not begun */
    uint32_t wide_epochs[4];     /* of the kinds above EPOCH_LANE, 0: not begun */
    uint32_t strong_epochs[3];
    uint32_t sync_floor; /* what the warp's lanes did before this time, its other lanes know */
    struct thread_clock *clocks[WARP_LANES]; /* owned, NULL where the thread never synchronised by itself */
    uint32_t cluster_phase[WARP_LANES];      /* the cluster barrier's, when the lane arrived last; NO_PHASE */
    unsigned char *local;                    /* owned: local_bytes a lane */
    unsigned char *local_written;            /* owned: a flag a byte */
};

struct barrier {
    int arrived, expected; /* lanes; expected 0: idle */
    int pc;                /* of the first arrival */
    bool partial;          /* a count was given: not for the whole block */
    int lanes, reduced;    /* that arrived; whose predicate was true */
    struct clock_vector clock;
};

/* A transaction barrier in a block's shared memory. */
struct mbarrier {
    uint64_t offset;    /* in the shared memory */
    uint32_t made;      /* the record of who initialised it */
    int count, pending; /* arrivals: of a phase; that are still to come in this one */
    int transactions; /* bytes that are expected and have not come; below 0 where more came than are expected
                       */
    uint32_t phase;
    struct clock_vector clocks[2][2]; /* of phases in turn; published by the block itself, and by others */
};

/* A store that counts at an mbarrier. */
struct async_store {
    const struct instruction *instruction;
    uint32_t from, to;         /* blocks */
    uint32_t phase;            /* in which it counted, or NO_PHASE */
    uint16_t thread, mbarrier; /* of the block `from`; of `to` */
};

/* One that is on its way. */
struct coming_store {
    uint32_t index; /* in machine.async_stores */
    int bytes;
    uint64_t offset; /* in the block's shared memory */
    unsigned char value[32];
};

/* Blocks that share their shared memory. A launch without clusters has clusters of one block. */
struct cluster {
    struct block *members[16]; /* by rank; NULL once ended */
    uint32_t numbers[16];      /* theirs, which stay when they have ended */
    int blocks;
    int threads, left; /* of all blocks; those that have not ended */
    int arrived;       /* at the cluster's barrier in this phase */
    uint32_t phase;
    struct clock_vector
        clocks[2]; /* of its phases in turn: some wait for one while others arrive at the next */
    int timeouts;  /* of waits for mbarriers since anything changed: since this machine.progress */
    int64_t timeouts_at;
};

struct block {
    uint32_t number; /* x + grid.x * (y + grid.y * z) */
    int64_t at[3];
    struct warp *warps;            /* owned */
    int warp_count, threads, live; /* threads; those that have not ended */
    unsigned char *registers;      /* owned: of all warps */
    unsigned char *shared;         /* owned */
    struct shadow shared_shadow;
    struct barrier barriers[BARRIERS];
    uint32_t sync_floor;       /* what the block did before this time, all its threads know */
    struct clock_vector known; /* what all its threads know of others */
    uint32_t runnable;         /* warps, as bits */
    struct cluster *cluster;   /* shared with its other blocks; freed with the last */
    int rank;
    struct mbarrier *mbarriers; /* owned */
    int mbarrier_count;
    struct coming_store *coming; /* owned */
    int coming_count, coming_capacity;
};

/* A word through which threads synchronise. */
struct sync_word {
    uint64_t address;                 /* 0: free */
    struct clock_vector published[3]; /* by the scope of who published it */
    uint32_t block;                   /* of the last publisher, for the cta scope */
};

/* Blocks that are under way. */
struct residents {
    struct block **blocks; /* owned; the pointers too */
    int count, capacity;
    int64_t next; /* the first block that has not started */
};

struct machine {
    struct machine_options options;
    struct allocation *allocations; /* owned, by address */
    int allocation_count, allocation_capacity;
    uint64_t next_address;
    struct machine_counts counts;
    uint64_t random;

    /* Of the launch that runs: */
    const struct machine_launch *launch;
    const struct program *program;
    const unsigned char *params;
    int shared_bytes; /* of a block: SHARED_BASE, static and dynamic */
    int64_t grid_blocks;
    int64_t progress;   /* memory changes and ended blocks */
    int64_t idle_steps; /* since the last */
    int64_t step_limit;
    bool polled;    /* a flag was read that others may set: they should run first */
    uint64_t clock; /* for %clock */

    struct epoch *epochs; /* owned: of this launch, from launch_floor on */
    uint32_t epoch_capacity, next_epoch, launch_floor;
    struct async_store *async_stores; /* owned: of this launch */
    uint32_t async_store_count, async_store_capacity;
    struct sync_word *sync_words; /* owned: a hash table */
    int sync_word_count, sync_word_capacity;

    struct error *error;
};

/* Fails with the place of an instruction: always false. `lane` may be -1. */
bool machine_fail(struct machine *m, const struct warp *w, const struct instruction *i, int lane,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

struct allocation *machine_find(const struct machine *m,
                                uint64_t address); /* the one that holds it, or NULL */

static inline uint32_t machine_random(struct machine *m)
{
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->random >> 33);
}

static inline int thread_of(const struct warp *w, int lane)
{
    return w->index * WARP_LANES + lane;
}

/* Where an operand's lanes are. */
static inline const void *operand_at(const struct machine *m, const struct warp *w, place p)
{
    return (p & PLACE_CONSTANT) != 0 ? m->program->constants + (p & ~PLACE_CONSTANT) : w->registers + p;
}

static inline bool full(uint32_t mask)
{
    return mask == UINT32_MAX;
}

#endif
