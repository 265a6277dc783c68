#include "tuner/devices/emulator/register_places.h"

#include "tuner/devices/emulator/instruction_decode.h"

#include <stdlib.h>
#include <string.h>

/* Where a register is live: the span of the code from its first to its last use, with the blocks through
   which its value passes. Ends before it begins for a register that is not used. */
struct span {
    int first, last;
    int reg;
};

struct liveness {
    int words;              /* of a set of registers */
    uint64_t *in, *defined; /* owned: sets, one a block: live on entry; wholly written before any use */
    int block, at;          /* what is being visited */
    bool unconditional;
    struct span *spans; /* owned */
};

static uint64_t *set_of(const struct liveness *l, uint64_t *sets, int block)
{
    return sets + (size_t)block * (size_t)l->words;
}

static bool in_set(const uint64_t *set, int reg)
{
    return set[reg / 64] >> (reg % 64) & 1;
}

/* Visits reads before writes, as instruction_places() does: a read that no write comes before makes the
   register live on entry. A guarded write leaves the old value in some lanes, so it defines nothing. */
static void visit_upward(void *context, place *p, bool written)
{
    struct liveness *l = context;
    int reg = (int)*p;
    uint64_t *in = set_of(l, l->in, l->block), *defined = set_of(l, l->defined, l->block);
    if ((!written || !l->unconditional) && !in_set(defined, reg))
        in[reg / 64] |= UINT64_C(1) << (reg % 64);
    if (written && l->unconditional)
        defined[reg / 64] |= UINT64_C(1) << (reg % 64);
    if (l->at < l->spans[reg].first)
        l->spans[reg].first = l->at;
    if (l->at > l->spans[reg].last)
        l->spans[reg].last = l->at;
}

/* in = used or (out - defined), until nothing changes. */
static void propagate(struct liveness *l, const struct flow *f)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = f->count - 1; b >= 0; b--) {
            uint64_t *in = set_of(l, l->in, b), *defined = set_of(l, l->defined, b);
            for (int s = 0; s < 2; s++) {
                if (f->blocks[b].successors[s] < 0)
                    continue;
                const uint64_t *out = set_of(l, l->in, f->blocks[b].successors[s]);
                for (int w = 0; w < l->words; w++) {
                    uint64_t grown = in[w] | (out[w] & ~defined[w]);
                    changed |= grown != in[w];
                    in[w] = grown;
                }
            }
        }
    }
}

static void cover(struct liveness *l, const uint64_t *set, int at)
{
    for (int w = 0; w < l->words; w++) {
        for (uint64_t left = set[w]; left != 0; left &= left - 1) {
            struct span *s = &l->spans[w * 64 + __builtin_ctzll(left)];
            s->first = at < s->first ? at : s->first;
            s->last = at > s->last ? at : s->last;
        }
    }
}

static int by_first(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->reg > y->reg) - (x->reg < y->reg);
}

static int by_last(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->last != y->last ? (x->last > y->last) - (x->last < y->last)
                              : (x->reg > y->reg) - (x->reg < y->reg);
}

/* Free places of one size, as a stack. */
struct pool {
    place *free; /* owned */
    int count;
    int bytes;
};

static struct pool *pool_of(struct pool pools[3], int bits)
{
    return &pools[bits == 1 ? 0 : bits == 64 ? 2 : 1];
}

/* Walks the spans as they begin, taking back what ended before. */
static void assign(struct program *p, struct span *starts, const unsigned char *bits, int count,
                   place *places)
{
    struct span *ends = must_malloc(((size_t)count + 1) * sizeof *ends);
    memcpy(ends, starts, (size_t)count * sizeof *ends);
    qsort(starts, (size_t)count, sizeof *starts, by_first);
    qsort(ends, (size_t)count, sizeof *ends, by_last);
    struct pool pools[3] = {{.bytes = 4}, {.bytes = WARP_LANES * 4}, {.bytes = WARP_LANES * 8}};
    for (int k = 0; k < 3; k++)
        pools[k].free = must_malloc(((size_t)count + 1) * sizeof(place));
    /* Places are dealt out per pool and put behind each other at the end. */
    int used[3] = {0};
    for (int s = 0, ended = 0; s < count; s++) {
        for (; ended < count && ends[ended].last < starts[s].first; ended++) {
            if (ends[ended].last < ends[ended].first)
                continue; /* never used */
            struct pool *pool = pool_of(pools, bits[ends[ended].reg]);
            pool->free[pool->count++] = places[ends[ended].reg];
        }
        if (starts[s].last < starts[s].first)
            continue;
        struct pool *pool = pool_of(pools, bits[starts[s].reg]);
        places[starts[s].reg] = pool->count > 0 ? pool->free[--pool->count] : (place)used[pool - pools]++;
    }
    place begins[3] = {0, (place)((used[0] * 4 + 63) / 64 * 64), 0};
    begins[2] = begins[1] + (place)(used[1] * pools[1].bytes);
    p->register_bytes = (int)begins[2] + used[2] * pools[2].bytes;
    for (int s = 0; s < count; s++) {
        int k = (int)(pool_of(pools, bits[s]) - pools);
        places[s] = begins[k] + places[s] * (place)pools[k].bytes;
    }
    for (int k = 0; k < 3; k++)
        free(pools[k].free);
    free(ends);
}

static void visit_rewrite(void *context, place *p, bool written)
{
    (void)written;
    *p = ((const place *)context)[*p];
}

void register_places_assign(struct program *p, const struct flow *f, const unsigned char *bits, int count)
{
    struct liveness l = {.words = (count + 63) / 64};
    size_t set_words = (size_t)f->count * (size_t)l.words + 1;
    l.in = must_calloc(set_words, sizeof *l.in);
    l.defined = must_calloc(set_words, sizeof *l.defined);
    l.spans = must_malloc(((size_t)count + 1) * sizeof *l.spans);
    for (int r = 0; r < count; r++)
        l.spans[r] = (struct span){.first = INT32_MAX, .last = -1, .reg = r};
    for (l.block = 0; l.block < f->count; l.block++) {
        for (l.at = f->blocks[l.block].first; l.at <= f->blocks[l.block].last; l.at++) {
            l.unconditional = p->code[l.at].guard == PLACE_NONE;
            instruction_places(p, &p->code[l.at], visit_upward, &l);
        }
    }
    propagate(&l, f);
    for (int b = 0; b < f->count; b++) {
        cover(&l, set_of(&l, l.in, b), f->blocks[b].first);
        for (int s = 0; s < 2; s++)
            if (f->blocks[b].successors[s] >= 0)
                cover(&l, set_of(&l, l.in, f->blocks[b].successors[s]), f->blocks[b].last);
    }
    place *places = must_calloc((size_t)count + 1, sizeof *places);
    assign(p, l.spans, bits, count, places);
    for (int i = 0; i < p->code_count; i++)
        instruction_places(p, &p->code[i], visit_rewrite, places);
    free(places);
    free(l.in);
    free(l.defined);
    free(l.spans);
}
