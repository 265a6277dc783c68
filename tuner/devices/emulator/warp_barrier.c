/* Barriers of blocks and clusters, and what it means when nobody can go on. */
#include "tuner/devices/emulator/data_race.h"
#include "tuner/devices/emulator/warp.h"

#include <string.h>

bool warp_members(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask,
                  uint32_t *members)
{
    const uint32_t *named = operand_at(m, w, i->e);
    int first = __builtin_ctz(mask);
    *members = named[first];
    for (int k = 0; k < WARP_LANES; k++) {
        if ((mask >> k & 1) == 0)
            continue;
        if (named[k] != *members)
            return machine_fail(m, w, i, k, "names the lanes 0x%08x, and thread %d the lanes 0x%08x",
                                named[k], thread_of(w, first), *members);
        if ((*members >> k & 1) == 0)
            return machine_fail(m, w, i, k, "is not among the lanes 0x%08x that it names", *members);
    }
    return true;
}

static void let_go(struct split *s)
{
    s->state = SPLIT_RUNS;
    s->pc++;
}

/* After some of the warp's splits were let go from outside it. */
static void wake(struct warp *w)
{
    w->block->runnable |= 1u << w->index;
    warp_settle(w);
}

static void write_reduction(struct warp *w, const struct instruction *i, const struct barrier *bar,
                            uint32_t mask)
{
    if (i->m.variant == VARIANT_POPC) {
        uint32_t values[WARP_LANES];
        for (int lane = 0; lane < WARP_LANES; lane++)
            values[lane] = (uint32_t)bar->reduced;
        write_lanes_32(w->registers + i->d, values, mask);
    } else {
        bool all = bar->reduced == bar->lanes, result = i->m.variant == VARIANT_AND ? all : bar->reduced > 0;
        write_predicate(w->registers + i->d, result ? UINT32_MAX : 0, mask);
    }
}

/* Lets those of the warp go that wait at the barrier; whether there were any. */
static bool leave_barrier(struct machine *m, struct warp *w, const struct barrier *bar, int id)
{
    bool any = false;
    for (int k = 0; k < w->split_count; k++) {
        struct split *s = &w->splits[k];
        if (s->state != SPLIT_WAITS_BARRIER || s->barrier != id)
            continue;
        const struct instruction *i = &m->program->code[s->pc];
        if (i->action == ACTION_BARRIER_REDUCE)
            write_reduction(w, i, bar, s->mask);
        if (bar->partial)
            race_learn(m, w, s->mask, &bar->clock);
        let_go(s);
        any = true;
    }
    return any;
}

static void open_barrier(struct machine *m, struct block *b, int id)
{
    struct barrier *bar = &b->barriers[id];
    for (int n = 0; n < b->warp_count; n++)
        if (leave_barrier(m, &b->warps[n], bar, id))
            wake(&b->warps[n]);
    if (!bar->partial)
        race_block_met(m, b);
    clock_vector_clear(&bar->clock);
    m->counts.barriers++;
    *bar = (struct barrier){0};
}

static uint32_t uniform(const struct machine *m, const struct warp *w, place p, uint32_t mask)
{
    return ((const uint32_t *)operand_at(m, w, p))[__builtin_ctz(mask)];
}

/* Begins the barrier, or checks that this arrival is of the same kind as the first. */
static bool join_barrier(struct machine *m, struct warp *w, const struct instruction *i, struct barrier *bar,
                         int expected)
{
    int all = w->block->warp_count * WARP_LANES, pc = w->splits[w->current].pc;
    bool partial = expected != all;
    if (!partial && w->block->live < w->block->threads)
        return machine_fail(
            m, w, i, __builtin_ctz(w->live),
            "a barrier that not all threads reach: %d of the block's %d threads have ended before it",
            w->block->threads - w->block->live, w->block->threads);
    if (bar->expected == 0) {
        bar->expected = expected;
        bar->partial = partial;
        bar->pc = pc;
        return true;
    }
    if (bar->expected != expected)
        return machine_fail(m, w, i, -1, "a barrier for %d threads meets one for %d", expected,
                            bar->expected);
    if (!partial && bar->pc != pc)
        return machine_fail(m, w, i, __builtin_ctz(w->live),
                            "a barrier that not all threads reach: others wait at the barrier of source:%d",
                            m->program->code[bar->pc].source_line);
    return true;
}

bool warp_barrier(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    struct block *b = w->block;
    uint32_t together = mask, number = uniform(m, w, i->a, mask);
    if (i->m.aligned && !warp_gather(m, w, mask, w->live, &together))
        return true;
    int all = b->warp_count * WARP_LANES;
    uint32_t expected = i->b == PLACE_NONE ? (uint32_t)all : uniform(m, w, i->b, mask);
    if (number >= BARRIERS)
        return machine_fail(m, w, i, -1, "there is no barrier %u", number);
    if (expected == 0 || expected % WARP_LANES != 0 || expected > (uint32_t)all)
        return machine_fail(m, w, i, -1, "a barrier for %u threads, where the block has %d", expected,
                            b->threads);
    struct barrier *bar = &b->barriers[number];
    if (!join_barrier(m, w, i, bar, (int)expected))
        return false;
    /* A warp that is not full counts as if it were. */
    bar->arrived += together == w->lanes ? WARP_LANES : __builtin_popcount(together);
    bar->lanes += __builtin_popcount(together);
    if (i->action == ACTION_BARRIER_REDUCE) {
        uint32_t p = *(const uint32_t *)operand_at(m, w, i->c);
        bar->reduced += __builtin_popcount((i->c_negated ? ~p : p) & together);
    }
    if (bar->arrived > bar->expected)
        return machine_fail(m, w, i, -1, "a barrier for %d threads is reached by %d", bar->expected,
                            bar->arrived);
    if (bar->partial)
        race_publish(m, w, together, &bar->clock);
    for (int k = 0; k < w->split_count; k++) {
        struct split *s = &w->splits[k];
        if ((s->mask & together) == 0)
            continue;
        s->state = i->m.arrive ? SPLIT_RUNS : SPLIT_WAITS_BARRIER;
        s->barrier = (int)number;
        s->pc += i->m.arrive;
    }
    if (i->m.arrive)
        warp_settle(w);
    if (bar->arrived == bar->expected)
        open_barrier(m, b, (int)number);
    return true;
}

/* ---- clusters ---- */

static bool leave_cluster(struct machine *m, struct warp *w, const struct clock_vector *clock)
{
    bool any = false;
    for (int k = 0; k < w->split_count; k++) {
        struct split *s = &w->splits[k];
        if (s->state != SPLIT_WAITS_CLUSTER)
            continue;
        race_learn(m, w, s->mask, clock);
        let_go(s);
        any = true;
    }
    return any;
}

static void open_cluster(struct machine *m, struct cluster *c)
{
    const struct clock_vector *clock = &c->clocks[c->phase++ & 1];
    c->arrived = 0;
    for (int r = 0; r < c->blocks; r++) {
        struct block *b = c->members[r];
        for (int n = 0; b != NULL && n < b->warp_count; n++)
            if (leave_cluster(m, &b->warps[n], clock))
                wake(&b->warps[n]);
    }
}

bool warp_cluster_arrive(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    struct cluster *c = w->block->cluster;
    uint32_t together = mask;
    if (i->m.aligned && !warp_gather(m, w, mask, w->live, &together))
        return true;
    if (c->left < c->threads)
        return machine_fail(m, w, i, -1,
                            "a cluster's barrier that not all threads reach: %d of %d have ended",
                            c->threads - c->left, c->threads);
    if (c->arrived == 0)
        clock_vector_clear(&c->clocks[c->phase & 1]);
    if (i->m.ordering != ORDERING_RELAXED)
        race_publish(m, w, together, &c->clocks[c->phase & 1]);
    else
        race_publish_fenced(w, together, &c->clocks[c->phase & 1]);
    c->arrived += __builtin_popcount(together);
    for (int k = 0; k < w->split_count; k++)
        if ((w->splits[k].mask & together) != 0)
            let_go(&w->splits[k]);
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (together >> lane & 1)
            w->cluster_phase[lane] = c->phase;
    warp_settle(w);
    if (c->arrived == c->threads)
        open_cluster(m, c);
    return true;
}

bool warp_cluster_wait(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    struct cluster *c = w->block->cluster;
    uint32_t together = mask;
    if (i->m.aligned && !warp_gather(m, w, mask, w->live, &together))
        return true;
    uint32_t phase = w->cluster_phase[__builtin_ctz(mask)];
    bool open = phase != c->phase;
    if (phase == NO_PHASE)
        return machine_fail(m, w, i, __builtin_ctz(mask),
                            "waits at a cluster's barrier without having arrived there");
    for (int k = 0; k < w->split_count; k++) {
        struct split *s = &w->splits[k];
        if ((s->mask & together) == 0)
            continue;
        if (open)
            race_learn(m, w, s->mask, &c->clocks[phase & 1]);
        s->state = open ? SPLIT_RUNS : SPLIT_WAITS_CLUSTER;
        s->pc += open;
    }
    for (int lane = 0; open && lane < WARP_LANES; lane++)
        if (together >> lane & 1)
            w->cluster_phase[lane] = NO_PHASE;
    if (open)
        warp_settle(w);
    return true;
}

/* ---- nobody can go on ---- */

static bool report_waiting_lanes(struct machine *m, const struct warp *w, const struct split *s)
{
    const struct instruction *i = &m->program->code[s->pc];
    uint32_t missing = s->members & w->live & ~s->asking;
    if (i->action == ACTION_BARRIER || i->action == ACTION_BARRIER_REDUCE ||
        i->action == ACTION_CLUSTER_ARRIVE || i->action == ACTION_CLUSTER_WAIT)
        return machine_fail(
            m, w, i, __builtin_ctz(s->mask),
            "a barrier in a divergent branch: lanes 0x%08x of the warp reach it, lanes 0x%08x do not",
            s->asking, missing);
    return machine_fail(m, w, i, __builtin_ctz(s->mask),
                        "names lanes 0x%08x, of which 0x%08x do not take part: they never come here",
                        s->members, missing);
}

static bool report_waiting_block(struct machine *m, const struct block *b, const struct warp *w,
                                 const struct split *s)
{
    const struct instruction *i = &m->program->code[s->pc];
    int lane = __builtin_ctz(s->mask);
    if (s->state == SPLIT_WAITS_CLUSTER)
        return machine_fail(m, w, i, lane, "a cluster's barrier that not all threads reach: %d of %d arrive",
                            b->cluster->arrived, b->cluster->threads);
    if (s->state == SPLIT_WAITS_MBARRIER)
        return report_waiting_mbarrier(m, b, w, s);
    const struct barrier *bar = &b->barriers[s->barrier];
    return machine_fail(m, w, i, lane, "a barrier that not all threads reach: %d of %d arrive, %d have ended",
                        bar->arrived, bar->expected, b->threads - b->live);
}

bool block_stuck(struct machine *m, struct block *b)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < b->warp_count; n++) {
            const struct warp *w = &b->warps[n];
            for (int k = 0; k < w->split_count; k++) {
                if (pass == 0 && w->splits[k].state == SPLIT_WAITS_WARP)
                    return report_waiting_lanes(m, w, &w->splits[k]);
                if (pass == 1)
                    return report_waiting_block(m, b, w, &w->splits[k]);
            }
        }
    }
    return error_set(m->error, STATUS_NONE_SURVIVED, "block %u cannot go on", b->number);
}
