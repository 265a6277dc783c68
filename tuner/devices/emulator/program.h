/* A kernel made ready to run: every instruction looked up, registers given places, branches joined. */
#ifndef TUNER_DEVICES_EMULATOR_PROGRAM_H
#define TUNER_DEVICES_EMULATOR_PROGRAM_H

#include "tuner/devices/emulator/lanes.h"
#include "tuner/devices/emulator/ptx_module.h"

enum pipe { PIPE_ALU, PIPE_FMA, PIPE_SFU, PIPE_LSU, PIPE_CVT, PIPE_CONTROL, PIPE_COUNT };

enum action {
    ACTION_LANES,
    ACTION_COMPARE,
    ACTION_PREDICATE, /* the three kinds of lane functions */
    ACTION_QUATERNARY,
    ACTION_PACK,
    ACTION_UNPACK,
    ACTION_SPECIAL,
    ACTION_ADDRESS,
    ACTION_POLICY,
    ACTION_LOAD_PARAMETER,
    ACTION_LOAD,
    ACTION_STORE,
    ACTION_ATOMIC,
    ACTION_REDUCTION,
    ACTION_FENCE,
    ACTION_BRANCH,
    ACTION_EXIT,
    ACTION_TRAP,
    ACTION_NOTHING,
    ACTION_BARRIER,
    ACTION_BARRIER_REDUCE,
    ACTION_CLUSTER_ARRIVE,
    ACTION_CLUSTER_WAIT,
    ACTION_STORE_ASYNC,
    ACTION_MBARRIER_INIT,
    ACTION_MBARRIER_FENCE,
    ACTION_MBARRIER_ARRIVE,
    ACTION_MBARRIER_WAIT,
    ACTION_WARP_BARRIER,
    ACTION_SHUFFLE,
    ACTION_VOTE,
    ACTION_MATCH,
    ACTION_REDUX,
    ACTION_ACTIVE_MASK,
    ACTION_COUNT
};

enum ordering { ORDERING_WEAK, ORDERING_RELAXED, ORDERING_ACQUIRE, ORDERING_RELEASE, ORDERING_ACQ_REL };
enum scope { SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU };
enum element_kind { ELEMENT_BITS, ELEMENT_UNSIGNED, ELEMENT_SIGNED, ELEMENT_FLOAT };

/* What an instruction's name says beyond its operation: each word of the name sets one of these. */
struct modifiers {
    uint8_t rounding; /* enum rounding */
    uint8_t ftz, sat;
    uint8_t ordering;      /* enum ordering */
    uint8_t scope;         /* enum scope */
    uint8_t space;         /* enum state_space */
    uint8_t vector;        /* elements, 1 or more */
    uint8_t element_bytes; /* of the type, the last one in the name */
    uint8_t element_kind;  /* enum element_kind */
    uint8_t variant;       /* enum variant: of an operation with several forms */
    uint8_t aligned, arrive, to, nan, absolute;
};

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

enum variant {
    VARIANT_NONE,
    VARIANT_ADD,
    VARIANT_MIN,
    VARIANT_MAX,
    VARIANT_INC,
    VARIANT_DEC,
    VARIANT_AND,
    VARIANT_OR,
    VARIANT_XOR,
    VARIANT_EXCHANGE,
    VARIANT_CAS,
    VARIANT_IDX,
    VARIANT_UP,
    VARIANT_DOWN,
    VARIANT_BFLY,
    VARIANT_ALL,
    VARIANT_ANY,
    VARIANT_UNI,
    VARIANT_BALLOT,
    VARIANT_POPC,
    VARIANT_MAPA,
    VARIANT_BFI,
    VARIANT_LOP3,
    VARIANT_EXPECT_TX,
    VARIANT_TEST_WAIT,
};

/* Where an operand is: an offset in the warp's registers, or, with the top bit, in the program's constants.
 */
typedef uint32_t place;
enum { PLACE_NONE = UINT32_MAX >> 1 };
#define PLACE_CONSTANT 0x80000000u

struct instruction {
    lane_function *lanes;
    place d, d2, a, b, c, e; /* d2: the second predicate of p|q; e: a fourth source */
    place guard;             /* of the predicate in front, or PLACE_NONE */
    int64_t offset;          /* of an address */
    int64_t counter_offset;  /* of the mbarrier that an asynchronous store counts at, whose base is `b` */
    uint8_t action, pipe;
    uint8_t flush; /* bits 0 to 2: sources a, b, c that .ftz flushes; bit 3: the destination */
    bool guard_negated, c_negated;
    bool plain;        /* of ACTION_LANES: neither flushed, rounded otherwise, saturated nor negated */
    bool wide;         /* d (of a pack or unpack the whole) has 8 bytes a lane */
    bool address_wide; /* the address register has 8 bytes a lane */
    bool counter_wide; /* so has that of counter_offset */
    bool data_wide;    /* a loaded element's register has 8 bytes a lane */
    struct modifiers m;
    int refs;   /* the first of m.vector places in program.places: a vector's elements, or a pack's */
    int target; /* of a branch; of ACTION_SPECIAL the special register */
    int join;   /* where the two ways of a branch meet again; code_count where they do not */
    int line;   /* in the PTX */
    int source_line;
};

struct program {
    char *name;               /* owned */
    struct instruction *code; /* owned; ends with an ACTION_EXIT of its own */
    int code_count;
    place *places; /* owned */
    int place_count;
    unsigned char *constants; /* owned */
    size_t constant_bytes;
    int register_bytes; /* of one warp */
    int shared_bytes;   /* static; the dynamic part begins at `dynamic_at` */
    int dynamic_at;
    bool has_dynamic;
    int (*gaps)[2]; /* owned: offsets [from, to) of shared memory that belong to no variable */
    int gap_count;
    int shared_need; /* bytes of the static variables without those gaps */
    int local_bytes; /* of one thread */
    int max_threads; /* of a block, 0 for no limit */
    int param_bytes;
    int granule; /* bytes: the smallest access to shared or global memory, 1, 2 or 4 */
};

/* Shared addresses begin here, so that a null pointer is none of them. */
enum { SHARED_BASE = 1024 };

/* `addresses` has the address of each variable of global and const space, by its index in the module. The
   program is freed by program_free(); NULL and one line in `e` where an instruction is not known. */
struct program *program_build(const struct ptx_module *module, const struct ptx_kernel *kernel,
                              const uint64_t *addresses, struct error *e);
void program_free(struct program *p);

#endif
