#include "tuner/race/pipeline.h"

#include "generator/worker.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTORS_MAX = 1100, REFRESH_MS = 100 };

/* How long compiles that are under way are waited for when nothing more may begin. */
static const double grace_seconds = 3;

struct run {
    const struct pipeline *p;
    struct trial *trials;
    int count;
    struct pipeline_times *times;
    struct source *sources; /* of trials that are compiling, for messages that name the template's line */
    int next_in_array;      /* the first trial that was not begun, where the caller gives no order */
    bool all_begun;
    int *standing, standing_count; /* trials that stand for themselves */
    int *ready;                    /* queue of trials to verify */
    int ready_first, ready_end;
    int verifying; /* trial on the device, -1 for none */
    int compiling;
    double over; /* when it was first seen that nothing more may begin; 0 before */
    bool ended;  /* keep() ended the run: */
    struct error why;
    struct pipeline_progress progress;
};

static bool is_stopped(const struct run *r)
{
    return r->p->stop != NULL && *r->p->stop != 0;
}

static bool is_over(const struct run *r)
{
    return is_stopped(r) || monotonic_seconds() > r->p->deadline;
}

static bool same_launch(const struct launch *a, const struct launch *b)
{
    bool same = strcmp(a->kernel, b->kernel) == 0 && strcmp(a->grid_of_M, b->grid_of_M) == 0 &&
                memcmp(a->block, b->block, sizeof a->block) == 0 &&
                memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
                a->dynamic_smem_bytes == b->dynamic_smem_bytes && a->cooperative == b->cooperative &&
                a->programmatic == b->programmatic && a->arg_count == b->arg_count;
    for (int i = 0; same && i < a->arg_count; i++)
        same = a->args[i].name == b->args[i].name && a->args[i].type == b->args[i].type;
    return same;
}

static bool same_plan(const struct launch_plan *a, const struct launch_plan *b)
{
    bool same = a->count == b->count && strcmp(a->workspace_of_M, b->workspace_of_M) == 0;
    for (int i = 0; same && i < a->count; i++)
        same = same_launch(&a->launches[i], &b->launches[i]);
    return same;
}

/* Frees machine code and PTX that nobody will ask for: thousands of images take more memory than all else. */
static void drop_code(struct run *r, struct trial *t)
{
    const double hopeless =
        1.5; /* times the best rough time: what is raced is nearer, whatever the cache state */
    if (t->barred || t->label != NULL || t->space == NULL)
        return; /* asked for by name: timed however slow it is */
    if (t->verdict == VERDICT_CORRECT)
        r->progress.best_copies = fmin(r->progress.best_copies, t->copies);
    if (r->p->device == NULL || t->copies > hopeless * r->progress.best_copies)
        image_drop_code(&t->image);
}

static void finish(struct run *r, struct trial *t)
{
    t->finished = true;
    r->progress.finished++;
    r->progress.failed += t->verdict != VERDICT_CORRECT;
    if (r->p->tell != NULL)
        r->p->tell(r->p->order_context, (int)(t - r->trials));
    if (!t->recalled && r->p->keep != NULL && !r->p->keep(r->p->memory_context, t, &r->why))
        r->ended = true;
    drop_code(r, t);
}

static bool recall(const struct run *r, struct trial *t, const struct source *source)
{
    t->recalled = r->p->recall != NULL && r->p->recall(r->p->memory_context, t, source);
    return t->recalled;
}

static void fail(struct run *r, struct trial *t, enum verdict verdict, char *reason)
{
    trial_fail(t, verdict, reason);
    finish(r, t);
}

/* A trial has its image and launches: it waits for the device unless another has the same code. */
static void compiled(struct run *r, int index)
{
    struct trial *t = &r->trials[index];
    t->compiled = true;
    t->same_as = index;
    r->progress.compiled++;
    recall(r, t, NULL);
    for (int k = 0; k < r->standing_count; k++) {
        const struct trial *other = &r->trials[r->standing[k]];
        if (other->image.code_hash == t->image.code_hash && same_plan(other->plan, t->plan)) {
            t->same_as = r->standing[k];
            source_clear(&r->sources[index]);
            return;
        }
    }
    r->standing[r->standing_count++] = index;
    if (r->p->device != NULL && !t->recalled) {
        r->ready[r->ready_end++] = index;
        return;
    }
    source_clear(&r->sources[index]);
    finish(r, t);
}

static bool begin(struct run *r, int index, struct error *e)
{
    struct trial *t = &r->trials[index];
    if (t->finished)
        return true;
    if (t->compiled) {
        compiled(r, index);
        return true;
    }
    double start = monotonic_seconds();
    bool ok = generator_source(t->space, t->key, r->p->kernel, &r->sources[index], e);
    r->times->generate += monotonic_seconds() - start;
    if (!ok)
        return false;
    if (recall(r, t, &r->sources[index])) {
        source_clear(&r->sources[index]);
        finish(r, t);
        return true;
    }
    struct compile_request request = {
        .ticket = (uint64_t)index,
        .source = &r->sources[index],
        .arch = r->p->arch,
        .line_info = r->p->line_info,
    };
    r->compiling++;
    return compiler_submit(r->p->compiler, &request, e);
}

static bool take_compile(struct run *r, struct compile_result *result, struct error *e)
{
    int index = (int)result->ticket;
    struct trial *t = &r->trials[index];
    r->compiling--;
    if (!result->from_cache)
        r->times->compile += t->compile_seconds = result->seconds;
    if (result->outcome != COMPILE_DONE) {
        fail(r, t, result->outcome == COMPILE_LATE ? VERDICT_TIMEOUT : VERDICT_COMPILE, result->reason);
        return true;
    }
    t->image = result->image;
    struct image_facts facts = {0};
    for (int i = 0; i < t->image.kernel_count; i++) { /* of several kernels the largest need of each */
        const struct image_kernel *k = &t->image.kernels[i];
        facts.registers = k->registers > facts.registers ? k->registers : facts.registers;
        facts.spill_bytes = k->spill_bytes > facts.spill_bytes ? k->spill_bytes : facts.spill_bytes;
        if (k->static_smem_bytes > facts.static_smem_bytes)
            facts.static_smem_bytes = k->static_smem_bytes;
    }
    double start = monotonic_seconds();
    t->plan = must_malloc(sizeof *t->plan);
    bool ok = generator_launch(t->space, t->key, r->p->kernel, &facts, t->plan, e);
    r->times->generate += monotonic_seconds() - start;
    if (ok)
        compiled(r, index);
    return ok;
}

/* Stores what the device found; the trial is finished by the caller. */
static struct trial *take_verdict(struct run *r, struct device_verdict *v)
{
    struct trial *t = &r->trials[v->ticket];
    r->verifying = -1;
    r->times->verify += t->verify_seconds = v->seconds;
    t->verified = true;
    t->verdict = v->verdict;
    t->max_error = v->max_error;
    t->copies = v->copies;
    t->counts = v->counts;
    if (v->reason != NULL) {
        t->reason = source_locate(&r->sources[v->ticket], v->reason);
        free(v->reason);
    }
    source_clear(&r->sources[v->ticket]);
    return t;
}

static bool feed_device(struct run *r, struct error *e)
{
    if (r->verifying >= 0 || r->ready_first == r->ready_end || is_over(r))
        return true;
    r->verifying = r->ready[r->ready_first++];
    struct trial *t = &r->trials[r->verifying];
    return device_client_verify(r->p->device, (uint64_t)r->verifying, &t->image, t->plan, e);
}

/* Waits until a worker has something to say, or a tenth of a second. */
static void wait_for_workers(struct run *r)
{
    static struct pollfd descriptors[DESCRIPTORS_MAX];
    int count = r->p->compiler != NULL ? compiler_poll(r->p->compiler, descriptors, DESCRIPTORS_MAX - 1) : 0;
    if (r->verifying >= 0)
        descriptors[count++] =
            (struct pollfd){.fd = device_client_descriptor(r->p->device), .events = POLLIN};
    double start = monotonic_seconds();
    poll(descriptors, (nfds_t)count, REFRESH_MS);
    if (r->p->device != NULL && r->verifying < 0)
        r->times->idle += monotonic_seconds() - start;
}

static bool begin_next(struct run *r, struct error *e)
{
    int index = -1;
    if (r->p->next != NULL)
        index = r->p->next(r->p->order_context);
    else if (r->next_in_array < r->count)
        index = r->next_in_array++;
    r->all_begun = index < 0;
    return index < 0 || begin(r, index, e);
}

/* Compiles that do not end in time are given up: they would go on for up to their own deadline. */
static void give_up_late_compiles(struct run *r)
{
    if (!is_over(r) || r->compiling == 0)
        return;
    double now = monotonic_seconds();
    if (r->over == 0)
        r->over = now;
    if (now - r->over > grace_seconds) {
        compiler_abandon(r->p->compiler);
        r->compiling = 0;
    }
}

/* One turn of the loop; *more is false when nothing is left that was begun or may begin. */
static bool turn(struct run *r, bool *more, struct error *e)
{
    bool may_begin = !r->all_begun && !is_over(r);
    bool begun = may_begin && (r->p->compiler == NULL || compiler_has_room(r->p->compiler));
    if (begun && !begin_next(r, e))
        return false;
    struct compile_result result;
    while (r->compiling > 0 && compiler_next(r->p->compiler, 0, &result))
        if (!take_compile(r, &result, e))
            return false;
    give_up_late_compiles(r);
    struct device_verdict verdict;
    struct trial *verified = NULL;
    if (r->verifying >= 0 && device_client_next(r->p->device, 0, &verdict))
        verified = take_verdict(r, &verdict);
    if (!feed_device(r, e)) /* before anything is kept, which takes a while */
        return false;
    if (verified != NULL)
        finish(r, verified);
    if (r->ended)
        return error_set(e, r->why.status, "%s", r->why.text);
    if (r->p->progress != NULL)
        r->p->progress(r->p->progress_context, &r->progress);
    *more =
        may_begin || r->compiling > 0 || r->verifying >= 0 || (r->ready_first < r->ready_end && !is_over(r));
    if (*more && !begun)
        wait_for_workers(r);
    return true;
}

/* Compiles come in any order; of equal trials the earliest in the space's order is to stand for the others.
 */
static void choose_stand_ins(struct run *r)
{
    int *least = must_malloc((size_t)(r->count + 1) * sizeof *least);
    for (int i = 0; i < r->count; i++)
        least[i] = i;
    for (int i = 0; i < r->count; i++) {
        int stands = r->trials[i].same_as;
        if (stands >= 0 && r->trials[i].order < r->trials[least[stands]].order)
            least[stands] = i;
    }
    for (int i = 0; i < r->count; i++)
        if (r->trials[i].same_as >= 0)
            r->trials[i].same_as = least[r->trials[i].same_as];
    free(least);
}

/* A preset is timed however slow it is: where the code of the trial that stands for it was dropped as
   hopeless, the preset's own serves. */
static void restore_code(struct trial *first, const struct trial *t)
{
    if (first->image.cubin == NULL && t->image.cubin != NULL)
        image_copy_code(&first->image, &t->image);
}

static void share_verdicts(struct run *r)
{
    for (int i = 0; i < r->count; i++) {
        struct trial *t = &r->trials[i];
        struct trial *first = t->same_as >= 0 ? &r->trials[t->same_as] : t;
        if (first == t || !first->finished)
            continue;
        t->verdict = first->verdict;
        t->verified = first->verified;
        t->max_error = first->max_error;
        t->copies = first->copies;
        free(t->reason);
        t->reason = first->reason != NULL ? must_strdup(first->reason) : NULL;
        t->counts = json_incref(first->counts);
        finish(r, t);
    }
    choose_stand_ins(r);
    for (int i = 0; i < r->count; i++)
        if (r->trials[i].same_as >= 0)
            restore_code(&r->trials[r->trials[i].same_as], &r->trials[i]);
}

bool pipeline_run(const struct pipeline *p, struct trial *trials, int count, struct pipeline_times *times,
                  struct error *e)
{
    struct run r = {.p = p,
                    .trials = trials,
                    .count = count,
                    .times = times,
                    .verifying = -1,
                    .progress.best_copies = INFINITY};
    r.progress.total = count;
    r.sources = must_calloc((size_t)count + 1, sizeof *r.sources);
    r.ready = must_calloc((size_t)count + 1, sizeof *r.ready);
    r.standing = must_calloc((size_t)count + 1, sizeof *r.standing);
    bool ok = true, more = true;
    while (ok && more)
        ok = turn(&r, &more, e);
    if (ok)
        share_verdicts(&r);
    if (ok && r.ended)
        ok = error_set(e, r.why.status, "%s", r.why.text);
    if (p->progress != NULL)
        p->progress(p->progress_context, &r.progress);
    for (int i = 0; i < count; i++)
        source_clear(&r.sources[i]);
    free(r.sources);
    free(r.ready);
    free(r.standing);
    return ok;
}
