/* The interpreter: one instruction after the other for the lanes that run together. */
#include "tuner/devices/emulator/warp.h"

#include "tuner/devices/emulator/data_race.h"
#include "tuner/devices/emulator/lane_math.h"

#include <fenv.h>
#include <string.h>

static const void *source_at(const struct machine *m, const struct warp *w, place p)
{
    return p == PLACE_NONE ? NULL : operand_at(m, w, p);
}

/* ---- lane functions ---- */

static const void *flush_source(const void *from, uint32_t to[WARP_LANES])
{
    const uint32_t *words = from;
    for (int k = 0; k < WARP_LANES; k++)
        to[k] = float_flushed(bits_canonical(float_of(words[k])));
    return to;
}

static void saturate(uint32_t *lanes)
{
    for (int k = 0; k < WARP_LANES; k++) {
        float value = float_of(lanes[k]);
        lanes[k] = !(value > 0.0f) ? 0 : value > 1.0f ? 0x3f800000u : lanes[k];
    }
}

static void call_rounded(const struct instruction *i, void *d, const void *a, const void *b, const void *c)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (i->m.rounding != ROUND_NEAREST)
        fesetround(modes[i->m.rounding]);
    i->lanes(d, a, b, c);
    if (i->m.rounding != ROUND_NEAREST)
        fesetround(FE_TONEAREST);
}

static void run_lanes(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    const void *a = source_at(m, w, i->a), *b = source_at(m, w, i->b), *c = source_at(m, w, i->c);
    void *d = w->registers + i->d;
    if (i->plain && full(mask)) {
        i->lanes(d, a, b, c);
        return;
    }
    union {
        uint32_t words[WARP_LANES];
        uint64_t wide[WARP_LANES];
    } result;
    uint32_t flush[3][WARP_LANES], negated = i->c_negated ? ~*(const uint32_t *)c : 0;
    a = i->flush & 1 ? flush_source(a, flush[0]) : a;
    b = i->flush & 2 ? flush_source(b, flush[1]) : b;
    c = i->flush & 4 ? flush_source(c, flush[2]) : i->c_negated ? &negated : c;
    call_rounded(i, &result, a, b, c);
    if (i->flush & 8)
        flush_source(result.words, result.words);
    if (i->m.sat)
        saturate(result.words);
    if (i->wide)
        write_lanes_64(d, result.wide, mask);
    else
        write_lanes_32(d, result.words, mask);
}

/* 32 bytes of 0 or 1 as bits. */
static uint32_t packed(const uint8_t bytes[WARP_LANES])
{
    uint32_t bits = 0;
    for (int k = 0; k < 4; k++) {
        uint64_t eight;
        memcpy(&eight, bytes + k * 8, sizeof eight);
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << (k * 8);
    }
    return bits;
}

static uint32_t combined(const struct instruction *i, uint32_t compared, uint32_t c)
{
    switch ((enum variant)i->m.variant) {
    case VARIANT_AND:
        return compared & c;
    case VARIANT_OR:
        return compared | c;
    case VARIANT_XOR:
        return compared ^ c;
    default:
        return compared;
    }
}

static void run_compare(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    const void *a = source_at(m, w, i->a), *b = source_at(m, w, i->b);
    uint32_t flush[2][WARP_LANES], c = 0;
    if (i->flush != 0) {
        a = flush_source(a, flush[0]);
        b = b != NULL ? flush_source(b, flush[1]) : NULL;
    }
    uint8_t bytes[WARP_LANES];
    i->lanes(bytes, a, b, NULL);
    uint32_t compared = packed(bytes);
    if (i->c != PLACE_NONE) {
        c = *(const uint32_t *)operand_at(m, w, i->c);
        c = i->c_negated ? ~c : c;
    }
    if (i->d != PLACE_NONE)
        write_predicate(w->registers + i->d, combined(i, compared, c), mask);
    if (i->d2 != PLACE_NONE)
        write_predicate(w->registers + i->d2, combined(i, ~compared, c), mask);
}

static void run_predicate(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    uint32_t result;
    i->lanes(&result, source_at(m, w, i->a), source_at(m, w, i->b), NULL);
    write_predicate(w->registers + i->d, result, mask);
}

static void write_value(struct warp *w, const struct instruction *i, const uint64_t values[WARP_LANES],
                        uint32_t mask)
{
    uint32_t words[WARP_LANES];
    if (i->wide) {
        write_lanes_64(w->registers + i->d, values, mask);
        return;
    }
    for (int k = 0; k < WARP_LANES; k++)
        words[k] = (uint32_t)values[k];
    write_lanes_32(w->registers + i->d, words, mask);
}

static uint64_t word_of(const void *from, bool wide, int lane)
{
    return wide ? ((const uint64_t *)from)[lane] : ((const uint32_t *)from)[lane];
}

/* bfi and lop3, which have four sources. */
static void run_quaternary(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    const void *a = operand_at(m, w, i->a), *b = operand_at(m, w, i->b);
    const uint32_t *c = operand_at(m, w, i->c), *e = operand_at(m, w, i->e);
    uint64_t values[WARP_LANES];
    for (int k = 0; k < WARP_LANES; k++) {
        uint64_t x = word_of(a, i->wide, k), y = word_of(b, i->wide, k);
        values[k] = i->m.variant == VARIANT_LOP3 ? logic3((uint32_t)x, (uint32_t)y, c[k], e[k])
                    : i->wide                    ? insert_bits_64(x, y, c[k], e[k])
                                                 : insert_bits((uint32_t)x, (uint32_t)y, c[k], e[k]);
    }
    write_value(w, i, values, mask);
}

/* ---- moves that are more than a copy ---- */

static void run_pack(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    int bits = i->m.element_bytes * 8;
    uint64_t values[WARP_LANES] = {0};
    for (int e = 0; e < i->m.vector; e++) {
        const uint32_t *from = operand_at(m, w, m->program->places[i->refs + e]);
        for (int k = 0; k < WARP_LANES; k++)
            values[k] |= (bits == 32 ? (uint64_t)from[k] : from[k] & ((UINT64_C(1) << bits) - 1))
                         << (e * bits);
    }
    write_value(w, i, values, mask);
}

static void run_unpack(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    int bits = i->m.element_bytes * 8;
    const void *whole = operand_at(m, w, i->a);
    uint64_t values[WARP_LANES];
    for (int k = 0; k < WARP_LANES; k++)
        values[k] = i->wide ? ((const uint64_t *)whole)[k] : ((const uint32_t *)whole)[k];
    for (int e = 0; e < i->m.vector; e++) {
        uint32_t words[WARP_LANES];
        for (int k = 0; k < WARP_LANES; k++)
            words[k] = (uint32_t)(values[k] >> (e * bits) & ((UINT64_C(1) << bits) - 1));
        if (m->program->places[i->refs + e] != PLACE_NONE)
            write_lanes_32(w->registers + m->program->places[i->refs + e], words, mask);
    }
}

/* cvta between a state space and generic addresses, mapa between blocks of a cluster. */
static void run_address(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    const void *a = operand_at(m, w, i->a);
    const uint32_t *rank = i->m.variant == VARIANT_MAPA ? operand_at(m, w, i->b) : NULL;
    bool shared = i->m.space == SPACE_SHARED || i->m.space == SPACE_CLUSTER;
    uint64_t window = shared                      ? GENERIC_SHARED
                      : i->m.space == SPACE_LOCAL ? GENERIC_LOCAL
                                                  : 0,
             values[WARP_LANES];
    for (int k = 0; k < WARP_LANES; k++) {
        uint64_t value = i->wide ? ((const uint64_t *)a)[k] : ((const uint32_t *)a)[k];
        if (rank != NULL) {
            uint64_t base = value >= GENERIC_SHARED ? GENERIC_SHARED : 0;
            values[k] =
                base + (((uint64_t)rank[k] + 1) << CLUSTER_SHIFT | (value & ((1u << CLUSTER_SHIFT) - 1)));
        } else {
            values[k] = i->m.to ? value - window : value + window;
        }
    }
    write_value(w, i, values, mask);
}

static void run_special(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    uint64_t values[WARP_LANES];
    for (int k = 0; k < WARP_LANES; k++)
        values[k] = special_register_value(m, w, (enum special_register)i->target, k);
    write_value(w, i, values, mask);
}

static void run_constant(struct warp *w, const struct instruction *i, uint64_t value, uint32_t mask)
{
    uint64_t values[WARP_LANES];
    for (int k = 0; k < WARP_LANES; k++)
        values[k] = value;
    write_value(w, i, values, mask);
}

/* ---- instructions of several lanes together ---- */

/* False on an error; *waits where the current split must wait for other lanes. */
static bool run_together(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask,
                         bool *waits)
{
    uint32_t members, together;
    if (!warp_members(m, w, i, mask, &members))
        return false;
    *waits = !warp_gather(m, w, mask, members, &together);
    if (*waits)
        return true;
    if (i->action == ACTION_SHUFFLE && !warp_shuffle(m, w, i, together))
        return false;
    if (i->action == ACTION_VOTE)
        warp_vote(m, w, i, together);
    else if (i->action == ACTION_MATCH)
        warp_match(m, w, i, together);
    else if (i->action == ACTION_REDUX)
        warp_redux(m, w, i, together);
    else if (i->action == ACTION_WARP_BARRIER && (together & w->live) == w->live)
        race_warp_met(m, w);
    else if (i->action == ACTION_WARP_BARRIER) {
        struct clock_vector met = {0};
        race_publish(m, w, together, &met);
        race_learn(m, w, together, &met);
        clock_vector_clear(&met);
    }
    if (together != mask)
        warp_release_gathered(w, together);
    return true;
}

static void end_lanes(struct machine *m, struct warp *w, uint32_t mask)
{
    struct block *b = w->block;
    int ended = __builtin_popcount(mask);
    m->progress++;
    b->live -= ended;
    b->cluster->left -= ended;
    warp_exit(w, mask);
}

enum step { STEP_NEXT, STEP_MOVED, STEP_FAILED };

/* Everything that is not done in warp_run() itself. STEP_MOVED: the splits have changed. */
static enum step run_other(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    struct split *s = &w->splits[w->current];
    int pc = s->pc;
    bool waits, good = true;
    switch ((enum action)i->action) {
    case ACTION_STORE:
        return warp_store(m, w, i, mask) ? STEP_NEXT : STEP_FAILED;
    case ACTION_ATOMIC:
    case ACTION_REDUCTION:
        return warp_atomic(m, w, i, mask) ? STEP_NEXT : STEP_FAILED;
    case ACTION_LOAD_PARAMETER:
        warp_load_parameter(m, w, i, mask);
        return STEP_NEXT;
    case ACTION_FENCE:
        race_fence(m, w, mask, &i->m);
        return STEP_NEXT;
    case ACTION_QUATERNARY:
        run_quaternary(m, w, i, mask);
        return STEP_NEXT;
    case ACTION_PACK:
        run_pack(m, w, i, mask);
        return STEP_NEXT;
    case ACTION_UNPACK:
        run_unpack(m, w, i, mask);
        return STEP_NEXT;
    case ACTION_SPECIAL:
        run_special(m, w, i, mask);
        return STEP_NEXT;
    case ACTION_ADDRESS:
        run_address(m, w, i, mask);
        return STEP_NEXT;
    case ACTION_POLICY:
        run_constant(w, i, 0, mask);
        return STEP_NEXT;
    case ACTION_ACTIVE_MASK:
        run_constant(w, i, s->mask, mask);
        return STEP_NEXT;
    case ACTION_EXIT:
        s->pc = pc + 1;
        end_lanes(m, w, mask);
        return STEP_MOVED;
    case ACTION_TRAP:
        machine_fail(m, w, i, __builtin_ctz(mask), "the kernel traps");
        return STEP_FAILED;
    case ACTION_BARRIER:
    case ACTION_BARRIER_REDUCE:
        good = warp_barrier(m, w, i, mask);
        break;
    case ACTION_CLUSTER_ARRIVE:
        good = warp_cluster_arrive(m, w, i, mask);
        break;
    case ACTION_CLUSTER_WAIT:
        good = warp_cluster_wait(m, w, i, mask);
        break;
    case ACTION_STORE_ASYNC:
        return warp_store_async(m, w, i, mask) ? STEP_NEXT : STEP_FAILED;
    case ACTION_MBARRIER_INIT:
        return warp_mbarrier_init(m, w, i, mask) ? STEP_NEXT : STEP_FAILED;
    case ACTION_MBARRIER_FENCE:
        race_fence_mbarriers(m, w, mask);
        return STEP_NEXT;
    case ACTION_MBARRIER_ARRIVE:
        return warp_mbarrier_arrive(m, w, i, mask) ? STEP_NEXT : STEP_FAILED;
    case ACTION_MBARRIER_WAIT:
        good = warp_mbarrier_wait(m, w, i, mask);
        break;
    case ACTION_NOTHING:
        return STEP_NEXT;
    default: /* ACTION_SHUFFLE, _VOTE, _MATCH, _REDUX, _WARP_BARRIER */
        good = run_together(m, w, i, mask, &waits);
        if (good && !waits)
            w->splits[w->current].pc++;
        break;
    }
    if (good)
        warp_settle(w);
    return good ? STEP_MOVED : STEP_FAILED;
}

/* What the guard lets through. */
static uint32_t active_lanes(const struct warp *w, const struct instruction *i, uint32_t mask)
{
    if (i->guard == PLACE_NONE)
        return mask;
    uint32_t p = *(const uint32_t *)(const void *)(w->registers + i->guard);
    return mask & (i->guard_negated ? ~p : p);
}

/* A branch that some of the split's lanes take. */
static enum step run_branch(struct machine *m, struct warp *w, const struct instruction *i, uint32_t taken)
{
    struct split *s = &w->splits[w->current];
    if (taken == s->mask) {
        s->pc = i->target - 1; /* STEP_NEXT adds one */
        return STEP_NEXT;
    }
    m->counts.divergent_branches++;
    warp_diverge(m, w, taken, i->target, s->pc + 1, i->join);
    return STEP_MOVED;
}

static inline enum step run_one(struct machine *m, struct warp *w, const struct instruction *i, uint32_t mask)
{
    uint32_t active = active_lanes(w, i, mask);
    if (active == 0) {
        m->counts.pipes[PIPE_CONTROL]++;
        return STEP_NEXT;
    }
    m->counts.pipes[i->pipe]++;
    m->counts.thread_instructions += full(active) ? WARP_LANES : __builtin_popcount(active);
    switch ((enum action)i->action) {
    case ACTION_LANES:
        run_lanes(m, w, i, active);
        return STEP_NEXT;
    case ACTION_COMPARE:
        run_compare(m, w, i, active);
        return STEP_NEXT;
    case ACTION_PREDICATE:
        run_predicate(m, w, i, active);
        return STEP_NEXT;
    case ACTION_LOAD:
        return warp_load(m, w, i, active) ? STEP_NEXT : STEP_FAILED;
    case ACTION_BRANCH:
        return run_branch(m, w, i, active);
    default:
        return run_other(m, w, i, active);
    }
}

/* Runs the current split for at most `most` instructions; how many it were is added to *ran. */
static enum step run_split(struct machine *m, struct warp *w, int most, int *ran)
{
    struct split *s = &w->splits[w->current];
    const int join_pc = s->join >= 0 ? w->joins[s->join].pc : -1;
    const uint32_t mask = s->mask;
    for (int n = 0; n < most && !m->polled; n++) {
        ++*ran;
        enum step step = run_one(m, w, &m->program->code[s->pc], mask);
        if (step != STEP_NEXT)
            return step;
        if (++s->pc == join_pc) {
            warp_settle(w);
            return STEP_MOVED;
        }
    }
    return STEP_NEXT;
}

bool warp_run(struct machine *m, struct warp *w, int quantum)
{
    int ran = 0;
    enum step step = STEP_MOVED;
    while (step == STEP_MOVED && ran < quantum && !m->polled && w->split_count > 0 &&
           w->splits[w->current].state == SPLIT_RUNS)
        step = run_split(m, w, quantum - ran, &ran);
    w->steps += ran;
    m->idle_steps += ran;
    m->clock += (uint64_t)ran;
    /* Lanes that wait in a loop for others of their warp must let them run. */
    if (w->split_count > 1 && step != STEP_FAILED)
        warp_switch(w);
    if (w->split_count == 0 || w->splits[w->current].state != SPLIT_RUNS)
        w->block->runnable &= ~(1u << w->index);
    return step != STEP_FAILED;
}
