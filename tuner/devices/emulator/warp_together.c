/* Lanes of a warp exchanging values: shuffles, votes, reductions. */
#include "tuner/devices/emulator/lane_math.h"
#include "tuner/devices/emulator/warp.h"

#include <string.h>

/* The lane that lane k reads, and whether it is within its segment (PTX's pseudocode for shfl). */
static bool shuffle_source(enum variant variant, int k, uint32_t b, uint32_t c, int *source)
{
    int bval = (int)(b & 31), cval = (int)(c & 31), segment = (int)(c >> 8 & 31);
    int high = (k & segment) | (cval & ~segment), low = k & segment;
    bool inside;
    switch (variant) {
    case VARIANT_UP:
        *source = k - bval;
        inside = *source >= high;
        break;
    case VARIANT_DOWN:
        *source = k + bval;
        inside = *source <= high;
        break;
    case VARIANT_BFLY:
        *source = k ^ bval;
        inside = *source <= high;
        break;
    default:
        *source = low | (bval & ~segment);
        inside = *source <= high;
    }
    if (!inside)
        *source = k;
    return inside;
}

bool warp_shuffle(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    uint32_t values[WARP_LANES], inside = 0;
    const uint32_t *a = operand_at(m, w, i->a), *b = operand_at(m, w, i->b), *c = operand_at(m, w, i->c);
    for (int k = 0; k < WARP_LANES; k++) {
        int source;
        inside |= (uint32_t)shuffle_source((enum variant)i->m.variant, k, b[k], c[k], &source) << k;
        values[k] = a[source];
        if (mask >> k & 1 && (mask >> source & 1) == 0)
            return machine_fail(m, w, i, k,
                                "shuffles from lane %d, which does not take part (lanes 0x%08x do)", source,
                                mask);
    }
    if (i->d != PLACE_NONE)
        write_lanes_32(w->registers + i->d, values, mask);
    if (i->d2 != PLACE_NONE)
        write_predicate(w->registers + i->d2, inside, mask);
    return true;
}

static uint32_t predicate(const struct machine *m, const struct warp *w, const struct instruction *i)
{
    uint32_t p = *(const uint32_t *)operand_at(m, w, i->c);
    return i->c_negated ? ~p : p;
}

void warp_vote(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    uint32_t true_lanes = predicate(m, w, i) & mask, values[WARP_LANES];
    if (i->m.variant == VARIANT_BALLOT) {
        for (int k = 0; k < WARP_LANES; k++)
            values[k] = true_lanes;
        write_lanes_32(w->registers + i->d, values, mask);
        return;
    }
    bool all = true_lanes == mask, any = true_lanes != 0;
    bool result = i->m.variant == VARIANT_ALL ? all : i->m.variant == VARIANT_ANY ? any : all || !any;
    write_predicate(w->registers + i->d, result ? UINT32_MAX : 0, mask);
}

static uint64_t lane_bits(const struct machine *m, const struct warp *w, const struct instruction *i,
                          int lane)
{
    const void *a = operand_at(m, w, i->a);
    return i->data_wide ? ((const uint64_t *)a)[lane] : ((const uint32_t *)a)[lane];
}

/* match.any: the lanes with this lane's value; .all: the mask where all have the same, else 0. The name's
   word .all or .any is the variant. */
void warp_match(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    uint32_t values[WARP_LANES] = {0};
    bool all = true;
    for (int k = 0; k < WARP_LANES; k++) {
        for (int n = 0; mask >> k & 1 && n < WARP_LANES; n++)
            if (mask >> n & 1 && lane_bits(m, w, i, n) == lane_bits(m, w, i, k))
                values[k] |= 1u << n;
        all &= (mask >> k & 1) == 0 || values[k] == mask;
    }
    for (int k = 0; i->m.variant == VARIANT_ALL && k < WARP_LANES; k++)
        values[k] = all ? mask : 0;
    if (i->d != PLACE_NONE)
        write_lanes_32(w->registers + i->d, values, mask);
    if (i->d2 != PLACE_NONE)
        write_predicate(w->registers + i->d2, all ? UINT32_MAX : 0, mask);
}

static uint32_t reduce_floats(const struct instruction *i, uint32_t x, uint32_t y)
{
    float a = float_of(x), b = float_of(y);
    if (i->m.absolute) {
        a = fabsf(a);
        b = fabsf(b);
    }
    if (i->m.variant == VARIANT_MIN)
        return bits_canonical(i->m.nan ? minimum_nan(a, b) : minimum(a, b));
    return bits_canonical(i->m.nan ? maximum_nan(a, b) : maximum(a, b));
}

static uint32_t reduce(const struct instruction *i, uint32_t x, uint32_t y)
{
    bool is_signed = i->m.element_kind == ELEMENT_SIGNED;
    if (i->m.element_kind == ELEMENT_FLOAT)
        return reduce_floats(i, x, y);
    switch ((enum variant)i->m.variant) {
    case VARIANT_ADD:
        return x + y;
    case VARIANT_AND:
        return x & y;
    case VARIANT_OR:
        return x | y;
    case VARIANT_XOR:
        return x ^ y;
    case VARIANT_MIN:
        return is_signed ? ((int32_t)x < (int32_t)y ? x : y) : (x < y ? x : y);
    default: /* VARIANT_MAX */
        return is_signed ? ((int32_t)x > (int32_t)y ? x : y) : (x > y ? x : y);
    }
}

void warp_redux(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    const uint32_t *a = operand_at(m, w, i->a);
    int first = __builtin_ctz(mask);
    uint32_t total = i->m.element_kind == ELEMENT_FLOAT ? reduce_floats(i, a[first], a[first]) : a[first];
    uint32_t values[WARP_LANES];
    for (int k = first + 1; k < WARP_LANES; k++)
        if (mask >> k & 1)
            total = reduce(i, total, a[k]);
    for (int k = 0; k < WARP_LANES; k++)
        values[k] = total;
    if (i->d != PLACE_NONE)
        write_lanes_32(w->registers + i->d, values, mask);
}
