/* For any CPU. */
#define LANE_ARRAY lane_functions_portable
#include "tuner/devices/emulator/lane_functions.h"

lane_function *const *lane_functions(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return lane_functions_avx2;
#endif
    return lane_functions_portable;
}
