/* The lane functions themselves, made from instruction_table.h. Compiled by lane_functions_portable.c and
   lane_functions_avx2.c, each of which names the array that it defines as LANE_ARRAY. */
#include "tuner/devices/emulator/lane_math.h"
#include "tuner/devices/emulator/lanes.h"

/* Each lane is its own: a destination may be a source, but only of the same lane. */
#ifdef __clang__
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < WARP_LANES; i++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < WARP_LANES; i++)
#endif

#define LANES(id, pipe, pattern, D, A, B, C, ...)                                                            \
    static void lane_##id(void *to, const void *from_a, const void *from_b, const void *from_c)              \
    {                                                                                                        \
        (void)from_b;                                                                                        \
        (void)from_c;                                                                                        \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            const TYPE_##A a = LOAD_##A(from_a, i);                                                          \
            const TYPE_##B b = LOAD_##B(from_b, i);                                                          \
            const TYPE_##C c = LOAD_##C(from_c, i);                                                          \
            (void)a, (void)b, (void)c;                                                                       \
            STORE_##D(to, i, (__VA_ARGS__));                                                                 \
        }                                                                                                    \
    }
#define COMPARE(id, pattern, A, B, ...)                                                                      \
    static void lane_##id(void *to, const void *from_a, const void *from_b, const void *from_c)              \
    {                                                                                                        \
        (void)from_b;                                                                                        \
        (void)from_c;                                                                                        \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            const TYPE_##A a = LOAD_##A(from_a, i);                                                          \
            const TYPE_##B b = LOAD_##B(from_b, i);                                                          \
            (void)b;                                                                                         \
            ((uint8_t *)to)[i] = (__VA_ARGS__);                                                              \
        }                                                                                                    \
    }
#define PREDICATE(id, pattern, ...)                                                                          \
    static void lane_##id(void *to, const void *from_a, const void *from_b, const void *from_c)              \
    {                                                                                                        \
        uint32_t a = SOURCE(uint32_t, from_a, 0), b = from_b != NULL ? SOURCE(uint32_t, from_b, 0) : 0;      \
        (void)b, (void)from_c;                                                                               \
        ELEMENT(uint32_t, to, 0) = (__VA_ARGS__);                                                            \
    }
#define OTHER(action, pipe, pattern)
#include "tuner/devices/emulator/instruction_table.h"
#undef LANES
#undef COMPARE
#undef PREDICATE

#define LANES(id, pipe, pattern, D, A, B, C, ...) lane_##id,
#define COMPARE(id, pattern, A, B, ...)           lane_##id,
#define PREDICATE(id, pattern, ...)               lane_##id,
lane_function *const LANE_ARRAY[LANE_COUNT] = {
#include "tuner/devices/emulator/instruction_table.h"
};
