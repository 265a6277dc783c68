/* The tuner's side of a device worker: load, verify and measure variants on a device in another process.

   A trial that faults, hangs or kills the worker fails alone: the worker is started again, the problem is set
   up again, and modules are loaded again when they are next used. */
#ifndef TUNER_DEVICES_DEVICE_CLIENT_H
#define TUNER_DEVICES_DEVICE_CLIENT_H

#include "generator/gpu.h"
#include "generator/launch.h"
#include "tuner/compile/image.h"
#include "tuner/verify/verify.h"

#include <jansson.h>

enum device_kind { DEVICE_CUDA, DEVICE_EMULATOR };

struct device_client;

/* cuda: `index` is the GPU's, `gpu` is not read. emulator: runs as if on `gpu`. Waits until the device is
 * open. */
struct device_client *device_client_open(enum device_kind kind, int index, const struct gpu *gpu,
                                         struct error *e);
void device_client_close(struct device_client *c);
const struct gpu *device_client_gpu(const struct device_client *c);
enum device_kind device_client_kind(const struct device_client *c);

/* The problem that the calls below speak of. */
bool device_client_set_problem(struct device_client *c, const struct problem *p,
                               const struct verify_options *options, struct error *e);

struct device_verdict {
    uint64_t ticket;
    enum verdict verdict;
    char *reason;     /* one line where it is not correct, else NULL; the caller's */
    double max_error; /* the worst element's error over its bound; NaN where it never ran */
    double copies;    /* a rough time: that of one launch over that of a copy of the same bytes; NaN unless
                         verify_options.timed, for cuda, and correct */
    json_t *counts;   /* the emulator's counters for the problem's whole M, else NULL; the caller's */
    double seconds;
};

/* Asks for one verification; `image` and `plan` are copied. One at a time: call again after
 * device_client_next(). */
bool device_client_verify(struct device_client *c, uint64_t ticket, const struct image *image,
                          const struct launch_plan *plan, struct error *e);
bool device_client_busy(const struct device_client *c);
int device_client_descriptor(const struct device_client *c); /* to poll while busy */
bool device_client_next(struct device_client *c, double seconds,
                        struct device_verdict *verdict); /* as compiler_next */

struct device_entry {
    const struct image *image; /* NULL for the limit: the fastest copy of the problem's bytes */
    const struct launch_plan *plan;
};

/* Interleaved rounds over all entries; samples[round * count + entry] in microseconds a launch, NaN where a
   round was throttled, all NaN for an entry that failed (its reason is in failures[entry], then the caller's,
   else NULL). cuda only. False only when the device is lost for good. */
bool device_client_measure(struct device_client *c, const struct device_entry *entries, int count, int rounds,
                           uint64_t seed, double *samples, char **failures, struct error *e);

/* Whether a row's bits are the same in batches of `count` sizes `rows` and wherever in them it is
   (verify_invariance.h). *reason says why not; it is NULL where they are, and then *launched holds the sizes
   that were launched. Both are the caller's. False when the device cannot be started again. */
bool device_client_compare_batches(struct device_client *c, const struct image *image,
                                   const struct launch_plan *plan, const int64_t *rows, int count,
                                   char **reason, json_t **launched, struct error *e);

#endif
