#include "tuner/cli/tuning_invariant.h"

#include "generator/worker.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/tuning_survey.h"
#include "tuner/model/model_expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROMISING_MAX = 12, /* for each M, that are timed at the others together */
    PASSES_MAX = 4,     /* of doing so */
    ROUNDS_MIN = 3,     /* of a race, that make a time more than a rough one */
    PROOFS_MAX = 8,
};

static const double near_margin = 1.5; /* of a search, until nothing so near is right at every M */
static const double least_gain = 0.01; /* a pass that makes the best for all M better by less is the last */

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
    free(v->efforts);
    json_decref(v->launched);
    free(v->passed_why);
    *v = (struct invariance){0};
}

/* ---- the search: how the variants do at every M ---- */

struct search {
    struct session *session;
    const struct problem *const *problems; /* a column of the survey each */
    struct progress *progress;
    struct invariance *found;
    struct survey survey;
    double margin; /* slower than the best by this at every M: not tried at another */
};

/* Of the tuning's own work; what was done for this M before is not lost. */
static void add_effort(struct invariance *v, int index, const struct tuning *t)
{
    struct invariance_effort *effort = &v->efforts[index];
    effort->times.generate += t->times.generate;
    effort->times.compile += t->times.compile;
    effort->times.verify += t->times.verify;
    effort->times.idle += t->times.idle;
    effort->measure_seconds += t->measure_seconds;
    effort->seconds += monotonic_seconds() - t->started;
}

/* Its time, in whatever unit all trials of the tuning have; *state says how much it is worth. */
static double time_of(const struct tuning *t, const struct trial *trial, enum survey_state *state)
{
    const struct trial *timed = tuning_stand_in(t, trial);
    double us = t->session->measures ? timed->time_us / t->race.limit.median : timed->predicted_us;
    *state = SURVEY_UNTRIED;
    if (!tuning_is_trusted(t, trial) || (trial->finished && timed->verdict != VERDICT_CORRECT))
        *state = SURVEY_FAILED;
    else if (trial->finished && !t->session->measures && isnan(us))
        *state = SURVEY_FAILED; /* it cannot be launched on this GPU */
    else if (!isnan(us))
        *state = t->session->measures && timed->sample_count < ROUNDS_MIN ? SURVEY_ROUGH : SURVEY_TIMED;
    else if (!isnan(timed->copies))
        *state = SURVEY_ROUGH;
    return isnan(us) ? timed->copies : us;
}

/* Times are multiplied by `scale`. */
static void note_trial(struct survey *survey, const struct tuning *t, const struct trial *trial, int index,
                       double scale)
{
    enum survey_state state;
    double time = time_of(t, trial, &state);
    if (state == SURVEY_FAILED)
        survey_fail(survey, trial->key, index, trial->reason);
    else if (state != SURVEY_UNTRIED)
        survey_time(survey, trial->key, index, state, scale * time);
}

static bool time_all(struct tuning *t, struct error *e)
{
    return t->session->measures ? tuning_verify(t, e) && tuning_race(t, e)
                                : tuning_compile(t, e) && tuning_predict(t, e);
}

/* The variants that the space lists for one M. Of those with the same code one is enough. */
static bool survey_list(struct search *search, int index, struct error *e)
{
    struct tuning t;
    tuning_begin(&t, search->session, search->problems[index], search->progress);
    bool ok = tuning_gather(&t, true, e) && time_all(&t, e);
    for (int i = 0; ok && i < t.space_count; i++)
        if (tuning_stand_in(&t, &t.trials[i]) == &t.trials[i])
            note_trial(&search->survey, &t, &t.trials[i], index, 1);
    add_effort(search->found, index, &t);
    tuning_clear(&t);
    return ok;
}

/* Of a variant that is listed for another M: whether it is valid for this one, and what the model expects of
   it, times what it expects of the best. The spaces have been told the problem. */
static bool expect(struct search *search, const char *key, int index, double best_us, struct error *e)
{
    struct session *s = search->session;
    struct error why;
    char *valid = generator_key(s->space, key, true, &why);
    if (valid == NULL && why.status != STATUS_USAGE)
        return error_set(e, why.status, "%s", why.text);
    if (valid == NULL) {
        const char *sentence = strstr(why.text, "not valid for this problem");
        survey_fail(&search->survey, key, index, sentence != NULL ? sentence : why.text);
        return true;
    }
    double us = NAN;
    bool ok = model_expect_us(s->space, key, search->problems[index], &s->gpu, &us, e);
    survey_allow(&search->survey, key, index, us / best_us);
    free(valid);
    return ok;
}

/* Looks at what is near the best at some M and has not been tried at this one. */
static bool expect_others(struct search *search, int index, struct error *e)
{
    struct survey *survey = &search->survey;
    const struct survey_variant *best = survey_best(survey, index);
    const struct problem *p = search->problems[index];
    double best_us = NAN;
    if (!session_set_problem(search->session, p, false, false, e) ||
        (best != NULL &&
         !model_expect_us(search->session->space, best->key, p, &search->session->gpu, &best_us, e)))
        return false;
    for (int i = 0; i < survey->count; i++)
        if (survey->variants[i].cells[index].state == SURVEY_UNTRIED &&
            survey_is_near(survey, &survey->variants[i], search->margin) &&
            !expect(search, survey->variants[i].key, index, best_us, e))
            return false;
    return true;
}

/* The promising ones that lack a good time at this M, after the best there: *count keys, the array is the
   caller's. Each has been found valid. */
static const char **gather_lacking(const struct survey *survey, const struct survey_variant **promising,
                                   int promising_count, int index, int *count)
{
    const char **keys = must_malloc((size_t)(promising_count + 1) * sizeof *keys);
    const struct survey_variant *best = survey_best(survey, index);
    *count = 0;
    if (best != NULL)
        keys[(*count)++] = best->key;
    for (int i = 0; i < promising_count; i++) {
        enum survey_state state = promising[i]->cells[index].state;
        if (promising[i] != best && (state == SURVEY_VALID || state == SURVEY_ROUGH))
            keys[(*count)++] = promising[i]->key;
    }
    return keys;
}

/* Times of different races compare by what was in both: the first trial, whose time was `known`. */
static void note_race(struct survey *survey, const struct tuning *t, int index, double known)
{
    enum survey_state state;
    double scale = known / time_of(t, &t->trials[0], &state);
    for (int i = 0; i < t->space_count; i++)
        note_trial(survey, t, &t->trials[i], index, isfinite(scale) ? scale : 1);
}

static bool time_keys(struct search *search, int index, const char *const *keys, int count, double known,
                      struct error *e)
{
    struct tuning t;
    char text[STEM_SIZE];
    problem_describe(search->problems[index], text);
    tuning_begin(&t, search->session, search->problems[index], search->progress);
    progress_say(search->progress, "%s: %d variants that are fast at another M, beside the best", text,
                 count - !isnan(known));
    bool ok = session_set_problem(search->session, search->problems[index], true, false, e) &&
              tuning_add_variants(&t, keys, count, e) && time_all(&t, e);
    if (ok)
        note_race(&search->survey, &t, index, known);
    add_effort(search->found, index, &t);
    tuning_clear(&t);
    return ok;
}

static bool time_promising(struct search *search, const struct survey_variant **promising,
                           int promising_count, int index, struct error *e)
{
    const struct survey_variant *best = survey_best(&search->survey, index);
    double known = best != NULL ? best->cells[index].time : NAN;
    int count;
    const char **keys = gather_lacking(&search->survey, promising, promising_count, index, &count);
    bool ok = count <= (best != NULL) || time_keys(search, index, keys, count, known, e);
    free(keys);
    return ok;
}

/* How many of them have not been tried at some M. */
static int count_unlisted(const struct survey *survey, const struct survey_variant **promising, int count)
{
    int unlisted = 0;
    for (int i = 0; i < count; i++) {
        bool unlisted_here = false;
        for (int j = 0; j < survey->columns; j++)
            unlisted_here = unlisted_here || promising[i]->cells[j].state == SURVEY_VALID;
        unlisted += unlisted_here;
    }
    return unlisted;
}

/* Times those of the promising ones that lack a good time, at every M. */
static bool time_pass(struct search *search, int *count, struct error *e)
{
    struct survey *survey = &search->survey;
    for (int i = 0; i < survey->columns; i++)
        if (!expect_others(search, i, e))
            return false;
    const struct survey_variant **promising = survey_promising(survey, PROMISING_MAX, count);
    search->found->joined += count_unlisted(survey, promising, *count);
    bool ok = true;
    for (int i = 0; ok && *count > 0 && i < survey->columns && interrupt_signal == 0; i++)
        ok = time_promising(search, promising, *count, i, e);
    free(promising);
    return ok;
}

/* A few for each M at a time, for as long as a better one for all M is found. */
static bool time_others(struct search *search, struct error *e)
{
    bool better = true;
    for (int pass = 0; better && pass < PASSES_MAX && interrupt_signal == 0; pass++) {
        double before = survey_best_for_all(&search->survey);
        int count;
        if (!time_pass(search, &count, e))
            return false;
        better = count > 0 && !(survey_best_for_all(&search->survey) > before * (1 - least_gain));
        if (count == 0 && isinf(before) && isfinite(search->margin)) {
            search->margin = INFINITY;
            better = true;
        }
    }
    return true;
}

static void pass_over(struct search *search, const char *key, const char *reason)
{
    struct invariance *v = search->found;
    survey_bar(&search->survey, key);
    v->passed_over++;
    v->passed_why = v->passed_why == NULL ? must_format("%s: %s", key, reason) : v->passed_why;
}

/* Whether a row's alignment, which differs from row to row, decides which thread sums what: results of 16
   bits seldom show that to the proof. Rows that are copied into shared memory are summed element by element.
 */
static bool follows_alignment(const struct search *search, const char *key)
{
    json_t *config = generator_config(search->session->space, key, NULL);
    const char *scope = json_string_value(json_object_get(config, "scope"));
    bool tile = scope != NULL && strcmp(scope, "tile") == 0;
    bool follows = !tile && json_integer_value(json_object_get(config, "vec_bytes")) >
                                problem_row_align(search->problems[0]);
    json_decref(config);
    return follows;
}

static void pass_over_misaligned(struct search *search)
{
    for (int i = 0; i < search->survey.count; i++)
        if (follows_alignment(search, search->survey.variants[i].key))
            pass_over(search, search->survey.variants[i].key,
                      "a row's alignment, and with it the order of its sum, depends on which row it is");
}

static bool survey_lists(struct search *search, struct error *e)
{
    bool ok = true;
    for (int i = 0; ok && i < search->survey.columns && interrupt_signal == 0; i++)
        ok = survey_list(search, i, e);
    search->found->listed = search->survey.count;
    if (ok)
        pass_over_misaligned(search);
    return ok;
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
static bool prove(struct search *search, const char *key, char **reason, struct error *e)
{
    struct session *s = search->session;
    struct invariance *v = search->found;
    struct tuning t;
    tuning_begin(&t, s, search->problems[0], search->progress);
    t.closing = true;
    bool ok = session_set_problem(s, search->problems[0], true, false, e) &&
              tuning_add_variants(&t, &key, 1, e) && tuning_compile(&t, e) && verify(&t, reason, e);
    if (ok && *reason == NULL)
        ok = compare_batches(&t, search->problems, v->count, reason, &v->launched, e);
    add_effort(v, 0, &t);
    tuning_clear(&t);
    return ok;
}

/* Status 1: with an example of what stands against one for all. */
static bool none_found(const struct search *search, struct error *e)
{
    char text[STEM_SIZE], where[STEM_SIZE];
    int column;
    const struct survey_variant *nearest = survey_nearest(&search->survey, &column);
    problem_describe(search->problems[0], text);
    if (search->found->passed_why != NULL)
        return error_set(e, STATUS_NONE_SURVIVED, "no variant for all M was found for %s and its other M: %s",
                         text, search->found->passed_why);
    if (nearest == NULL || interrupt_signal != 0) /* what is right everywhere may just not have been tried */
        return error_set(e, STATUS_NONE_SURVIVED,
                         "no variant for all M was found for %s and its other M: none was timed at each of "
                         "them when the run ended",
                         text);
    problem_describe(search->problems[column], where);
    const char *reason = nearest->cells[column].reason;
    return error_set(e, STATUS_NONE_SURVIVED,
                     "no variant for all M was found for %s and its other M: none is right at each of them; "
                     "%s fails at %s: %s",
                     text, nearest->key, where, reason != NULL ? reason : "it cannot be launched");
}

/* The best variant for all M is the choice, or is passed over; *found is false where there is none. */
static bool try_best(struct search *search, bool *found, struct error *e)
{
    struct invariance *v = search->found;
    int count;
    const struct survey_variant **ranking = survey_ranking(&search->survey, &count);
    const char *key = count > 0 ? ranking[0]->key : NULL;
    char *reason = NULL;
    free(ranking);
    *found = key != NULL;
    if (key == NULL)
        return true;
    if (search->session->device != NULL && !prove(search, key, &reason, e))
        return false;
    if (reason == NULL)
        v->key = must_strdup(key);
    else
        pass_over(search, key, reason);
    free(reason);
    return true;
}

/* One that is passed over leaves the place to others, which were not worth timing beside it. */
static bool choose_proven(struct search *search, struct error *e)
{
    struct invariance *v = search->found;
    bool ok = true, found = true;
    for (int i = 0; ok && found && i < PROOFS_MAX && v->key == NULL; i++)
        ok = (interrupt_signal != 0 || time_others(search, e)) && try_best(search, &found, e);
    for (int i = 0; ok && i < search->survey.columns; i++) {
        const struct survey_variant *best = survey_best(&search->survey, i);
        v->best[i] = best != NULL ? must_strdup(best->key) : NULL;
    }
    return ok && (v->key != NULL || none_found(search, e));
}

bool invariance_choose(struct invariance *v, struct session *s, const struct problem *const *problems,
                       int count, struct progress *progress, struct error *e)
{
    struct search search = {
        .session = s, .problems = problems, .progress = progress, .found = v, .margin = near_margin};
    *v = (struct invariance){.count = count};
    v->best = must_calloc((size_t)count, sizeof *v->best);
    v->efforts = must_calloc((size_t)count, sizeof *v->efforts);
    survey_begin(&search.survey, count);
    bool ok = survey_lists(&search, e) && choose_proven(&search, e);
    survey_clear(&search.survey);
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
           time_all(t, e);
}

static double us_of(const struct tuning *t, int index)
{
    const struct trial *timed = tuning_stand_in(t, &t->trials[index]);
    return t->session->measures ? timed->time_us : timed->predicted_us;
}

static bool choose_timed(const struct invariance *v, struct tuning *t, double *alone_us, struct error *e)
{
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
    return ok;
}

bool invariance_run(const struct invariance *v, int index, struct tuning *t, double *alone_us,
                    struct error *e)
{
    const struct invariance_effort *effort = &v->efforts[index];
    *alone_us = NAN;
    t->times = effort->times;
    t->closing = true;
    bool ok = v->key != NULL && time_both(v, index, t, e) && choose_timed(v, t, alone_us, e);
    t->measure_seconds += effort->measure_seconds;
    t->seconds = effort->seconds + monotonic_seconds() - t->started;
    return ok;
}
