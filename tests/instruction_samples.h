/* Small PTX programs, one for each form of each instruction that the emulator knows, with their inputs: run
   on a GPU they give the answers that the emulator is held to. */
#ifndef TESTS_INSTRUCTION_SAMPLES_H
#define TESTS_INSTRUCTION_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_LANES = 32, SAMPLE_OPERANDS = 3, SAMPLE_NAME_SIZE = 96 };

struct instruction_sample {
    char name[SAMPLE_NAME_SIZE]; /* "add.rz.ftz.f32" */
    char result;                 /* the result's kind: as in struct table_line, p a predicate */
    char text[4096]; /* a module with the kernel k(in, out): one warp; a lane reads three 64-bit words of
                        `in` and writes one of `out` */
    uint64_t in[SAMPLE_LANES * SAMPLE_OPERANDS];
};

/* The index-th sample; false past the last. */
bool instruction_sample(int index, struct instruction_sample *s);

/* How far an answer of the emulator may be from the GPU's: what the PTX manual states for an approximate
   instruction, twice, since either may be off; 0 for one that is exact. `*absolute` where it is not relative
   to the result. */
double instruction_tolerance(const char *name, double *absolute);

#endif
