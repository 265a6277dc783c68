#include "tuner/devices/cuda/cuda_replay.h"

#include <stdlib.h>

bool replay_capture(struct cuda_device *c, enqueue_launch *enqueue, const void *context, int sets,
                    int launches, CUgraphExec *exec, struct error *e)
{
    const struct cuda_driver *d = c->driver;
    CUgraph graph = NULL;
    bool ok =
        cuda_ok(d, d->capture_begin(c->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "capturing a graph", e);
    if (!ok)
        return false;
    for (int i = 0; ok && i < launches; i++)
        ok = enqueue(c, i % sets, context, e);
    CUresult ended = d->capture_end(c->stream, &graph);
    if (ok)
        ok = cuda_ok(d, ended, "capturing a graph", e) &&
             cuda_ok(d, d->graph_instantiate(exec, graph, 0), "instantiating a graph", e);
    if (graph != NULL)
        d->graph_destroy(graph);
    return ok;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool replay_time(struct cuda_device *c, const struct replay_timer *t, CUgraphExec before, CUgraphExec graph,
                 int replays, struct replay_ms *ms, struct error *e)
{
    static const char what[] = "the kernel fails while it is timed"; /* whichever call is the first to know */
    const struct cuda_driver *d = c->driver;
    double times[REPLAYS_MAX];
    bool ok = before == NULL || cuda_ok(d, d->graph_launch(before, c->stream), what, e);
    for (int i = 0; ok && i < replays; i++)
        ok = cuda_ok(d, d->event_record(t->events[2 * i], c->stream), what, e) &&
             cuda_ok(d, d->graph_launch(graph, c->stream), what, e) &&
             cuda_ok(d, d->event_record(t->events[2 * i + 1], c->stream), what, e);
    ok = ok && cuda_wait(c, what, e);
    for (int i = 0; ok && i < replays; i++) {
        float elapsed = 0;
        ok = cuda_ok(d, d->event_elapsed(&elapsed, t->events[2 * i], t->events[2 * i + 1]), what, e);
        times[i] = elapsed;
    }
    if (!ok)
        return false;
    qsort(times, (size_t)replays, sizeof times[0], compare_doubles);
    ms->median = (times[(replays - 1) / 2] + times[replays / 2]) / 2;
    ms->least = times[0];
    return true;
}

bool replay_timer_open(struct cuda_device *c, struct replay_timer *t, struct error *e)
{
    for (int i = 0; i < 2 * REPLAYS_MAX; i++)
        if (!cuda_ok(c->driver, c->driver->event_create(&t->events[i], CU_EVENT_DEFAULT), "timing", e))
            return false;
    return true;
}

void replay_timer_close(struct cuda_device *c, struct replay_timer *t)
{
    for (int i = 0; i < 2 * REPLAYS_MAX; i++)
        if (t->events[i] != NULL)
            c->driver->event_destroy(t->events[i]);
    *t = (struct replay_timer){0};
}
