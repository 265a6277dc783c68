#include "tuner/devices/emulator/clock_vector.h"

#include "generator/error.h"

#include <stdlib.h>
#include <string.h>

void clock_vector_clear(struct clock_vector *v)
{
    free(v->entries);
    *v = (struct clock_vector){0};
}

static void reserve(struct clock_vector *v, int count)
{
    if (count <= v->capacity)
        return;
    v->capacity = count * 2 + 4;
    v->entries = must_realloc(v->entries, (size_t)v->capacity * sizeof *v->entries);
}

/* The first entry whose key is not below `key`. */
static int position(const struct clock_vector *v, uint64_t key)
{
    int low = 0, high = v->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (v->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void clock_vector_raise(struct clock_vector *v, uint64_t key, uint32_t time)
{
    int at = position(v, key);
    if (at < v->count && v->entries[at].key == key) {
        if (v->entries[at].time < time)
            v->entries[at].time = time;
        return;
    }
    reserve(v, v->count + 1);
    memmove(v->entries + at + 1, v->entries + at, (size_t)(v->count - at) * sizeof *v->entries);
    v->entries[at] = (struct clock_entry){key, time};
    v->count++;
}

void clock_vector_join(struct clock_vector *v, const struct clock_vector *other)
{
    if (other->count == 0)
        return;
    int missing = 0;
    for (int i = 0, k = 0; k < other->count; k++) {
        while (i < v->count && v->entries[i].key < other->entries[k].key)
            i++;
        if (i < v->count && v->entries[i].key == other->entries[k].key) {
            if (v->entries[i].time < other->entries[k].time)
                v->entries[i].time = other->entries[k].time;
        } else {
            missing++;
        }
    }
    if (missing == 0)
        return;
    reserve(v, v->count + missing);
    /* Merged from the end, so that nothing is written over before it was read. */
    int i = v->count - 1, k = other->count - 1;
    v->count += missing;
    for (int to = v->count - 1; k >= 0; to--) {
        if (i >= 0 && v->entries[i].key >= other->entries[k].key) {
            k -= v->entries[i].key == other->entries[k].key;
            v->entries[to] = v->entries[i--];
        } else {
            v->entries[to] = other->entries[k--];
        }
    }
}

uint32_t clock_vector_time(const struct clock_vector *v, uint64_t key)
{
    if (v->count == 0)
        return 0;
    int at = position(v, key);
    return at < v->count && v->entries[at].key == key ? v->entries[at].time : 0;
}
