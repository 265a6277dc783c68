/* Small PTX kernels run on the emulator's machine. Line k of a body is line k of its source. */
#ifndef TESTS_EMULATOR_RUN_H
#define TESTS_EMULATOR_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/devices/emulator/machine.h"

enum { RUN_WORDS = 4096 };

/* What a kernel is run on, and what it left. The zero value is one warp. */
struct run {
    int grid, block, cluster; /* 0: 1, 32 and 1 */
    int dynamic_smem, blocks_per_sm, launches;
    bool cooperative;
    const char *declarations; /* in front of the kernel; NULL for none */
    uint64_t seed;
    /* Afterwards: */
    uint32_t out[RUN_WORDS];
    struct machine_counts counts;
    struct error error; /* empty text where all went well */
};

/* The kernel k(in, out, flags): `in` holds 0, 1, 2, ... in RUN_WORDS words, `out` as many that nobody wrote,
   `flags` 64 zeros. Their addresses are in %rd1 (in), %rd2 (out) and %rd3 (flags), the thread's index in %r1,
   the block's in %r2, four times the thread's index in %rd4. */
static inline char *run_text(const struct run *r, const char *body)
{
    size_t size = strlen(body) * 8 + 8192;
    char *text = must_malloc(size);
    int used =
        snprintf(text, size,
                 ".version 9.0\n.target sm_120\n.address_size 64\n%s\n"
                 ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 flags)\n{\n"
                 ".reg .pred %%p<20>;\n.reg .b16 %%h<20>;\n.reg .b32 %%r<60>;\n.reg .b32 %%f<60>;\n"
                 ".reg .b64 %%rd<40>;\n.reg .b64 %%fd<20>;\n"
                 "ld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, [out];\nld.param.u64 %%rd3, [flags];\n"
                 "cvta.to.global.u64 %%rd1, %%rd1;\ncvta.to.global.u64 %%rd2, %%rd2;\n"
                 "cvta.to.global.u64 %%rd3, %%rd3;\n"
                 "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nmul.wide.u32 %%rd4, %%r1, 4;\n",
                 r->declarations != NULL ? r->declarations : "");
    int line = 1;
    for (const char *at = body; *at != '\0'; line++) {
        const char *end = strchr(at, '\n');
        int length = end != NULL ? (int)(end - at) : (int)strlen(at);
        used += snprintf(text + used, size - (size_t)used, ".loc 1 %d 0\n%.*s\n", line, length, at);
        at += length + (end != NULL);
    }
    snprintf(text + used, size - (size_t)used, "ret;\n}\n");
    return text;
}

static inline uint64_t run_buffer(struct machine *m, size_t words, bool written)
{
    uint64_t address = machine_allocate(m, words * 4, 256);
    uint32_t *data = (void *)machine_memory(m, address, words * 4);
    for (size_t i = 0; i < words; i++)
        data[i] = words == RUN_WORDS ? (uint32_t)i : 0;
    if (written)
        machine_written(m, address, words * 4);
    return address;
}

static inline bool run_ptx(struct run *r, const char *body)
{
    r->error.text[0] = '\0';
    struct machine *m =
        machine_open(&(struct machine_options){.sms = 4, .smem_per_block = 99 << 10, .seed = r->seed});
    uint64_t params[3] = {run_buffer(m, RUN_WORDS, true), run_buffer(m, RUN_WORDS, false),
                          run_buffer(m, 64, true)};
    char *text = run_text(r, body);
    struct machine_module *module = machine_load(m, text, strlen(text), &r->error);
    struct machine_launch launch = {.kernel = "k",
                                    .grid = {r->grid > 0 ? r->grid : 1, 1, 1},
                                    .block = {r->block > 0 ? r->block : 32, 1, 1},
                                    .cluster = {r->cluster > 0 ? r->cluster : 1, 1, 1},
                                    .dynamic_smem = r->dynamic_smem,
                                    .params = params,
                                    .param_bytes = sizeof params,
                                    .blocks_per_sm = r->blocks_per_sm > 0 ? r->blocks_per_sm : 2,
                                    .cooperative = r->cooperative,
                                    .step_limit = 100000};
    bool good = module != NULL;
    for (int i = 0; good && i < (r->launches > 0 ? r->launches : 1); i++)
        good = machine_launch(m, module, &launch, &r->error);
    memcpy(r->out, machine_memory(m, params[1], sizeof r->out), sizeof r->out);
    r->counts = *machine_counts(m);
    machine_unload(m, module);
    machine_close(m);
    free(text);
    return good;
}

/* The kernel is right. */
static inline void run_right(struct run *r, const char *body)
{
    if (!run_ptx(r, body))
        fail_msg("%s", r->error.text);
}

/* The kernel is wrong, and the message holds `text`. */
static inline void run_wrong(struct run *r, const char *body, const char *text)
{
    if (run_ptx(r, body))
        fail_msg("accepted, though: %s", text);
    if (strstr(r->error.text, text) == NULL)
        fail_msg("'%s' does not say '%s'", r->error.text, text);
}

#endif
