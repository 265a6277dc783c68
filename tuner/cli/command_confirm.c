#include "tuner/cli/command.h"

#include "generator/worker.h"
#include "tuner/cli/folder.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/output.h"
#include "tuner/cli/report.h"
#include "tuner/cli/report_summary.h"
#include "tuner/compile/glob_folder.h"
#include "tuner/emit/emit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is emitted for one problem: the choice in FOLDER and its runners-up. */
struct candidates {
    struct choice choices[CANDIDATES_MAX];
    int count;
};

static void candidates_clear(struct candidates *c)
{
    for (int i = 0; i < c->count; i++)
        choice_clear(&c->choices[i]);
    c->count = 0;
}

static bool read_candidates(const char *folder, const char *manifest, struct candidates *c, struct error *e)
{
    c->count = 0;
    if (!emit_read_choice(manifest, &c->choices[0], e))
        return false;
    c->count = 1;
    char stem[STEM_SIZE];
    choice_stem(&c->choices[0], stem);
    bool ok = true;
    for (int rank = 2; ok && rank <= CANDIDATES_MAX; rank++) {
        char *path = must_format("%s/candidates/%s/%d/%s.json", folder, stem, rank, stem);
        if (access(path, F_OK) == 0 && (ok = emit_read_choice(path, &c->choices[c->count], e)))
            c->count++;
        free(path);
    }
    if (!ok)
        candidates_clear(c);
    return ok;
}

static int by_time(const void *a, const void *b)
{
    const struct trial *x = *(const struct trial *const *)a, *y = *(const struct trial *const *)b;
    if (isnan(x->time_us) || isnan(y->time_us))
        return isnan(x->time_us) - isnan(y->time_us);
    return (x->time_us > y->time_us) - (x->time_us < y->time_us);
}

static void set_evidence(struct choice *c, const struct trial *trial, const struct session *s,
                         double limit_us)
{
    c->max_error = trial->max_error;
    if (isnan(trial->time_us))
        return; /* it stays a prediction */
    bool elsewhere = c->gpu_named && strcasecmp(c->gpu.name, s->gpu.name) != 0;
    snprintf(c->basis, sizeof c->basis, elsewhere ? "measured-on:%s" : "measured", s->gpu.name);
    if (!elsewhere) {
        struct gpu gpu = s->gpu;
        memcpy(gpu.arch, c->gpu.arch, sizeof gpu.arch); /* what it was compiled for */
        c->gpu = gpu;
    }
    c->time_us = trial->time_us;
    c->time_us_low = trial->time_us_low;
    c->time_us_high = trial->time_us_high;
    c->limit_us = limit_us;
    c->predicted_us = NAN;
}

/* Moves the choices of right candidates into the tuning, the winner first and the others by time. */
static void rank(struct tuning *t, struct candidates *c)
{
    const struct trial *ranked[CANDIDATES_MAX];
    int count = 0;
    for (int i = 0; i < c->count; i++)
        if (&t->trials[i] != t->race.winner && t->trials[i].verdict == VERDICT_CORRECT)
            ranked[count++] = &t->trials[i];
    qsort(ranked, (size_t)count, sizeof *ranked, by_time);
    memmove(ranked + 1, ranked, (size_t)count * sizeof *ranked);
    ranked[0] = t->race.winner;
    for (int r = 0; r <= count; r++) {
        int i = (int)(ranked[r] - t->trials);
        t->chosen[r] = ranked[r];
        t->choices[r] = c->choices[i];
        c->choices[i] = (struct choice){0};
        t->choices[r].image = t->trials[i].image;
        t->trials[i].image = (struct image){0};
        set_evidence(&t->choices[r], tuning_stand_in(t, ranked[r]), t->session, t->race.limit.median);
    }
    t->choice_count = count + 1;
}

static bool race_candidates(struct tuning *t, struct candidates *c, struct error *e)
{
    const struct session *s = t->session;
    for (int i = 0; i < c->count; i++) {
        char label[32];
        snprintf(label, sizeof label, i == 0 ? "the choice so far" : "runner-up %d", i + 1);
        tuning_add_image(t, c->choices[i].variant, label, &c->choices[i].image, &c->choices[i].plan);
    }
    t->space_count = t->count;
    if (!session_set_problem(t->session, &t->problem, true, false, e) || !tuning_verify(t, e) ||
        !tuning_race(t, e))
        return false;
    if (t->race.winner == NULL)
        return error_set(e, STATUS_NONE_SURVIVED,
                         "no candidate in %s is right on this GPU: %s: %s: nothing was changed",
                         s->options->folder, verdict_name(t->trials[0].verdict),
                         t->trials[0].reason != NULL ? t->trials[0].reason : "it was not measured");
    rank(t, c);
    return true;
}

/* A run of the command. */
struct confirm_run {
    struct session session;
    struct progress progress;
    const glob_t *manifests;
    json_t *document; /* with --json, else NULL */
    struct report_summary summary;
    int passed_over; /* manifests for another architecture */
    int status;      /* the worst of the problems */
};

static bool write_ranked(struct confirm_run *r, const struct tuning *t, char ***manifests, struct error *e)
{
    const struct choice *ranked[CANDIDATES_MAX];
    for (int i = 0; i < t->choice_count; i++)
        ranked[i] = &t->choices[i];
    return output_write(r->session.options->folder, ranked, t->choice_count, manifests, e);
}

/* Reports a problem; `why` is NULL where it has a choice. */
static bool report_problem(struct confirm_run *r, const struct tuning *t, const struct error *why,
                           char *const *manifests, struct error *e)
{
    if (r->document != NULL) {
        json_t *object = report_json(t, why, manifests, e);
        if (object == NULL)
            return false;
        json_array_append_new(json_object_get(r->document, "problems"), object);
    } else if (r->manifests->gl_pathc == 1 && why == NULL) {
        report_race_print(stdout, t);
        printf("\n");
        report_key(stdout, "Choice:", t->choices[0].variant);
        output_print(stdout, manifests);
    }
    if (why != NULL) {
        fprintf(stderr, "softmax-tune: %s\n", why->text);
        r->status = r->status > why->status ? r->status : why->status;
    }
    report_summary_add(&r->summary, t, why, NAN);
    return true;
}

static bool confirm_candidates(struct confirm_run *r, struct candidates *c, struct error *e)
{
    struct tuning t;
    struct error why = {0};
    char **manifests = NULL;
    tuning_begin(&t, &r->session, &c->choices[0].problem, &r->progress);
    bool found = race_candidates(&t, c, &why);
    t.seconds = monotonic_seconds() - t.started;
    bool ok = (!found || write_ranked(r, &t, &manifests, e)) &&
              report_problem(r, &t, found ? NULL : &why, manifests, e);
    output_free(manifests);
    tuning_clear(&t);
    return ok;
}

/* One manifest of the folder. False when the run cannot go on; a problem that fails alone leaves its status
   in the run. */
static bool confirm_manifest(struct confirm_run *r, const char *manifest, struct error *e)
{
    const struct session *s = &r->session;
    struct candidates c;
    r->progress.problem++;
    if (!read_candidates(s->options->folder, manifest, &c, e))
        return false;
    const struct gpu *gpu = &c.choices[0].gpu;
    bool ok = true;
    if (gpu->compute_capability == s->gpu.compute_capability) {
        ok = confirm_candidates(r, &c, e);
    } else {
        r->passed_over++;
        progress_warn(&r->progress, "%s is for %s (%s), and the GPU here is %s (%s): left as it is", manifest,
                      gpu->arch, gpu->name, s->gpu.name, s->gpu.arch);
    }
    candidates_clear(&c);
    return ok;
}

static bool confirm_all(struct confirm_run *r, struct error *e)
{
    const struct session *s = &r->session;
    bool ok = true;
    for (size_t i = 0; ok && i < r->manifests->gl_pathc && interrupt_signal == 0; i++)
        ok = confirm_manifest(r, r->manifests->gl_pathv[i], e);
    if (ok && r->passed_over == (int)r->manifests->gl_pathc)
        return error_set(e, STATUS_MISSING, "%s holds no kernel for the GPU here, %s (%s)",
                         s->options->folder, s->gpu.name, s->gpu.arch);
    if (ok && r->document != NULL)
        output_json(json_incref(r->document));
    else if (ok && r->manifests->gl_pathc > 1)
        report_summary_print(stdout, &r->summary, s, s->options->folder);
    return ok;
}

static bool find_manifests(const struct options *o, glob_t *manifests, struct error *e)
{
    if (o->folder == NULL)
        return error_set(e, STATUS_USAGE,
                         "FOLDER is missing: the folder that a predicted kernel was emitted into");
    struct stat status;
    if (stat(o->folder, &status) != 0)
        return error_set(e, STATUS_USAGE, "%s: %s", o->folder, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return error_set(e, STATUS_USAGE, "%s: this is no folder: name the one that the kernel is in",
                         o->folder);
    return glob_folder(o->folder, "*.json", 0, manifests) ||
           error_set(e, STATUS_USAGE, "%s: there is no manifest (*.json) in this folder", o->folder);
}

int command_confirm(const struct options *o, struct error *e)
{
    glob_t manifests;
    struct error why;
    if (!find_manifests(o, &manifests, e))
        return e->status;
    struct confirm_run r = {.manifests = &manifests, .status = STATUS_DONE};
    progress_open(&r.progress, o->quiet);
    r.progress.problems = (int)manifests.gl_pathc;
    bool ok = folder_writable(o->folder, &why) || error_set(e, STATUS_USAGE, "%s", why.text);
    ok = ok && session_open(&r.session, o, NEED_GPU, e);
    if (ok)
        interrupt_watch();
    r.document = o->json ? json_pack("{s:[]}", "problems") : NULL;
    ok = ok && confirm_all(&r, e);
    globfree(&manifests);
    json_decref(r.document);
    report_summary_clear(&r.summary);
    session_close(&r.session);
    return ok ? r.status : e->status;
}
