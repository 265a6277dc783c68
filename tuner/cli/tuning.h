/* Tuning of one problem: its trials, the race, the choice. */
#ifndef TUNER_CLI_TUNING_H
#define TUNER_CLI_TUNING_H

#include "tuner/cli/choose.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/tuning_order.h"
#include "tuner/cli/tuning_store.h"
#include "tuner/race/pipeline.h"

enum { CANDIDATES_MAX = 5 };

/* A race in the other cache state (tuning_caches.h). */
struct other_race {
    struct trial *trials; /* owned, as are their samples and reasons; all else is of the tuning's trials */
    int count;
    const struct trial *choice; /* that of the tuning's winner, or NULL */
    struct race_result race;    /* winner NULL where there was no such race */
};

struct tuning {
    struct session *session; /* not owned */
    struct problem problem;
    struct progress *progress; /* not owned */
    struct trial *trials;      /* owned: the space's variants in its order, then the presets of the article */
    int count, space_count;    /* all; those of the space */
    char *why_none;            /* owned: why the space has no variant, or NULL */
    json_t *not_valid;         /* owned: {reason: "v4, v5"}, the presets left out; or NULL */
    bool closing;              /* its few trials are compiled and verified though a signal has ended the run */
    bool complete;             /* every trial was finished: neither --seconds nor a signal cut it short */
    struct race_result race;   /* where it is measured */
    struct other_race other;   /* likewise, in the other cache state */
    struct choice
        choices[CANDIDATES_MAX]; /* owned: the choice, then, where it is predicted, its runners-up */
    const struct trial *chosen[CANDIDATES_MAX]; /* the trial of each choice */
    int choice_count;
    int proven;                  /* choices that ran right on the emulator */
    bool has_stored;             /* the only variant is a choice that ships with the program: */
    struct stored_choice stored; /* owned */
    struct tuning_memory memory; /* what the store knows of the trials */
    struct tuning_order order;
    struct pipeline_times times;
    double measure_seconds, started; /* `started` on monotonic_seconds() */
    double seconds;                  /* in all */
};

/* A tuning with no trial yet; the session is told the problem by session_set_problem(). Cleared by
 * tuning_clear(). */
void tuning_begin(struct tuning *t, struct session *s, const struct problem *p, struct progress *progress);
void tuning_clear(struct tuning *t);

/* Adds the valid variants of the space, at most `most` (0: all); false with status 2 and why when there are
 * none. */
bool tuning_add_space(struct tuning *t, int most, struct error *e);
/* The key of a valid variant that the user typed; the caller's. Status 2 also for a preset that --set does
   not apply to. */
char *tuning_key(const struct session *s, const char *typed, struct error *e);
/* Adds what the user named: keys or presets. */
bool tuning_add_variants(struct tuning *t, const char *const *typed, int count, struct error *e);
/* Adds v1 to v5, where they are valid for the problem, after the space's variants: timed for the table, and
   never chosen unless a variant of the space has the same code. */
bool tuning_add_presets(struct tuning *t, struct error *e);
/* Adds a kernel that is compiled already, after the space's variants; the image is taken over. */
struct trial *tuning_add_image(struct tuning *t, const char *key, const char *label, struct image *image,
                               const struct launch_plan *plan);

/* Tells session and store the problem and adds what is to be tried: the space, or, where it may (not `whole`)
   and there is one, the choice that ships with the program; and the presets. */
bool tuning_gather(struct tuning *t, bool whole, struct error *e);

/* The steps, each for all trials. */
bool tuning_compile(struct tuning *t, struct error *e);
bool tuning_verify(struct tuning *t, struct error *e); /* compiles and verifies, overlapping */
bool tuning_predict(struct tuning *t, struct error *e);
bool tuning_race(struct tuning *t, struct error *e);

/* The whole line as far as the choices (tuning_choose.c); writes nothing. Status 1 in `e` when no variant
   survived, 2 when there was none; what was found on the way is in `t` all the same. */
bool tuning_run(struct tuning *t, struct error *e);

/* False for a variant that is known to be wrong on some rows where nothing can be run that would show it. */
bool tuning_is_trusted(const struct tuning *t, const struct trial *trial);

/* The trial that stands for `trial`: itself, or the one with the same code. */
const struct trial *tuning_stand_in(const struct tuning *t, const struct trial *trial);

/* How many trials ended with each verdict; those that were not run on any device are in *unverified. */
void tuning_count_verdicts(const struct tuning *t, int counts[VERDICT_CORRECTNESS + 1], int *unverified);

#endif
