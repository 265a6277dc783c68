/* Names in scopes, for the parser: registers, variables and labels of a function and of the blocks within it.
 */
#ifndef TUNER_DEVICES_EMULATOR_PTX_SYMBOLS_H
#define TUNER_DEVICES_EMULATOR_PTX_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

enum symbol_kind { SYMBOL_REGISTER, SYMBOL_REGISTER_RANGE, SYMBOL_VARIABLE, SYMBOL_LABEL };

struct symbol {
    const char *name; /* into the module's text */
    int length;
    enum symbol_kind kind;
    int index; /* register, variable, instruction; of a range the first register */
    int limit; /* of a range: the registers are name0 to name(limit - 1) */
    int next;  /* in its bucket */
};

struct symbol_table {
    struct symbol *symbols; /* owned */
    int count, capacity;
    int buckets[1024];
};

void symbols_start(struct symbol_table *t);
void symbols_clear(struct symbol_table *t);

/* False where the name is already there since the scope that begins at `scope` (a former count). */
bool symbols_add(struct symbol_table *t, int scope, struct symbol symbol);
/* The innermost symbol of that name, or NULL. */
const struct symbol *symbols_find(const struct symbol_table *t, const char *name, int length);
/* The register `name` of a range, or -1. */
int symbols_find_in_range(const struct symbol_table *t, const char *name, int length);
/* Leaves a scope: forgets every symbol from `scope` on. */
void symbols_leave(struct symbol_table *t, int scope);

#endif
