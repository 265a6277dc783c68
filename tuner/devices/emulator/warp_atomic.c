/* Atomic operations: lane by lane, in the order of the lanes. */
#include "tuner/devices/emulator/lane_types.h"
#include "tuner/devices/emulator/memory_access.h"
#include "tuner/devices/emulator/warp.h"

#include <string.h>

/* In global memory subnormal numbers become zero, in shared memory they do not. */
static uint32_t float_sum(const struct instruction *i, uint32_t a, uint32_t b)
{
    if (i->m.space == SPACE_SHARED || i->m.space == SPACE_CLUSTER)
        return bits_canonical(float_of(a) + float_of(b));
    return float_flushed(bits_canonical(float_of(float_flushed(a)) + float_of(float_flushed(b))));
}

static uint64_t float_result(const struct instruction *i, uint64_t old, uint64_t b)
{
    if (i->m.variant == VARIANT_EXCHANGE)
        return b;
    if (i->m.element_bytes == 4)
        return float_sum(i, (uint32_t)old, (uint32_t)b);
    double x, y;
    memcpy(&x, &old, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&old, &x, sizeof old);
    return old;
}

/* The sign bit moved so that an unsigned comparison is a signed one. */
static uint64_t ordered(const struct instruction *i, uint64_t value)
{
    if (i->m.element_kind != ELEMENT_SIGNED)
        return value;
    return i->m.element_bytes == 4 ? (value ^ 0x80000000u) & UINT32_MAX : value ^ (UINT64_C(1) << 63);
}

static uint64_t result(const struct instruction *i, uint64_t old, uint64_t b, uint64_t c)
{
    if (i->m.element_kind == ELEMENT_FLOAT)
        return float_result(i, old, b);
    switch ((enum variant)i->m.variant) {
    case VARIANT_ADD:
        return old + b;
    case VARIANT_MIN:
        return ordered(i, b) < ordered(i, old) ? b : old;
    case VARIANT_MAX:
        return ordered(i, b) > ordered(i, old) ? b : old;
    case VARIANT_INC:
        return old >= b ? 0 : old + 1;
    case VARIANT_DEC:
        return old == 0 || old > b ? b : old - 1;
    case VARIANT_AND:
        return old & b;
    case VARIANT_OR:
        return old | b;
    case VARIANT_XOR:
        return old ^ b;
    case VARIANT_CAS:
        return old == b ? c : old;
    default: /* VARIANT_EXCHANGE */
        return b;
    }
}

static uint64_t lane_value(const struct machine *m, const struct warp *w, const struct instruction *i,
                           place p, int lane)
{
    if (p == PLACE_NONE)
        return 0;
    const void *from = operand_at(m, w, p);
    return i->data_wide ? ((const uint64_t *)from)[lane] : ((const uint32_t *)from)[lane];
}

static bool atomic_lane(struct machine *m, struct warp *w, const struct instruction *i, const struct reach *r,
                        int lane)
{
    size_t bytes = i->m.element_bytes;
    const struct access *a = &r->access;
    size_t first = (size_t)(r->offset[lane] >> a->shadow->shift), count = bytes >> a->shadow->shift;
    /* It both reads and writes, but to read is enough where nothing changes: a compare that fails. */
    if (!race_read(a, first, count, lane))
        return false;
    uint64_t old = 0;
    memcpy(&old, r->memory + r->offset[lane], bytes);
    uint64_t new = result(i, old, lane_value(m, w, i, i->b, lane), lane_value(m, w, i, i->c, lane));
    if (bytes == 4)
        new &= UINT32_MAX;
    if (!race_write(a, first, count, lane, (const unsigned char *)&new))
        return false;
    memcpy(r->memory + r->offset[lane], &new, bytes);
    m->progress += new != old;
    m->polled |= new == old;
    race_strong(m, w, lane, a->address + r->offset[lane], &i->m, true, true);
    if (i->d == PLACE_NONE)
        return true;
    if (i->data_wide)
        ((uint64_t *)(void *)(w->registers + i->d))[lane] = old;
    else
        ((uint32_t *)(void *)(w->registers + i->d))[lane] = (uint32_t)old;
    return true;
}

bool warp_atomic(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    m->counts.atomics++;
    while (mask != 0) {
        struct reach r;
        if (!memory_reach(m, w, i, &mask, i->m.element_bytes, "updates", &r))
            return false;
        if (r.space == SPACE_LOCAL)
            return machine_fail(m, w, i, __builtin_ctz(r.mask), "an atomic operation on local memory");
        for (int lane = 0; lane < WARP_LANES; lane++)
            if (r.mask >> lane & 1 && !atomic_lane(m, w, i, &r, lane))
                return false;
    }
    return true;
}
