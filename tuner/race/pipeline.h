/* The pipeline: sources, compiles and verifications of many trials, overlapping, in one poll loop. */
#ifndef TUNER_RACE_PIPELINE_H
#define TUNER_RACE_PIPELINE_H

#include "tuner/compile/compiler.h"
#include "tuner/race/trial.h"

#include <signal.h>

struct pipeline_progress {
    int total, compiled, finished,
        failed;         /* trials; failed ones are finished, and compiled unless that failed */
    double best_copies; /* rough time of the best so far, a copy's being 1; infinite before there is one */
};

/* Where the time went, in seconds. */
struct pipeline_times {
    double generate; /* of the parent, in the generator */
    double compile;  /* of all compile workers together; nothing for an image out of the cache */
    double verify;   /* of the device */
    double idle;     /* of the device: no trial was ready for it */
};

struct pipeline {
    struct compiler *compiler;    /* may be NULL where every trial comes with its image */
    struct device_client *device; /* NULL: compile only */
    const char *arch;
    const char *kernel; /* the kernels' name while tuning: the stem without M */
    bool line_info;     /* for the emulator's messages */
    double deadline;    /* on monotonic_seconds(), no trial is begun after it; INFINITY for none */
    const volatile sig_atomic_t *stop; /* likewise when it is not 0; may be NULL */
    void (*progress)(void *context, const struct pipeline_progress *p); /* may be NULL */
    void *progress_context;
    /* In which order: next() gives the trial to begin, -1 when none is left; NULL for the array's order.
       tell() hears of each that finished, and may be NULL. */
    int (*next)(void *context);
    void (*tell)(void *context, int trial);
    void *order_context;
    /* What earlier runs found; both may be NULL. recall() is asked of each trial before it is compiled, with
       its source, and afterwards, with NULL; true when it has filled the verdict (with `verified` where a
       device gave it), so that nothing more is done. keep() is told of each trial that finishes and was not
       recalled; false ends the run. */
    bool (*recall)(void *context, struct trial *t, const struct source *source);
    bool (*keep)(void *context, const struct trial *t, struct error *e);
    void *memory_context;
};

/* Brings every trial to `finished` as far as deadline and stop allow, adding to `times`.
   The generators and the device have been told the problem. A trial that comes with an image (compiled, plan
   set) is only verified. Trials whose machine code and launches are equal are verified once: all but one of
   them (that of the least order) name it in same_as and share its verdict. Of a trial of a space that is
   much slower than the best, and of all where there is no device, machine code and PTX are freed. False when
   the run cannot go on: the space or a template is wrong, or the device is lost. */
bool pipeline_run(const struct pipeline *p, struct trial *trials, int count, struct pipeline_times *times,
                  struct error *e);

#endif
