#include "tuner/devices/cuda/cuda_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator/worker.h"
#include "tuner/devices/cuda/cuda_clocks.h"
#include "tuner/devices/cuda/cuda_oracle.h"
#include "tuner/devices/cuda/cuda_replay.h"
#include "tuner/devices/cuda/cuda_sets.h"
#include "tuner/verify/oracle_host.h"
#include "tuner/verify/verify.h"

enum { REPLAYS = 5 };
static const double warm_seconds = 1, warm_seconds_max = 12, idle_seconds = 0.5;
static const double visit_ms = 12; /* about what one visit of an entry takes at most */

/* When the GPU was at work, on the monotonic clock. */
struct activity {
    double since, until;
    bool warm; /* the time of a copy had settled, and the GPU was not idle since */
};

/* One problem's buffers and copies. */
struct cuda_bench {
    int generation;
    struct cuda_sets sets;
    struct replay_timer timer;
    CUgraphExec memcpy_graph,
        limit;      /* limit: the fastest copy, possibly memcpy_graph; NULL until it is needed */
    double copy_ms; /* of a replay of memcpy_graph */
    struct activity activity;
};

static void step(struct cuda_device *c, int entry)
{
    c->shared->entry = entry;
    c->shared->beat = c->shared->beat + 1;
}

/* ---- the limit ---- */

/* `context`: the copy kernel's shape, or NULL for the driver's copy. */
static bool enqueue_copy(struct cuda_device *c, int set, const void *context, struct error *e)
{
    const struct cuda_bench *b = c->bench;
    CUdeviceptr to = cuda_sets_out_area(&b->sets, set), from = cuda_sets_in_area(&b->sets, set);
    if (context == NULL)
        return cuda_ok(c->driver, c->driver->copy(to, from, b->sets.copied_bytes, c->stream), "copying", e);
    return cuda_oracle_copy(c, *(const int *)context, to, from, b->sets.copied_bytes, e);
}

/* Keeps the fastest of the driver's copy and the copy kernel's shapes, by interleaved short rounds. */
static bool choose_limit(struct cuda_device *c, struct error *e)
{
    enum { SWEEPS = 3, SWEEP_REPLAYS = 3, CANDIDATES = COPY_SHAPES + 1 };
    struct cuda_bench *b = c->bench;
    CUgraphExec graphs[CANDIDATES] = {NULL};
    double best[CANDIDATES];
    bool ok = true;
    int fastest = COPY_SHAPES;
    graphs[COPY_SHAPES] = b->memcpy_graph;
    for (int i = 0; ok && i < COPY_SHAPES; i++)
        ok = replay_capture(c, enqueue_copy, &i, b->sets.count, b->sets.launches, &graphs[i], e);
    for (int i = 0; i < CANDIDATES; i++)
        best[i] = INFINITY;
    for (int k = 0; ok && k < SWEEPS * CANDIDATES; k++) {
        struct replay_ms ms;
        ok = replay_time(c, &b->timer, graphs[k % CANDIDATES], graphs[k % CANDIDATES], SWEEP_REPLAYS, &ms, e);
        if (ok)
            best[k % CANDIDATES] = fmin(best[k % CANDIDATES], ms.median);
    }
    for (int i = 0; i < CANDIDATES; i++)
        if (best[i] < best[fastest])
            fastest = i;
    for (int i = 0; i < COPY_SHAPES; i++)
        if (graphs[i] != NULL && (i != fastest || !ok))
            c->driver->graph_exec_destroy(graphs[i]);
    if (ok)
        b->limit = graphs[fastest];
    return ok;
}

/* Copies until the time of a copy stays the same and the GPU has been at work for a second. */
static bool warm_up(struct cuda_device *c, struct error *e)
{
    struct cuda_bench *b = c->bench;
    double start = monotonic_seconds(), last = 0;
    struct replay_ms now;
    bool settled;
    do {
        step(c, -1);
        if (!replay_time(c, &b->timer, NULL, b->memcpy_graph, REPLAYS_MAX, &now, e))
            return false;
        settled = fabs(now.median - last) < 0.003 * now.median &&
                  monotonic_seconds() - b->activity.since > warm_seconds;
        last = now.median;
    } while (!settled && monotonic_seconds() - start < warm_seconds_max);
    cuda_clocks_settle(c->clocks);
    b->activity.warm = true;
    return true;
}

/* Work begins: after an idle while the clocks have fallen. */
static void begin_activity(struct cuda_bench *b)
{
    double now = monotonic_seconds();
    if (now - b->activity.until > idle_seconds)
        b->activity = (struct activity){.since = now};
}

static void end_activity(struct cuda_bench *b)
{
    b->activity.until = monotonic_seconds();
}

/* ---- opening for a problem ---- */

void cuda_bench_close(struct cuda_device *c)
{
    struct cuda_bench *b = c->bench;
    if (b == NULL)
        return;
    const struct cuda_driver *d = c->driver;
    if (b->limit != NULL && b->limit != b->memcpy_graph)
        d->graph_exec_destroy(b->limit);
    if (b->memcpy_graph != NULL)
        d->graph_exec_destroy(b->memcpy_graph);
    replay_timer_close(c, &b->timer);
    cuda_sets_close(c, &b->sets);
    free(b);
    c->bench = NULL;
}

static bool same_problem(const struct problem *a, const struct problem *b)
{
    return a->op == b->op && a->dtype_in == b->dtype_in && a->dtype_out == b->dtype_out && a->M == b->M &&
           a->N == b->N && a->x_stride == b->x_stride && a->y_stride == b->y_stride && a->align == b->align &&
           a->in_place == b->in_place && a->scaled == b->scaled && a->cache == b->cache;
}

static bool open_for(struct cuda_device *c, const struct problem *p, struct error *e)
{
    if (c->bench != NULL && same_problem(&c->bench->sets.problem, p))
        return true;
    if (p->M < 1)
        return error_set(e, STATUS_USAGE, "there is nothing to measure in a problem of no rows");
    struct replay_ms copy;
    int generation = c->bench == NULL ? 1 : c->bench->generation + 1;
    struct activity activity = {.until = -1e9};
    if (c->bench != NULL)
        activity = c->bench->activity;
    cuda_bench_close(c);
    struct cuda_bench *b = c->bench = must_calloc(1, sizeof *b);
    b->generation = generation;
    b->activity = activity;
    if (cuda_sets_open(c, p, &b->sets, e) && replay_timer_open(c, &b->timer, e) &&
        replay_capture(c, enqueue_copy, NULL, b->sets.count, b->sets.launches, &b->memcpy_graph, e) &&
        replay_time(c, &b->timer, b->memcpy_graph, b->memcpy_graph, 2, &copy, e)) {
        b->copy_ms = copy.least;
        return true;
    }
    cuda_bench_close(c);
    return false;
}

/* ---- entries ---- */

struct plan_on_sets {
    const struct cuda_module *module;
    const struct launch_plan *plan;
};

static bool enqueue_plan(struct cuda_device *c, int set, const void *context, struct error *e)
{
    const struct plan_on_sets *p = context;
    struct launch_values values = cuda_sets_values(&c->bench->sets, set, p->module->workspace);
    return cuda_enqueue(c, p->module, p->plan, &values, e);
}

void cuda_module_forget(struct cuda_device *c, struct cuda_module *m)
{
    if (m->graph != NULL)
        c->driver->graph_exec_destroy(m->graph);
    if (m->workspace != 0)
        c->driver->memory_free(m->workspace);
    m->graph = NULL;
    m->workspace = 0;
}

/* What a visit may take; one of the copy always may. */
static double visit_budget_ms(const struct cuda_bench *b)
{
    return fmax(visit_ms, 2 * b->copy_ms);
}

static bool time_launch(struct cuda_device *c, const struct plan_on_sets *context, double *ms,
                        struct error *e)
{
    const struct cuda_driver *d = c->driver;
    static const char what[] = "the kernel fails";
    float elapsed = 0;
    bool ok =
        cuda_ok(d, d->event_record(c->bench->timer.events[0], c->stream), what, e) &&
        enqueue_plan(c, 0, context, e) &&
        cuda_ok(d, d->event_record(c->bench->timer.events[1], c->stream), what, e) && cuda_wait(c, what, e) &&
        cuda_ok(d, d->event_elapsed(&elapsed, c->bench->timer.events[0], c->bench->timer.events[1]), what, e);
    *ms = elapsed;
    return ok;
}

/* A graph of as many launches as the copy's has, or of fewer where these take too long. */
static bool make_graph(struct cuda_device *c, struct cuda_module *m, const struct plan_on_sets *context,
                       struct error *e)
{
    struct cuda_bench *b = c->bench;
    double budget = visit_budget_ms(b), launch_ms;
    struct replay_ms replay;
    if (!time_launch(c, context, &launch_ms, e))
        return false;
    m->launches = b->sets.launches;
    if (launch_ms * m->launches < 2 * budget) { /* one launch on its own says little */
        if (!replay_capture(c, enqueue_plan, context, b->sets.count, m->launches, &m->graph, e) ||
            !replay_time(c, &b->timer, m->graph, m->graph, 2, &replay, e))
            return false;
        m->replay_ms = replay.least;
        if (m->replay_ms <= budget)
            return true;
        launch_ms = m->replay_ms / m->launches;
        c->driver->graph_exec_destroy(m->graph);
        m->graph = NULL;
    }
    m->launches = (int)fmax(1, fmin(b->sets.launches, budget / launch_ms));
    m->replay_ms = launch_ms * m->launches;
    return replay_capture(c, enqueue_plan, context, b->sets.count, m->launches, &m->graph, e);
}

/* Its graph for the bench's problem, after a launch that was waited for. */
static bool make_ready(struct cuda_device *c, struct cuda_module *m, const struct launch_plan *plan,
                       struct error *e)
{
    const struct cuda_driver *d = c->driver;
    struct cuda_bench *b = c->bench;
    if (m->graph != NULL && m->generation == b->generation)
        return true;
    cuda_module_forget(c, m);
    m->generation = b->generation;
    int64_t bytes;
    if (!expression_evaluate(plan->workspace_of_M, b->sets.problem.M, c->device.gpu.sms, &bytes, e))
        return false;
    bytes = bytes > 16 ? bytes : 16;
    struct plan_on_sets context = {.module = m, .plan = plan};
    return cuda_ok(d, d->memory_allocate(&m->workspace, (size_t)bytes), "allocating the workspace", e) &&
           cuda_ok(d, d->fill(m->workspace, 0, (size_t)bytes, c->stream), "clearing the workspace", e) &&
           enqueue_plan(c, 0, &context, e) && cuda_wait(c, "the kernel fails", e) &&
           make_graph(c, m, &context, e);
}

/* One launch on the set, judged as the verifier does, with the state that timing left in the workspace. */
static bool judge_set(struct cuda_device *c, const struct measured_entry *entry, int set, char **failure,
                      struct error *e)
{
    enum { JUDGED_ROWS = 1 << 20 };
    struct cuda_bench *b = c->bench;
    const struct problem *p = &b->sets.problem;
    struct cuda_module *m = entry->module;
    struct launch_values v = cuda_sets_values(&b->sets, set, m->workspace);
    struct oracle_batch whole = cuda_sets_batch(&b->sets, set, p->M);
    struct oracle_batch judged = cuda_sets_batch(&b->sets, set, p->M < JUDGED_ROWS ? p->M : JUDGED_ROWS);
    struct oracle_verdict verdict;
    char text[512];
    bool ok = p->in_place
                  ? cuda_oracle_make_input(&c->device, &whole, v.x, e)
                  : cuda_ok(c->driver, c->driver->fill(v.y, ORACLE_POISON, oracle_y_bytes(&whole), c->stream),
                            "poisoning", e);
    if (!ok || !cuda_enqueue(c, m, entry->plan, &v, e) ||
        !cuda_wait(c, "the kernel fails after it was timed", e) ||
        !cuda_oracle_judge(&c->device, &judged, v.x, v.y, &verdict, e))
        return false;
    if (*failure == NULL && verify_explain(&judged, &verdict, text, sizeof text))
        *failure = must_format("after it was timed: %s", text);
    return true;
}

/* Whether the context takes no more work, so that no other entry can be blamed or measured. */
static bool is_lost(struct cuda_device *c)
{
    return c->driver->stream_synchronize(c->stream) != CUDA_SUCCESS;
}

/* What all entries of one call have in common. */
struct measurement {
    const struct measured_entry *entries;
    int count, rounds;
    double *samples;
    char **failures;
};

static bool make_all_ready(struct cuda_device *c, const struct measurement *m, struct error *e)
{
    for (int i = 0; i < m->count; i++) {
        struct error why;
        if (m->entries[i].module == NULL)
            continue;
        step(c, i);
        if (make_ready(c, m->entries[i].module, m->entries[i].plan, &why))
            continue;
        if (is_lost(c)) {
            *e = why;
            return false;
        }
        m->failures[i] = must_strdup(why.text);
    }
    step(c, -1);
    return true;
}

static bool needs_limit(const struct measurement *m)
{
    for (int i = 0; i < m->count; i++)
        if (m->entries[i].module == NULL)
            return true;
    return false;
}

static void shuffle(int *order, int count, uint64_t seed)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int k = (int)(oracle_mix(seed + (uint64_t)i * 0x9e3779b97f4a7c15u) % (uint64_t)(i + 1)),
            held = order[i];
        order[i] = order[k];
        order[k] = held;
    }
}

/* Microseconds a launch. What has fewer launches than there are sets would find its buffers in L2 after a
   replay of its own: the copy goes first, over all sets. */
static bool visit(struct cuda_device *c, const struct cuda_module *m, int most_replays, double *us,
                  struct error *e)
{
    const struct cuda_bench *b = c->bench;
    CUgraphExec graph = m == NULL ? b->limit : m->graph;
    int launches = m == NULL ? b->sets.launches : m->launches;
    double replay_ms = m == NULL ? b->copy_ms : m->replay_ms;
    struct replay_ms ms;
    int replays = (int)fmax(1, fmin(most_replays, visit_budget_ms(b) / replay_ms - 1));
    bool few = launches < b->sets.launches;
    if (!replay_time(c, &b->timer, few && b->sets.count > 1 ? b->memcpy_graph : graph, graph,
                     few ? 1 : replays, &ms, e))
        return false;
    *us = ms.median * 1e3 / launches;
    return true;
}

static bool run_round(struct cuda_device *c, const struct measurement *m, const int *order, double *samples,
                      struct error *e)
{
    bool throttled = cuda_clocks_throttled(c->clocks);
    for (int k = 0; k < m->count; k++) {
        int i = order[k];
        samples[i] = NAN;
        step(c, i);
        if (m->failures[i] == NULL && !visit(c, m->entries[i].module, REPLAYS, &samples[i], e))
            return false;
    }
    throttled |= cuda_clocks_throttled(c->clocks);
    for (int i = 0; throttled && i < m->count; i++)
        samples[i] = NAN;
    return true;
}

static bool run_rounds(struct cuda_device *c, const struct measurement *m, uint64_t seed, struct error *e)
{
    int *order = must_malloc((size_t)m->count * sizeof *order);
    bool ok = true;
    for (int r = 0; ok && r < m->rounds; r++) {
        shuffle(order, m->count, oracle_mix(seed ^ (uint64_t)r << 32));
        ok = run_round(c, m, order, m->samples + (size_t)r * (size_t)m->count, e);
    }
    free(order);
    return ok;
}

/* Judges every entry on one of the sets; one that is wrong now loses its samples. */
static bool judge_all(struct cuda_device *c, const struct measurement *m, uint64_t seed, struct error *e)
{
    for (int i = 0; i < m->count; i++) {
        if (m->entries[i].module == NULL || m->failures[i] != NULL)
            continue;
        step(c, i);
        int set = (int)(oracle_mix(seed + (uint64_t)i) % (uint64_t)c->bench->sets.count);
        if (!judge_set(c, &m->entries[i], set, &m->failures[i], e))
            return false;
        for (int r = 0; m->failures[i] != NULL && r < m->rounds; r++)
            m->samples[(size_t)r * (size_t)m->count + (size_t)i] = NAN;
    }
    return true;
}

/* Whatever the settled time is: a copy that is timed beside it takes as much longer. */
bool cuda_bench_sample(struct device *d, const struct problem *p, const struct measured_entry *entry,
                       double *copies, char **failure, struct error *e)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct error why = {0};
    struct replay_ms copy;
    double us;
    *copies = NAN;
    *failure = NULL;
    step(c, -1);
    if (!open_for(c, p, &why) || !make_ready(c, entry->module, entry->plan, &why)) {
        if (is_lost(c))
            *e = why;
        return !is_lost(c);
    }
    begin_activity(c->bench);
    const struct cuda_bench *b = c->bench;
    const struct cuda_module *m = entry->module;
    us = m->replay_ms * 1e3 / m->launches;
    if (!replay_time(c, &b->timer, NULL, b->memcpy_graph, 2, &copy, e) ||
        (m->launches < b->sets.launches && !visit(c, m, 1, &us, e)) || !judge_set(c, entry, 0, failure, e))
        return false;
    end_activity(c->bench);
    *copies = us / (copy.least * 1e3 / b->sets.launches);
    return true;
}

bool cuda_bench_measure(struct device *d, const struct problem *p, const struct measured_entry *entries,
                        int count, int rounds, uint64_t seed, double *samples, char **failures,
                        struct error *e)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct measurement m = {
        .entries = entries, .count = count, .rounds = rounds, .samples = samples, .failures = failures};
    memset(failures, 0, (size_t)count * sizeof *failures);
    step(c, -1);
    bool ok = open_for(c, p, e) && make_all_ready(c, &m, e);
    if (ok)
        begin_activity(c->bench);
    ok = ok && (c->bench->activity.warm || warm_up(c, e)) &&
         (c->bench->limit != NULL || !needs_limit(&m) || choose_limit(c, e)) && run_rounds(c, &m, seed, e) &&
         judge_all(c, &m, seed, e);
    if (ok)
        end_activity(c->bench);
    for (int i = 0; !ok && i < count; i++) {
        free(failures[i]);
        failures[i] = NULL;
    }
    return ok;
}
