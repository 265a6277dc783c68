/* Private to tuner/store/: row_hash(...), an SQL function that hashes its arguments. Rows carry it, since
   SQLite does not see a bit that turned within a value. */
#ifndef TUNER_STORE_ROW_HASH_H
#define TUNER_STORE_ROW_HASH_H

#include <sqlite3.h>
#include <stdbool.h>

bool row_hash_register(sqlite3 *database);

#endif
