/* The store: what was tried on which GPU and how it went, kept between runs in one SQLite file.

   Every call is one short transaction, so that several runs share a store and one that is killed loses
   nothing that it had finished. No call destroys what it cannot read: a damaged or newer file is refused. */
#ifndef TUNER_STORE_STORE_H
#define TUNER_STORE_STORE_H

#include "generator/gpu.h"
#include "generator/launch.h"
#include "tuner/race/statistics.h"
#include "tuner/verify/verify.h"

#include <stdint.h>

/* Counted up when verifying or measuring changes so that older results say something else. */
enum { STORE_PROTOCOL = 1 };

struct store;

/* Opens FOLDER/trials.sqlite, which is made where it is not there, and removes the problems used longest ago
   where it has grown beyond `most_bytes` (0 for the default, 128 MiB). NULL and status 3: it cannot be read
   or written, is damaged, is no store, or was written by a newer version. */
struct store *store_open(const char *folder, uint64_t most_bytes, struct error *e);
void store_close(struct store *s); /* NULL is allowed */

/* One line where the store's newest trial lies in the future, so that a clock is wrong; else NULL. */
const char *store_warning(const struct store *s);

const char *store_path(const struct store *s); /* of the file */

/* What a result depends on besides the problem and the trial itself. */
struct store_environment {
    char nvrtc[64], options[160]; /* the version and build; what sources are compiled with */
    char gpu[64];
    int compute_capability, sms;
    int64_t l2_bytes;
    char driver[64];   /* of the system; empty where there is none */
    char protocol[64]; /* STORE_PROTOCOL and what else decides a verdict, such as the tolerance */
};

/* The environment of a run on `gpu`. */
struct store_environment store_environment_of(const struct gpu *gpu, const char *nvrtc, const char *options,
                                              double tolerance);

/* The environment and problem that the calls below speak of. */
bool store_set_problem(struct store *s, const struct store_environment *environment, const struct problem *p,
                       struct error *e);

/* A trial by what it runs: hashes of the source and of the launches. */
struct store_key {
    unsigned char source[16];
    unsigned char launches[16]; /* zero for a trial that did not compile, which has none */
};

/* The key of a source before its launches are known. */
struct store_key store_key_of_source(const char *text, size_t size);
void store_key_add_launches(struct store_key *key, const struct launch_plan *plan);

struct store_trial {
    char *space, *variant; /* the space's name, the variant's key */
    char *config;          /* its values, a JSON object in the space's order */
    enum verdict verdict;
    char *reason;     /* NULL where it is correct */
    double max_error; /* NaN where it never ran */
    double copies;    /* its rough time, that of a copy of the same bytes being 1; NaN without one */
    double compile_seconds, verify_seconds;
    int attempts;     /* runs in a row that ended with this verdict; not read by store_put() */
    int64_t finished; /* seconds since 1970; not read by store_put() */
};
void store_trial_clear(struct store_trial *t); /* of one that store_find() filled */

/* What was measured of a trial in the interleaved rounds of one race. */
struct store_times {
    double *samples;             /* microseconds; owned by whoever filled it */
    int count;                   /* 0: it was in no such rounds */
    double limit_us;             /* the limit in the same race; NaN where it is not known */
    struct median_interval time; /* of the samples; not read by store_put_times() */
};

/* Writes a finished trial over what is stored of it. */
bool store_put(struct store *s, const struct store_key *key, const struct store_trial *trial,
               struct error *e);
/* Writes the times of a trial that is stored, over those of an earlier race. */
bool store_put_times(struct store *s, const struct store_key *key, const struct store_times *times,
                     struct error *e);

enum store_answer {
    STORE_HIT,    /* this very trial */
    STORE_STALE,  /* the same source, launches and problem in another environment */
    STORE_MISS,   /* never tried */
    STORE_FAILED, /* the store cannot be read: `e` says why */
};

/* `trial` (cleared by the caller) and `times` (its samples are the caller's) are filled for a hit and a stale
   trial; either may be NULL. */
enum store_answer store_find(struct store *s, const struct store_key *key, struct store_trial *trial,
                             struct store_times *times, struct error *e);

/* Whether a stored verdict is believed: a trial that is right, or wrong in its results, once; one that failed
   to compile or to run, which may be the fault of the moment, when that happened twice. */
bool store_trusts(const struct store_trial *trial);

/* {variant: times a copy} of this problem's trials in `space`, from any environment, by their rounds where
   there were such: an order for the work. Variants that failed have a null. A new reference; NULL and `e`
   when the store cannot be read. */
json_t *store_expectations(struct store *s, const char *space, struct error *e);

/* Whether any trial ran this source, in whatever problem and environment. */
bool store_knows_source(struct store *s, const struct store_key *key, bool *knows, struct error *e);

/* Why a trial is a hit, stale or a miss, in one line that names what differs: "stale: driver 580.65 then,
   581.10 now". *answer may be NULL. The caller frees it; NULL and `e` when the store cannot be read. */
char *store_explain(struct store *s, const struct store_key *key, const char *space, const char *variant,
                    enum store_answer *answer, struct error *e);

struct store_size {
    uint64_t bytes;
    int64_t problems, trials;
};
bool store_measure(struct store *s, struct store_size *size, struct error *e);

/* Removes trials that are older than `seconds` (INFINITY: none), then the problems that were used longest ago
   until no more than `most_bytes` are left. What is stamped in the future counts as new. */
bool store_prune(struct store *s, double seconds, uint64_t most_bytes, struct error *e);

#endif
