/* PTX text as data: variables, kernels, and instructions whose names are resolved but whose meaning is not
   yet looked up (program.h does that). */
#ifndef TUNER_DEVICES_EMULATOR_PTX_MODULE_H
#define TUNER_DEVICES_EMULATOR_PTX_MODULE_H

#include "generator/error.h"

#include <stdint.h>

enum state_space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_CONST,
    SPACE_SHARED,
    SPACE_CLUSTER,
    SPACE_LOCAL,
    SPACE_PARAM
};

struct ptx_variable {
    char *name; /* owned */
    enum state_space space;
    int64_t size; /* bytes; 0 for `.extern .shared name[]` */
    int align;
    unsigned char *initial; /* owned, `size` bytes: global and const only, zeros where nothing is given */
    int64_t offset;         /* of a parameter: in the parameter block */
};

/* Registers that the hardware sets. The order is that of the names in ptx_special.c. */
enum special_register {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_NWARPID,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_GRIDID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_CLUSTERID_X,
    SPECIAL_CLUSTERID_Y,
    SPECIAL_CLUSTERID_Z,
    SPECIAL_NCLUSTERID_X,
    SPECIAL_NCLUSTERID_Y,
    SPECIAL_NCLUSTERID_Z,
    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y,
    SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_NCTAID_X,
    SPECIAL_CLUSTER_NCTAID_Y,
    SPECIAL_CLUSTER_NCTAID_Z,
    SPECIAL_CLUSTER_CTARANK,
    SPECIAL_CLUSTER_NCTARANK,
    SPECIAL_CLOCK,
    SPECIAL_CLOCK64,
    SPECIAL_GLOBALTIMER,
    SPECIAL_GLOBALTIMER_LO,
    SPECIAL_DYNAMIC_SMEM_SIZE,
    SPECIAL_TOTAL_SMEM_SIZE,
    SPECIAL_COUNT
};

const char *special_register_name(enum special_register s);
/* SPECIAL_COUNT where there is no such register. */
enum special_register special_register_find(const char *name, int length);

enum operand_kind {
    OPERAND_REGISTER,  /* index: the register */
    OPERAND_IMMEDIATE, /* bits and width of the literal */
    OPERAND_SPECIAL,   /* index: enum special_register */
    OPERAND_VARIABLE,  /* index: the variable, whose address plus `offset` is meant */
    OPERAND_LABEL,     /* index: the instruction it stands before */
    OPERAND_ADDRESS,   /* [base + offset]: `base` says what index is */
    OPERAND_VECTOR,    /* {a, b} or p|q: `index` is the first of `count` operands in ptx_kernel.operands */
    OPERAND_SINK,      /* _ */
};

struct ptx_operand {
    enum operand_kind kind, base;
    int index, count;
    bool negated;  /* !p */
    bool is_float; /* a literal that was written as a float of `width` bits */
    int width;
    uint64_t bits;
    int64_t offset;
};

struct ptx_instruction {
    const char *name; /* "ld.global.v4.f32": into the module's text */
    int name_length;
    int guard; /* the predicate register of @p, or -1 */
    bool guard_negated;
    int first_operand, operand_count;
    int line;        /* in the PTX, from 1 */
    int source_line; /* in the source, from 1; 0 where the PTX does not say */
};

struct ptx_kernel {
    char *name; /* owned */
    int param_bytes;
    unsigned char *register_bits; /* owned: of each register 1 (predicate), 8, 16, 32 or 64 */
    int register_count;
    struct ptx_instruction *instructions; /* owned; an index may be instruction_count: the end */
    int instruction_count;
    struct ptx_operand *operands; /* owned */
    int operand_count;
    int max_threads; /* of a block, from .maxntid or .reqntid; 0 where none is given */
    int cluster[3];  /* .reqnctapercluster; 0 where none is given */
};

struct ptx_module {
    char *text;  /* owned: a copy of the PTX */
    int version; /* 90 for .version 9.0 */
    char target[16];
    struct ptx_variable *variables; /* owned; those of all kernels */
    int variable_count;
    struct ptx_kernel *kernels; /* owned */
    int kernel_count;
};

/* Parses `size` bytes of PTX. The module is freed by ptx_module_free(); NULL and one line in `e` otherwise.
 */
struct ptx_module *ptx_module_parse(const char *text, size_t size, struct error *e);
void ptx_module_free(struct ptx_module *module);

const struct ptx_kernel *ptx_module_kernel(const struct ptx_module *module, const char *name); /* or NULL */

#endif
