#include "tuner/devices/emulator/ptx_symbols.h"

#include "generator/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = sizeof((struct symbol_table *)0)->buckets / sizeof(int) };

void symbols_start(struct symbol_table *t)
{
    memset(t, 0, sizeof *t);
    for (int i = 0; i < BUCKETS; i++)
        t->buckets[i] = -1;
}

void symbols_clear(struct symbol_table *t)
{
    free(t->symbols);
    t->symbols = NULL;
}

static int bucket_of(const char *name, int length)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return (int)(hash % BUCKETS);
}

static int find(const struct symbol_table *t, const char *name, int length, bool range)
{
    int i = t->buckets[bucket_of(name, length)];
    while (i >= 0 &&
           !(t->symbols[i].length == length && (t->symbols[i].kind == SYMBOL_REGISTER_RANGE) == range &&
             memcmp(t->symbols[i].name, name, (size_t)length) == 0))
        i = t->symbols[i].next;
    return i;
}

bool symbols_add(struct symbol_table *t, int scope, struct symbol symbol)
{
    if (find(t, symbol.name, symbol.length, symbol.kind == SYMBOL_REGISTER_RANGE) >= scope)
        return false;
    if (t->count == t->capacity) {
        t->capacity = t->capacity * 2 + 64;
        t->symbols = must_realloc(t->symbols, (size_t)t->capacity * sizeof *t->symbols);
    }
    int *bucket = &t->buckets[bucket_of(symbol.name, symbol.length)];
    symbol.next = *bucket;
    *bucket = t->count;
    t->symbols[t->count++] = symbol;
    return true;
}

const struct symbol *symbols_find(const struct symbol_table *t, const char *name, int length)
{
    int i = find(t, name, length, false);
    return i < 0 ? NULL : &t->symbols[i];
}

int symbols_find_in_range(const struct symbol_table *t, const char *name, int length)
{
    int digits = 0;
    while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        digits++;
    /* The range's own name may end in digits ("%v1<4>" holds %v12), so every split is tried. */
    for (int taken = 1; taken <= digits && taken <= 9; taken++) {
        int i = find(t, name, length - taken, true);
        if (i < 0)
            continue;
        int number = 0;
        for (int k = length - taken; k < length; k++)
            number = number * 10 + (name[k] - '0');
        if (number < t->symbols[i].limit)
            return t->symbols[i].index + number;
    }
    return -1;
}

void symbols_leave(struct symbol_table *t, int scope)
{
    while (t->count > scope) {
        struct symbol *last = &t->symbols[--t->count];
        t->buckets[bucket_of(last->name, last->length)] = last->next;
    }
}
