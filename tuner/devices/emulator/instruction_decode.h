/* Makes one instruction ready to run: looks it up and checks its operands. Places name registers by their
   number in the kernel until register_places.c gives them their own. */
#ifndef TUNER_DEVICES_EMULATOR_INSTRUCTION_DECODE_H
#define TUNER_DEVICES_EMULATOR_INSTRUCTION_DECODE_H

#include "tuner/devices/emulator/instruction_lookup.h"
#include "tuner/devices/emulator/program.h"

struct decoder {
    const struct ptx_module *module;
    const struct ptx_kernel *kernel;
    const uint64_t *addresses; /* of the module's variables, in their state spaces */
    struct program *program;   /* gets constants and places */
    size_t constant_capacity;
    int place_capacity;
    const struct ptx_instruction *current;
    struct instruction *out;
    struct { /* the names looked up last, since a kernel uses few */
        const char *name;
        int length, operands;
        const struct table_line *line;
        struct modifiers m;
    } known[64];
    struct error *error;
};

/* One that names no register, with nothing else set. */
struct instruction instruction_without_operands(void);

bool instruction_decode(struct decoder *d, const struct ptx_instruction *in, struct instruction *out);

/* Calls `visit` with every register place of the instruction; `written` where the instruction writes it. */
typedef void place_visitor(void *context, place *p, bool written);
void instruction_places(struct program *p, struct instruction *i, place_visitor *visit, void *context);

#endif
