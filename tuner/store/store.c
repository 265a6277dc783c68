#include "tuner/store/store.h"

#include "tuner/compile/make_folders.h"
#include "tuner/store/database.h"
#include "tuner/store/row_hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SCHEMA_VERSION = 1,
    APPLICATION_ID = 0x534d5478, /* "SMTx": tells a store from another program's database */
    BUSY_MS = 10000,
    CLOCK_SLACK = 60, /* seconds that machines which share a store may be apart */
};

static const uint64_t default_bytes = (uint64_t)128 << 20;

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
    " max_error REAL, copies REAL, compile_seconds REAL, verify_seconds REAL, attempts INTEGER NOT NULL DEFAULT 1,"
    " finished INTEGER NOT NULL, hash INTEGER NOT NULL,"
    " UNIQUE (source, launches, problem, environment));"
    "CREATE INDEX trials_by_variant ON trials (problem, space, variant);"
    "CREATE TABLE samples (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE, us TEXT NOT NULL,"
    " limit_us REAL, hash INTEGER NOT NULL);";

static bool execute(struct store *s, const char *sql, struct error *e)
{
    return sqlite3_exec(s->database, sql, NULL, NULL, NULL) == SQLITE_OK || database_failed(s, e);
}

static bool check_kind(struct store *s, struct error *e)
{
    int64_t version, application;
    if (!database_integer(s, e, "PRAGMA user_version", &version) ||
        !database_integer(s, e, "PRAGMA application_id", &application))
        return false;
    if (application != APPLICATION_ID)
        return error_set(
            e, STATUS_MISSING,
            "%s is no store of softmax-tune; it was left as it is: move it away, or name another "
            "folder with --store",
            s->path);
    if (version != SCHEMA_VERSION)
        return error_set(
            e, STATUS_MISSING,
            "the store %s was written by a newer softmax-tune (its version is %" PRId64
            ", this program's %d); it was left as it is: use that program, or name another folder "
            "with --store",
            s->path, version, SCHEMA_VERSION);
    return true;
}

/* SQLite's own check sees a broken structure, the hashes see a changed value. */
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
    int64_t changed;
    return whole &&
           database_integer(
               s, e,
               "SELECT (SELECT count(*) FROM trials WHERE hash <> row_hash(" DATABASE_TRIAL_VALUES
               ")) + (SELECT count(*) FROM samples WHERE hash <> row_hash(trial, us, limit_us))",
               &changed) &&
           (changed == 0 || database_damaged(s, "a row's hash does not hold", e));
}

/* WAL lets a reader and a writer work at once, and loses no committed row with a killed process. */
static bool fill_new(struct store *s, struct error *e)
{
    char *stamps =
        must_format("PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID, SCHEMA_VERSION);
    bool ok = execute(s, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL", e) &&
              execute(s, schema, e) && execute(s, stamps, e);
    free(stamps);
    return ok;
}

/* Makes the file where it is not there: whole under another name first, so that no run sees one in the
   making, and that of two runs one wins. */
static bool make_file(const char *path, struct error *e)
{
    if (access(path, F_OK) == 0)
        return true;
    struct store new = {.path = must_format("%s.XXXXXX", path)};
    int descriptor = mkstemp(new.path);
    bool ok = descriptor >= 0 ||
              error_set(e, STATUS_MISSING, "the store %s cannot be made: %s", path, strerror(errno));
    if (descriptor >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(descriptor, 0666 & ~mask); /* other users may share it where the umask says so */
        close(descriptor);
    }
    if (ok && sqlite3_open_v2(new.path, &new.database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        ok = database_failed(&new, e);
    ok = ok && fill_new(&new, e);
    sqlite3_close(new.database);
    if (ok && link(new.path, path) != 0 && errno != EEXIST)
        ok = error_set(e, STATUS_MISSING, "the store %s cannot be made: %s", path, strerror(errno));
    if (descriptor >= 0)
        unlink(new.path);
    free(new.path);
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

static bool set_up(struct store *s, uint64_t most_bytes, struct error *e)
{
    /* Until the file is known to be a whole store, not even closing it may write to it. */
    sqlite3_db_config(s->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_busy_timeout(s->database, BUSY_MS);
    if (!execute(s, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON", e) || !check_kind(s, e))
        return false;
    if (sqlite3_db_readonly(s->database, "main") == 1)
        return error_set(
            e, STATUS_MISSING,
            "the store %s can be read only: see to its permissions, or name another with --store", s->path);
    if (!row_hash_register(s->database))
        return database_failed(s, e);
    if (!check_whole(s, e))
        return false;
    sqlite3_db_config(s->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    /* A commit that a power cut takes with it is only tried again; the file stays whole. */
    return execute(
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
    ok = ok && make_file(s->path, e);
    if (ok && sqlite3_open_v2(s->path, &s->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
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
