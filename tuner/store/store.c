#include "tuner/store/store.h"

#include "tuner/compile/make_folders.h"
#include "tuner/store/database.h"
#include "tuner/store/row_hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SCHEMA_VERSION = 1,
    APPLICATION_ID = 0x534d5478, /* "SMTx": tells a store from another program's database */
    BUSY_MS = 10000,
    CLOCK_SLACK = 60, /* seconds that machines which share a store may be apart */
};

static const uint64_t default_bytes = (uint64_t)256 << 20;

/* Rows of environments and problems are small and stay when their trials are pruned: another run may be about
   to add trials to them. `used` counts up with each use of any problem; no clock decides what is old there.
 */
static const char schema[] =
    "CREATE TABLE environments (id INTEGER PRIMARY KEY, nvrtc TEXT NOT NULL, options TEXT NOT NULL,"
    " gpu TEXT NOT NULL, compute_capability INTEGER NOT NULL, sms INTEGER NOT NULL,"
    " l2_bytes INTEGER NOT NULL, driver TEXT NOT NULL, protocol TEXT NOT NULL,"
    " UNIQUE (nvrtc, options, gpu, compute_capability, sms, l2_bytes, driver, protocol));"
    "CREATE TABLE problems (id INTEGER PRIMARY KEY, problem TEXT NOT NULL UNIQUE,"
    " used INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE trials (id INTEGER PRIMARY KEY, environment INTEGER NOT NULL REFERENCES environments,"
    " problem INTEGER NOT NULL REFERENCES problems, source BLOB NOT NULL, launches BLOB NOT NULL,"
    " space TEXT NOT NULL, variant TEXT NOT NULL, config TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT,"
    " max_error REAL, compile_seconds REAL, verify_seconds REAL, attempts INTEGER NOT NULL DEFAULT 1,"
    " finished INTEGER NOT NULL, hash INTEGER NOT NULL,"
    " UNIQUE (source, launches, problem, environment));"
    "CREATE INDEX trials_by_variant ON trials (problem, space, variant);"
    "CREATE TABLE samples (trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,"
    " rounds INTEGER NOT NULL, us TEXT NOT NULL, limit_us REAL, hash INTEGER NOT NULL,"
    " PRIMARY KEY (trial, rounds)) WITHOUT ROWID;";

static bool execute(struct store *s, const char *sql, struct error *e)
{
    return sqlite3_exec(s->database, sql, NULL, NULL, NULL) == SQLITE_OK || database_failed(s, e);
}

/* What kind of file this is: *empty for one with nothing in it. In a transaction, since another run may be
   making the tables. */
static bool check_kind(struct store *s, bool *empty, struct error *e)
{
    int64_t version, application, things;
    if (!database_integer(s, e, "PRAGMA user_version", &version) ||
        !database_integer(s, e, "PRAGMA application_id", &application) ||
        !database_integer(s, e, "SELECT count(*) FROM sqlite_master", &things))
        return false;
    *empty = version == 0 && application == 0 && things == 0;
    if (!*empty && application != APPLICATION_ID)
        return error_set(
            e, STATUS_MISSING,
            "%s is a database of another program; it was left as it is: name another folder with "
            "--store",
            s->path);
    if (!*empty && version != SCHEMA_VERSION)
        return error_set(
            e, STATUS_MISSING,
            "the store %s was written by a newer softmax-tune (its version is %" PRId64
            ", this program's %d); it was left as it is: use that program, or name another folder "
            "with --store",
            s->path, version, SCHEMA_VERSION);
    return true;
}

static bool check_whole(struct store *s, struct error *e)
{
    sqlite3_stmt *statement = database_prepare(s, e, "PRAGMA quick_check(1)", "");
    if (statement == NULL || database_step(s, statement, e) != 1)
        return false;
    char *verdict = database_text(statement, 0);
    sqlite3_finalize(statement);
    bool whole = verdict != NULL && strcmp(verdict, "ok") == 0;
    if (!whole) {
        /* "*** in database main ***", and what is wrong on a line of its own. */
        const char *line = verdict != NULL ? strchr(verdict, '\n') : NULL;
        database_damaged(s, line != NULL ? line + 1 : "its check fails", e);
    }
    free(verdict);
    return whole;
}

/* WAL lets a reader and a writer work at once, and loses no committed row with a killed process. Two runs
   that switch a new store over at the same time are not made to wait by the busy handler, hence the loop. */
static bool switch_to_wal(struct store *s, struct error *e)
{
    for (int waited = 0;; waited += 10) {
        int code = sqlite3_exec(s->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return true;
        if ((code & 0xff) != SQLITE_BUSY || waited >= BUSY_MS)
            return database_failed(s, e);
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
}

/* Another run may have made the tables since check_kind() looked. */
static bool make_tables(struct store *s, struct error *e)
{
    bool empty;
    if (!execute(s, "PRAGMA auto_vacuum = INCREMENTAL", e) || !switch_to_wal(s, e) ||
        !execute(s, "BEGIN IMMEDIATE", e))
        return false;
    bool ok = check_kind(s, &empty, e);
    if (ok && empty) {
        char *stamps = must_format("PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                                   SCHEMA_VERSION);
        ok = execute(s, schema, e) && execute(s, stamps, e);
        free(stamps);
    }
    ok = ok && execute(s, "COMMIT", e);
    if (!ok)
        sqlite3_exec(s->database, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

static bool warn_of_clock(struct store *s, struct error *e)
{
    int64_t newest, now = (int64_t)time(NULL);
    if (!database_integer(s, e, "SELECT coalesce(max(finished), 0) FROM trials", &newest))
        return false;
    if (newest > now + CLOCK_SLACK) {
        char date[32];
        time_t stamp = (time_t)newest;
        struct tm parts;
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime_r(&stamp, &parts));
        s->warning =
            must_format("the newest trial in the store %s is of %s, which is yet to come: this clock or "
                        "an earlier one is wrong; nothing is lost, such trials count as new",
                        s->path, date);
    }
    return true;
}

/* Asks for the kind in a transaction of its own. */
static bool look_at_kind(struct store *s, bool *empty, struct error *e)
{
    if (!execute(s, "BEGIN", e))
        return false;
    bool ok = check_kind(s, empty, e);
    sqlite3_exec(s->database, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

static bool set_up(struct store *s, uint64_t most_bytes, struct error *e)
{
    bool empty;
    /* Until the file is known to be a whole store, not even closing it may write to it. */
    sqlite3_db_config(s->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_busy_timeout(s->database, BUSY_MS);
    if (!execute(s, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON", e) ||
        !look_at_kind(s, &empty, e))
        return false;
    if (sqlite3_db_readonly(s->database, "main") == 1)
        return error_set(
            e, STATUS_MISSING,
            "the store %s can be read only: see to its permissions, or name another with --store", s->path);
    if (!empty && !check_whole(s, e))
        return false;
    sqlite3_db_config(s->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    if (!row_hash_register(s->database))
        return database_failed(s, e);
    /* A commit that a power cut takes with it is only tried again; the file stays whole. */
    return (empty ? make_tables(s, e) : switch_to_wal(s, e)) &&
           execute(
               s,
               "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 4194304",
               e) &&
           database_prune(s, most_bytes > 0 ? most_bytes : default_bytes, e) && warn_of_clock(s, e);
}

struct store *store_open(const char *folder, uint64_t most_bytes, struct error *e)
{
    struct store *s = must_calloc(1, sizeof *s);
    s->path = must_format("%s/trials.sqlite", folder);
    bool ok = make_folders(folder) ||
              error_set(e, STATUS_MISSING, "the store %s cannot be made: %s", folder, strerror(errno));
    if (ok &&
        sqlite3_open_v2(s->path, &s->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        ok = database_failed(s, e);
    if (ok && set_up(s, most_bytes, e))
        return s;
    store_close(s);
    return NULL;
}

void store_close(struct store *s)
{
    if (s == NULL)
        return;
    sqlite3_close(s->database);
    free(s->path);
    free(s->warning);
    free(s);
}

const char *store_warning(const struct store *s)
{
    return s->warning;
}

const char *store_path(const struct store *s)
{
    return s->path;
}
