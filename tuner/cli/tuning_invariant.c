#include "tuner/cli/tuning_invariant.h"

#include "generator/worker.h"
#include "tuner/cli/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROOFS_MAX = 8 };

bool invariance_alike(const struct problem *a, const struct problem *b)
{
    return a->op == b->op && a->dtype_in == b->dtype_in && a->dtype_out == b->dtype_out && a->N == b->N &&
           a->x_stride == b->x_stride && a->y_stride == b->y_stride && a->align == b->align &&
           a->in_place == b->in_place && a->scaled == b->scaled && a->cache == b->cache;
}

void invariance_clear(struct invariance *v)
{
    free(v->key);
    for (int i = 0; v->best != NULL && i < v->count; i++)
        free(v->best[i]);
    free(v->best);
    json_decref(v->launched);
    free(v->passed_why);
    *v = (struct invariance){0};
}

/* ---- the survey: how every variant does at every M ---- */

struct variant_score {
    char *key;       /* owned */
    double sum;      /* of the logarithms of its time over the best one's */
    int order, seen; /* seen: at how many M it is right and has a time */
};

struct survey {
    struct variant_score *scores; /* owned */
    int count, problems;
};

/* Its time, in whatever unit all trials of the tuning have; NaN where it is not right or has none. */
static double time_of(const struct tuning *t, const struct trial *trial)
{
    const struct trial *timed = tuning_stand_in(t, trial);
    if (!trial->finished || trial->verdict != VERDICT_CORRECT || !tuning_is_trusted(t, trial))
        return NAN;
    if (!t->session->measures)
        return timed->predicted_us;
    return isnan(timed->time_us) ? timed->copies : timed->time_us / t->race.limit.median;
}

static void note_times(struct survey *survey, const struct tuning *t, char **best_key)
{
    int best = -1;
    for (int i = 0; i < t->space_count; i++)
        if (best < 0 || isnan(time_of(t, &t->trials[best])) ||
            time_of(t, &t->trials[i]) < time_of(t, &t->trials[best]))
            best = i;
    if (t->session->measures && t->race.winner != NULL)
        best = (int)(t->race.winner - t->trials);
    if (best < 0 || isnan(time_of(t, &t->trials[best])))
        return;
    if (survey->scores == NULL) {
        survey->count = t->space_count;
        survey->scores = must_calloc((size_t)survey->count, sizeof *survey->scores);
        for (int i = 0; i < survey->count; i++) {
            survey->scores[i].key = must_strdup(t->trials[i].key);
            survey->scores[i].order = i;
        }
    }
    *best_key = must_strdup(t->trials[best].key);
    survey->problems++;
    for (int i = 0; i < survey->count && i < t->space_count; i++) {
        double ratio = time_of(t, &t->trials[i]) / time_of(t, &t->trials[best]);
        if (isnan(ratio) || strcmp(survey->scores[i].key, t->trials[i].key) != 0)
            continue;
        survey->scores[i].sum += log(ratio);
        survey->scores[i].seen++;
    }
}

static bool survey_problem(struct survey *survey, struct session *s, const struct problem *p,
                           struct progress *progress, char **best_key, struct error *e)
{
    struct tuning t;
    tuning_begin(&t, s, p, progress);
    bool ok = tuning_gather(&t, true, e) && (s->measures ? tuning_verify(&t, e) && tuning_race(&t, e)
                                                         : tuning_compile(&t, e) && tuning_predict(&t, e));
    if (ok)
        note_times(survey, &t, best_key);
    tuning_clear(&t);
    return ok;
}

/* Right for most M first, then by the mean. */
static int by_score(const void *a, const void *b)
{
    const struct variant_score *x = a, *y = b;
    if (x->seen != y->seen)
        return y->seen - x->seen;
    if (x->sum != y->sum)
        return x->sum < y->sum ? -1 : 1;
    return x->order - y->order;
}

/* ---- the proof ---- */

static bool compare_batches(struct tuning *t, const struct problem *const *problems, int count, char **reason,
                            json_t **launched, struct error *e)
{
    int64_t *rows = must_malloc((size_t)count * sizeof *rows);
    for (int i = 0; i < count; i++)
        rows[i] = problems[i]->M;
    const struct trial *trial = &t->trials[0];
    bool ok = device_client_compare_batches(t->session->device, &trial->image, trial->plan, rows, count,
                                            reason, launched, e);
    free(rows);
    return ok;
}

/* *reason stays NULL for a right one. */
static bool verify(struct tuning *t, char **reason, struct error *e)
{
    struct device_verdict verdict = {0};
    const struct trial *trial = &t->trials[0];
    if (!trial->compiled) {
        *reason = must_strdup(trial->reason != NULL ? trial->reason : "it was not compiled");
        return true;
    }
    if (!choose_run(t->session, &trial->image, trial->plan, &verdict, e))
        return false;
    *reason = verdict.reason;
    json_decref(verdict.counts);
    return true;
}

/* One variant: *reason says why it is not the choice, NULL when it is. */
static bool prove(struct session *s, const char *key, const struct problem *const *problems, int count,
                  struct progress *progress, char **reason, json_t **launched, struct error *e)
{
    struct tuning t;
    tuning_begin(&t, s, problems[0], progress);
    bool ok = session_set_problem(s, problems[0], true, false, e) && tuning_add_variants(&t, &key, 1, e) &&
              tuning_compile(&t, e) && verify(&t, reason, e);
    if (ok && *reason == NULL)
        ok = compare_batches(&t, problems, count, reason, launched, e);
    tuning_clear(&t);
    return ok;
}

static bool choose_proven(struct invariance *v, struct survey *survey, struct session *s,
                          const struct problem *const *problems, struct progress *progress, struct error *e)
{
    if (survey->count > 1)
        qsort(survey->scores, (size_t)survey->count, sizeof *survey->scores, by_score);
    for (int i = 0; i < survey->count && i < PROOFS_MAX && v->key == NULL; i++) {
        const struct variant_score *score = &survey->scores[i];
        char *reason = NULL;
        if (score->seen == 0 || score->seen < survey->problems)
            break;
        if (s->device != NULL &&
            !prove(s, score->key, problems, v->count, progress, &reason, &v->launched, e))
            return false;
        if (reason == NULL) {
            v->key = must_strdup(score->key);
        } else {
            v->passed_over++;
            v->passed_why = v->passed_why == NULL ? must_format("%s: %s", score->key, reason) : v->passed_why;
        }
        free(reason);
    }
    if (v->key != NULL)
        return true;
    char text[STEM_SIZE];
    problem_describe(problems[0], text);
    return error_set(e, STATUS_NONE_SURVIVED, "no variant for all M was found for %s and the like: %s", text,
                     v->passed_why != NULL ? v->passed_why : "none is right for all of them");
}

bool invariance_choose(struct invariance *v, struct session *s, const struct problem *const *problems,
                       int count, struct progress *progress, struct error *e)
{
    struct survey survey = {0};
    *v = (struct invariance){.count = count};
    v->best = must_calloc((size_t)count, sizeof *v->best);
    bool ok = true;
    for (int i = 0; ok && i < count && interrupt_signal == 0; i++)
        ok = survey_problem(&survey, s, problems[i], progress, &v->best[i], e);
    ok = ok && choose_proven(v, &survey, s, problems, progress, e);
    for (int i = 0; i < survey.count; i++)
        free(survey.scores[i].key);
    free(survey.scores);
    return ok;
}

/* ---- the choice for one M ---- */

/* The trials of the variant and of the best, in that order; the best may be the same, or not known. */
static bool time_both(const struct invariance *v, int index, struct tuning *t, struct error *e)
{
    const char *keys[2] = {v->key, v->best[index]};
    struct session *s = t->session;
    return session_set_problem(s, &t->problem, true, false, e) &&
           tuning_add_variants(t, keys, v->best[index] != NULL ? 2 : 1, e) && tuning_add_presets(t, e) &&
           (s->measures ? tuning_verify(t, e) && tuning_race(t, e)
                        : tuning_compile(t, e) && tuning_predict(t, e));
}

static double us_of(const struct tuning *t, int index)
{
    const struct trial *timed = tuning_stand_in(t, &t->trials[index]);
    return t->session->measures ? timed->time_us : timed->predicted_us;
}

bool invariance_run(const struct invariance *v, int index, struct tuning *t, double *alone_us,
                    struct error *e)
{
    *alone_us = NAN;
    if (!time_both(v, index, t, e))
        return false;
    struct trial *trial = &t->trials[tuning_stand_in(t, &t->trials[0]) - t->trials];
    if (isnan(us_of(t, 0)) || trial->verdict != VERDICT_CORRECT)
        return error_set(e, STATUS_NONE_SURVIVED, "%s: %s", v->key,
                         trial->reason != NULL ? trial->reason : "it was not timed when the run ended");
    *alone_us = fmin(us_of(t, 0), t->space_count > 1 ? us_of(t, 1) : NAN);
    t->chosen[0] = &t->trials[0];
    t->race.winner = t->session->measures ? trial : NULL;
    t->race.tie_count = 0; /* others are no choice, however fast */
    if (!choose_trial(t->session, &t->problem, trial, t->race.limit.median, NULL, &t->choices[0], e))
        return false;
    t->choice_count = 1;
    bool ok = t->session->device == NULL || choose_verify(t->session, &t->choices[0], e);
    t->proven = ok && t->session->device != NULL;
    t->seconds = monotonic_seconds() - t->started;
    return ok;
}
