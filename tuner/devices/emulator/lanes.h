/* Lane functions: what an instruction computes in the 32 lanes of a warp, whatever lanes are active. */
#ifndef TUNER_DEVICES_EMULATOR_LANES_H
#define TUNER_DEVICES_EMULATOR_LANES_H

#include <stdint.h>

enum { WARP_LANES = 32 };

/* Operands are registers: 32 elements of 4 bytes (8 of a 64-bit type), or, of a predicate, one word of 32
   bits. A comparison stores 32 bytes, 0 or 1. `d` may be one of the sources, and overlaps none otherwise. */
typedef void lane_function(void *d, const void *a, const void *b, const void *c);

enum lane_id {
#define LANES(id, pipe, pattern, D, A, B, C, ...) LANE_##id,
#define COMPARE(id, pattern, A, B, ...)           LANE_##id,
#define PREDICATE(id, pattern, ...)               LANE_##id,
#define OTHER(action, pipe, pattern)
#include "tuner/devices/emulator/instruction_table.h"
#undef LANES
#undef COMPARE
#undef PREDICATE
#undef OTHER
    LANE_COUNT
};

/* The functions, by lane_id, as this CPU runs them fastest. */
lane_function *const *lane_functions(void);

extern lane_function *const lane_functions_portable[LANE_COUNT];
extern lane_function *const lane_functions_avx2[LANE_COUNT]; /* x86-64 only */

#endif
