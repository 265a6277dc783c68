#include "tuner/store/database.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static bool fail_for(const struct store *s, int code, const char *why, struct error *e)
{
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error_set(
            e, STATUS_MISSING,
            "the store %s is damaged (%s); it was left as it is: move it away to begin a new one, "
            "or name another with --store",
            s->path, why);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return error_set(
            e, STATUS_MISSING,
            "the store %s cannot be written (%s): make room on that disk, remove old trials with "
            "'softmax-tune store prune', or name another with --store",
            s->path, why);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(
            e, STATUS_MISSING,
            "the store %s is held by another program (%s): end that, or name another with --store", s->path,
            why);
    default:
        return error_set(
            e, STATUS_MISSING,
            "the store %s cannot be used (%s): see to its permissions, or name another with --store", s->path,
            why);
    }
}

bool database_failed(const struct store *s, struct error *e)
{
    return fail_for(s, sqlite3_errcode(s->database), sqlite3_errmsg(s->database), e);
}

bool database_damaged(const struct store *s, const char *why, struct error *e)
{
    return fail_for(s, SQLITE_CORRUPT, why, e);
}

static sqlite3_stmt *prepare(struct store *s, struct error *e, const char *sql, const char *types,
                             va_list values)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(s->database, sql, -1, &statement, NULL) != SQLITE_OK) {
        database_failed(s, e);
        return NULL;
    }
    for (int i = 0; types[i] != '\0'; i++)
        switch (types[i]) {
        case 'i':
            sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
            break;
        case 't':
            sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_STATIC);
            break;
        case 'd':
            sqlite3_bind_double(statement, i + 1, va_arg(values, double));
            break;
        default:
            sqlite3_bind_blob(statement, i + 1, va_arg(values, const unsigned char *), 16, SQLITE_STATIC);
        }
    return statement;
}

sqlite3_stmt *database_prepare(struct store *s, struct error *e, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = prepare(s, e, sql, types, values);
    va_end(values);
    return statement;
}

int database_step(struct store *s, sqlite3_stmt *statement, struct error *e)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return 1;
    if (code != SQLITE_DONE)
        database_failed(s, e);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

bool database_run(struct store *s, struct error *e, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = prepare(s, e, sql, types, values);
    va_end(values);
    int row = 1;
    while (statement != NULL && row == 1)
        row = database_step(s, statement, e);
    return statement != NULL && row == 0;
}

bool database_integer(struct store *s, struct error *e, const char *sql, int64_t *value)
{
    sqlite3_stmt *statement = database_prepare(s, e, sql, "");
    if (statement == NULL || database_step(s, statement, e) != 1)
        return false;
    *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return true;
}

char *database_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text != NULL ? must_strdup((const char *)text) : NULL;
}

double database_number(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN
                                                                 : sqlite3_column_double(statement, column);
}
