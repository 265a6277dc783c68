#include "tuner/devices/emulator/memory_access.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void lane_addresses(const struct machine *m, const struct warp *w, const struct instruction *i,
                           uint64_t address[WARP_LANES])
{
    uint64_t offset = (uint64_t)i->offset;
    if (i->a == PLACE_NONE) {
        for (int k = 0; k < WARP_LANES; k++)
            address[k] = offset;
    } else if (i->address_wide) {
        const uint64_t *base = operand_at(m, w, i->a);
        for (int k = 0; k < WARP_LANES; k++)
            address[k] = base[k] + offset;
    } else {
        const uint32_t *base = operand_at(m, w, i->a);
        for (int k = 0; k < WARP_LANES; k++)
            address[k] = (uint32_t)(base[k] + (uint32_t)offset);
    }
}

static enum state_space space_of(uint64_t *address)
{
    if (*address - GENERIC_SHARED < GENERIC_WINDOW) {
        *address -= GENERIC_SHARED;
        return SPACE_CLUSTER;
    }
    if (*address - GENERIC_LOCAL < GENERIC_WINDOW) {
        *address -= GENERIC_LOCAL;
        return SPACE_LOCAL;
    }
    return SPACE_GLOBAL;
}

static const char *space_name(enum state_space space)
{
    return space == SPACE_LOCAL                              ? "local"
           : space == SPACE_SHARED || space == SPACE_CLUSTER ? "shared"
                                                             : "global";
}

static int first_lane(uint32_t mask)
{
    return __builtin_ctz(mask);
}

/* The block whose shared memory a lane means, and the offset there. */
static struct block *shared_block(struct warp *w, uint64_t *address)
{
    uint64_t rank = *address >> CLUSTER_SHIFT;
    *address &= (UINT64_C(1) << CLUSTER_SHIFT) - 1;
    struct block *b = w->block;
    if (rank == 0)
        return b;
    return rank <= (uint64_t)b->cluster->blocks ? b->cluster->members[rank - 1] : NULL;
}

/* A piece of memory: [low, size) of its offsets may be touched; `base` is the address of offset 0. */
struct piece {
    unsigned char *memory;
    struct shadow *shadow;
    struct block *owner; /* of shared memory */
    uint64_t base, low, size;
};

static bool outside(struct machine *m, struct warp *w, const struct instruction *i, int lane,
                    uint64_t address, int bytes, const char *verb, const struct piece *p,
                    enum state_space space)
{
    char where[160] = "in no buffer";
    if (p->memory == NULL && address >> CLUSTER_SHIFT != 0 && space != SPACE_GLOBAL)
        snprintf(where, sizeof where, "in no block of the cluster, or in one that has ended");
    if (p->memory != NULL && address >= p->base + p->size)
        snprintf(where, sizeof where, "%" PRIu64 " bytes beyond the end of %s %" PRIu64 " bytes",
                 address - (p->base + p->size), space == SPACE_GLOBAL ? "a buffer of" : "the block's",
                 p->size - p->low);
    else if (p->memory != NULL && address + (uint64_t)bytes > p->base + p->size)
        snprintf(where, sizeof where, "across the end of %s %" PRIu64 " bytes",
                 space == SPACE_GLOBAL ? "a buffer of" : "the block's", p->size - p->low);
    else if (space == SPACE_LOCAL)
        snprintf(where, sizeof where, "beyond the thread's %d bytes", m->program->local_bytes);
    return machine_fail(m, w, i, lane, "%s %d bytes of %s memory at 0x%" PRIx64 ", out of bounds: %s", verb,
                        bytes, space_name(space), address, where);
}

static struct piece global_piece(const struct machine *m, uint64_t address)
{
    struct allocation *a = machine_find(m, address);
    if (a == NULL)
        return (struct piece){0};
    return (struct piece){.memory = a->data, .shadow = &a->shadow, .base = a->address, .size = a->size};
}

static struct piece shared_piece(const struct machine *m, struct block *b)
{
    if (b == NULL || b->shared == NULL)
        return (struct piece){0};
    return (struct piece){.memory = b->shared,
                          .shadow = &b->shared_shadow,
                          .owner = b,
                          .low = SHARED_BASE,
                          .size = (uint64_t)m->shared_bytes};
}

/* For a message: the buffer that ends nearest below the address. */
static struct piece nearest_piece(const struct machine *m, uint64_t address)
{
    struct piece p = {0};
    for (int i = 0; i < m->allocation_count; i++)
        if (m->allocations[i].address <= address && address - m->allocations[i].address < (UINT64_C(1) << 32))
            p = global_piece(m, m->allocations[i].address);
    return p;
}

static bool check_aligned(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask,
                          const uint64_t *address, int bytes, const char *verb, enum state_space space)
{
    uint64_t any = 0;
    for (int k = 0; k < WARP_LANES; k++)
        any |= mask >> k & 1 ? address[k] : 0;
    if ((any & (uint64_t)(bytes - 1)) == 0)
        return true;
    for (int k = 0; k < WARP_LANES; k++)
        if (mask >> k & 1 && (address[k] & (uint64_t)(bytes - 1)) != 0)
            return machine_fail(m, w, i, k, "%s %d bytes of %s memory at 0x%" PRIx64 ", which is misaligned",
                                verb, bytes, space_name(space), address[k]);
    return true;
}

static bool local_reach(struct machine *m, struct warp *w, const struct instruction *i, int bytes,
                        const char *verb, struct reach *r)
{
    uint64_t size = (uint64_t)m->program->local_bytes;
    struct piece p = {0};
    for (int k = 0; k < WARP_LANES; k++) {
        if ((r->mask >> k & 1) == 0)
            continue;
        if (r->offset[k] > size || size - r->offset[k] < (uint64_t)bytes)
            return outside(m, w, i, k, r->offset[k], bytes, verb, &p, SPACE_LOCAL);
        r->offset[k] += size * (uint64_t)k;
    }
    r->memory = w->local;
    r->owner = NULL;
    r->contiguous = false;
    r->access.shadow = NULL;
    return true;
}

/* Takes the lanes of `mask` that lie in the piece of its first lane. */
static bool take_lanes(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask,
                       const uint64_t *address, int bytes, const char *verb, struct reach *r)
{
    int first = first_lane(mask);
    uint64_t base = address[first];
    struct piece p =
        r->space == SPACE_GLOBAL ? global_piece(m, base) : shared_piece(m, shared_block(w, &base));
    uint64_t window =
        address[first] - base; /* of another block's shared memory: what its address has above it */
    if (r->space == SPACE_GLOBAL)
        window = 0;
    uint64_t low = p.base + p.low + window, span = p.size - p.low;
    r->mask = 0;
    for (int k = 0; k < WARP_LANES; k++) {
        uint64_t from = address[k] - low;
        r->offset[k] = from + p.low;
        r->mask |= (uint32_t)(from < span && span - from >= (uint64_t)bytes) << k;
    }
    r->mask &= mask;
    if (p.memory == NULL || (r->mask >> first & 1) == 0) {
        if (r->space == SPACE_GLOBAL && p.memory == NULL)
            p = nearest_piece(m, address[first]);
        return outside(m, w, i, first, address[first], bytes, verb, &p, r->space);
    }
    r->memory = p.memory;
    r->owner = p.owner;
    r->access.shadow = p.shadow;
    r->access.shared = p.owner != NULL;
    r->access.address = p.base + window;
    r->access.memory = p.memory;
    /* Where another block or an asynchronous store may have been, records are not ordered by this block's
     * barriers. */
    if (p.owner != NULL && (p.owner->cluster->blocks > 1 || p.owner->mbarrier_count > 0))
        r->access.shared = false;
    return true;
}

bool memory_reach(struct machine *m, struct warp *w, const struct instruction *i, uint32_t *left, int bytes,
                  const char *verb, struct reach *r)
{
    uint64_t address[WARP_LANES];
    lane_addresses(m, w, i, address);
    uint32_t mask = *left;
    int first = first_lane(mask);
    r->space = (enum state_space)i->m.space;
    if (r->space == SPACE_GENERIC) {
        uint64_t probe = address[first];
        r->space = space_of(&probe);
        for (int k = 0; k < WARP_LANES; k++)
            if (mask >> k & 1 && space_of(&address[k]) != r->space)
                mask &= ~(1u << k);
    } else if (r->space == SPACE_CONST) {
        r->space = SPACE_GLOBAL;
    }
    r->access = (struct access){.machine = m,
                                .warp = w,
                                .instruction = i,
                                .scope = (enum scope)i->m.scope,
                                .strong = i->m.ordering != ORDERING_WEAK};
    if (!check_aligned(m, w, i, mask, address, bytes, verb, r->space))
        return false;
    if (r->space == SPACE_LOCAL) {
        r->mask = mask;
        memcpy(r->offset, address, sizeof r->offset);
        *left &= ~mask;
        return local_reach(m, w, i, bytes, verb, r);
    }
    if (!take_lanes(m, w, i, mask, address, bytes, verb, r))
        return false;
    *left &= ~r->mask;
    uint64_t different = 0;
    for (uint64_t k = 0; k < WARP_LANES; k++)
        different |= r->offset[k] ^ (r->offset[0] + k * (uint64_t)bytes);
    r->contiguous = full(r->mask) && different == 0;
    return true;
}

int memory_sectors(const struct reach *r, int bytes)
{
    if (r->contiguous)
        return (int)((r->offset[0] + (uint64_t)(bytes * WARP_LANES) - 1) / 32 - r->offset[0] / 32 + 1);
    uint64_t sectors[WARP_LANES];
    int count = 0;
    for (int k = 0; k < WARP_LANES; k++) {
        if ((r->mask >> k & 1) == 0)
            continue;
        uint64_t sector = r->offset[k] / 32;
        int seen = count - 1; /* neighbours mostly share: the last is looked at first */
        while (seen >= 0 && sectors[seen] != sector)
            seen--;
        if (seen < 0)
            sectors[count++] = sector;
    }
    return count;
}

/* Words of a bank that differ need a wavefront each. A warp is served in parts of at most 128 bytes. */
int memory_wavefronts(const struct reach *r, int bytes)
{
    int words = bytes < 4 ? 1 : bytes / 4, lanes = words > 8 ? 4 : WARP_LANES / words, total = 0;
    if (r->contiguous && bytes >= 4)
        return words;
    for (int part = 0; part < WARP_LANES; part += lanes) {
        uint64_t seen[32][32];
        int count[32] = {0}, most = 0;
        for (int k = part; k < part + lanes; k++) {
            for (int n = 0; r->mask >> k & 1 && n < words; n++) {
                uint64_t word = r->offset[k] / 4 + (uint64_t)n;
                int bank = (int)(word % 32), at = 0;
                while (at < count[bank] && seen[bank][at] != word)
                    at++;
                if (at < count[bank])
                    continue;
                seen[bank][count[bank]] = word;
                most = ++count[bank] > most ? count[bank] : most;
            }
        }
        total += most;
    }
    return total > 0 ? total : 1;
}
