/* Writing and finding trials. */
#include "tuner/store/database.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRUSTED_ATTEMPTS = 2 };

static bool find_row(struct store *s, struct error *e, sqlite3_stmt *statement, int64_t *id)
{
    if (statement == NULL || database_step(s, statement, e) != 1)
        return false;
    *id = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return true;
}

static bool set_environment(struct store *s, const struct store_environment *v, struct error *e)
{
    int64_t capability = v->compute_capability, sms = v->sms, l2 = v->l2_bytes;
    return database_run(
               s, e,
               "INSERT OR IGNORE INTO environments (nvrtc, options, gpu, compute_capability, sms, l2_bytes, "
               "driver, protocol) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
               "tttiiitt", v->nvrtc, v->options, v->gpu, capability, sms, l2, v->driver, v->protocol) &&
           find_row(
               s, e,
               database_prepare(s, e,
                                "SELECT id FROM environments WHERE nvrtc = ? AND options = ? AND gpu = ? AND "
                                "compute_capability = ? AND sms = ? AND l2_bytes = ? AND driver = ? AND "
                                "protocol = ?",
                                "tttiiitt", v->nvrtc, v->options, v->gpu, capability, sms, l2, v->driver,
                                v->protocol),
               &s->environment);
}

bool store_set_problem(struct store *s, const struct store_environment *environment, const struct problem *p,
                       struct error *e)
{
    json_t *object = problem_to_json(p);
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    bool ok = set_environment(s, environment, e) &&
              database_run(s, e,
                           "INSERT INTO problems (problem, used) VALUES (?, "
                           "(SELECT coalesce(max(used), 0) + 1 FROM problems)) "
                           "ON CONFLICT (problem) DO UPDATE SET used = excluded.used",
                           "t", text) &&
              find_row(s, e, database_prepare(s, e, "SELECT id FROM problems WHERE problem = ?", "t", text),
                       &s->problem);
    free(text);
    return ok;
}

void store_trial_clear(struct store_trial *t)
{
    free(t->space);
    free(t->variant);
    free(t->config);
    free(t->reason);
    *t = (struct store_trial){0};
}

bool store_put(struct store *s, const struct store_key *key, const struct store_trial *trial, struct error *e)
{
    return database_run(
        s, e,
        "WITH new (" DATABASE_TRIAL_VALUES ") AS (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)) "
        "INSERT INTO trials (" DATABASE_TRIAL_VALUES ", hash) SELECT *, row_hash(" DATABASE_TRIAL_VALUES
        ") FROM new WHERE true "
        "ON CONFLICT (source, launches, problem, environment) DO UPDATE SET "
        "space = excluded.space, variant = excluded.variant, config = excluded.config, "
        "attempts = CASE WHEN verdict = excluded.verdict THEN attempts + 1 ELSE 1 END, "
        "verdict = excluded.verdict, reason = excluded.reason, max_error = excluded.max_error, copies = excluded.copies, "
        "compile_seconds = excluded.compile_seconds, verify_seconds = excluded.verify_seconds, "
        "finished = excluded.finished, hash = excluded.hash",
        "iibbtt"
        "tttddddi",
        s->environment, s->problem, key->source, key->launches, trial->space, trial->variant, trial->config,
        verdict_name(trial->verdict), trial->reason, trial->max_error, trial->copies, trial->compile_seconds,
        trial->verify_seconds, (int64_t)time(NULL));
}

/* "[152.1,151.9]"; the caller frees it. */
static char *samples_text(const double *samples, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_real(samples[i]));
    char *text = json_dumps(array, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(array);
    return text;
}

bool store_put_times(struct store *s, const struct store_key *key, const struct store_times *times,
                     struct error *e)
{
    char *us = samples_text(times->samples, times->count);
    /* The trial may have been pruned by another run meanwhile; then nothing is written. */
    bool ok = database_run(
        s, e,
        "WITH new (trial, us, limit_us) AS (SELECT id, ?, ? FROM trials WHERE environment = ? AND "
        "problem = ? AND source = ? AND launches = ?) "
        "INSERT OR REPLACE INTO samples (trial, us, limit_us, hash) "
        "SELECT *, row_hash(trial, us, limit_us) FROM new",
        "tdiibb", us, times->limit_us, s->environment, s->problem, key->source, key->launches);
    free(us);
    return ok;
}

static bool verdict_of(const char *name, enum verdict *verdict)
{
    for (int v = VERDICT_CORRECT; name != NULL && v <= VERDICT_CORRECTNESS; v++)
        if (strcmp(verdict_name((enum verdict)v), name) == 0) {
            *verdict = (enum verdict)v;
            return true;
        }
    return false;
}

bool database_read_trial(struct store *s, sqlite3_stmt *row, struct store_trial *t, struct error *e)
{
    enum verdict verdict;
    if (sqlite3_column_int(row, 13) != 1 || !verdict_of((const char *)sqlite3_column_text(row, 5), &verdict))
        return database_damaged(s, "a row's hash does not hold", e);
    *t = (struct store_trial){
        .space = database_text(row, 2),
        .variant = database_text(row, 3),
        .config = database_text(row, 4),
        .verdict = verdict,
        .reason = database_text(row, 6),
        .max_error = database_number(row, 7),
        .compile_seconds = database_number(row, 8),
        .verify_seconds = database_number(row, 9),
        .attempts = sqlite3_column_int(row, 10),
        .finished = sqlite3_column_int64(row, 11),
        .copies = database_number(row, 12),
    };
    return true;
}

static bool read_times(sqlite3_stmt *row, struct store_times *times)
{
    json_t *array = json_loads((const char *)sqlite3_column_text(row, 0), 0, NULL);
    if (!json_is_array(array)) {
        json_decref(array);
        return false;
    }
    times->limit_us = database_number(row, 1);
    times->count = (int)json_array_size(array);
    times->samples = must_malloc(((size_t)times->count + 1) * sizeof *times->samples);
    for (int i = 0; i < times->count; i++)
        times->samples[i] = json_number_value(json_array_get(array, (size_t)i));
    times->time = median_interval_of(times->samples, times->count);
    json_decref(array);
    return true;
}

bool database_read_times(struct store *s, int64_t trial, struct store_times *times, struct error *e)
{
    *times = (struct store_times){.limit_us = NAN, .time = median_interval_of(NULL, 0)};
    sqlite3_stmt *row = database_prepare(
        s, e, "SELECT us, limit_us, hash = row_hash(trial, us, limit_us) FROM samples WHERE trial = ?", "i",
        trial);
    int found = row != NULL ? database_step(s, row, e) : -1;
    if (found != 1)
        return found == 0;
    bool whole = sqlite3_column_int(row, 2) == 1 && read_times(row, times);
    sqlite3_finalize(row);
    return whole || database_damaged(s, "a row's hash does not hold", e);
}

enum store_answer store_find(struct store *s, const struct store_key *key, struct store_trial *trial,
                             struct store_times *times, struct error *e)
{
    sqlite3_stmt *row = database_prepare(s, e,
                                         "SELECT " DATABASE_TRIAL_COLUMNS
                                         " FROM trials WHERE problem = ? AND source = ? AND launches = ? "
                                         "ORDER BY environment = ? DESC, finished DESC, id DESC LIMIT 1",
                                         "ibbi", s->problem, key->source, key->launches, s->environment);
    int found = row != NULL ? database_step(s, row, e) : -1;
    if (found != 1)
        return found == 0 ? STORE_MISS : STORE_FAILED;
    int64_t id = sqlite3_column_int64(row, 0);
    enum store_answer answer = sqlite3_column_int64(row, 1) == s->environment ? STORE_HIT : STORE_STALE;
    struct store_trial read = {0};
    bool ok = database_read_trial(s, row, &read, e);
    sqlite3_finalize(row);
    ok = ok && (times == NULL || database_read_times(s, id, times, e));
    if (ok && trial != NULL)
        *trial = read;
    else
        store_trial_clear(&read);
    return ok ? answer : STORE_FAILED;
}

bool store_trusts(const struct store_trial *trial)
{
    return trial->verdict == VERDICT_CORRECT || trial->verdict == VERDICT_CORRECTNESS ||
           trial->attempts >= TRUSTED_ATTEMPTS;
}

/* What a right trial took, times a copy: by its rounds where there were such. */
static double copies_of(double rough, const struct store_times *times)
{
    return times->count > 0 && times->limit_us > 0 ? times->time.median / times->limit_us : rough;
}

/* One row of those that store_expectations() selects. */
static bool add_expectation(struct store *s, sqlite3_stmt *row, json_t *expected, struct error *e)
{
    struct store_times times;
    const char *variant = (const char *)sqlite3_column_text(row, 1);
    if (sqlite3_column_int(row, 2) != 1) {
        json_object_set_new(expected, variant, json_null());
        return true;
    }
    if (!database_read_times(s, sqlite3_column_int64(row, 0), &times, e))
        return false;
    double copies = copies_of(database_number(row, 3), &times);
    if (isfinite(copies))
        json_object_set_new(expected, variant, json_real(copies));
    free(times.samples);
    return true;
}

json_t *store_expectations(struct store *s, const char *space, struct error *e)
{
    /* The latest of this environment comes last, and stands. */
    sqlite3_stmt *row = database_prepare(
        s, e,
        "SELECT id, variant, verdict = 'correct', copies FROM trials WHERE problem = ? AND space = ? "
        "ORDER BY environment = ?, finished, id",
        "iti", s->problem, space, s->environment);
    json_t *expected = json_object();
    int step = row != NULL ? database_step(s, row, e) : -1;
    while (step == 1 && add_expectation(s, row, expected, e))
        step = database_step(s, row, e);
    if (step == 1)
        sqlite3_finalize(row);
    if (step == 0)
        return expected;
    json_decref(expected);
    return NULL;
}
