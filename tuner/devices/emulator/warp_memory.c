/* Loads and stores. */
#include "tuner/devices/emulator/memory_access.h"
#include "tuner/devices/emulator/warp.h"

#include <inttypes.h>
#include <string.h>

/* An element as it stands in a register: extended by its type. */
static uint64_t element(const unsigned char *from, const struct instruction *i)
{
    uint64_t bits = 0;
    memcpy(&bits, from, i->m.element_bytes);
    int unused = 64 - 8 * i->m.element_bytes;
    return i->m.element_kind == ELEMENT_SIGNED ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

/* The memory of 32 lanes, `stride` bytes apart, into one register. */
static void spread_32(uint32_t *to, const unsigned char *from, size_t stride)
{
    for (size_t k = 0; k < WARP_LANES; k++)
        memcpy(&to[k], from + k * stride, 4);
}

static void load_contiguous(struct machine *m, struct warp *w, const struct instruction *i,
                            const unsigned char *from)
{
    size_t stride = (size_t)i->m.vector * i->m.element_bytes;
    for (int e = 0; e < i->m.vector; e++, from += i->m.element_bytes) {
        place p = m->program->places[i->refs + e];
        if (p == PLACE_NONE)
            continue;
        void *to = w->registers + p;
        if (i->m.element_bytes == 4 && !i->data_wide) {
            if (stride == 16)
                spread_32(to, from, 16);
            else if (stride == 4)
                memcpy(to, from, WARP_LANES * 4);
            else
                spread_32(to, from, stride);
        } else if (i->data_wide) {
            for (size_t k = 0; k < WARP_LANES; k++)
                ((uint64_t *)to)[k] = element(from + k * stride, i);
        } else {
            for (size_t k = 0; k < WARP_LANES; k++)
                ((uint32_t *)to)[k] = (uint32_t)element(from + k * stride, i);
        }
    }
}

static void load_lanes(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r)
{
    for (int e = 0; e < i->m.vector; e++) {
        place p = m->program->places[i->refs + e];
        if (p == PLACE_NONE)
            continue;
        for (int k = 0; k < WARP_LANES; k++) {
            if ((r->mask >> k & 1) == 0)
                continue;
            uint64_t value = element(r->memory + r->offset[k] + e * i->m.element_bytes, i);
            if (i->data_wide)
                ((uint64_t *)(void *)(w->registers + p))[k] = value;
            else
                ((uint32_t *)(void *)(w->registers + p))[k] = (uint32_t)value;
        }
    }
}

static bool local_was_written(struct machine *m, struct warp *w, const struct instruction *i,
                              const struct reach *r, int bytes)
{
    for (int k = 0; k < WARP_LANES; k++)
        for (int n = 0; r->mask >> k & 1 && n < bytes; n++)
            if (w->local_written[r->offset[k] + (uint64_t)n] == 0)
                return machine_fail(m, w, i, k,
                                    "reads local memory at offset %" PRIu64 " that was never written",
                                    r->offset[k] - (uint64_t)(k * m->program->local_bytes));
    return true;
}

/* Granules of an access: its first, and how many. */
static size_t granule(const struct access *a, uint64_t offset)
{
    return (size_t)(offset >> a->shadow->shift);
}

static bool check_read(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r,
                       int bytes)
{
    const struct access *a = &r->access;
    if (r->space == SPACE_LOCAL)
        return local_was_written(m, w, i, r, bytes);
    size_t count = (size_t)bytes >> a->shadow->shift;
    if (r->contiguous &&
        race_read_all(a, granule(a, r->offset[0]), count * WARP_LANES, __builtin_ctzl(count)))
        return true;
    for (int k = 0; k < WARP_LANES; k++)
        if (r->mask >> k & 1 && !race_read(a, granule(a, r->offset[k]), count, k))
            return false;
    return true;
}

/* Whether a load that may be of several spaces is counted as global: by its first lanes. */
static void count_access(struct machine *m, const struct reach *r, int bytes, bool load)
{
    struct machine_counts *c = &m->counts;
    int64_t used = (int64_t)bytes * __builtin_popcount(r->mask);
    if (r->space == SPACE_GLOBAL && load) {
        c->global_load_requests++;
        c->global_load_sectors += memory_sectors(r, bytes);
        c->global_load_bytes += used;
    } else if (r->space == SPACE_GLOBAL) {
        c->global_store_requests++;
        c->global_store_sectors += memory_sectors(r, bytes);
        c->global_store_bytes += used;
    } else if (r->space != SPACE_LOCAL) {
        c->shared_wavefronts += memory_wavefronts(r, bytes);
    }
}

static void observe_flags(struct machine *m, struct warp *w, const struct instruction *i,
                          const struct reach *r, bool reads, bool writes)
{
    for (int k = 0; k < WARP_LANES; k++)
        if (r->mask >> k & 1)
            race_strong(m, w, k, r->access.address + r->offset[k], &i->m, reads, writes);
}

bool warp_load(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    int bytes = i->m.vector * i->m.element_bytes;
    while (mask != 0) {
        struct reach r;
        if (!memory_reach(m, w, i, &mask, bytes, "reads", &r) || !check_read(m, w, i, &r, bytes))
            return false;
        count_access(m, &r, bytes, true);
        if (r.contiguous)
            load_contiguous(m, w, i, r.memory + r.offset[0]);
        else
            load_lanes(m, w, i, &r);
        if (i->m.ordering != ORDERING_WEAK && r.space != SPACE_LOCAL) {
            observe_flags(m, w, i, &r, true, false);
            m->polled = true;
        }
    }
    return true;
}

void warp_load_parameter(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    for (int e = 0; e < i->m.vector; e++) {
        place p = m->program->places[i->refs + e];
        if (p == PLACE_NONE)
            continue;
        uint64_t value = element(m->params + i->offset + e * i->m.element_bytes, i);
        for (int k = 0; k < WARP_LANES; k++) {
            if ((mask >> k & 1) == 0)
                continue;
            if (i->data_wide)
                ((uint64_t *)(void *)(w->registers + p))[k] = value;
            else
                ((uint32_t *)(void *)(w->registers + p))[k] = (uint32_t)value;
        }
    }
}

void warp_gather_value(const struct machine *m, const struct warp *w, const struct instruction *i, int lane,
                       unsigned char *to)
{
    for (int e = 0; e < i->m.vector; e++) {
        const unsigned char *from = operand_at(m, w, m->program->places[i->refs + e]);
        memcpy(to + e * i->m.element_bytes, from + (size_t)lane * (i->data_wide ? 8 : 4), i->m.element_bytes);
    }
}

static void store_contiguous(struct machine *m, struct warp *w, const struct instruction *i,
                             unsigned char *to)
{
    size_t stride = (size_t)i->m.vector * i->m.element_bytes;
    for (int e = 0; e < i->m.vector; e++, to += i->m.element_bytes) {
        const unsigned char *from = operand_at(m, w, m->program->places[i->refs + e]);
        if (i->m.element_bytes == 4 && !i->data_wide) {
            const uint32_t *words = (const void *)from;
            for (size_t k = 0; k < WARP_LANES; k++)
                memcpy(to + k * stride, &words[k], 4);
        } else {
            for (size_t k = 0; k < WARP_LANES; k++)
                memcpy(to + k * stride, from + k * (i->data_wide ? 8 : 4), i->m.element_bytes);
        }
    }
}

/* Lane by lane, so that a lane that writes over another's value is seen. */
static bool store_lanes(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r,
                        int bytes)
{
    const struct access *a = &r->access;
    for (int k = 0; k < WARP_LANES; k++) {
        if ((r->mask >> k & 1) == 0)
            continue;
        unsigned char value[64];
        warp_gather_value(m, w, i, k, value);
        if (r->space == SPACE_LOCAL)
            memset(w->local_written + r->offset[k], 1, (size_t)bytes);
        else if (!race_write(a, granule(a, r->offset[k]), (size_t)bytes >> a->shadow->shift, k, value))
            return false;
        memcpy(r->memory + r->offset[k], value, (size_t)bytes);
    }
    return true;
}

bool warp_store(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    int bytes = i->m.vector * i->m.element_bytes;
    if (i->m.space == SPACE_CONST)
        return machine_fail(m, w, i, -1, "writes constant memory");
    m->progress++;
    while (mask != 0) {
        struct reach r;
        if (!memory_reach(m, w, i, &mask, bytes, "writes", &r))
            return false;
        const struct access *a = &r.access;
        count_access(m, &r, bytes, false);
        if (i->m.ordering != ORDERING_WEAK && r.space != SPACE_LOCAL)
            observe_flags(m, w, i, &r, false, true);
        size_t count = r.space == SPACE_LOCAL ? 0 : (size_t)bytes >> a->shadow->shift;
        if (r.contiguous &&
            race_write_all(a, granule(a, r.offset[0]), count * WARP_LANES, __builtin_ctzl(count)))
            store_contiguous(m, w, i, r.memory + r.offset[0]);
        else if (!store_lanes(m, w, i, &r, bytes))
            return false;
    }
    return true;
}
