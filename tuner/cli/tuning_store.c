#include "tuner/cli/tuning_store.h"

#include "tuner/cli/session_store.h"
#include "tuner/cli/tuning.h"
#include "tuner/store/gpu_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was slower than the best by this in the rounds of an earlier run would leave the race after a glance.
 */
static const double spare_margin = 1.03;

static char *name_of(struct generator *space, struct error *e)
{
    json_t *described = generator_describe(space, e);
    char *name =
        described != NULL ? must_strdup(json_string_value(json_object_get(described, "name"))) : NULL;
    json_decref(described);
    return name;
}

bool tuning_store_expect(struct tuning *t, double *expected, struct error *e)
{
    struct error why;
    if (t->session->store == NULL || t->memory.space == NULL)
        return true;
    json_t *stored = store_expectations(t->session->store, t->memory.space, &why);
    if (stored == NULL)
        return session_store_failed(t->session, &why, e);
    for (int i = 0; i < t->space_count; i++) {
        const json_t *copies = json_object_get(stored, t->trials[i].key);
        if (copies != NULL)
            expected[i] = json_is_null(copies) ? INFINITY : json_real_value(copies);
    }
    json_decref(stored);
    return true;
}

bool tuning_store_begin(struct tuning *t, struct error *e)
{
    struct session *s = t->session;
    struct error why;
    if (s->store == NULL)
        return true;
    t->memory.space = name_of(s->space, e);
    t->memory.article = name_of(s->article, e);
    if (t->memory.space == NULL || t->memory.article == NULL)
        return false;
    t->memory.keys = must_calloc((size_t)t->count + 1, sizeof *t->memory.keys);
    struct store_environment environment = session_environment(s);
    return store_set_problem(s->store, &environment, &t->problem, &why) || session_store_failed(s, &why, e);
}

void tuning_store_clear(struct tuning *t)
{
    free(t->memory.keys);
    free(t->memory.space);
    free(t->memory.article);
}

/* The store has failed in the midst of a run: what it was asked for counts as unknown. */
static void give_up(struct tuning *t, const struct error *why)
{
    t->memory.failed = !session_store_failed(t->session, why, &t->memory.why);
}

static void fill(struct trial *trial, struct store_trial *found, const struct store_times *times)
{
    trial->verdict = found->verdict;
    trial->verified = found->verdict != VERDICT_COMPILE && trial->compiled;
    trial->reason = found->reason;
    found->reason = NULL;
    trial->max_error = found->max_error;
    trial->copies = found->copies;
    trial->compile_seconds = found->compile_seconds;
    trial->verify_seconds = found->verify_seconds;
    if (times->count == 0)
        return;
    trial_add_samples(trial, times->samples, times->count, 1);
    trial->recalled_limit_us = times->limit_us;
    if (times->limit_us > 0)
        trial->copies = times->time.median / times->limit_us;
}

/* Whether a trial of this run has put this very key: a variant of the space may be one of the article's. */
static bool is_own(const struct tuning *t, const struct store_key *key)
{
    for (int i = t->space_count; i < t->count; i++)
        if (t->trials[i].finished && !t->trials[i].recalled &&
            memcmp(&t->memory.keys[i], key, sizeof *key) == 0)
            return true;
    return false;
}

static bool recall(void *context, struct trial *trial, const struct source *source)
{
    struct tuning *t = context;
    struct store *store = t->session->store;
    struct store_key *key = &t->memory.keys[trial - t->trials];
    struct store_trial found = {0};
    struct store_times times = {0};
    struct error why;
    if (store == NULL || trial->space == NULL)
        return false;
    if (source != NULL)
        *key = store_key_of_source(source->text, source->size);
    else
        store_key_add_launches(key, trial->plan);
    enum store_answer answer = store_find(store, key, &found, &times, &why);
    bool own = answer == STORE_HIT && is_own(t, key);
    bool hit = answer == STORE_HIT && (own || store_trusts(&found));
    if (answer == STORE_FAILED)
        give_up(t, &why);
    if (hit)
        fill(trial, &found, &times);
    t->memory.recalled += hit && !own;
    t->memory.stale += answer == STORE_STALE;
    store_trial_clear(&found);
    free(times.samples);
    return hit;
}

static bool put(struct tuning *t, const struct trial *trial, struct error *e)
{
    json_t *config = generator_config(trial->space, trial->key, e);
    if (config == NULL)
        return false;
    struct store_trial stored = {
        .space = trial->space == t->session->article ? t->memory.article : t->memory.space,
        .variant = trial->key,
        .config = json_dumps(config, JSON_COMPACT),
        .verdict = trial->verdict,
        .reason = trial->reason,
        .max_error = trial->max_error,
        .copies = trial->copies,
        .compile_seconds = trial->compile_seconds,
        .verify_seconds = trial->verify_seconds,
    };
    struct error why;
    bool ok = store_put(t->session->store, &t->memory.keys[trial - t->trials], &stored, &why);
    free(stored.config);
    json_decref(config);
    return ok || session_store_failed(t->session, &why, e);
}

static bool keep(void *context, const struct trial *trial, struct error *e)
{
    struct tuning *t = context;
    if (t->memory.failed)
        return error_set(e, t->memory.why.status, "%s", t->memory.why.text);
    return t->session->store == NULL || trial->space == NULL || put(t, trial, e);
}

void tuning_store_attach(struct tuning *t, struct pipeline *p)
{
    if (t->memory.keys == NULL)
        return;
    p->recall = recall;
    p->keep = keep;
    p->memory_context = t;
}

/* Of the trials that went through rounds in an earlier run, what the best took, times a copy. */
static double best_recalled(const struct tuning *t)
{
    double best = INFINITY;
    for (int i = 0; i < t->count; i++) {
        const struct trial *trial = &t->trials[i];
        if (trial->recalled && !trial->barred && trial->verdict == VERDICT_CORRECT && trial->sample_count > 0)
            best = fmin(best, trial->copies);
    }
    return best;
}

bool tuning_store_spares(const struct tuning *t, const struct trial *trial)
{
    return trial->recalled && trial->sample_count > 0 &&
           (trial->barred || trial->copies > best_recalled(t) * spare_margin);
}

static bool put_times(struct tuning *t, const struct trial *timed, const struct trial *trial, struct error *e)
{
    const struct store_times times = {
        .samples = timed->samples_us, .count = timed->sample_count, .limit_us = t->race.limit.median};
    struct error why;
    return store_put_times(t->session->store, &t->memory.keys[trial - t->trials], &times, &why) ||
           session_store_failed(t->session, &why, e);
}

bool tuning_store_keep_race(struct tuning *t, struct trial *const *racers, int count, struct error *e)
{
    bool ok = true;
    if (t->session->store == NULL || t->memory.keys == NULL)
        return true;
    for (int i = 0; i < count; i++) {
        struct trial *racer = racers[i];
        if (racer->verdict == VERDICT_RUNTIME) /* it was right before */
            ok = ok && put(t, racer, e);
        /* Those that never came into the rounds have their rough time only. What another run disturbed is not
           kept: the next run would take it as it is. */
        else if (racer->sample_count > 1 && t->memory.disturbed_by == 0)
            for (int j = 0; j < t->count; j++)
                if (t->trials[j].same_as == racer - t->trials)
                    ok = ok && put_times(t, racer, &t->trials[j], e);
    }
    return ok;
}

void tuning_store_distrust(struct tuning *t, struct trial *winner, const struct error *why)
{
    struct error ignored; /* the run ends for `why` in any case */
    trial_fail(winner, VERDICT_CORRECTNESS, must_strdup(why->text));
    if (t->session->store != NULL && t->memory.keys != NULL)
        put(t, winner, &ignored);
}

void tuning_watch_gpu(struct tuning *t)
{
    int other = t->memory.disturbed_by == 0 ? gpu_watch_other(t->session->watch) : 0;
    if (other == 0)
        return;
    t->memory.disturbed_by = other;
    progress_warn(t->progress, "process %d uses this GPU too: each run disturbs the other's timing", other);
}
