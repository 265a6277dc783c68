#include "tuner/cli/tuning.h"

#include "generator/worker.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/tuning_caches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Why nothing survived: the first failure, as an example. */
static bool none_survived(const struct tuning *t, struct error *e)
{
    char text[STEM_SIZE];
    problem_describe(&t->problem, text);
    for (int i = 0; i < t->space_count; i++)
        if (t->trials[i].finished && t->trials[i].verdict != VERDICT_CORRECT)
            return error_set(e, STATUS_NONE_SURVIVED,
                             "no variant survived for %s; the first failed thus: %s: %s: %s", text,
                             t->trials[i].key, verdict_name(t->trials[i].verdict),
                             t->trials[i].reason != NULL ? t->trials[i].reason : "no reason was given");
    return error_set(e, STATUS_NONE_SURVIVED, "no variant was ready for %s when the run ended", text);
}

static bool choose_measured(struct tuning *t, struct error *e)
{
    if (!tuning_verify(t, e) || !tuning_race(t, e))
        return false;
    if (t->race.winner == NULL)
        return none_survived(t, e);
    t->chosen[0] = t->race.winner;
    if (!choose_trial(t->session, &t->problem, t->race.winner, t->race.limit.median, NULL, &t->choices[0], e))
        return false;
    t->choice_count = 1;
    if (!choose_verify(t->session, &t->choices[0], e)) {
        if (e->status == STATUS_NONE_SURVIVED)
            tuning_store_distrust(t, t->race.winner, e);
        return false;
    }
    return tuning_race_other_cache(t, e);
}

static int by_prediction(const void *a, const void *b)
{
    const struct trial *x = *(struct trial *const *)a, *y = *(struct trial *const *)b;
    if (x->predicted_us != y->predicted_us)
        return x->predicted_us < y->predicted_us ? -1 : 1;
    return x->order - y->order;
}

/* A candidate becomes a choice unless the emulator finds it wrong. */
static bool add_candidate(struct tuning *t, struct trial *trial, struct error *e)
{
    struct choice *choice = &t->choices[t->choice_count];
    if (!choose_trial(t->session, &t->problem, trial, NAN, t->has_stored ? &t->stored : NULL, choice, e))
        return false;
    if (t->session->device != NULL) {
        struct error why;
        if (!choose_verify(t->session, choice, &why)) {
            choice_clear(choice);
            if (why.status != STATUS_NONE_SURVIVED)
                return error_set(e, why.status, "%s", why.text);
            trial->verified = true;
            trial_fail(trial, VERDICT_CORRECTNESS, must_strdup(why.text));
            return true;
        }
        trial->verified = true;
        trial->max_error = choice->max_error;
        t->proven++;
    }
    t->chosen[t->choice_count++] = trial;
    return true;
}

static bool same_shape(const struct launch_plan *a, const struct launch_plan *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++) {
        const struct launch *x = &a->launches[i], *y = &b->launches[i];
        same = strcmp(x->grid_of_M, y->grid_of_M) == 0 && memcmp(x->block, y->block, sizeof x->block) == 0 &&
               memcmp(x->cluster, y->cluster, sizeof x->cluster) == 0 &&
               x->dynamic_smem_bytes == y->dynamic_smem_bytes;
    }
    return same;
}

/* Whether the choices have enough of this kind already: five kernels that differ in a cache hint would say
   nothing about what the model may have wrong. Two of a launch shape, which the model tells apart, do. */
static bool is_alike(const struct tuning *t, const struct trial *trial)
{
    int alike = 0;
    for (int i = 0; i < t->choice_count; i++) {
        if (!same_shape(t->chosen[i]->plan, trial->plan))
            continue;
        if (t->chosen[i]->predicted_us == trial->predicted_us)
            return true;
        alike++;
    }
    return alike >= 2;
}

static bool is_slower(const struct tuning *t, const struct trial *trial)
{
    const double about_as_fast = 1.1;
    return t->choice_count > 0 && trial->predicted_us > about_as_fast * t->chosen[0]->predicted_us;
}

/* Candidates by their prediction: first those of different kinds that are about as fast as the best, then, as
   far as there is room, the others. Takes those that were tried out of `ranked`. */
static bool add_candidates(struct tuning *t, struct trial **ranked, int count, struct error *e)
{
    bool ok = true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; ok && i < count && t->choice_count < CANDIDATES_MAX; i++) {
            struct trial *trial = ranked[i];
            if (trial == NULL || (t->choice_count > 0 && interrupt_signal != 0) ||
                (pass == 0 && (is_alike(t, trial) || is_slower(t, trial))))
                continue;
            ranked[i] = NULL;
            ok = add_candidate(t, trial, e);
        }
    return ok;
}

/* An online sum that begins at -infinity, as the article has it, makes NaN of rows that begin with -infinity.
   The verifier finds such variants. */
static bool is_unguarded(const struct trial *trial)
{
    json_t *config = generator_config(trial->space, trial->key, NULL);
    const char *guard = json_string_value(json_object_get(config, "guard"));
    bool unguarded = guard != NULL && strcmp(guard, "none") == 0 &&
                     json_integer_value(json_object_get(config, "passes")) == 2;
    json_decref(config);
    return unguarded;
}

bool tuning_is_trusted(const struct tuning *t, const struct trial *trial)
{
    return t->session->device != NULL || !is_unguarded(trial);
}

/* Runs v1 to v5 on the emulator: the table says which of them are wrong. */
static bool prove_presets(struct tuning *t, struct error *e)
{
    for (int i = t->space_count; i < t->count && interrupt_signal == 0; i++) {
        struct trial *trial = &t->trials[i];
        struct device_verdict verdict;
        if (!trial->compiled)
            continue;
        if (!choose_run(t->session, &trial->image, trial->plan, &verdict, e))
            return false;
        trial->verified = true;
        trial->max_error = verdict.max_error;
        json_decref(verdict.counts);
        if (verdict.verdict != VERDICT_CORRECT)
            trial_fail(trial, verdict.verdict, verdict.reason);
    }
    return true;
}

static bool choose_predicted(struct tuning *t, struct error *e)
{
    if (!tuning_compile(t, e) || !tuning_predict(t, e))
        return false;
    struct trial **ranked = must_malloc((size_t)(t->count + 1) * sizeof(struct trial *));
    int count = 0;
    for (int i = 0; i < t->space_count; i++)
        if (t->trials[i].same_as == i && !isnan(t->trials[i].predicted_us) &&
            tuning_is_trusted(t, &t->trials[i]))
            ranked[count++] = &t->trials[i];
    qsort(ranked, (size_t)count, sizeof(struct trial *), by_prediction);
    double start = monotonic_seconds();
    bool ok = add_candidates(t, ranked, count, e);
    free(ranked);
    ok = ok && (t->session->device == NULL || prove_presets(t, e));
    t->times.verify += t->session->device != NULL ? monotonic_seconds() - start : 0;
    return ok && (t->choice_count > 0 || none_survived(t, e));
}

/* Without the GPU, a choice that ships with the program stands for the whole space that it was made in:
   nothing but the default space, whole, and a variant that this space still has. */
static bool add_stored(struct tuning *t)
{
    struct session *s = t->session;
    const struct generator_options *o = &s->options->space;
    if (s->measures || o->config != NULL || o->templates != NULL || (o->pins != NULL && o->pins[0] != NULL) ||
        !choices_find_built_in(&t->problem, &s->gpu, &t->stored))
        return false;
    json_t *described = generator_describe(s->space, NULL);
    const char *name = json_string_value(json_object_get(described, "name"));
    const char *variant = t->stored.variant;
    t->has_stored =
        name != NULL && strcmp(name, t->stored.space) == 0 && tuning_add_variants(t, &variant, 1, NULL);
    json_decref(described);
    if (!t->has_stored)
        stored_choice_clear(&t->stored);
    return t->has_stored;
}

bool tuning_gather(struct tuning *t, bool whole, struct error *e)
{
    struct session *s = t->session;
    if (!session_set_problem(s, &t->problem, true, false, e) ||
        ((whole || !add_stored(t)) && !tuning_add_space(t, 0, e)))
        return false;
    if (!tuning_add_presets(t, e) || (s->measures && !tuning_store_begin(t, e)) || !tuning_order_begin(t, e))
        return false;
    char text[STEM_SIZE];
    problem_describe(&t->problem, text);
    progress_say(t->progress, "%s on %s (%s): %d variant%s%s", text, s->gpu.name, s->gpu.arch, t->space_count,
                 t->space_count == 1 ? "" : "s",
                 t->has_stored ? ", a stored choice"
                 : s->measures ? ""
                               : ", by prediction");
    return true;
}

bool tuning_run(struct tuning *t, struct error *e)
{
    struct session *s = t->session;
    if (!tuning_gather(t, false, e))
        return false;
    bool ok = s->measures ? choose_measured(t, e) : choose_predicted(t, e);
    t->seconds = monotonic_seconds() - t->started;
    return ok;
}
