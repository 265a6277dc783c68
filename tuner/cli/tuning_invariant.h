/* --batch-invariant: one variant for all M of a problem, so that a row's bits do not depend on how many rows
   there are. */
#ifndef TUNER_CLI_TUNING_INVARIANT_H
#define TUNER_CLI_TUNING_INVARIANT_H

#include "tuner/cli/tuning.h"

/* What the search took for one M: of a tuning, what its fields of these names say. */
struct invariance_effort {
    struct pipeline_times times;
    double measure_seconds, seconds;
};

struct invariance {
    char *key;   /* owned: the variant for all M */
    char **best; /* owned, `count` of them: the best variant for each M alone; or NULL */
    struct invariance_effort *efforts; /* owned, likewise */
    int count;                         /* problems */
    int listed, joined; /* variants that the space lists for some M; those of them that were tried at M that
                           do not list them */
    json_t *launched;   /* owned: the M that the proof launched; NULL where nothing can be run */
    int passed_over;    /* variants that are faster, and whose rows' bits depend on M */
    char *passed_why;   /* owned: the reason of the first, or NULL */
};

/* Whether the two differ in M alone. */
bool invariance_alike(const struct problem *a, const struct problem *b);

/* Tunes each of the problems, which differ in M alone, by the space's own list for it, then times what is
   fast at one M at the others, where it is valid though it may not be listed there. Of the variants that are
   right at all M it chooses the one whose times over the best of each M have the least mean, and the device
   proves that its rows are alike. Cleared by invariance_clear(), also after a failure. Status 1 when there is
   none. */
bool invariance_choose(struct invariance *v, struct session *s, const struct problem *const *problems,
                       int count, struct progress *progress, struct error *e);
void invariance_clear(struct invariance *v);

/* Makes that variant the choice of `t`, a tuning just begun of the index-th problem, and times it beside the
   best for it alone: *alone_us, of which the choice's cost is told. What the search took counts as its time.
   False, with `e` as it is, where there is no variant for all M. */
bool invariance_run(const struct invariance *v, int index, struct tuning *t, double *alone_us,
                    struct error *e);

#endif
