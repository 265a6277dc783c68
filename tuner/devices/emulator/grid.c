/* Running a launch: which blocks are resident, and which warp goes on. */
#include "tuner/devices/emulator/grid.h"

#include "tuner/devices/emulator/data_race.h"
#include "tuner/devices/emulator/warp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW_RESIDENTS = 4,    /* blocks that run side by side, as long as none of them has to wait for others */
    IDLE_STEPS = 20000,   /* without a store, until another block is let in */
    PATIENT_STEPS = 2000, /* without a store, until lanes no longer wait for others of their warp */
    RECEIVE_RARELY =
        32,             /* one in so many turns of a block performs asynchronous stores while its warps run */
    QUANTUM_MOST = 256, /* instructions of a warp before another may go on */
    EPOCHS_OF_LAUNCH = 1 << 25,
    JUNK = 0xfb, /* in registers that nothing wrote: a NaN, and no small number */
};

static void start_warps(struct machine *m, struct block *b)
{
    size_t bytes = (size_t)m->program->register_bytes, local = (size_t)m->program->local_bytes * WARP_LANES;
    b->registers = must_malloc(bytes * (size_t)b->warp_count + 1);
    memset(b->registers, JUNK, bytes * (size_t)b->warp_count);
    b->warps = must_calloc((size_t)b->warp_count, sizeof *b->warps);
    for (int n = 0; n < b->warp_count; n++) {
        struct warp *w = &b->warps[n];
        w->block = b;
        w->index = n;
        w->registers = b->registers + bytes * (size_t)n;
        warp_start(w, b->threads - n * WARP_LANES);
        if (local > 0) {
            w->local = must_malloc(local);
            w->local_written = must_calloc(local, 1);
        }
        memset(w->cluster_phase, 0xff, sizeof w->cluster_phase);
    }
    b->runnable = b->warp_count == BLOCK_WARPS_MAX ? UINT32_MAX : (1u << b->warp_count) - 1;
}

static struct block *start_block(struct machine *m, const int64_t at[3], struct cluster *c, int rank)
{
    const struct machine_launch *l = m->launch;
    struct block *b = must_calloc(1, sizeof *b);
    memcpy(b->at, at, sizeof b->at);
    b->number = (uint32_t)(at[0] + l->grid[0] * (at[1] + l->grid[1] * at[2]));
    b->threads = b->live = l->block[0] * l->block[1] * l->block[2];
    b->warp_count = (b->threads + WARP_LANES - 1) / WARP_LANES;
    b->sync_floor = m->launch_floor;
    b->cluster = c;
    b->rank = rank;
    c->members[rank] = b;
    c->numbers[rank] = b->number;
    c->threads += b->threads;
    c->left += b->threads;
    if (m->shared_bytes > SHARED_BASE) {
        b->shared = must_malloc((size_t)m->shared_bytes);
        memset(b->shared, JUNK, (size_t)m->shared_bytes);
        shadow_make(&b->shared_shadow, (size_t)m->shared_bytes, __builtin_ctz((unsigned)m->program->granule));
        for (int k = 0; k < m->program->gap_count; k++)
            shadow_mark_gap(&b->shared_shadow, m->program->gaps[k][0], m->program->gaps[k][1]);
    }
    start_warps(m, b);
    return b;
}

static void end_block(struct block *b)
{
    struct cluster *c = b->cluster;
    race_block_end(b);
    for (int n = 0; n < b->warp_count; n++) {
        free(b->warps[n].local);
        free(b->warps[n].local_written);
    }
    free(b->warps);
    free(b->registers);
    free(b->shared);
    free(b->mbarriers);
    free(b->coming);
    shadow_free(&b->shared_shadow);
    c->members[b->rank] = NULL;
    bool last = true;
    for (int r = 0; r < c->blocks; r++)
        last &= c->members[r] == NULL;
    if (last) {
        clock_vector_clear(&c->clocks[0]);
        clock_vector_clear(&c->clocks[1]);
        free(c);
    }
    free(b);
}

/* Starts the next cluster's blocks, whose places within it are in the order of their ranks. */
static void start_cluster(struct machine *m, struct residents *r)
{
    const struct machine_launch *l = m->launch;
    int size = l->cluster[0] * l->cluster[1] * l->cluster[2];
    int64_t number = r->next / size, wide = l->grid[0] / l->cluster[0], high = l->grid[1] / l->cluster[1];
    int64_t first[3] = {number % wide, number / wide % high, number / wide / high};
    struct cluster *c = must_calloc(1, sizeof *c);
    c->blocks = size;
    for (int rank = 0; rank < size; rank++) {
        int within[3] = {rank % l->cluster[0], rank / l->cluster[0] % l->cluster[1],
                         rank / l->cluster[0] / l->cluster[1]};
        int64_t at[3];
        for (int k = 0; k < 3; k++)
            at[k] = first[k] * l->cluster[k] + within[k];
        if (r->count == r->capacity) {
            r->capacity = r->capacity * 2 + 16;
            r->blocks = must_realloc(r->blocks, (size_t)r->capacity * sizeof *r->blocks);
        }
        r->blocks[r->count++] = start_block(m, at, c, rank);
    }
    r->next += size;
    m->idle_steps = 0;
}

static int64_t most_residents(const struct machine *m)
{
    return (int64_t)m->options.sms * m->launch->blocks_per_sm;
}

/* Lets blocks in: a few at first; more when those under way seem to wait for them. */
static void admit(struct machine *m, struct residents *r)
{
    const struct machine_launch *l = m->launch;
    int size = l->cluster[0] * l->cluster[1] * l->cluster[2];
    int64_t few = size > FEW_RESIDENTS ? size : FEW_RESIDENTS;
    while (r->next < m->grid_blocks && r->count + size <= most_residents(m) &&
           (l->cooperative || r->count + size <= few || r->count == 0))
        start_cluster(m, r);
    if (r->next < m->grid_blocks && r->count + size <= most_residents(m) && m->idle_steps > IDLE_STEPS)
        start_cluster(m, r);
}

static bool cluster_can_run(const struct block *b)
{
    bool any = false;
    for (int k = 0; k < b->cluster->blocks; k++)
        any |= b->cluster->members[k] != NULL &&
               (b->cluster->members[k]->runnable != 0 || b->cluster->members[k]->coming_count > 0);
    return any;
}

static struct warp *choose_warp(struct machine *m, struct block *b)
{
    int turn = (int)(machine_random(m) % (uint32_t)__builtin_popcount(b->runnable));
    uint32_t left = b->runnable;
    while (turn-- > 0)
        left &= left - 1;
    return &b->warps[__builtin_ctz(left)];
}

static bool endless(struct machine *m, const struct residents *r, struct warp *w)
{
    const struct instruction *i = &m->program->code[w->splits[w->current].pc];
    int lane = __builtin_ctz(w->splits[w->current].mask);
    if (w->steps > m->step_limit)
        return machine_fail(m, w, i, lane, "does not end: more than %" PRId64 " instructions of one warp",
                            m->step_limit);
    if (r->next < m->grid_blocks)
        return machine_fail(
            m, w, i, lane,
            "does not end: nothing changes, while %d blocks are resident, which is all that fit, and %" PRId64
            " of %" PRId64 " have not started",
            r->count, m->grid_blocks - r->next, m->grid_blocks);
    return machine_fail(m, w, i, lane,
                        "does not end: nothing changes in %" PRId64 " instructions of the %d blocks that run",
                        m->step_limit, r->count);
}

static bool run_block(struct machine *m, const struct residents *r, struct block *b)
{
    /* Late, but not never: what runs may wait in another way for what the store brings. */
    if (b->coming_count > 0 && (b->runnable == 0 || machine_random(m) % RECEIVE_RARELY == 0))
        return block_receive(m, b);
    if (b->runnable == 0)
        return cluster_can_run(b) || cluster_time_out(m, b->cluster) || block_stuck(m, b);
    struct warp *w = choose_warp(m, b);
    int64_t progress = m->progress;
    m->polled = false;
    if (!warp_run(m, w, 1 + (int)(machine_random(m) % QUANTUM_MOST)))
        return false;
    if (m->progress != progress)
        m->idle_steps = 0;
    if (m->next_epoch - m->launch_floor > EPOCHS_OF_LAUNCH)
        return error_set(m->error, STATUS_NONE_SURVIVED,
                         "the launch synchronises more often than the emulator can follow");
    if (!warp_has_waiting_lanes(w))
        w->joined_steps = w->steps;
    else if (m->idle_steps > PATIENT_STEPS && w->steps - w->joined_steps > PATIENT_STEPS)
        warp_stop_waiting(w);
    bool all_in = r->next == m->grid_blocks || r->count >= most_residents(m);
    if (w->split_count > 0 && (w->steps > m->step_limit || (all_in && m->idle_steps > m->step_limit)))
        return endless(m, r, w);
    return true;
}

bool grid_run(struct machine *m)
{
    struct residents r = {0};
    bool good = true;
    m->progress = 0;
    while (good) {
        admit(m, &r);
        if (r.count == 0)
            break;
        int index = (int)(machine_random(m) % (uint32_t)r.count);
        struct block *b = r.blocks[index];
        /* A block goes on for a while: its registers are in the caches then. */
        for (int turn = 0; good && turn < 16 && b->live > 0; turn++) {
            good = run_block(m, &r, b);
            if (b->runnable == 0 || m->polled)
                break;
        }
        if (good && b->live == 0) {
            good = block_received_all(m, b);
            end_block(b);
            r.blocks[index] = r.blocks[--r.count];
        }
    }
    while (r.count > 0)
        end_block(r.blocks[--r.count]);
    free(r.blocks);
    return good;
}
