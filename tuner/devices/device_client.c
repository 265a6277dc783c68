#include "tuner/devices/device_client.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "generator/worker.h"
#include "tuner/devices/device_worker.h"

static const double open_seconds = 120, problem_seconds = 120, load_seconds = 30, batches_seconds = 300;

struct device_client {
    struct device_worker_context context; /* context.gpu: the device's, once it is open */
    struct worker *worker;                /* NULL: to be started again */
    bool worker_knows_problem, has_problem;
    struct problem problem;
    struct verify_options options;
    bool busy;
    uint64_t ticket;
    double started, deadline;         /* of the verification under way, on the monotonic clock */
    XXH64_hash_t slots[DEVICE_SLOTS]; /* what the worker has loaded */
    int slot_count;
};

static void drop_worker(struct device_client *c)
{
    worker_stop(c->worker);
    c->worker = NULL;
    c->worker_knows_problem = false;
    c->slot_count = 0;
}

/* ---- one request ---- */

static bool read_error(const struct message *reply, struct error *e)
{
    const char *text;
    int status;
    if (json_unpack(reply->body, "{s:s, s:i}", "error", &text, "status", &status) != 0)
        return true;
    return error_set(e, status, "%s", text);
}

/* How a request ended: answered (also with an error that the device survived), or with the worker's death. */
enum outcome { OUTCOME_DONE, OUTCOME_FAILED, OUTCOME_DEAD };

static enum outcome dead(struct device_client *c, struct error *e)
{
    error_set(e, STATUS_MISSING, "the device worker %s", worker_death(c->worker));
    drop_worker(c);
    return OUTCOME_DEAD;
}

static enum outcome receive(struct device_client *c, double seconds, struct message *reply, struct error *e)
{
    if (worker_receive(c->worker, seconds, reply) != WORKER_ANSWERED)
        return dead(c, e);
    if (read_error(reply, e))
        return OUTCOME_DONE;
    message_clear(reply);
    return OUTCOME_FAILED;
}

/* Sends `m`, which this clears, and waits. The reply is the caller's when done. */
static enum outcome ask(struct device_client *c, struct message *m, double seconds, struct message *reply,
                        struct error *e)
{
    *reply = (struct message){0};
    worker_send(c->worker, m); /* when that fails the worker is dead, and receiving says how it died */
    message_clear(m);
    return receive(c, seconds, reply, e);
}

/* ---- starting, and starting again ---- */

static bool start_worker(struct device_client *c, struct error *e)
{
    struct message hello;
    c->worker = worker_start("device worker", device_worker_main, &c->context, 0, e);
    if (c->worker == NULL)
        return false;
    if (receive(c, open_seconds, &hello, e) != OUTCOME_DONE) {
        drop_worker(c);
        return false;
    }
    bool ok = gpu_of_json(json_object_get(hello.body, "gpu"), &c->context.gpu, e);
    message_clear(&hello);
    if (!ok)
        drop_worker(c);
    return ok;
}

static bool tell_problem(struct device_client *c, struct error *e)
{
    struct message reply, m = {0};
    m.body = json_pack("{s:s, s:o, s:I, s:I, s:f, s:b, s:b}", "do", "problem", "problem",
                       problem_to_json(&c->problem), "rows", (json_int_t)c->options.rows, "seed",
                       (json_int_t)c->options.seed, "tolerance", c->options.tolerance, "thorough",
                       c->options.thorough, "timed", c->options.timed);
    if (ask(c, &m, problem_seconds, &reply, e) != OUTCOME_DONE)
        return false;
    message_clear(&reply);
    c->worker_knows_problem = true;
    return true;
}

/* A worker that knows the problem. */
static bool ensure_worker(struct device_client *c, struct error *e)
{
    if (!c->has_problem)
        return error_set(e, STATUS_USAGE, "the device was told no problem");
    return (c->worker != NULL || start_worker(c, e)) && (c->worker_knows_problem || tell_problem(c, e));
}

struct device_client *device_client_open(enum device_kind kind, int index, const struct gpu *gpu,
                                         struct error *e)
{
    struct device_client *c = must_calloc(1, sizeof *c);
    c->context.kind = kind;
    c->context.index = index;
    if (kind == DEVICE_EMULATOR)
        c->context.gpu = *gpu;
    c->context.shared =
        mmap(NULL, sizeof *c->context.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->context.shared == MAP_FAILED) {
        error_set(e, STATUS_MISSING, "cannot map memory to share with a device worker");
        free(c);
        return NULL;
    }
    if (start_worker(c, e))
        return c;
    device_client_close(c);
    return NULL;
}

void device_client_close(struct device_client *c)
{
    if (c == NULL)
        return;
    drop_worker(c);
    munmap(c->context.shared, sizeof *c->context.shared);
    free(c);
}

const struct gpu *device_client_gpu(const struct device_client *c)
{
    return &c->context.gpu;
}

enum device_kind device_client_kind(const struct device_client *c)
{
    return c->context.kind;
}

bool device_client_set_problem(struct device_client *c, const struct problem *p,
                               const struct verify_options *options, struct error *e)
{
    c->problem = *p;
    c->options = *options;
    if (c->options.deadline_seconds <= 0)
        c->options.deadline_seconds = c->context.kind == DEVICE_CUDA ? 10 : 120;
    c->has_problem = true;
    c->worker_knows_problem = false;
    return ensure_worker(c, e);
}

/* ---- images ---- */

static json_t *kernels_to_json(const struct image *image)
{
    json_t *list = json_array();
    for (int i = 0; i < image->kernel_count; i++) {
        const struct image_kernel *k = &image->kernels[i];
        json_array_append_new(list, json_pack("[s, i, i, i, i]", k->name, k->registers, k->static_smem_bytes,
                                              k->spill_bytes, k->stack_bytes));
    }
    return list;
}

/* A request that carries an image. False, with `e`, for a plan that cannot be written. */
static bool image_message(struct device_client *c, const char *what, const struct image *image,
                          const struct launch_plan *plan, struct message *m, struct error *e)
{
    json_t *launches = launch_plan_to_json(plan, c->problem.M > 0 ? c->problem.M : 1, c->context.gpu.sms, e);
    *m = (struct message){0};
    if (launches == NULL)
        return false;
    m->blob_size = image->cubin_size + image->ptx_size;
    m->blob = must_malloc(m->blob_size + 1);
    if (image->cubin_size > 0)
        memcpy(m->blob, image->cubin, image->cubin_size);
    if (image->ptx_size > 0)
        memcpy((char *)m->blob + image->cubin_size, image->ptx, image->ptx_size);
    m->body = json_pack("{s:s, s:o, s:s, s:I, s:o}", "do", what, "launches", launches, "workspace_of_M",
                        plan->workspace_of_M, "cubin", (json_int_t)image->cubin_size, "kernels",
                        kernels_to_json(image));
    return true;
}

/* ---- verifying ---- */

static struct device_verdict verdict_of(const struct device_client *c, enum verdict v, const char *reason)
{
    return (struct device_verdict){.ticket = c->ticket,
                                   .verdict = v,
                                   .reason = reason[0] == '\0' ? NULL : must_strdup(reason),
                                   .max_error = NAN,
                                   .copies = NAN,
                                   .seconds = monotonic_seconds() - c->started};
}

bool device_client_verify(struct device_client *c, uint64_t ticket, const struct image *image,
                          const struct launch_plan *plan, struct error *e)
{
    struct message m;
    if (c->busy)
        return error_set(e, STATUS_USAGE, "the device is still verifying another variant");
    if (!ensure_worker(c, e) || !image_message(c, "verify", image, plan, &m, e))
        return false;
    c->ticket = ticket;
    c->started = monotonic_seconds();
    c->deadline = c->started + c->options.deadline_seconds;
    c->busy = true;
    worker_send(c->worker, &m); /* a failure shows when the verdict is received */
    message_clear(&m);
    return true;
}

bool device_client_busy(const struct device_client *c)
{
    return c->busy;
}

int device_client_descriptor(const struct device_client *c)
{
    return worker_descriptor(c->worker);
}

static bool is_readable(struct device_client *c, double seconds)
{
    struct pollfd p = {.fd = worker_descriptor(c->worker), .events = POLLIN};
    return poll(&p, 1, seconds > 0 ? (int)ceil(seconds * 1000) : 0) > 0;
}

static void take_verdict(struct device_client *c, const struct message *reply, struct device_verdict *verdict)
{
    const char *reason = "";
    int v = VERDICT_RUNTIME, lost = 1;
    json_unpack(reply->body, "{s:i, s:s, s:b, s:F}", "verdict", &v, "reason", &reason, "lost", &lost,
                "seconds", &verdict->seconds);
    *verdict = verdict_of(c, (enum verdict)v, reason);
    const double *figures = reply->blob;
    if (reply->blob_size == 2 * sizeof *figures) {
        verdict->max_error = figures[0];
        verdict->copies = figures[1];
    }
    json_t *counts = json_object_get(reply->body, "counts");
    verdict->counts = json_is_object(counts) ? json_incref(counts) : NULL;
    if (lost)
        drop_worker(c);
}

bool device_client_next(struct device_client *c, double seconds, struct device_verdict *verdict)
{
    if (!c->busy)
        return false;
    double left = c->deadline - monotonic_seconds();
    if (!is_readable(c, fmin(seconds, left)) && monotonic_seconds() < c->deadline)
        return false;
    struct message reply;
    struct error e;
    c->busy = false;
    left = fmax(0, c->deadline - monotonic_seconds());
    switch (worker_receive(c->worker, left, &reply)) {
    case WORKER_ANSWERED:
        if (read_error(&reply, &e))
            take_verdict(c, &reply, verdict);
        else
            *verdict = verdict_of(c, VERDICT_RUNTIME, e.text);
        message_clear(&reply);
        return true;
    case WORKER_LATE:
        error_set(&e, STATUS_MISSING, "did not end within %g s", c->options.deadline_seconds);
        *verdict = verdict_of(c, VERDICT_TIMEOUT, e.text);
        break;
    case WORKER_DIED:
        error_set(&e, STATUS_MISSING, "its process %s", worker_death(c->worker));
        *verdict = verdict_of(c, VERDICT_RUNTIME, e.text);
        break;
    }
    drop_worker(c);
    return true;
}

/* ---- measuring ---- */

static XXH64_hash_t image_hash(const struct image *image, const struct launch_plan *plan,
                               const struct gpu *gpu)
{
    json_t *launches = launch_plan_to_json(plan, 1, gpu->sms, NULL);
    char *text = launches == NULL ? NULL : json_dumps(launches, JSON_COMPACT);
    XXH64_hash_t hash = XXH3_64bits(image->cubin, image->cubin_size);
    if (text != NULL)
        hash = XXH3_64bits_withSeed(text, strlen(text), hash);
    hash = XXH3_64bits_withSeed(plan->workspace_of_M, strlen(plan->workspace_of_M), hash);
    free(text);
    json_decref(launches);
    return hash;
}

static bool forget_slots(struct device_client *c, struct error *e)
{
    struct message reply, m = {.body = json_pack("{s:s}", "do", "forget")};
    if (ask(c, &m, load_seconds, &reply, e) != OUTCOME_DONE)
        return false;
    message_clear(&reply);
    c->slot_count = 0;
    return true;
}

/* The slot of an entry's image, loaded if it is not. OUTCOME_FAILED: the image cannot be loaded. */
static enum outcome find_slot(struct device_client *c, const struct device_entry *entry, int *slot,
                              struct error *e)
{
    XXH64_hash_t hash = image_hash(entry->image, entry->plan, &c->context.gpu);
    for (*slot = 0; *slot < c->slot_count; ++*slot)
        if (c->slots[*slot] == hash)
            return OUTCOME_DONE;
    struct message m, reply;
    if (!image_message(c, "load", entry->image, entry->plan, &m, e))
        return OUTCOME_FAILED;
    json_object_set_new(m.body, "slot", json_integer(*slot));
    enum outcome outcome = ask(c, &m, load_seconds, &reply, e);
    if (outcome != OUTCOME_DONE)
        return outcome;
    message_clear(&reply);
    c->slots[c->slot_count++] = hash;
    return OUTCOME_DONE;
}

/* One measurement: the entries that did not fail so far are `chosen` of the caller's. */
struct attempt {
    const struct device_entry *entries;
    int *chosen, chosen_count;
    int count, rounds;
    uint64_t seed;
    double *samples;
    char **failures;
};

static void fail_entry(const struct attempt *a, int entry, const char *reason)
{
    a->failures[entry] = must_strdup(reason);
}

/* Writes the slots of all entries that did not fail; an image that cannot be loaded fails its entry. */
static enum outcome choose_entries(struct device_client *c, struct attempt *a, json_t *slots, struct error *e)
{
    a->chosen_count = 0;
    for (int i = 0; i < a->count; i++) {
        int slot;
        if (a->failures[i] != NULL)
            continue;
        if (a->entries[i].image != NULL) {
            enum outcome outcome = find_slot(c, &a->entries[i], &slot, e);
            if (outcome != OUTCOME_DONE) {
                fail_entry(a, i, e->text);
                if (outcome == OUTCOME_DEAD)
                    return outcome;
                continue;
            }
            json_array_append_new(slots, json_integer(slot));
        } else {
            json_array_append_new(slots, json_null());
        }
        a->chosen[a->chosen_count++] = i;
    }
    return OUTCOME_DONE;
}

/* Waits for the reply for as long as the worker's measurement moves on. */
static enum outcome receive_measurement(struct device_client *c, struct message *reply, struct error *e)
{
    const volatile struct device_shared *shared = c->context.shared;
    long beat = shared->beat;
    double moved = monotonic_seconds();
    *reply = (struct message){0};
    while (!is_readable(c, 0.1)) {
        if (shared->beat != beat) {
            beat = shared->beat;
            moved = monotonic_seconds();
        }
        if (monotonic_seconds() - moved > c->options.deadline_seconds) {
            drop_worker(c);
            error_set(e, STATUS_MISSING, "did not end within %g s while it was timed",
                      c->options.deadline_seconds);
            return OUTCOME_DEAD;
        }
    }
    return receive(c, load_seconds, reply, e);
}

static void take_samples(const struct attempt *a, const struct message *reply)
{
    const double *samples = reply->blob;
    for (int k = 0; k < a->chosen_count; k++) {
        const char *failure =
            json_string_value(json_array_get(json_object_get(reply->body, "failures"), (size_t)k));
        if (failure != NULL)
            fail_entry(a, a->chosen[k], failure);
        for (int r = 0; r < a->rounds; r++)
            a->samples[(size_t)r * (size_t)a->count + (size_t)a->chosen[k]] =
                samples[(size_t)r * (size_t)a->chosen_count + (size_t)k];
    }
}

/* OUTCOME_DONE: the samples are taken. OUTCOME_DEAD: an entry took the blame, try again. OUTCOME_FAILED:
 * nobody did. */
static enum outcome try_to_measure(struct device_client *c, struct attempt *a, struct error *e)
{
    if (!ensure_worker(c, e) || (c->slot_count + a->count > DEVICE_SLOTS && !forget_slots(c, e)))
        return OUTCOME_FAILED;
    json_t *slots = json_array();
    if (choose_entries(c, a, slots, e) == OUTCOME_DEAD) {
        json_decref(slots);
        return OUTCOME_DEAD;
    }
    struct message reply, m = {.body = json_pack("{s:s, s:o, s:i, s:I}", "do", "measure", "slots", slots,
                                                 "rounds", a->rounds, "seed", (json_int_t)a->seed)};
    c->context.shared->entry = -1;
    worker_send(c->worker, &m);
    message_clear(&m);
    enum outcome outcome = receive_measurement(c, &reply, e);
    if (outcome == OUTCOME_DONE) {
        take_samples(a, &reply);
        message_clear(&reply);
        return OUTCOME_DONE;
    }
    drop_worker(c); /* also when it answered: its context took damage */
    int blamed = c->context.shared->entry;
    if (blamed < 0 || blamed >= a->chosen_count || a->entries[a->chosen[blamed]].image == NULL)
        return OUTCOME_FAILED;
    fail_entry(a, a->chosen[blamed], e->text);
    return OUTCOME_DEAD;
}

bool device_client_measure(struct device_client *c, const struct device_entry *entries, int count, int rounds,
                           uint64_t seed, double *samples, char **failures, struct error *e)
{
    struct attempt a = {.entries = entries,
                        .chosen = must_calloc((size_t)count + 1, sizeof(int)),
                        .count = count,
                        .rounds = rounds,
                        .seed = seed,
                        .samples = samples,
                        .failures = failures};
    if (c->busy || count > DEVICE_SLOTS) {
        free(a.chosen);
        return error_set(e, STATUS_USAGE,
                         c->busy ? "the device is still verifying a variant"
                                 : "too many variants to measure at once");
    }
    for (int i = 0; i < count; i++)
        failures[i] = NULL;
    enum outcome outcome;
    do { /* ends: every turn but the last fails one entry more */
        for (size_t i = 0; i < (size_t)rounds * (size_t)count; i++)
            samples[i] = NAN;
        outcome = try_to_measure(c, &a, e);
    } while (outcome == OUTCOME_DEAD);
    free(a.chosen);
    for (int i = 0; outcome == OUTCOME_FAILED && i < count; i++) {
        free(failures[i]);
        failures[i] = NULL;
    }
    return outcome == OUTCOME_DONE;
}

bool device_client_compare_batches(struct device_client *c, const struct image *image,
                                   const struct launch_plan *plan, const int64_t *rows, int count,
                                   char **reason, json_t **launched, struct error *e)
{
    struct message m, reply;
    struct error why;
    *reason = NULL;
    *launched = NULL;
    if (c->busy)
        return error_set(e, STATUS_USAGE, "the device is still verifying a variant");
    if (!ensure_worker(c, e) || !image_message(c, "batches", image, plan, &m, e))
        return false;
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(rows[i]));
    json_object_set_new(m.body, "rows", list);
    json_object_set_new(m.body, "seed", json_integer((json_int_t)c->options.seed));
    if (ask(c, &m, batches_seconds, &reply, &why) != OUTCOME_DONE) {
        drop_worker(c); /* also when it answered: its context took damage */
        *reason = must_strdup(why.text);
        return true;
    }
    if (json_is_true(json_object_get(reply.body, "alike")))
        *launched = json_incref(json_object_get(reply.body, "launched"));
    else
        *reason = must_strdup(json_string_value(json_object_get(reply.body, "reason")));
    message_clear(&reply);
    return true;
}
