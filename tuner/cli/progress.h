/* Progress on standard error: a bar on a terminal, a plain line now and then elsewhere. */
#ifndef TUNER_CLI_PROGRESS_H
#define TUNER_CLI_PROGRESS_H

#include "tuner/race/pipeline.h"
#include "tuner/race/race.h"

struct progress {
    bool quiet, terminal;
    int problem, problems; /* which of how many is worked on; 0 where that is not said */
    bool drawn;            /* a bar stands on the terminal's last line */
    double started;        /* of the current part, on monotonic_seconds() */
    double shown;          /* when something was last shown */
    const char *part;      /* "compile", "verify" */
};

void progress_open(struct progress *p, bool quiet);

/* A line of its own: "softmax f32 8192x8192: 240 variants". */
void progress_say(struct progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A warning, also where progress is quiet: "softmax-tune: ...". */
void progress_warn(struct progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begins a part: the clock for rate and time left starts. `part` must outlive it. */
void progress_begin(struct progress *p, const char *part);
/* Takes the bar away: where a part ends, or something is to be printed; the next callback draws it again. */
void progress_end(struct progress *p);

/* Callbacks of the pipeline and of the race; the context is the progress. */
void progress_pipeline(void *context, const struct pipeline_progress *now);
void progress_race(void *context, const struct race_progress *now);

#endif
