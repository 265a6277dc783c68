/* What the two halves of the parser share: ptx_module.c reads declarations, ptx_statement.c instructions. */
#ifndef TUNER_DEVICES_EMULATOR_PTX_PARSER_H
#define TUNER_DEVICES_EMULATOR_PTX_PARSER_H

#include "tuner/devices/emulator/ptx_lexer.h"
#include "tuner/devices/emulator/ptx_module.h"
#include "tuner/devices/emulator/ptx_symbols.h"

/* A branch whose label was not met yet. */
struct label_use {
    const char *name;
    int length;
    int operand; /* in the kernel's operands */
    int line;
};

struct parser {
    struct ptx_module *module;
    struct lexer lexer;
    struct token token; /* the next one, not yet taken */
    struct symbol_table symbols;
    struct ptx_kernel *kernel; /* the one being read, or NULL */
    int scope;                 /* where the innermost scope begins in `symbols` */
    int depth;                 /* of blocks inside the kernel */
    struct label_use *uses;    /* owned */
    int use_count, use_capacity;
    int instruction_capacity, operand_capacity, register_capacity, variable_capacity, kernel_capacity;
    int64_t data_bytes; /* of initial values so far */
    int source_line;    /* of the last .loc */
    struct error *error;
};

/* Takes the next token. */
void parser_advance(struct parser *p);
/* Fails: "PTX line 12: <text>, at 'token'". Always false. */
bool parser_fail(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes the token when it is `text`; false, and nothing taken, otherwise. */
bool parser_accept(struct parser *p, const char *text);
/* As accept, but its absence is an error. */
bool parser_expect(struct parser *p, const char *text);
bool parser_integer(struct parser *p, int64_t *value, int64_t low, int64_t high);

/* A declaration of a variable or of registers, from its directive (.shared, .reg) to the semicolon. */
bool parser_variable(struct parser *p, enum state_space space);
bool parser_registers(struct parser *p);

/* The body of a kernel, from its { to its }. */
bool parser_body(struct parser *p);

/* Room for one more element of an array that doubles. */
#define PARSER_GROW(array, count, capacity)                                                                  \
    do {                                                                                                     \
        if ((count) == (capacity)) {                                                                         \
            (capacity) = (capacity)*2 + 16;                                                                  \
            (array) = must_realloc((array), (size_t)(capacity) * sizeof *(array));                           \
        }                                                                                                    \
    } while (0)

#endif
