/* Saying why a trial is in the store or not. */
#include "tuner/store/database.h"

#include "generator/text_buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const environment_parts[] = {"NVRTC", "compile options", "GPU",    "compute capability",
                                                "SMs",   "bytes of L2",     "driver", "protocol"};
enum { PARTS = sizeof environment_parts / sizeof environment_parts[0] };

static const char *or_none(const unsigned char *text)
{
    return text != NULL && text[0] != '\0' ? (const char *)text : "none";
}

/* "; driver 580.65 then, 581.10 now" for each part of the environment that differs. */
static bool add_environment(struct store *s, int64_t environment, struct text_buffer *text, struct error *e)
{
    sqlite3_stmt *row = database_prepare(
        s, e,
        "SELECT a.nvrtc, a.options, a.gpu, a.compute_capability, a.sms, a.l2_bytes, a.driver, a.protocol, "
        "b.nvrtc, b.options, b.gpu, b.compute_capability, b.sms, b.l2_bytes, b.driver, b.protocol "
        "FROM environments a, environments b WHERE a.id = ? AND b.id = ?",
        "ii", environment, s->environment);
    if (row == NULL)
        return false;
    int found = database_step(s, row, e);
    if (found != 1)
        return found == 0 ? database_damaged(s, "a row that others name is not there", e) : false;
    const char *separator = "";
    for (int i = 0; i < PARTS; i++) {
        const char *then = or_none(sqlite3_column_text(row, i));
        const char *now = or_none(sqlite3_column_text(row, PARTS + i));
        if (strcmp(then, now) == 0)
            continue;
        text_print(text, "%s%s %s then, %s now", separator, environment_parts[i], then, now);
        separator = "; ";
    }
    sqlite3_finalize(row);
    return true;
}

static void add_when(int64_t finished, struct text_buffer *text)
{
    char date[32];
    time_t stamp = (time_t)finished;
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime_r(&stamp, &parts));
    text_print(text, ", tried %s", date);
}

static void add_result(const struct store_trial *trial, const struct store_times *times,
                       struct text_buffer *text)
{
    text_print(text, "%s", verdict_name(trial->verdict));
    if (trial->verdict != VERDICT_CORRECT)
        text_print(text, " (%s)", trial->reason != NULL ? trial->reason : "no reason was given");
    else if (times->count > 0)
        text_print(text, ", %.4g us (%.4g to %.4g)", times->time.median, times->time.low, times->time.high);
    else if (isfinite(trial->copies))
        text_print(text, ", about %.2f times a copy", trial->copies);
    else
        text_print(text, ", not yet timed");
    add_when(trial->finished, text);
    if (!store_trusts(trial))
        text_print(text, "; it failed only once, so it is tried again");
}

/* Runs `sql`, which selects one integer, the row looked for; 0 for none. */
static bool find_id(struct store *s, sqlite3_stmt *row, int64_t *id, struct error *e)
{
    int found = row != NULL ? database_step(s, row, e) : -1;
    *id = found == 1 ? sqlite3_column_int64(row, 0) : 0;
    if (found == 1)
        sqlite3_finalize(row);
    return found >= 0;
}

static bool explain_found(struct store *s, const struct store_key *key, enum store_answer answer,
                          const struct store_trial *trial, const struct store_times *times,
                          struct text_buffer *text, struct error *e)
{
    int64_t environment;
    if (answer == STORE_HIT) {
        text_print(text, "hit: ");
        add_result(trial, times, text);
        return true;
    }
    text_print(text, "stale: ");
    bool ok = find_id(s,
                      database_prepare(s, e,
                                       "SELECT environment FROM trials WHERE problem = ? AND source = ? AND "
                                       "launches = ? ORDER BY finished DESC, id DESC LIMIT 1",
                                       "ibb", s->problem, key->source, key->launches),
                      &environment, e) &&
              add_environment(s, environment, text, e);
    text_print(text, "; then it was ");
    add_result(trial, times, text);
    return ok;
}

/* "M 4096 then, 8192 now" for the fields of two problems that differ. */
static void add_problem(const char *then_text, const char *now_text, struct text_buffer *text)
{
    json_t *then = json_loads(then_text, 0, NULL), *now = json_loads(now_text, 0, NULL), *value;
    const char *name, *separator = "";
    json_object_foreach(now, name, value)
    {
        json_t *other = json_object_get(then, name);
        if (other == NULL || json_equal(other, value))
            continue;
        char *a = json_dumps(other, JSON_ENCODE_ANY), *b = json_dumps(value, JSON_ENCODE_ANY);
        text_print(text, "%s%s %s then, %s now", separator, name, a, b);
        separator = ", ";
        free(a);
        free(b);
    }
    json_decref(then);
    json_decref(now);
}

/* The source was tried in another problem, whose row is `problem`. */
static bool explain_problem(struct store *s, int64_t problem, struct text_buffer *text, struct error *e)
{
    sqlite3_stmt *row = database_prepare(s, e,
                                         "SELECT a.problem, b.problem FROM problems a, problems b "
                                         "WHERE a.id = ? AND b.id = ?",
                                         "ii", problem, s->problem);
    if (row == NULL)
        return false;
    int found = database_step(s, row, e);
    if (found != 1)
        return found == 0 ? database_damaged(s, "a row that others name is not there", e) : false;
    text_print(text, "miss: the same source was tried for another problem: ");
    add_problem((const char *)sqlite3_column_text(row, 0), (const char *)sqlite3_column_text(row, 1), text);
    sqlite3_finalize(row);
    return true;
}

static bool explain_missing(struct store *s, const struct store_key *key, const char *space,
                            const char *variant, struct text_buffer *text, struct error *e)
{
    int64_t other_launches, other_source, other_problem;
    if (!find_id(s,
                 database_prepare(s, e, "SELECT id FROM trials WHERE source = ? AND problem = ? LIMIT 1",
                                  "bi", key->source, s->problem),
                 &other_launches, e) ||
        !find_id(s,
                 database_prepare(
                     s, e, "SELECT id FROM trials WHERE problem = ? AND space = ? AND variant = ? LIMIT 1",
                     "itt", s->problem, space, variant),
                 &other_source, e) ||
        !find_id(
            s,
            database_prepare(s, e,
                             "SELECT problem FROM trials WHERE source = ? ORDER BY finished DESC, id DESC "
                             "LIMIT 1",
                             "b", key->source),
            &other_problem, e))
        return false;
    if (other_launches != 0)
        text_print(text, "miss: the same source was tried with other launches");
    else if (other_source != 0)
        text_print(text,
                   "miss: this variant was tried with another source: the template or the space has changed");
    else if (other_problem != 0)
        return explain_problem(s, other_problem, text, e);
    else
        text_print(text, "miss: it was never tried");
    return true;
}

bool store_knows_source(struct store *s, const struct store_key *key, bool *knows, struct error *e)
{
    int64_t id;
    if (!find_id(s,
                 database_prepare(s, e, "SELECT id FROM trials WHERE source = ? LIMIT 1", "b", key->source),
                 &id, e))
        return false;
    *knows = id != 0;
    return true;
}

char *store_explain(struct store *s, const struct store_key *key, const char *space, const char *variant,
                    enum store_answer *answer, struct error *e)
{
    struct store_trial trial = {0};
    struct store_times times = {0};
    struct text_buffer text = {0};
    enum store_answer found = store_find(s, key, &trial, &times, e);
    bool ok = found == STORE_MISS
                  ? explain_missing(s, key, space, variant, &text, e)
                  : (found != STORE_FAILED && explain_found(s, key, found, &trial, &times, &text, e));
    if (found == STORE_HIT || found == STORE_STALE)
        store_trial_clear(&trial);
    free(times.samples);
    if (answer != NULL)
        *answer = ok ? found : STORE_FAILED;
    if (ok)
        return text.data;
    text_free(&text);
    return NULL;
}
