/* Verify: runs a variant on the oracle's inputs and judges what it wrote. */
#ifndef TUNER_VERIFY_VERIFY_H
#define TUNER_VERIFY_VERIFY_H

#include "generator/launch.h"
#include "tuner/verify/oracle.h"

struct device; /* tuner/devices/device.h */

struct verify_options {
    int64_t rows; /* of one launch while verifying: 0 lets the device choose for the problem */
    uint64_t seed;
    double tolerance; /* T of design.md */
    bool thorough;    /* every input, every peak column; else what a tuning run needs for each variant */
    bool timed;       /* a device that measures gives a correct variant a rough time as well */
    double deadline_seconds; /* for one variant; 0 for the default: 10 on cuda, 120 on the emulator */
};

/* The T4 words. */
enum verdict {
    VERDICT_CORRECT,
    VERDICT_CONSTRAINTS,
    VERDICT_COMPILE,
    VERDICT_RUNTIME,
    VERDICT_TIMEOUT,
    VERDICT_CORRECTNESS
};
const char *verdict_name(enum verdict v);

struct verifier;

/* Makes the buffers and the list of inputs for a problem, and checks the device's oracle against the CPU's on
   a sample of rows (status 3 when they differ). `d` must outlive the verifier, which verifier_close() frees.
 */
struct verifier *verifier_open(struct device *d, const struct problem *p,
                               const struct verify_options *options, struct error *e);
void verifier_close(struct verifier *v);

struct variant_verdict {
    enum verdict verdict; /* VERDICT_CORRECT, _RUNTIME or _CORRECTNESS */
    char reason[512]; /* one line where it is not correct: "wrong on rows that begin with -inf: row 3, column
                         0 is nan, expected 1.2e-04"; else empty */
    double max_error; /* the worst element's error over its bound; NaN where no launch ended well */
    bool device_lost; /* the device answers no more, or was written to where no launch may write: its worker
                         must be replaced */
    json_t *counts;   /* the device's counters for the problem's whole M; NULL where it has none; the
                         caller's */
};

/* Runs the variant on every input, stops at the first that shows it wrong. Never fails otherwise: what goes
   wrong is the variant's verdict. */
void verifier_run(struct verifier *v, void *module, const struct launch_plan *plan,
                  struct variant_verdict *verdict);

/* One sentence for a verdict that is not clean; false (and nothing written) for one that is. */
bool verify_explain(const struct oracle_batch *b, const struct oracle_verdict *verdict, char *text,
                    size_t size);

/* A batch of `rows` rows of one kind (kind_count 1) or of all kinds in turn (kind_count ORACLE_MIXED_KINDS).
 */
struct oracle_batch verify_batch(const struct problem *p, const struct verify_options *options, int64_t rows);

#endif
