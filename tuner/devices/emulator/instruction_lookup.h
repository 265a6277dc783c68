/* Finds an instruction's line in instruction_table.h by its name. */
#ifndef TUNER_DEVICES_EMULATOR_INSTRUCTION_LOOKUP_H
#define TUNER_DEVICES_EMULATOR_INSTRUCTION_LOOKUP_H

#include "tuner/devices/emulator/program.h"

/* The kind of register an operand needs: f and w 32 bits (f: a float, which .ftz may flush), l 64, h 16, c 8,
   p a predicate, - no operand. */
struct table_line {
    const char *pattern;
    enum action action;
    enum pipe pipe;
    enum lane_id lane;
    char shape[4]; /* of d, a, b, c */
};

/* NULL where no line matches the name (not NUL-terminated) with that many operands. */
const struct table_line *instruction_lookup(const char *name, int length, int operands, struct modifiers *m);

/* Lines of the table, for the tests: NULL past the last. */
const struct table_line *instruction_line(int index);

#endif
