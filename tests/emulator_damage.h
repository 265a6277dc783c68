/* Damaged PTX on the emulator's machine: whatever the text, loading and running it ends, with an error or
 * without. */
#ifndef TESTS_EMULATOR_DAMAGE_H
#define TESTS_EMULATOR_DAMAGE_H

#include <stdlib.h>
#include <string.h>

#include "tuner/devices/emulator/machine.h"

/* Runs every kernel of the text on two blocks with small buffers, where it loads. True where something ran
 * well. */
static inline bool damage_run(const char *text, size_t size)
{
    enum { BYTES = 1 << 17, PARAM_BYTES = 256 };
    struct error e = {.text = ""};
    struct machine *m =
        machine_open(&(struct machine_options){.sms = 2, .smem_per_block = 64 << 10, .seed = 1});
    uint64_t params[PARAM_BYTES / 8];
    for (int i = 0; i < PARAM_BYTES / 8; i++)
        params[i] = i < 3 ? machine_allocate(m, BYTES, 16) : 2;
    for (int i = 0; i < 3; i++) {
        memset(machine_memory(m, params[i], BYTES), 0, BYTES);
        machine_written(m, params[i], BYTES);
    }
    struct machine_module *module = machine_load(m, text, size, &e);
    const struct ptx_module *ptx = module != NULL ? machine_ptx(module) : NULL;
    bool ran = false;
    for (int k = 0; ptx != NULL && k < ptx->kernel_count && k < 4; k++) {
        int threads = ptx->kernels[k].max_threads;
        struct machine_launch launch = {.kernel = ptx->kernels[k].name,
                                        .grid = {2, 1, 1},
                                        .block = {threads > 0 && threads <= 1024 ? threads : 64, 1, 1},
                                        .cluster = {2, 1, 1},
                                        .dynamic_smem = 32 << 10,
                                        .params = params,
                                        .param_bytes = PARAM_BYTES,
                                        .blocks_per_sm = 1,
                                        .step_limit = 5000};
        ran |= machine_launch(m, module, &launch, &e);
    }
    if (!ran && e.text[0] == '\0' && (ptx == NULL || ptx->kernel_count > 0))
        abort(); /* a failure without a reason */
    machine_unload(m, module);
    machine_close(m);
    return ran;
}

#endif
