/* Private to tuner/store/: the SQLite database under a store. */
#ifndef TUNER_STORE_DATABASE_H
#define TUNER_STORE_DATABASE_H

#include "tuner/store/store.h"

#include <sqlite3.h>

struct store {
    sqlite3 *database;
    char *path, *warning;         /* owned */
    int64_t environment, problem; /* rows of the current ones; 0 for none */
};

/* Prepares `sql` and binds one value for each letter of `types`: i int64_t, t text (NULL allowed), d double
   (NaN is stored as NULL), b 16 bytes. Texts and bytes must outlive the statement. NULL and `e` on failure.
 */
sqlite3_stmt *database_prepare(struct store *s, struct error *e, const char *sql, const char *types, ...);

/* Steps to the next row: 1 for a row, 0 for the end, -1 and `e` for a failure. At the end and after a failure
   the statement is finalized. */
int database_step(struct store *s, sqlite3_stmt *statement, struct error *e);

/* Prepares, binds and steps to the end. */
bool database_run(struct store *s, struct error *e, const char *sql, const char *types, ...);

/* The single integer that `sql` gives. */
bool database_integer(struct store *s, struct error *e, const char *sql, int64_t *value);

/* Fills `e` with what SQLite last said and what to do about it; always false. */
bool database_failed(const struct store *s, struct error *e);
/* The same for damage that SQLite did not find, or did not name in one line. */
bool database_damaged(const struct store *s, const char *why, struct error *e);

/* Removes the problems used longest ago until no more than `most_bytes` are left; nothing where it holds
 * less. */
bool database_prune(struct store *s, uint64_t most_bytes, struct error *e);

/* What a trial's hash is of: all but `attempts`, which an update counts up. */
#define DATABASE_TRIAL_VALUES                                                                                \
    "environment, problem, source, launches, space, variant, config, verdict, reason, max_error, copies, "   \
    "compile_seconds, verify_seconds, finished"
/* What database_read_trial() reads. */
#define DATABASE_TRIAL_COLUMNS                                                                               \
    "id, environment, space, variant, config, verdict, reason, max_error, compile_seconds, verify_seconds, " \
    "attempts, finished, copies, hash = row_hash(" DATABASE_TRIAL_VALUES ")"

/* The trial in a row of DATABASE_TRIAL_COLUMNS; cleared by the caller. False and `e` for a damaged row. */
bool database_read_trial(struct store *s, sqlite3_stmt *row, struct store_trial *trial, struct error *e);

/* The times of a trial, by its row; `count` is 0 where there are none. False and `e` for a damaged row. */
bool database_read_times(struct store *s, int64_t trial, struct store_times *times, struct error *e);

/* What a column holds, copied; NULL for NULL. The caller frees it. */
char *database_text(sqlite3_stmt *statement, int column);
/* NaN for NULL. */
double database_number(sqlite3_stmt *statement, int column);

#endif
