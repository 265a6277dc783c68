#include "tuner/devices/emulator/data_race.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANE_BITS = 5, EPOCHS_MAX = 1 << 26 };

/* ---- epochs ---- */

static const struct epoch *epoch_of(const struct machine *m, uint32_t record)
{
    return &m->epochs[(record >> LANE_BITS) - m->launch_floor];
}

static uint32_t add_epoch(struct machine *m, struct epoch e)
{
    uint32_t index = m->next_epoch - m->launch_floor;
    if (index == m->epoch_capacity) {
        m->epoch_capacity = m->epoch_capacity * 2 + 1024;
        m->epochs = must_realloc(m->epochs, m->epoch_capacity * sizeof *m->epochs);
    }
    m->epochs[index] = e;
    return m->next_epoch++ << LANE_BITS;
}

static uint32_t begin_epoch(struct machine *m, const struct warp *w, enum epoch_kind kind, bool strong,
                            enum scope scope)
{
    return add_epoch(m, (struct epoch){.block = w->block->number,
                                       .warp = (uint8_t)w->index,
                                       .kind = (uint8_t)kind,
                                       .strong = strong,
                                       .scope = (uint8_t)scope});
}

/* The high part of the records that the access makes. */
static uint32_t record_base(const struct access *a)
{
    uint32_t *base = a->strong ? &a->warp->strong_epochs[a->scope] : &a->warp->epoch;
    if (*base == 0)
        *base = begin_epoch(a->machine, a->warp, EPOCH_LANE, a->strong, a->scope);
    return *base;
}

static uint32_t wide_record(const struct access *a, enum epoch_kind kind)
{
    uint32_t *base = &a->warp->wide_epochs[kind];
    if (*base == 0)
        *base = begin_epoch(a->machine, a->warp, kind, false, SCOPE_CTA);
    return *base;
}

uint32_t race_new_time(struct machine *m, struct warp *w)
{
    w->epoch = 0;
    memset(w->wide_epochs, 0, sizeof w->wide_epochs);
    memset(w->strong_epochs, 0, sizeof w->strong_epochs);
    return m->next_epoch;
}

void race_warp_met(struct machine *m, struct warp *w)
{
    w->sync_floor = race_new_time(m, w);
    struct clock_vector all = {0};
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (w->clocks[lane] != NULL)
            clock_vector_join(&all, &w->clocks[lane]->known);
    for (int lane = 0; all.count > 0 && lane < WARP_LANES; lane++)
        if (w->live >> lane & 1)
            race_learn(m, w, 1u << lane, &all);
    clock_vector_clear(&all);
}

void race_block_met(struct machine *m, struct block *b)
{
    for (int i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        race_new_time(m, w);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            if (w->clocks[lane] == NULL)
                continue;
            clock_vector_join(&b->known, &w->clocks[lane]->known);
            clock_vector_clear(&w->clocks[lane]->known);
        }
    }
    b->sync_floor = m->next_epoch;
}

/* ---- order ---- */

static bool knows(const struct access *a, int lane, uint64_t key, uint32_t time)
{
    const struct thread_clock *clock = a->warp->clocks[lane];
    return time < clock_vector_time(&a->warp->block->known, key) ||
           (clock != NULL && time < clock_vector_time(&clock->known, key));
}

static uint64_t async_key(const struct async_store *s)
{
    return clock_key(s->to, CLOCK_MBARRIER + 2 * (uint32_t)s->mbarrier + (s->from != s->to));
}

/* Whether what made `record` happened before what `lane` does now. */
static bool happened_before(const struct access *a, uint32_t record, int lane)
{
    uint32_t time = record >> LANE_BITS;
    if (time < a->machine->launch_floor)
        return true;
    const struct epoch *e = epoch_of(a->machine, record);
    const struct warp *w = a->warp;
    if (e->kind == EPOCH_ASYNC) {
        const struct async_store *s = &a->machine->async_stores[e->block];
        return s->phase != NO_PHASE && knows(a, lane, async_key(s), s->phase);
    }
    if (e->block == w->block->number && e->kind != EPOCH_GRID) {
        if (time < w->block->sync_floor)
            return true;
        if (e->warp == w->index && e->kind <= EPOCH_WARP &&
            (time < w->sync_floor || (e->kind == EPOCH_LANE && (record & 31) == (uint32_t)lane)))
            return true;
    }
    if (e->kind ==
        EPOCH_GRID) /* who they were is no longer known: only a barrier of the grid can have ordered them */
        return w->block->known.count > 0 || w->clocks[lane] != NULL;
    if (knows(a, lane, clock_key(e->block, CLOCK_BLOCK), time))
        return true;
    if (e->kind <= EPOCH_WARP && knows(a, lane, clock_key(e->block, CLOCK_WARP + e->warp), time))
        return true;
    uint32_t thread = e->warp * (uint32_t)WARP_LANES + (record & 31);
    return e->kind == EPOCH_LANE && knows(a, lane, clock_key(e->block, CLOCK_THREAD + thread), time);
}

/* Strong operations do not race with each other where both scopes hold both threads. */
static bool both_strong(const struct access *a, uint32_t record)
{
    if (!a->strong)
        return false;
    const struct epoch *e = epoch_of(a->machine, record);
    const struct block *b = a->warp->block;
    if (!e->strong)
        return false;
    if (e->block == b->number)
        return true;
    enum scope least = a->scope < e->scope ? a->scope : e->scope;
    bool same_cluster = false;
    for (int i = 0; i < b->cluster->blocks; i++)
        same_cluster |= b->cluster->numbers[i] == e->block;
    return least >= (same_cluster ? SCOPE_CLUSTER : SCOPE_GPU);
}

static const char *memory_name(const struct access *a)
{
    return a->address < GLOBAL_FIRST ? "shared" : "global";
}

static bool report(const struct access *a, size_t granule, int lane, uint32_t record, const char *what,
                   const char *other)
{
    const struct epoch *e = epoch_of(a->machine, record);
    uint64_t address = a->address + ((uint64_t)granule << a->shadow->shift);
    char who[96];
    if (e->kind == EPOCH_ASYNC) {
        const struct async_store *s = &a->machine->async_stores[e->block];
        return machine_fail(a->machine, a->warp, a->instruction, lane,
                            "data race: %s shared memory at 0x%" PRIx64
                            ", where thread %d of block %u stores asynchronously, and has not waited for it",
                            what, address, s->thread, s->from);
    }
    if (e->kind == EPOCH_LANE)
        snprintf(who, sizeof who, "thread %u of block %u", e->warp * (unsigned)WARP_LANES + (record & 31),
                 e->block);
    else
        snprintf(who, sizeof who, e->kind == EPOCH_GRID ? "several blocks" : "several threads of block %u",
                 e->block);
    return machine_fail(a->machine, a->warp, a->instruction, lane,
                        "data race: %s %s memory at 0x%" PRIx64 ", which %s %s with no barrier between", what,
                        memory_name(a), address, who, other);
}

static bool no_data(const struct access *a, size_t granule, int lane, const char *verb, uint32_t record)
{
    return machine_fail(a->machine, a->warp, a->instruction, lane, "%s shared memory at 0x%" PRIx64 "%s",
                        verb, a->address + ((uint64_t)granule << a->shadow->shift),
                        record == RECORD_GAP ? ", out of bounds: it lies between two variables"
                                             : ", which holds an mbarrier");
}

static bool unwritten(const struct access *a, size_t granule, int lane)
{
    return machine_fail(a->machine, a->warp, a->instruction, lane,
                        "reads %s memory at 0x%" PRIx64 " that was never written", memory_name(a),
                        a->address + ((uint64_t)granule << a->shadow->shift));
}

/* The record of a read that joins one that is not ordered before it: as narrow as holds both. */
static uint32_t joined(const struct access *a, uint32_t record)
{
    const struct epoch *e = epoch_of(a->machine, record);
    if (e->kind == EPOCH_GRID || e->block != a->warp->block->number)
        return wide_record(a, EPOCH_GRID);
    if (e->kind == EPOCH_BLOCK || e->warp != a->warp->index)
        return wide_record(a, EPOCH_BLOCK);
    return wide_record(a, EPOCH_WARP);
}

bool race_read(const struct access *a, size_t first, size_t count, int lane)
{
    uint32_t mine = record_base(a) | (uint32_t)lane;
    for (size_t g = first; g < first + count; g++) {
        uint32_t written = a->shadow->written[g], read = a->shadow->read[g];
        if (written >= RECORD_MBARRIER)
            return no_data(a, g, lane, "reads", written);
        if (written == 0)
            return unwritten(a, g, lane);
        if (written != mine && !happened_before(a, written, lane) && !both_strong(a, written))
            return report(a, g, lane, written, "reads", "wrote");
        if (read == mine)
            continue;
        if (happened_before(a, read, lane) || (a->strong && both_strong(a, read)))
            a->shadow->read[g] = mine;
        else
            a->shadow->read[g] = joined(a, read);
    }
    return true;
}

/* `value` NULL: even the same value as another's is a race. */
static bool write_granules(const struct access *a, size_t first, size_t count, int lane, uint32_t mine,
                           const unsigned char *value)
{
    size_t bytes = (size_t)1 << a->shadow->shift;
    for (size_t g = first; g < first + count; g++) {
        uint32_t written = a->shadow->written[g], read = a->shadow->read[g];
        if (written >= RECORD_MBARRIER)
            return no_data(a, g, lane, "writes", written);
        if (written != mine && !happened_before(a, written, lane) && !both_strong(a, written)) {
            if (value == NULL || memcmp(a->memory + g * bytes, value + (g - first) * bytes, bytes) != 0)
                return report(a, g, lane, written, "writes", "wrote");
            a->machine->counts.same_value_writes++;
        }
        if (read != 0 && read != mine && !happened_before(a, read, lane) && !both_strong(a, read))
            return report(a, g, lane, read, "writes", "read");
        a->shadow->written[g] = mine;
        a->shadow->read[g] = 0;
    }
    return true;
}

bool race_write(const struct access *a, size_t first, size_t count, int lane, const unsigned char *value)
{
    return write_granules(a, first, count, lane, record_base(a) | (uint32_t)lane, value);
}

bool race_write_async(const struct access *a, size_t first, size_t count, int lane, uint32_t index)
{
    uint32_t base = add_epoch(a->machine, (struct epoch){.block = index, .kind = EPOCH_ASYNC});
    return write_granules(a, first, count, lane, base | (uint32_t)lane, NULL);
}

bool race_mbarrier_make(const struct access *a, size_t first, size_t count, int lane, uint32_t *made)
{
    *made = record_base(a) | (uint32_t)lane;
    if (!write_granules(a, first, count, lane, *made, NULL))
        return false;
    for (size_t g = first; g < first + count; g++)
        a->shadow->written[g] = RECORD_MBARRIER;
    return true;
}

bool race_mbarrier_made(const struct access *a, uint32_t made, int lane)
{
    const struct epoch *e = epoch_of(a->machine, made);
    uint32_t thread = e->warp * (uint32_t)WARP_LANES + (made & 31);
    return happened_before(a, made, lane) ||
           knows(a, lane, clock_key(e->block, CLOCK_INIT + thread), made >> LANE_BITS);
}

void race_async_done(const struct async_store *s, struct clock_vector *clock)
{
    clock_vector_raise(clock, async_key(s), s->phase + 1);
}

/* Whether records [0, count) are those of the lanes of one epoch of this very warp, in the order of this
 * access. */
static bool are_own(const struct access *a, const uint32_t *records, size_t count, int shift)
{
    uint32_t base = records[0];
    if (base >= RECORD_MBARRIER || base >> LANE_BITS < a->machine->launch_floor || (base & 31) != 0)
        return false;
    const struct epoch *e = epoch_of(a->machine, base);
    if (e->kind != EPOCH_LANE || e->block != a->warp->block->number || e->warp != a->warp->index)
        return false;
    uint32_t different = 0;
    for (uint32_t k = 0; k < count; k++)
        different |= records[k] ^ (base + (k >> shift));
    return different == 0;
}

/* Whether all records are at least `least` and below `floor`. */
static bool are_between(const uint32_t *records, size_t count, uint32_t least, uint32_t floor)
{
    uint32_t outside = 0;
    for (size_t k = 0; k < count; k++)
        outside |= records[k] - least >= floor - least;
    return outside == 0;
}

static uint32_t floor_of(const struct access *a)
{
    return (a->shared ? a->warp->block->sync_floor : a->machine->launch_floor) << LANE_BITS;
}

bool race_read_all(const struct access *a, size_t first, size_t count, int per_lane_shift)
{
    uint32_t floor = floor_of(a);
    const uint32_t *written = a->shadow->written + first;
    uint32_t *read = a->shadow->read + first;
    if (!are_between(written, count, 1, floor) && !are_own(a, written, count, per_lane_shift))
        return false;
    if (!are_between(read, count, 0, floor) && !are_own(a, read, count, per_lane_shift))
        return false;
    uint32_t base = record_base(a);
    for (uint32_t k = 0; k < count; k++)
        read[k] = base + (k >> per_lane_shift);
    return true;
}

bool race_write_all(const struct access *a, size_t first, size_t count, int per_lane_shift)
{
    uint32_t floor = floor_of(a);
    uint32_t *written = a->shadow->written + first, *read = a->shadow->read + first;
    if (!are_between(written, count, 0, floor) && !are_own(a, written, count, per_lane_shift))
        return false;
    if (!are_between(read, count, 0, floor) && !are_own(a, read, count, per_lane_shift))
        return false;
    uint32_t base = record_base(a);
    for (uint32_t k = 0; k < count; k++)
        written[k] = base + (k >> per_lane_shift);
    memset(read, 0, count * sizeof *read);
    return true;
}

/* ---- launches and shadows ---- */

static void forget_times(struct machine *m)
{
    for (int i = 0; i < m->allocation_count; i++) {
        struct shadow *s = &m->allocations[i].shadow;
        size_t count = m->allocations[i].size >> s->shift;
        for (size_t g = 0; g <= count; g++) {
            s->written[g] = s->written[g] != 0 ? RECORD_HOST : 0;
            s->read[g] = 0;
        }
    }
    m->next_epoch = 2;
}

void race_launch(struct machine *m)
{
    if (m->next_epoch > EPOCHS_MAX)
        forget_times(m);
    m->launch_floor = m->next_epoch;
}

void race_launch_end(struct machine *m)
{
    for (int i = 0; i < m->sync_word_capacity; i++)
        for (int s = 0; s < 3; s++)
            clock_vector_clear(&m->sync_words[i].published[s]);
    free(m->sync_words);
    m->sync_words = NULL;
    free(m->async_stores);
    m->async_stores = NULL;
    m->async_store_count = m->async_store_capacity = 0;
    m->sync_word_count = m->sync_word_capacity = 0;
}

void race_block_end(struct block *b)
{
    clock_vector_clear(&b->known);
    for (int i = 0; i < BARRIERS; i++)
        clock_vector_clear(&b->barriers[i].clock);
    for (int i = 0; i < b->mbarrier_count * 4; i++)
        clock_vector_clear(&b->mbarriers[i / 4].clocks[i / 2 % 2][i % 2]);
    for (int i = 0; i < b->warp_count; i++) {
        for (int lane = 0; lane < WARP_LANES; lane++) {
            struct thread_clock *clock = b->warps[i].clocks[lane];
            if (clock == NULL)
                continue;
            clock_vector_clear(&clock->known);
            for (int s = 0; s < 3; s++) {
                clock_vector_clear(&clock->fenced[s]);
                clock_vector_clear(&clock->observed[s]);
            }
            free(clock);
        }
    }
}

void shadow_mark_gap(struct shadow *s, int from, int to)
{
    for (int g = (from - 1 + (1 << s->shift)) >> s->shift; g < to >> s->shift; g++)
        s->written[g] = RECORD_GAP;
}

void shadow_make(struct shadow *s, size_t bytes, int shift)
{
    s->shift = shift;
    s->written = must_calloc((bytes >> shift) + 1, sizeof *s->written);
    s->read = must_calloc((bytes >> shift) + 1, sizeof *s->read);
}

void shadow_refine(struct shadow *s, size_t bytes, int shift)
{
    if (shift >= s->shift)
        return;
    struct shadow fine;
    shadow_make(&fine, bytes, shift);
    for (size_t g = 0; g <= bytes >> shift; g++) {
        fine.written[g] = s->written[g >> (s->shift - shift)];
        fine.read[g] = s->read[g >> (s->shift - shift)];
    }
    shadow_free(s);
    *s = fine;
}

void shadow_free(struct shadow *s)
{
    free(s->written);
    free(s->read);
}
