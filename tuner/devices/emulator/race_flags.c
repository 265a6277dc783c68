/* Synchronisation that is no barrier of the block: fences, flags, atomics, barriers of some threads. */
#include "tuner/devices/emulator/data_race.h"

#include <stdlib.h>

static struct thread_clock *clock_of(struct warp *w, int lane)
{
    if (w->clocks[lane] == NULL)
        w->clocks[lane] = must_calloc(1, sizeof *w->clocks[lane]);
    return w->clocks[lane];
}

/* All that the thread knows now, its own accesses among it. */
static void add_knowledge(const struct warp *w, int lane, uint32_t now, struct clock_vector *to)
{
    const struct block *b = w->block;
    clock_vector_join(to, &b->known);
    if (w->clocks[lane] != NULL)
        clock_vector_join(to, &w->clocks[lane]->known);
    clock_vector_raise(to, clock_key(b->number, CLOCK_BLOCK), b->sync_floor);
    if (w->sync_floor > b->sync_floor)
        clock_vector_raise(to, clock_key(b->number, CLOCK_WARP + (uint32_t)w->index), w->sync_floor);
    clock_vector_raise(to, clock_key(b->number, CLOCK_THREAD + (uint32_t)thread_of(w, lane)), now);
}

void race_publish(struct machine *m, struct warp *w, uint32_t mask, struct clock_vector *clock)
{
    uint32_t now = race_new_time(m, w);
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (mask >> lane & 1)
            add_knowledge(w, lane, now, clock);
}

void race_learn(struct machine *m, struct warp *w, uint32_t mask, const struct clock_vector *clock)
{
    (void)m;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (mask >> lane & 1)
            clock_vector_join(&clock_of(w, lane)->known, clock);
}

void race_publish_fenced(const struct warp *w, uint32_t mask, struct clock_vector *clock)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        for (int s = SCOPE_CLUSTER; mask >> lane & 1 && w->clocks[lane] != NULL && s <= SCOPE_GPU; s++)
            clock_vector_join(clock, &w->clocks[lane]->fenced[s]);
}

void race_observe(struct warp *w, int lane, const struct clock_vector *clock, enum scope scope)
{
    clock_vector_join(&clock_of(w, lane)->observed[scope], clock);
}

void race_fence_mbarriers(struct machine *m, struct warp *w, uint32_t mask)
{
    uint32_t now = race_new_time(m, w);
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (mask >> lane & 1)
            clock_vector_raise(&clock_of(w, lane)->fenced[SCOPE_CLUSTER],
                               clock_key(w->block->number, CLOCK_INIT + (uint32_t)thread_of(w, lane)), now);
}

void race_fence(struct machine *m, struct warp *w, uint32_t mask, const struct modifiers *modifiers)
{
    uint32_t now = race_new_time(m, w);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if ((mask >> lane & 1) == 0)
            continue;
        struct thread_clock *clock = clock_of(w, lane);
        /* What a writer published for a scope is good for a fence of that scope or a narrower one's writers:
           the narrower of the two decides, and race_strong() has sorted what was observed by it. */
        for (int s = 0; s <= modifiers->scope; s++)
            clock_vector_join(&clock->known, &clock->observed[s]);
        add_knowledge(w, lane, now, &clock->fenced[modifiers->scope]);
    }
}

/* ---- words that are written strongly ---- */

static struct sync_word *slot_of(const struct machine *m, uint64_t address)
{
    uint64_t at = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (;; at++) {
        struct sync_word *word = &m->sync_words[at & (uint64_t)(m->sync_word_capacity - 1)];
        if (word->address == 0 || word->address == address)
            return word;
    }
}

static struct sync_word *sync_word_of(struct machine *m, uint64_t address)
{
    if (m->sync_word_count * 2 >= m->sync_word_capacity) {
        struct sync_word *old = m->sync_words;
        int count = m->sync_word_capacity;
        m->sync_word_capacity = count == 0 ? 64 : count * 2;
        m->sync_words = must_calloc((size_t)m->sync_word_capacity, sizeof *m->sync_words);
        for (int i = 0; i < count; i++)
            if (old[i].address != 0)
                *slot_of(m, old[i].address) = old[i];
        free(old);
    }
    struct sync_word *word = slot_of(m, address);
    if (word->address == 0) {
        word->address = address;
        m->sync_word_count++;
    }
    return word;
}

static bool in_cluster(const struct block *b, uint32_t number)
{
    for (int i = 0; i < b->cluster->blocks; i++)
        if (b->cluster->numbers[i] == number)
            return true;
    return false;
}

/* The narrowest scope that holds the thread and who published last. */
static enum scope needed_scope(const struct warp *w, const struct sync_word *word)
{
    if (word->block == w->block->number)
        return SCOPE_CTA;
    return in_cluster(w->block, word->block) ? SCOPE_CLUSTER : SCOPE_GPU;
}

static void observe(struct warp *w, int lane, const struct sync_word *word, const struct modifiers *modifiers)
{
    enum scope needed = needed_scope(w, word);
    if (modifiers->scope < needed)
        return;
    struct thread_clock *clock = clock_of(w, lane);
    for (int s = (int)needed; s < 3; s++) {
        clock_vector_join(&clock->observed[needed], &word->published[s]);
        if (modifiers->ordering >= ORDERING_ACQUIRE && modifiers->ordering != ORDERING_RELEASE)
            clock_vector_join(&clock->known, &word->published[s]);
    }
}

void race_strong(struct machine *m, struct warp *w, int lane, uint64_t address,
                 const struct modifiers *modifiers, bool reads, bool writes)
{
    bool releases = modifiers->ordering >= ORDERING_RELEASE;
    struct sync_word *word = sync_word_of(m, address);
    if (reads)
        observe(w, lane, word, modifiers);
    if (!writes)
        return;
    /* A plain strong write begins anew; an atomic adds to what others published before it. */
    if (!reads)
        for (int s = 0; s < 3; s++)
            word->published[s].count = 0;
    word->block = w->block->number;
    for (int s = 0; w->clocks[lane] != NULL && s < 3; s++) {
        int scope = s < modifiers->scope ? s : modifiers->scope;
        clock_vector_join(&word->published[scope], &w->clocks[lane]->fenced[s]);
    }
    if (releases)
        race_publish(m, w, 1u << lane, &word->published[modifiers->scope]);
}
