#include "tuner/store/export_trials.h"

#include "tuner/store/database.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool nothing_stored(const struct store *s, const struct export_selection *selection, struct error *e)
{
    char text[STEM_SIZE];
    problem_describe(selection->problem, text);
    return error_set(e, STATUS_USAGE, "the store %s holds no trial of %s%s%s%s%s: tune it first", s->path,
                     text, selection->gpu != NULL ? " on " : "", selection->gpu != NULL ? selection->gpu : "",
                     selection->space != NULL ? " in the space " : "",
                     selection->space != NULL ? selection->space : "");
}

/* The problem, environment and space that the selection stands for. *space is the caller's. */
static bool resolve(struct store *s, const struct export_selection *selection, int64_t *problem,
                    int64_t *environment, char **space, struct error *e)
{
    json_t *object = problem_to_json(selection->problem);
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    sqlite3_stmt *row = database_prepare(
        s, e,
        "SELECT trials.problem, trials.environment, space FROM trials JOIN problems ON problems.id = trials.problem "
        "JOIN environments ON environments.id = trials.environment WHERE problems.problem = ?1 "
        "AND (?2 IS NULL OR gpu = ?2) AND (?3 = 0 OR compute_capability = ?3) AND (?4 IS NULL OR space = ?4) "
        "ORDER BY trials.environment = (SELECT environment FROM trials t WHERE t.problem = trials.problem "
        "ORDER BY finished DESC, id DESC LIMIT 1) DESC, finished DESC, trials.id DESC LIMIT 1",
        "ttit", text, selection->gpu, (int64_t)selection->compute_capability, selection->space);
    int found = row != NULL ? database_step(s, row, e) : -1;
    if (found == 1) {
        *problem = sqlite3_column_int64(row, 0);
        *environment = sqlite3_column_int64(row, 1);
        *space = selection->space != NULL ? must_strdup(selection->space) : NULL;
        sqlite3_finalize(row);
    }
    free(text);
    return found == 1 || (found == 0 && nothing_stored(s, selection, e));
}

static bool choose_space(struct store *s, int64_t problem, int64_t environment, char **space, struct error *e)
{
    sqlite3_stmt *row = database_prepare(s, e,
                                         "SELECT space FROM trials WHERE problem = ? AND environment = ? "
                                         "GROUP BY space ORDER BY count(*) DESC, space LIMIT 1",
                                         "ii", problem, environment);
    if (row == NULL || database_step(s, row, e) != 1)
        return false;
    *space = database_text(row, 0);
    sqlite3_finalize(row);
    return true;
}

static bool read_gpu(struct store *s, int64_t environment, struct exported_trials *found, struct error *e)
{
    sqlite3_stmt *row = database_prepare(
        s, e, "SELECT gpu, compute_capability FROM environments WHERE id = ?", "i", environment);
    int step = row != NULL ? database_step(s, row, e) : -1;
    if (step != 1)
        return step == 0 ? database_damaged(s, "a row that others name is not there", e) : false;
    found->gpu = database_text(row, 0);
    found->arch = must_format("sm_%d", sqlite3_column_int(row, 1));
    sqlite3_finalize(row);
    return true;
}

/* The limit of the latest race of this problem; NaN where there was none. */
static bool read_limit(struct store *s, int64_t problem, int64_t environment, double *limit_us,
                       struct error *e)
{
    sqlite3_stmt *row =
        database_prepare(s, e,
                         "SELECT limit_us FROM samples JOIN trials ON trials.id = samples.trial "
                         "WHERE problem = ? AND environment = ? AND limit_us IS NOT NULL "
                         "ORDER BY finished DESC, trials.id DESC LIMIT 1",
                         "ii", problem, environment);
    int step = row != NULL ? database_step(s, row, e) : -1;
    *limit_us = NAN;
    if (step == 1) {
        *limit_us = database_number(row, 0);
        sqlite3_finalize(row);
    }
    return step >= 0;
}

static void use_rough_time(struct exported_trial *t, double limit_us)
{
    double us = t->trial.copies * limit_us;
    if (t->times.count > 0 || !isfinite(us))
        return;
    t->times.samples = must_malloc(sizeof *t->times.samples);
    t->times.samples[0] = us;
    t->times.count = 1;
    t->times.limit_us = limit_us;
    t->times.time = median_interval_of(t->times.samples, 1);
}

static bool read_one(struct store *s, sqlite3_stmt *row, double limit_us, struct exported_trial *t,
                     struct error *e)
{
    *t = (struct exported_trial){0};
    if (!database_read_trial(s, row, &t->trial, e) ||
        !database_read_times(s, sqlite3_column_int64(row, 0), &t->times, e))
        return false;
    use_rough_time(t, limit_us);
    time_t stamp = (time_t)t->trial.finished;
    struct tm parts;
    strftime(t->timestamp, sizeof t->timestamp, "%Y-%m-%d %H:%M:%S+00:00", gmtime_r(&stamp, &parts));
    t->config = json_loads(t->trial.config, 0, NULL);
    return json_is_object(t->config) || database_damaged(s, "a variant has no values", e);
}

static bool read_all(struct store *s, int64_t problem, int64_t environment, const char *space,
                     struct exported_trials *found, struct error *e)
{
    double limit_us;
    if (!read_limit(s, problem, environment, &limit_us, e))
        return false;
    sqlite3_stmt *row = database_prepare(s, e,
                                         "SELECT " DATABASE_TRIAL_COLUMNS " FROM trials WHERE id IN "
                                         "(SELECT max(id) FROM trials WHERE problem = ? AND environment = ? "
                                         "AND space = ? GROUP BY variant) ORDER BY id",
                                         "iit", problem, environment, space);
    int step = row != NULL ? database_step(s, row, e) : -1;
    bool ok = step >= 0;
    while (ok && step == 1) {
        found->trials = must_realloc(found->trials, (size_t)(found->count + 1) * sizeof *found->trials);
        ok = read_one(s, row, limit_us, &found->trials[found->count++], e);
        if (ok)
            step = database_step(s, row, e);
        else
            sqlite3_finalize(row);
    }
    return ok && step == 0;
}

bool export_trials_read(struct store *s, const struct export_selection *selection,
                        struct exported_trials *found, struct error *e)
{
    int64_t problem = 0, environment = 0;
    char *space = NULL;
    *found = (struct exported_trials){0};
    bool ok = resolve(s, selection, &problem, &environment, &space, e) &&
              (space != NULL || choose_space(s, problem, environment, &space, e)) &&
              read_gpu(s, environment, found, e) && read_all(s, problem, environment, space, found, e);
    free(space);
    if (!ok)
        export_trials_clear(found);
    return ok;
}

void export_trials_clear(struct exported_trials *found)
{
    for (int i = 0; i < found->count; i++) {
        store_trial_clear(&found->trials[i].trial);
        free(found->trials[i].times.samples);
        json_decref(found->trials[i].config);
    }
    free(found->trials);
    free(found->gpu);
    free(found->arch);
    *found = (struct exported_trials){0};
}

bool exported_trial_timed(const struct exported_trial *t)
{
    return t->trial.verdict == VERDICT_CORRECT && t->times.count > 0;
}

json_t *exported_trial_times_ms(const struct exported_trial *t)
{
    json_t *times = json_array();
    for (int i = 0; i < t->times.count; i++)
        json_array_append_new(times, json_real(t->times.samples[i] / 1e3));
    return times;
}

double exported_trial_benchmark_ms(const struct exported_trial *t)
{
    double sum = 0;
    for (int i = 0; i < t->times.count; i++)
        sum += t->times.samples[i] / 1e3;
    return sum;
}
