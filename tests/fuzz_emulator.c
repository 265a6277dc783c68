/* libFuzzer's entry: PTX from nowhere. Build with -DSOFTMAX_TUNE_FUZZ=ON and clang, run on a copy of
 * tests/ptx. */
#include "tests/emulator_damage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    damage_run((const char *)data, size);
    return 0;
}
