/* Survey: how variants do at several M, as far as it is known: a table with a row a variant and a column an
   M. It says which of them is the best for all M, and which are worth timing where they have not been. */
#ifndef TUNER_CLI_TUNING_SURVEY_H
#define TUNER_CLI_TUNING_SURVEY_H

#include <jansson.h>
#include <stdbool.h>

enum survey_state {
    SURVEY_UNTRIED,
    SURVEY_FAILED, /* not valid, or not right */
    SURVEY_VALID,  /* may be timed */
    SURVEY_ROUGH,  /* timed in passing */
    SURVEY_TIMED,
};

struct survey_cell {
    enum survey_state state;
    double time;     /* where it has one, in a unit that its column shares */
    double expected; /* where it is valid: a guess at its time over the column's best; at least 1 */
    char *reason;    /* owned: why it failed, or NULL */
};

struct survey_variant {
    char *key;                 /* owned */
    struct survey_cell *cells; /* owned: one a column */
    bool barred;               /* it may be the best of a column, and is none for all */
};

struct survey {
    struct survey_variant *variants; /* owned; in the order in which they came */
    int count, capacity, columns;
    double *least;  /* owned: the best time in each column; infinite where there is none */
    json_t *places; /* owned: {key: index} */
};

void survey_begin(struct survey *s, int columns);
void survey_clear(struct survey *s);

/* The cell of a variant, which is added where it is new: untried everywhere. Good until the next is added. */
struct survey_cell *survey_at(struct survey *s, const char *key, int column);

/* A variant may be timed; `expected` may be NaN. */
void survey_allow(struct survey *s, const char *key, int column, double expected);

/* What came of trying a variant: a time, or that it failed and why (copied, may be NULL). */
void survey_time(struct survey *s, const char *key, int column, enum survey_state state, double time);
void survey_fail(struct survey *s, const char *key, int column, const char *reason);

/* The fastest in a column, the first of equals; NULL where none has a time. */
const struct survey_variant *survey_best(const struct survey *s, int column);

/* Whether a variant takes at most `most` times the best one's time in some column, and failed in none. */
bool survey_is_near(const struct survey *s, const struct survey_variant *v, double most);

/* Bars a variant that the survey has. */
void survey_bar(struct survey *s, const char *key);

/* The mean over the columns of its time over the best one's: as it would be if it were as fast as the best
   wherever it has no time. Infinite for one that failed somewhere or is barred. */
double survey_score(const struct survey *s, const struct survey_variant *v);

/* The least score of those that were timed, not roughly, in every column; infinite where there is none. */
double survey_best_for_all(const struct survey *s);

/* Those with a time in every column, the least score first and those with a rough time after all others; an
   array of *count that the caller frees. */
const struct survey_variant **survey_ranking(const struct survey *s, int *count);

/* Those that were left untried and failed nowhere, lack a time, or have but a rough one, in some column, and
   may yet be better than the first of the ranking: for each column the `most` that have a time there and from
   which the best score is expected. An array of *count that the caller frees. */
const struct survey_variant **survey_promising(const struct survey *s, int most, int *count);

/* The variant that failed in the fewest columns, and the first of these in *column: an example of why there
   is none for all. NULL where nothing failed. */
const struct survey_variant *survey_nearest(const struct survey *s, int *column);

#endif
