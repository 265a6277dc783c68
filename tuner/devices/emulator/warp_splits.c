/* Divergence and reconvergence: which lanes of a warp run together. */
#include "tuner/devices/emulator/warp.h"

void warp_start(struct warp *w, int threads_left)
{
    w->lanes = threads_left >= WARP_LANES ? UINT32_MAX : (1u << threads_left) - 1;
    w->live = w->lanes;
    w->splits[0] = (struct split){.join = -1, .mask = w->lanes};
    w->split_count = 1;
}

static void drop_split(struct warp *w, int index)
{
    w->splits[index] = w->splits[--w->split_count];
}

/* Splits at their joins' pc are taken there. */
static bool arrive(struct warp *w)
{
    bool any = false;
    for (int k = 0; k < w->split_count;) {
        struct split *s = &w->splits[k];
        if (s->state != SPLIT_RUNS || s->join < 0 || w->joins[s->join].pc != s->pc) {
            k++;
            continue;
        }
        w->joins[s->join].arrived |= s->mask;
        drop_split(w, k);
        any = true;
    }
    return any;
}

/* Joins that all lanes have come to go on as one split. */
static bool leave_joins(struct warp *w)
{
    bool any = false;
    while (w->join_count > 0 && w->joins[w->join_count - 1].expected == 0)
        w->join_count--;
    for (int k = 0; k < w->join_count; k++) {
        struct join *j = &w->joins[k];
        if (j->expected == 0 || j->arrived != j->expected)
            continue;
        w->splits[w->split_count++] = (struct split){.pc = j->pc, .join = j->parent, .mask = j->arrived};
        j->expected = 0;
        any = true;
    }
    return any;
}

/* Splits that run from the same place to the same join are one. */
static void merge(struct warp *w)
{
    for (int k = 0; k < w->split_count; k++) {
        for (int n = k + 1; n < w->split_count;) {
            const struct split *a = &w->splits[k], *b = &w->splits[n];
            if (a->state != SPLIT_RUNS || b->state != SPLIT_RUNS || a->pc != b->pc || a->join != b->join) {
                n++;
                continue;
            }
            w->splits[k].mask |= b->mask;
            drop_split(w, n);
        }
    }
}

void warp_settle(struct warp *w)
{
    bool any;
    do {
        any = arrive(w);
        any = leave_joins(w) || any;
    } while (any);
    if (w->split_count > 1)
        merge(w);
    if (w->current >= w->split_count || w->splits[w->current].state != SPLIT_RUNS) {
        w->current = w->split_count > 0 ? w->current % w->split_count : 0;
        warp_switch(w);
    }
}

bool warp_has_waiting_lanes(const struct warp *w)
{
    for (int k = 0; k < w->join_count; k++)
        if (w->joins[k].expected != 0 && w->joins[k].arrived != 0)
            return true;
    return false;
}

void warp_stop_waiting(struct warp *w)
{
    for (int k = 0; k < w->join_count; k++) {
        struct join *j = &w->joins[k];
        if (j->expected == 0 || j->arrived == 0)
            continue;
        w->splits[w->split_count++] = (struct split){.pc = j->pc, .join = j->parent, .mask = j->arrived};
        j->expected &= ~j->arrived;
        j->arrived = 0;
    }
    warp_settle(w);
}

static int free_join(struct warp *w)
{
    int index = 0;
    while (index < w->join_count && w->joins[index].expected != 0)
        index++;
    if (index == w->join_count && index < JOINS_MAX)
        w->join_count++;
    return index;
}

void warp_diverge(struct machine *m, struct warp *w, uint32_t taken, int target, int next, int join)
{
    struct split *s = &w->splits[w->current];
    int parent = s->join, index = parent;
    bool at_end = join >= m->program->code_count;
    if (!at_end && (parent < 0 || w->joins[parent].pc != join)) {
        index = free_join(w);
        if (index == JOINS_MAX)
            index = parent; /* without a join the lanes stay apart for longer, and are right all the same */
        else
            w->joins[index] = (struct join){.pc = join, .parent = parent, .expected = s->mask};
    }
    s->mask &= ~taken;
    s->pc = next;
    s->join = index;
    w->splits[w->split_count] = (struct split){.pc = target, .join = index, .mask = taken};
    /* Splits have lanes of their own, so there is room for every one. Which goes first is left to chance. */
    if (machine_random(m) & 1)
        w->current = w->split_count;
    w->split_count++;
    warp_settle(w);
}

void warp_exit(struct warp *w, uint32_t lanes)
{
    struct split *s = &w->splits[w->current];
    w->live &= ~lanes;
    s->mask &= ~lanes;
    if (s->mask == 0)
        drop_split(w, w->current);
    for (int k = 0; k < w->join_count; k++)
        w->joins[k].expected &= ~lanes;
    warp_settle(w);
}

bool warp_switch(struct warp *w)
{
    for (int n = 1; n <= w->split_count; n++) {
        int index = (w->current + n) % w->split_count;
        if (w->splits[index].state == SPLIT_RUNS) {
            w->current = index;
            return true;
        }
    }
    return false;
}

/* Warp barriers may be met by different instructions, everything else only by the same one. */
static bool meets(const struct machine *m, const struct split *a, const struct split *b)
{
    return a->pc == b->pc || (m->program->code[a->pc].action == ACTION_WARP_BARRIER &&
                              m->program->code[b->pc].action == ACTION_WARP_BARRIER);
}

bool warp_gather(struct machine *m, struct warp *w, uint32_t asking, uint32_t members, uint32_t *together)
{
    struct split *current = &w->splits[w->current];
    uint32_t wanted = members & w->live, here = asking;
    for (int k = 0; (wanted & ~here) != 0 && k < w->split_count; k++) {
        const struct split *s = &w->splits[k];
        if (k != w->current && s->state == SPLIT_WAITS_WARP && meets(m, s, current) && s->members == members)
            here |= s->asking;
    }
    if ((wanted & ~here) != 0) {
        current->state = SPLIT_WAITS_WARP;
        current->members = members;
        current->asking = asking;
        return false;
    }
    *together = here;
    return true;
}

void warp_release_gathered(struct warp *w, uint32_t together)
{
    for (int k = 0; k < w->split_count; k++) {
        struct split *s = &w->splits[k];
        if (k == w->current || s->state != SPLIT_WAITS_WARP || (s->asking & ~together) != 0)
            continue;
        s->state = SPLIT_RUNS;
        s->pc++;
    }
}
