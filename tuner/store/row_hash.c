#include "tuner/store/row_hash.h"

#include <stdint.h>
#include <string.h>
#include <xxhash.h>

static void hash_value(XXH3_state_t *state, sqlite3_value *value)
{
    struct {
        int64_t type, size;
    } head = {sqlite3_value_type(value), 0};
    const void *bytes = NULL;
    int64_t integer;
    double number;
    switch (head.type) {
    case SQLITE_INTEGER:
        integer = sqlite3_value_int64(value);
        bytes = &integer;
        head.size = sizeof integer;
        break;
    case SQLITE_FLOAT:
        number = sqlite3_value_double(value);
        bytes = &number;
        head.size = sizeof number;
        break;
    case SQLITE_TEXT:
        bytes = sqlite3_value_text(value);
        head.size = sqlite3_value_bytes(value);
        break;
    case SQLITE_BLOB:
        bytes = sqlite3_value_blob(value);
        head.size = sqlite3_value_bytes(value);
        break;
    default:
        break;
    }
    XXH3_64bits_update(state, &head, sizeof head);
    if (head.size > 0)
        XXH3_64bits_update(state, bytes, (size_t)head.size);
}

static void row_hash(sqlite3_context *context, int count, sqlite3_value **values)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    XXH3_64bits_reset(state);
    for (int i = 0; i < count; i++)
        hash_value(state, values[i]);
    sqlite3_result_int64(context, (int64_t)XXH3_64bits_digest(state));
    XXH3_freeState(state);
}

bool row_hash_register(sqlite3 *database)
{
    return sqlite3_create_function(database, "row_hash", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   row_hash, NULL, NULL) == SQLITE_OK;
}
