/* The machine: global memory and the execution of launches, with checks and counts. It knows PTX, and nothing
   of problems or plans (emulator_device.c does).

   Everything is deterministic: the same calls with the same seed give the same results, errors and counts. */
#ifndef TUNER_DEVICES_EMULATOR_MACHINE_H
#define TUNER_DEVICES_EMULATOR_MACHINE_H

#include "generator/error.h"
#include "tuner/devices/emulator/program.h"

#include <stddef.h>

struct machine;
struct machine_module;

struct machine_options {
    int sms;            /* 1 or more */
    int smem_per_block; /* bytes that a block may have */
    uint64_t seed;      /* of the order in which blocks and warps run */
};

/* Counters of the launches since the last reset. A warp counts an instruction once, whatever lanes are
   active; what is predicated off in all lanes counts as control. */
struct machine_counts {
    int64_t pipes[PIPE_COUNT];
    int64_t thread_instructions; /* active lanes, summed */
    int64_t global_load_requests, global_load_sectors,
        global_load_bytes; /* sectors: distinct 32 bytes of a request */
    int64_t global_store_requests, global_store_sectors,
        global_store_bytes; /* bytes: those the lanes asked for */
    int64_t shared_wavefronts;
    int64_t barriers; /* block barriers that completed, once a block */
    int64_t divergent_branches, atomics;
    int64_t same_value_writes; /* the note: races in which both wrote the same */
};

struct machine_launch {
    const char *kernel;
    int64_t grid[3];
    int block[3], cluster[3]; /* cluster: 1, 1, 1 without */
    int dynamic_smem;         /* bytes */
    const void *params;       /* the parameter block, laid out as the kernel's parameters are */
    int param_bytes;
    int blocks_per_sm;  /* that fit: no more than sms * blocks_per_sm blocks are resident at a time */
    bool cooperative;   /* all blocks must fit */
    int64_t step_limit; /* instructions of one warp, and of all together with no store among them; 0: 64 Mi */
};

struct machine *machine_open(const struct machine_options *options);
void machine_close(struct machine *m);

/* Global memory at an address that `align` (a power of two) divides and 2 * align does not. Never written, as
   far as the checks go, until machine_write() or a kernel does. */
uint64_t machine_allocate(struct machine *m, size_t bytes, size_t align);
void machine_release(struct machine *m, uint64_t address);

/* The bytes behind an address, for the host to read; NULL where [address, address + bytes) is not allocated.
   What the host writes there counts once machine_written() is called for it. */
unsigned char *machine_memory(struct machine *m, uint64_t address, size_t bytes);
void machine_written(struct machine *m, uint64_t address, size_t bytes);
/* Makes the memory as if it had never been written. */
void machine_unwritten(struct machine *m, uint64_t address, size_t bytes);

/* Parses a module and makes all its kernels ready. Freed by machine_unload(); NULL and `e` otherwise. */
struct machine_module *machine_load(struct machine *m, const char *ptx, size_t size, struct error *e);
void machine_unload(struct machine *m, struct machine_module *module);
const struct program *machine_program(const struct machine_module *module, const char *kernel); /* or NULL */
const struct ptx_module *machine_ptx(const struct machine_module *module);

/* Runs a launch to its end. What the checks find is one line in `e`:
   "source:41: block 3, thread 17: reads 4 bytes at 0x..., 8 bytes beyond the end of a buffer of 1024 bytes".
 */
bool machine_launch(struct machine *m, const struct machine_module *module,
                    const struct machine_launch *launch, struct error *e);

const struct machine_counts *machine_counts(const struct machine *m);
void machine_counts_reset(struct machine *m);

#endif
