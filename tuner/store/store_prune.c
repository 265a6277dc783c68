/* Keeping a store small. */
#include "tuner/store/database.h"

#include <math.h>
#include <time.h>

enum { CHUNK = 500 }; /* trials removed in one transaction, so that other runs need not wait long */

static bool used_bytes(struct store *s, int64_t *bytes, struct error *e)
{
    int64_t pages, free_pages, page;
    if (!database_integer(s, e, "PRAGMA page_count", &pages) ||
        !database_integer(s, e, "PRAGMA freelist_count", &free_pages) ||
        !database_integer(s, e, "PRAGMA page_size", &page))
        return false;
    *bytes = (pages - free_pages) * page;
    return true;
}

/* Gives the free pages back to the disk. */
static bool shrink(struct store *s, struct error *e)
{
    if (!database_run(s, e, "PRAGMA incremental_vacuum", ""))
        return false;
    /* Where another run is reading, the file shrinks at a later checkpoint. */
    sqlite3_wal_checkpoint_v2(s->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return true;
}

/* Goes down to three quarters of the limit, so that it is not at it again at once. */
bool database_prune(struct store *s, uint64_t most_bytes, struct error *e)
{
    int64_t bytes;
    if (!used_bytes(s, &bytes, e))
        return false;
    if (bytes <= (int64_t)most_bytes)
        return true;
    int removed = 1;
    while (bytes > (int64_t)(most_bytes / 4 * 3) && removed > 0) {
        if (!database_run(s, e,
                          "DELETE FROM trials WHERE id IN (SELECT trials.id FROM trials JOIN problems "
                          "ON problems.id = trials.problem ORDER BY problems.used, trials.id LIMIT ?)",
                          "i", (int64_t)CHUNK))
            return false;
        removed = sqlite3_changes(s->database);
        if (!used_bytes(s, &bytes, e))
            return false;
    }
    return shrink(s, e);
}

bool store_prune(struct store *s, double seconds, uint64_t most_bytes, struct error *e)
{
    int removed = isfinite(seconds) ? 1 : 0;
    while (removed > 0) {
        if (!database_run(s, e,
                          "DELETE FROM trials WHERE id IN (SELECT id FROM trials WHERE finished < ? LIMIT ?)",
                          "ii", (int64_t)time(NULL) - (int64_t)seconds, (int64_t)CHUNK))
            return false;
        removed = sqlite3_changes(s->database);
    }
    return database_prune(s, most_bytes, e) && shrink(s, e);
}

bool store_measure(struct store *s, struct store_size *size, struct error *e)
{
    int64_t bytes;
    if (!used_bytes(s, &bytes, e) ||
        !database_integer(s, e, "SELECT count(DISTINCT problem) FROM trials", &size->problems) ||
        !database_integer(s, e, "SELECT count(*) FROM trials", &size->trials))
        return false;
    size->bytes = (uint64_t)bytes;
    return true;
}
