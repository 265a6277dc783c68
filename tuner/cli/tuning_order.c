#include "tuner/cli/tuning_order.h"

#include "generator/worker.h"
#include "tuner/cli/tuning.h"
#include "tuner/model/model_expect.h"

#include <math.h>
#include <stdlib.h>

/* Expectations of a large space are a sample, evenly spread, of what this time allows. */
enum { ESTIMATES_MAX = 2000 };
static const double estimate_seconds = 1;

/* What the model expects of a variant, times a copy at the GPU's peak, as the store says it. */
static bool estimate(const struct tuning *t, const struct trial *trial, double *copies, struct error *e)
{
    const struct gpu *gpu = &t->session->gpu;
    double us;
    if (!model_expect_us(trial->space, trial->key, &t->problem, gpu, &us, e))
        return false;
    *copies = us / (problem_bytes(&t->problem) / gpu->dram_gbs / 1e3);
    return true;
}

static bool estimate_all(struct tuning *t, struct error *e)
{
    int count = t->space_count, step = 1 + count / ESTIMATES_MAX;
    double end = monotonic_seconds() + estimate_seconds;
    for (int i = 0; i < count && monotonic_seconds() < end; i += step)
        if (isnan(t->order.expected[i]) && !estimate(t, &t->trials[i], &t->order.expected[i], e))
            return false;
    return true;
}

bool tuning_order_begin(struct tuning *t, struct error *e)
{
    struct tuning_order *o = &t->order;
    enum strategy_kind kind = t->session->options->strategy;
    size_t count = (size_t)t->space_count + 1;
    o->keys = must_calloc(count, sizeof *o->keys);
    o->expected = must_malloc(count * sizeof *o->expected);
    for (int i = 0; i < t->space_count; i++) {
        o->keys[i] = t->trials[i].key;
        o->expected[i] = NAN;
    }
    o->described = generator_describe(t->session->space, e);
    if (o->described == NULL ||
        (kind != STRATEGY_RANDOM && (!tuning_store_expect(t, o->expected, e) || !estimate_all(t, e))))
        return false;
    const struct strategy_space space = {.count = t->space_count,
                                         .keys = o->keys,
                                         .expected = o->expected,
                                         .parameters = json_object_get(o->described, "parameters")};
    o->strategy = strategy_open(kind, &space, t->session->options->seed);
    o->next_preset = t->space_count;
    return true;
}

void tuning_order_clear(struct tuning *t)
{
    strategy_close(t->order.strategy);
    json_decref(t->order.described);
    free(t->order.keys);
    free(t->order.expected);
}

static int next(void *context)
{
    struct tuning *t = context;
    return t->order.next_preset < t->count ? t->order.next_preset++ : strategy_next(t->order.strategy);
}

static void tell(void *context, int trial)
{
    struct tuning *t = context;
    const struct trial *told = &t->trials[trial];
    if (trial < t->space_count)
        strategy_tell(t->order.strategy, trial,
                      told->verdict == VERDICT_CORRECT && isfinite(told->copies) ? told->copies : INFINITY);
}

void tuning_order_attach(struct tuning *t, struct pipeline *p)
{
    if (t->order.strategy == NULL)
        return;
    p->next = next;
    p->tell = tell;
    p->order_context = t;
}
