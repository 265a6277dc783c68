#include "tuner/cli/tuning.h"

#include "generator/worker.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/tuning_caches.h"
#include "tuner/model/model.h"
#include "tuner/race/race_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of --seconds, what compiling and verifying may take: the race needs the rest. */
static const double pipeline_share = 0.7;

void tuning_begin(struct tuning *t, struct session *s, const struct problem *p, struct progress *progress)
{
    *t = (struct tuning){.session = s, .problem = *p, .progress = progress, .started = monotonic_seconds()};
    t->race.limit = median_interval_of(NULL, 0);
}

static struct trial *add_trial(struct tuning *t, struct generator *space, const char *key)
{
    t->trials = must_realloc(t->trials, (size_t)(t->count + 1) * sizeof *t->trials);
    t->trials[t->count] = trial_of(space, key, t->count);
    return &t->trials[t->count++];
}

bool tuning_add_space(struct tuning *t, int most, struct error *e)
{
    json_t *keys = generator_list(t->session->space, (size_t)most, &t->why_none, e);
    if (keys == NULL)
        return false;
    size_t index;
    json_t *key;
    json_array_foreach(keys, index, key) add_trial(t, t->session->space, json_string_value(key));
    t->space_count = t->count;
    json_decref(keys);
    if (t->count > 0)
        return true;
    char text[STEM_SIZE];
    problem_describe(&t->problem, text);
    return error_set(e, STATUS_USAGE, "no variant of the space takes %s: %s", text,
                     t->why_none != NULL ? t->why_none : "it is empty");
}

/* Whether a setting of `list`, joined by commas, begins with `text`, or, where `whole`, is it. */
static bool has_setting(const char *list, const char *text, size_t length, bool whole)
{
    while (*list != '\0') {
        size_t own = strcspn(list, ",");
        if ((whole ? own == length : own >= length) && memcmp(list, text, length) == 0)
            return true;
        list += own + (list[own] == ',');
    }
    return false;
}

/* A preset is complete, so the pins that it does not have would be ignored. */
static bool heeds_pins(const struct session *s, const char *typed, const char *key, struct error *e)
{
    const char *const *pin = s->options->space.pins;
    size_t preset = strcspn(typed, ",");
    if (memchr(typed, '=', preset) != NULL)
        return true;
    for (; pin != NULL && *pin != NULL; pin++)
        if (!has_setting(key, *pin, strlen(*pin), true) &&
            !has_setting(typed, *pin, strcspn(*pin, "=") + 1, false))
            return error_set(e, STATUS_USAGE,
                             "--set %s does not apply to the preset '%.*s': write --variant %s,%s", *pin,
                             (int)preset, typed, typed, *pin);
    return true;
}

char *tuning_key(const struct session *s, const char *typed, struct error *e)
{
    char *key = generator_key(s->space, typed, true, e);
    if (key == NULL || heeds_pins(s, typed, key, e))
        return key;
    free(key);
    return NULL;
}

bool tuning_add_variants(struct tuning *t, const char *const *typed, int count, struct error *e)
{
    for (int i = 0; i < count; i++) {
        char *key = tuning_key(t->session, typed[i], e);
        if (key == NULL)
            return false;
        bool again = false;
        for (int j = 0; j < t->count; j++)
            again = again || strcmp(t->trials[j].key, key) == 0;
        if (!again)
            add_trial(t, t->session->space, key)->label = must_strdup(typed[i]);
        free(key);
    }
    t->space_count = t->count;
    return true;
}

/* `why` is "variant KEY is not valid for this problem: SENTENCE". */
static void leave_out(struct tuning *t, const char *preset, const char *why)
{
    static const char before[] = "for this problem: ";
    const char *sentence = strstr(why, before);
    sentence = sentence != NULL ? sentence + strlen(before) : why;
    if (t->not_valid == NULL)
        t->not_valid = json_object();
    const char *others = json_string_value(json_object_get(t->not_valid, sentence));
    json_object_set_new(t->not_valid, sentence,
                        others != NULL ? json_sprintf("%s, %s", others, preset) : json_string(preset));
}

bool tuning_add_presets(struct tuning *t, struct error *e)
{
    json_t *described = generator_describe(t->session->article, e);
    if (described == NULL)
        return false;
    const char *name;
    json_t *key;
    json_object_foreach(json_object_get(described, "presets"), name, key)
    {
        struct error why;
        char *valid = generator_key(t->session->article, name, true, &why);
        if (valid == NULL) {
            leave_out(t, name, why.text);
        } else {
            struct trial *trial = add_trial(t, t->session->article, valid);
            trial->label = must_strdup(name);
            trial->barred = true;
        }
        free(valid);
    }
    json_decref(described);
    return true;
}

const struct trial *tuning_stand_in(const struct tuning *t, const struct trial *trial)
{
    return trial->same_as >= 0 ? &t->trials[trial->same_as] : trial;
}

void tuning_count_verdicts(const struct tuning *t, int counts[VERDICT_CORRECTNESS + 1], int *unverified)
{
    memset(counts, 0, (VERDICT_CORRECTNESS + 1) * sizeof *counts);
    *unverified = 0;
    for (int i = 0; i < t->space_count; i++) {
        const struct trial *trial = &t->trials[i];
        if (trial->finished && trial->verdict == VERDICT_CORRECT && !trial->verified)
            ++*unverified;
        else if (trial->finished)
            counts[trial->verdict]++;
    }
}

struct trial *tuning_add_image(struct tuning *t, const char *key, const char *label, struct image *image,
                               const struct launch_plan *plan)
{
    struct trial *trial = add_trial(t, NULL, key);
    trial->label = must_strdup(label);
    trial->image = *image;
    *image = (struct image){0};
    trial->plan = must_malloc(sizeof *trial->plan);
    *trial->plan = *plan;
    trial->compiled = true;
    return trial;
}

static void show_pipeline(void *context, const struct pipeline_progress *now)
{
    struct tuning *t = context;
    tuning_watch_gpu(t);
    progress_pipeline(t->progress, now);
}

static void show_race(void *context, const struct race_progress *now)
{
    struct tuning *t = context;
    tuning_watch_gpu(t);
    progress_race(t->progress, now);
}

static bool run_pipeline(struct tuning *t, struct device_client *device, struct error *e)
{
    struct session *s = t->session;
    char kernel[STEM_SIZE];
    /* Without M and the GPU's name, so that one image serves every M and GPU of the architecture. */
    problem_stem(&t->problem, false, s->gpu.arch, NULL, kernel);
    struct pipeline pipeline = {
        .compiler = s->compiler,
        .device = device,
        .arch = s->gpu.arch,
        .kernel = kernel,
        .line_info = device != NULL && device_client_kind(device) == DEVICE_EMULATOR,
        .deadline = t->started + pipeline_share * s->options->seconds,
        .stop = t->closing ? NULL : &interrupt_signal,
        .progress = show_pipeline,
        .progress_context = t,
    };
    tuning_store_attach(t, &pipeline);
    tuning_order_attach(t, &pipeline);
    progress_begin(t->progress, device != NULL ? "verify" : "compile");
    bool ok = pipeline_run(&pipeline, t->trials, t->count, &t->times, e);
    progress_end(t->progress);
    t->complete = true;
    for (int i = 0; i < t->count; i++)
        t->complete = t->complete && t->trials[i].finished;
    return ok;
}

bool tuning_compile(struct tuning *t, struct error *e)
{
    return run_pipeline(t, NULL, e);
}

bool tuning_verify(struct tuning *t, struct error *e)
{
    return run_pipeline(t, t->session->device, e);
}

/* One trial of each class of equal code races. A barred preset is a variant of the space where one has the
 * same code. */
static int gather_racers(struct tuning *t, struct trial **racers)
{
    int count = 0;
    for (int i = 0; i < t->count; i++)
        if (t->trials[i].label != NULL && t->trials[i].same_as >= 0)
            t->trials[t->trials[i].same_as].listed = true;
    for (int i = 0; i < t->count; i++) {
        struct trial *trial = &t->trials[i];
        if (!trial->verified || trial->same_as != i || tuning_store_spares(t, trial))
            continue;
        if (trial->verdict == VERDICT_CORRECTNESS)
            trial->barred = true; /* a wrong one is timed for the table if it has a name there */
        if (trial->verdict == VERDICT_CORRECT || (trial->verdict == VERDICT_CORRECTNESS && trial->listed))
            racers[count++] = trial;
    }
    return count;
}

static bool race(struct tuning *t, struct trial **racers, int count, struct error *e)
{
    struct session *s = t->session;
    const struct race_options options = {
        .seed = s->options->seed,
        .deadline = t->started + s->options->seconds,
        .stop = &interrupt_signal,
        .progress = show_race,
        .progress_context = t,
    };
    struct race_measurer measurer = race_device_measurer(s->device);
    progress_begin(t->progress, "race");
    double start = monotonic_seconds();
    bool ok = race_run(racers, count, &options, &measurer, &t->race, e);
    t->measure_seconds = monotonic_seconds() - start;
    progress_end(t->progress);
    return ok && tuning_store_keep_race(t, racers, count, e);
}

bool tuning_race(struct tuning *t, struct error *e)
{
    struct trial **racers = must_malloc((size_t)(t->count + 1) * sizeof(struct trial *));
    int count = gather_racers(t, racers);
    bool ok = race_recall(racers, count, &t->race) || race(t, racers, count, e);
    free(racers);
    return ok;
}

bool tuning_predict(struct tuning *t, struct error *e)
{
    for (int i = 0; i < t->count; i++) {
        struct trial *trial = &t->trials[i];
        if (!trial->compiled)
            continue;
        json_t *config = generator_config(trial->space, trial->key, e);
        if (config == NULL)
            return false;
        trial->predicted_us =
            model_predict_us(&t->problem, &t->session->gpu, config, &trial->image, trial->plan);
        json_decref(config);
    }
    return true;
}

void tuning_clear(struct tuning *t)
{
    tuning_other_clear(t);
    tuning_order_clear(t);
    tuning_store_clear(t);
    for (int i = 0; i < t->count; i++)
        trial_clear(&t->trials[i]);
    free(t->trials);
    free(t->why_none);
    json_decref(t->not_valid);
    race_result_clear(&t->race);
    stored_choice_clear(&t->stored);
    for (int i = 0; i < t->choice_count; i++)
        choice_clear(&t->choices[i]);
    *t = (struct tuning){0};
}
