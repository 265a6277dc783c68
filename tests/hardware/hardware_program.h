/* A small PTX program for each line of hardware_instructions.h, its inputs, and its run on a device. */
#ifndef TESTS_HARDWARE_HARDWARE_PROGRAM_H
#define TESTS_HARDWARE_HARDWARE_PROGRAM_H

#include "tuner/devices/device.h"

/* Threads of a program, each with inputs of its own: pairs of special values, then random bits. */
enum { PROGRAM_THREADS = 4096, PROGRAM_BLOCK = 128 };

/* Of an operand: the width of its register, what its inputs are, and which results are a NaN. */
enum operand_type {
    OPERAND_none,
    OPERAND_pred,
    OPERAND_u16,
    OPERAND_u32,
    OPERAND_u64,
    OPERAND_f16,
    OPERAND_bf16,
    OPERAND_f16x2,
    OPERAND_bf16x2,
    OPERAND_f32,
    OPERAND_f64,
    OPERAND_amount,    /* 32 bits: of a shift, most below 70 */
    OPERAND_amounts,   /* 32 bits: the low two bytes are amounts */
    OPERAND_divisor16, /* not 0, which PTX does not define */
    OPERAND_divisor32,
    OPERAND_divisor64
};

/* exact, or whose error the PTX manual states: a function of test_hardware.c for each. */
enum rule {
    RULE_exact,
    RULE_div_full,
    RULE_div_approx,
    RULE_rcp,
    RULE_sqrt,
    RULE_rsqrt,
    RULE_ex2,
    RULE_lg2,
    RULE_tanh,
    RULE_ex2_f16,
    RULE_ex2_bf16
};

struct instruction {
    const char *text; /* the operation alone, or with its operands */
    enum operand_type d, inputs[3];
    enum rule rule;
    bool written, cluster; /* the text is whole; it runs in clusters of two blocks */
};

extern const struct instruction hardware_instructions[];
extern const int hardware_instruction_count;

/* The caller's, free(). */
char *program_text(const struct instruction *i);

/* a, b, c and a again, for each thread. */
void program_inputs(const struct instruction *i, uint64_t inputs[PROGRAM_THREADS][4]);

/* What the instruction's answers are filed under: its program and its inputs. */
uint64_t program_hash(const struct instruction *i);

/* Each thread's result, zero above the result's width. */
bool program_run(const struct instruction *i, struct device *d, uint64_t results[PROGRAM_THREADS],
                 struct error *e);

/* The result with one pattern for every NaN. */
uint64_t program_canonical(enum operand_type type, uint64_t result);

#endif
