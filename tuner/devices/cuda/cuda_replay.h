/* Graphs of back-to-back launches, and how long a replay of one takes. */
#ifndef TUNER_DEVICES_CUDA_CUDA_REPLAY_H
#define TUNER_DEVICES_CUDA_CUDA_REPLAY_H

#include "tuner/devices/cuda/cuda_device.h"

enum { REPLAYS_MAX = 10 };

/* Enqueues one launch on a buffer set. */
typedef bool enqueue_launch(struct cuda_device *c, int set, const void *context, struct error *e);

/* Captures `launches` launches over `sets` sets in turn into a graph. */
bool replay_capture(struct cuda_device *c, enqueue_launch *enqueue, const void *context, int sets,
                    int launches, CUgraphExec *exec, struct error *e);

/* Zero before it is opened; closed in any case. */
struct replay_timer {
    CUevent events[2 * REPLAYS_MAX]; /* around each replay */
};

bool replay_timer_open(struct cuda_device *c, struct replay_timer *t, struct error *e);
void replay_timer_close(struct cuda_device *c, struct replay_timer *t);

struct replay_ms {
    double median, least;
};

/* Times a replay: `before`, which is not timed and may be NULL, then `replays`, at most REPLAYS_MAX. */
bool replay_time(struct cuda_device *c, const struct replay_timer *t, CUgraphExec before, CUgraphExec graph,
                 int replays, struct replay_ms *ms, struct error *e);

#endif
