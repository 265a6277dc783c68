/* Transaction barriers in shared memory, and the asynchronous stores that count at them. */
#include "tuner/devices/emulator/memory_access.h"
#include "tuner/devices/emulator/warp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNT_MOST = (1 << 20) - 1, /* arrivals of a phase; bytes, either way */
    TIMEOUTS_MOST = 1000, /* of all waits of a cluster, with nothing changing, until they are a deadlock */
    BURST = 8,            /* asynchronous stores that are performed at a time, about */
};

static struct mbarrier *find(const struct block *b, uint64_t offset)
{
    for (int k = 0; k < b->mbarrier_count; k++)
        if (b->mbarriers[k].offset == offset)
            return &b->mbarriers[k];
    return NULL;
}

/* The mbarriers of some lanes, of one block. */
static bool reach_mbarriers(struct machine *m, struct warp *w, const struct instruction *i, uint32_t *left,
                            struct reach *r)
{
    if (!memory_reach(m, w, i, left, MBARRIER_BYTES, "uses the mbarrier of", r))
        return false;
    return r->owner != NULL ||
           machine_fail(m, w, i, __builtin_ctz(r->mask), "uses an mbarrier that is not in shared memory");
}

static bool reach_own_mbarriers(struct machine *m, struct warp *w, const struct instruction *i,
                                uint32_t *left, struct reach *r)
{
    if (!reach_mbarriers(m, w, i, left, r))
        return false;
    return r->owner == w->block ||
           machine_fail(m, w, i, __builtin_ctz(r->mask), "uses an mbarrier of another block");
}

/* The lane's mbarrier, which must be there and known to be; NULL after reporting. */
static struct mbarrier *made(struct machine *m, struct warp *w, const struct instruction *i,
                             const struct reach *r, int lane)
{
    struct mbarrier *bar = find(r->owner, r->offset[lane]);
    uint64_t address = r->access.address + r->offset[lane];
    if (bar == NULL)
        machine_fail(m, w, i, lane, "uses an mbarrier at 0x%" PRIx64 ", which nobody has initialised",
                     address);
    else if (!race_mbarrier_made(&r->access, bar->made, lane))
        machine_fail(m, w, i, lane,
                     "data race: uses the mbarrier at 0x%" PRIx64
                     ", and nothing orders that after its initialisation in block %u",
                     address, r->owner->number);
    else
        return bar;
    return NULL;
}

static uint32_t word(const struct machine *m, const struct warp *w, place p, int lane)
{
    return ((const uint32_t *)operand_at(m, w, p))[lane];
}

/* ---- phases ---- */

/* The waits look again. */
static void wake(struct block *b)
{
    for (int n = 0; n < b->warp_count; n++) {
        struct warp *w = &b->warps[n];
        bool any = false;
        for (int k = 0; k < w->split_count; k++) {
            if (w->splits[k].state != SPLIT_WAITS_MBARRIER)
                continue;
            w->splits[k].state = SPLIT_RUNS;
            any = true;
        }
        if (any) {
            b->runnable |= 1u << n;
            warp_settle(w);
        }
    }
}

/* Ends the phase when all has come that it waits for. */
static void settle_phase(struct machine *m, struct block *b, struct mbarrier *bar)
{
    m->progress++;
    if (bar->pending != 0 || bar->transactions != 0)
        return;
    bar->phase++;
    bar->pending = bar->count;
    for (int by_others = 0; by_others < 2; by_others++)
        clock_vector_clear(&bar->clocks[bar->phase & 1][by_others]);
    wake(b);
}

static bool in_range(struct machine *m, const struct warp *w, const struct instruction *i, int lane,
                     const struct mbarrier *bar)
{
    return abs(bar->transactions) <= COUNT_MOST ||
           machine_fail(m, w, i, lane, "an mbarrier counts %d bytes, where %d are the most",
                        bar->transactions, COUNT_MOST);
}

/* ---- instructions ---- */

static bool init_lane(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r,
                      int lane)
{
    struct block *b = w->block;
    const struct access *a = &r->access;
    struct mbarrier bar = {.offset = r->offset[lane], .count = (int)word(m, w, i->b, lane)};
    bar.pending = bar.count;
    if (bar.count < 1 || bar.count > COUNT_MOST)
        return machine_fail(m, w, i, lane, "an mbarrier for %u arrivals, where 1 to %d are allowed",
                            (unsigned)bar.count, COUNT_MOST);
    if (b->mbarrier_count == MBARRIERS_MOST)
        return machine_fail(m, w, i, lane, "more than %d mbarriers in a block are not supported",
                            MBARRIERS_MOST);
    if (!race_mbarrier_make(a, (size_t)(bar.offset >> a->shadow->shift),
                            (size_t)MBARRIER_BYTES >> a->shadow->shift, lane, &bar.made))
        return false;
    b->mbarriers = must_realloc(b->mbarriers, (size_t)(b->mbarrier_count + 1) * sizeof *b->mbarriers);
    b->mbarriers[b->mbarrier_count++] = bar;
    m->progress++;
    return true;
}

/* Does `one` to the own mbarriers of all lanes, one lane after the other. */
static bool each_lane(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask,
                      bool (*one)(struct machine *m, struct warp *w, const struct instruction *i,
                                  const struct reach *r, int lane))
{
    while (mask != 0) {
        struct reach r;
        if (!reach_own_mbarriers(m, w, i, &mask, &r))
            return false;
        for (int lane = 0; lane < WARP_LANES; lane++)
            if (r.mask >> lane & 1 && !one(m, w, i, &r, lane))
                return false;
    }
    return true;
}

bool warp_mbarrier_init(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    return each_lane(m, w, i, mask, init_lane);
}

static bool arrive_lane(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r,
                        int lane)
{
    struct mbarrier *bar = made(m, w, i, r, lane);
    if (bar == NULL)
        return false;
    bool expects = i->m.variant == VARIANT_EXPECT_TX;
    uint32_t operand = i->b != PLACE_NONE ? word(m, w, i->b, lane) : 1;
    uint32_t arrivals = !i->m.arrive ? 0 : expects ? 1 : operand, bytes = expects ? operand : 0;
    if (bytes > COUNT_MOST)
        return machine_fail(m, w, i, lane, "expects %u bytes, where %d are the most", bytes, COUNT_MOST);
    if (arrivals > (uint32_t)bar->pending)
        return machine_fail(m, w, i, lane,
                            "arrives %u times at an mbarrier that waits for %d more of %d arrivals", arrivals,
                            bar->pending, bar->count);
    bar->transactions += (int)bytes;
    bar->pending -= (int)arrivals;
    if (i->m.ordering == ORDERING_RELEASE)
        race_publish(m, w, 1u << lane, &bar->clocks[bar->phase & 1][0]);
    else
        race_publish_fenced(w, 1u << lane, &bar->clocks[bar->phase & 1][0]);
    if (!in_range(m, w, i, lane, bar))
        return false;
    settle_phase(m, w->block, bar);
    return true;
}

bool warp_mbarrier_arrive(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    return each_lane(m, w, i, mask, arrive_lane);
}

/* What the completed phase published, as far as the scope reaches. */
static void learn_phase(struct machine *m, struct warp *w, const struct instruction *i,
                        const struct mbarrier *bar, int lane)
{
    for (int by_others = 0; by_others <= (i->m.scope >= SCOPE_CLUSTER); by_others++) {
        const struct clock_vector *clock = &bar->clocks[(bar->phase + 1) & 1][by_others];
        if (i->m.ordering == ORDERING_ACQUIRE)
            race_learn(m, w, 1u << lane, clock);
        else
            race_observe(w, lane, clock, by_others ? SCOPE_CLUSTER : SCOPE_CTA);
    }
}

/* Whether each lane's phase is complete, as bits. *index: of the mbarrier, where they all wait for one. */
static bool look(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask,
                 uint32_t *complete, int *index)
{
    *complete = 0;
    *index = -1;
    for (uint32_t left = mask; left != 0;) {
        struct reach r;
        if (!reach_own_mbarriers(m, w, i, &left, &r))
            return false;
        for (int lane = 0; lane < WARP_LANES; lane++) {
            if ((r.mask >> lane & 1) == 0)
                continue;
            const struct mbarrier *bar = made(m, w, i, &r, lane);
            if (bar == NULL)
                return false;
            uint32_t parity = word(m, w, i->b, lane);
            if (parity > 1)
                return machine_fail(m, w, i, lane, "waits for parity %u, where 0 and 1 are allowed", parity);
            int this = (int)(bar - w->block->mbarriers);
            *index = lane == __builtin_ctz(mask) || *index == this ? this : -1;
            if ((bar->phase & 1) == parity)
                continue;
            *complete |= 1u << lane;
            learn_phase(m, w, i, bar, lane);
        }
    }
    return true;
}

/* A wait that finds its phase incomplete says so at once or is suspended, as chance will have it: a kernel
   must be right either way. */
bool warp_mbarrier_wait(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    uint32_t complete;
    int index;
    if (!look(m, w, i, mask, &complete, &index))
        return false;
    struct split *s = &w->splits[w->current];
    bool may_suspend = i->m.variant != VARIANT_TEST_WAIT && complete == 0 && index >= 0 && mask == s->mask;
    if (may_suspend && !s->timed_out && machine_random(m) % 2 == 0) {
        s->state = SPLIT_WAITS_MBARRIER;
        s->barrier = index;
        return true;
    }
    m->polled |= complete != mask;
    s->timed_out = false;
    s->pc++;
    write_predicate(w->registers + i->d, complete, mask);
    return true;
}

bool cluster_time_out(struct machine *m, struct cluster *c)
{
    if (c->timeouts_at != m->progress)
        c->timeouts = 0;
    c->timeouts_at = m->progress;
    if (c->timeouts++ == TIMEOUTS_MOST)
        return false;
    bool any = false;
    for (int rank = 0; rank < c->blocks; rank++) {
        struct block *b = c->members[rank];
        for (int n = 0; b != NULL && n < b->warp_count; n++) {
            for (int k = 0; k < b->warps[n].split_count; k++) {
                struct split *s = &b->warps[n].splits[k];
                s->timed_out = s->state == SPLIT_WAITS_MBARRIER;
                any |= s->timed_out;
            }
        }
        if (b != NULL)
            wake(b);
    }
    return any;
}

bool report_waiting_mbarrier(struct machine *m, const struct block *b, const struct warp *w,
                             const struct split *s)
{
    const struct mbarrier *bar = &b->mbarriers[s->barrier];
    return machine_fail(
        m, w, &m->program->code[s->pc], __builtin_ctz(s->mask),
        "waits for an mbarrier whose phase never completes: %d arrivals are still to come, and %d "
        "bytes %s",
        bar->pending, abs(bar->transactions),
        bar->transactions < 0 ? "more have come than are expected" : "of those that are expected");
}

/* ---- asynchronous stores ---- */

static uint32_t add_store(struct machine *m, const struct async_store *s)
{
    if (m->async_store_count == m->async_store_capacity) {
        m->async_store_capacity = m->async_store_capacity * 2 + 256;
        m->async_stores = must_realloc(m->async_stores, m->async_store_capacity * sizeof *m->async_stores);
    }
    m->async_stores[m->async_store_count] = *s;
    return m->async_store_count++;
}

static struct coming_store *add_coming(struct block *b)
{
    if (b->coming_count == b->coming_capacity) {
        b->coming_capacity = b->coming_capacity * 2 + 16;
        b->coming = must_realloc(b->coming, (size_t)b->coming_capacity * sizeof *b->coming);
    }
    return &b->coming[b->coming_count++];
}

static bool send_lane(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r,
                      const struct mbarrier *bar, int lane)
{
    struct block *to = r->owner;
    const struct access *a = &r->access;
    struct async_store store = {.instruction = i,
                                .from = w->block->number,
                                .to = to->number,
                                .phase = NO_PHASE,
                                .thread = (uint16_t)thread_of(w, lane),
                                .mbarrier = (uint16_t)(bar - to->mbarriers)};
    struct coming_store *s = add_coming(to);
    *s = (struct coming_store){
        .index = add_store(m, &store), .bytes = i->m.vector * i->m.element_bytes, .offset = r->offset[lane]};
    warp_gather_value(m, w, i, lane, s->value);
    return race_write_async(a, (size_t)(s->offset >> a->shadow->shift), (size_t)s->bytes >> a->shadow->shift,
                            lane, s->index);
}

/* The stores of lanes that write to one block. */
static bool send(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r)
{
    struct instruction counter = *i;
    counter.a = i->b;
    counter.offset = i->counter_offset;
    counter.address_wide = i->counter_wide;
    uint32_t left = r->mask;
    struct reach bars;
    if (!reach_mbarriers(m, w, &counter, &left, &bars))
        return false;
    if (left != 0 || bars.owner != r->owner)
        return machine_fail(m, w, i, __builtin_ctz(left != 0 ? left : r->mask),
                            "stores into one block and counts at an mbarrier of another");
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if ((r->mask >> lane & 1) == 0)
            continue;
        const struct mbarrier *bar = made(m, w, i, &bars, lane);
        if (bar == NULL || !send_lane(m, w, i, r, bar, lane))
            return false;
    }
    return true;
}

bool warp_store_async(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    int bytes = i->m.vector * i->m.element_bytes;
    m->progress++;
    while (mask != 0) {
        struct reach r;
        if (!memory_reach(m, w, i, &mask, bytes, "writes", &r) || !send(m, w, i, &r))
            return false;
        m->counts.shared_wavefronts += memory_wavefronts(&r, bytes);
    }
    return true;
}

/* For a message: who sent it. */
static bool fail_store(struct machine *m, const struct async_store *s, const char *what)
{
    struct block from = {.number = s->from};
    struct warp w = {.block = &from, .index = s->thread / WARP_LANES};
    return machine_fail(m, &w, s->instruction, s->thread % WARP_LANES, "%s (block %u)", what, s->to);
}

bool block_receive(struct machine *m, struct block *b)
{
    m->idle_steps = 0;
    do {
        struct coming_store *taken = &b->coming[machine_random(m) % (uint32_t)b->coming_count], c = *taken;
        struct async_store *s = &m->async_stores[c.index];
        struct mbarrier *bar = &b->mbarriers[s->mbarrier];
        *taken = b->coming[--b->coming_count];
        memcpy(b->shared + c.offset, c.value, (size_t)c.bytes);
        bar->transactions -= c.bytes;
        if (bar->transactions < -COUNT_MOST)
            return fail_store(m, s, "more bytes come to an mbarrier than it can count");
        s->phase = bar->phase;
        race_async_done(s, &bar->clocks[bar->phase & 1][s->from != s->to]);
        settle_phase(m, b, bar);
    } while (b->coming_count > 0 && machine_random(m) % BURST != 0);
    return true;
}

static bool fail_unexpected(struct machine *m, const struct block *b, int mbarrier)
{
    const struct async_store *s = m->async_stores;
    while (s->to != b->number || s->mbarrier != mbarrier || s->phase != b->mbarriers[mbarrier].phase)
        s++;
    return fail_store(m, s, "stores bytes that the block's mbarrier has not been told to expect");
}

bool block_received_all(struct machine *m, const struct block *b)
{
    if (b->coming_count > 0)
        return fail_store(m, &m->async_stores[b->coming[0].index],
                          "stores asynchronously into a block that has ended before it was done");
    for (int k = 0; k < b->mbarrier_count; k++)
        if (b->mbarriers[k].transactions < 0)
            return fail_unexpected(m, b, k);
    return true;
}
