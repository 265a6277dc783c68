/* For x86-64 CPUs with AVX2 and FMA; the build compiles this file for them. */
#ifdef __x86_64__
#define LANE_ARRAY lane_functions_avx2
#include "tuner/devices/emulator/lane_functions.h"
#else
typedef int nothing_here; /* a translation unit may not be empty */
#endif
