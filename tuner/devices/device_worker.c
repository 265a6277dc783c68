#include "tuner/devices/device_worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator/worker.h"
#include "tuner/verify/verify.h"
#include "tuner/verify/verify_invariance.h"

struct slot {
    void *module;
    struct launch_plan plan;
};

struct device_worker {
    struct device *device;
    struct problem problem;
    struct verifier *verifier; /* NULL before the first problem */
    bool timed;                /* correct variants are timed roughly as well */
    struct slot slots[DEVICE_SLOTS];
};

static json_t *error_body(const struct error *e)
{
    return json_pack("{s:s, s:i}", "error", e->text, "status", e->status);
}

/* ---- reading requests ---- */

/* An image whose bytes are the request's. */
struct sent_image {
    struct image image;
    struct launch_plan plan;
};

static bool read_image(const struct message *request, struct sent_image *sent, struct error *e)
{
    json_t *kernels = json_object_get(request->body, "kernels"), *kernel;
    size_t cubin = (size_t)json_integer_value(json_object_get(request->body, "cubin")), i;
    *sent = (struct sent_image){0};
    if (cubin > request->blob_size)
        return error_set(e, STATUS_MISSING, "the device worker was sent half an image");
    sent->image.cubin = request->blob;
    sent->image.cubin_size = cubin;
    sent->image.ptx = (char *)request->blob + cubin; /* a message's blob ends with a NUL */
    sent->image.ptx_size = request->blob_size - cubin;
    json_array_foreach(kernels, i, kernel)
    {
        struct image_kernel *k = &sent->image.kernels[i];
        const char *name;
        if (i == IMAGE_KERNELS_MAX ||
            json_unpack(kernel, "[s, i, i, i, i]", &name, &k->registers, &k->static_smem_bytes,
                        &k->spill_bytes, &k->stack_bytes) != 0 ||
            strlen(name) >= sizeof k->name)
            return error_set(e, STATUS_MISSING, "the device worker was sent a kernel that it cannot read");
        memcpy(k->name, name, strlen(name) + 1);
        sent->image.kernel_count++;
    }
    return launch_plan_of_json(json_object_get(request->body, "launches"),
                               json_object_get(request->body, "workspace_of_M"), &sent->plan, e);
}

/* ---- answers: each fills `reply` or returns false ---- */

static bool set_problem(struct device_worker *w, const struct message *request, struct message *reply,
                        struct error *e)
{
    struct verify_options options = {0};
    json_int_t rows, seed;
    int thorough, timed;
    json_t *problem;
    if (json_unpack(request->body, "{s:o, s:I, s:I, s:F, s:b, s:b}", "problem", &problem, "rows", &rows,
                    "seed", &seed, "tolerance", &options.tolerance, "thorough", &thorough, "timed",
                    &timed) != 0)
        return error_set(e, STATUS_MISSING, "the device worker was sent a problem that it cannot read");
    options.rows = rows;
    options.seed = (uint64_t)seed;
    options.thorough = thorough != 0;
    w->timed = timed != 0;
    if (!problem_of_json(problem, &w->problem, e))
        return false;
    verifier_close(w->verifier);
    w->verifier = verifier_open(w->device, &w->problem, &options, e);
    reply->body = json_object();
    return w->verifier != NULL;
}

/* Times a variant that is correct; what goes wrong is its verdict. */
static void sample(struct device_worker *w, const struct measured_entry *entry, double *copies,
                   struct variant_verdict *verdict)
{
    struct error e = {0};
    char *failure = NULL;
    if (!w->timed || w->device->operations->sample == NULL || verdict->verdict != VERDICT_CORRECT)
        return;
    if (!w->device->operations->sample(w->device, &w->problem, entry, copies, &failure, &e)) {
        verdict->verdict = VERDICT_RUNTIME;
        verdict->device_lost = true;
        snprintf(verdict->reason, sizeof verdict->reason, "%.500s", e.text);
    } else if (failure != NULL) {
        verdict->verdict = VERDICT_CORRECTNESS;
        snprintf(verdict->reason, sizeof verdict->reason, "%.500s", failure);
    }
    free(failure);
}

static bool verify(struct device_worker *w, const struct message *request, struct message *reply,
                   struct error *e)
{
    struct sent_image sent;
    struct variant_verdict verdict = {.verdict = VERDICT_RUNTIME, .max_error = NAN};
    double figures[2] = {NAN, NAN}; /* max_error, copies */
    void *module = NULL;
    if (w->verifier == NULL)
        return error_set(e, STATUS_MISSING, "the device worker has no problem");
    if (!read_image(request, &sent, e))
        return false;
    struct error why;
    if (w->device->operations->load(w->device, &sent.image, &sent.plan, &module, &why)) {
        verifier_run(w->verifier, module, &sent.plan, &verdict);
        sample(w, &(struct measured_entry){.module = module, .plan = &sent.plan}, &figures[1], &verdict);
        w->device->operations->unload(w->device, module);
    } else {
        memcpy(verdict.reason, why.text, sizeof verdict.reason - 1);
    }
    figures[0] = verdict.max_error;
    reply->blob = must_malloc(sizeof figures);
    reply->blob_size = sizeof figures;
    memcpy(reply->blob, figures, sizeof figures);
    reply->body = json_pack("{s:i, s:s, s:b, s:o?}", "verdict", (int)verdict.verdict, "reason",
                            verdict.reason, "lost", verdict.device_lost, "counts", verdict.counts);
    return true;
}

static void unload_slot(struct device_worker *w, int slot)
{
    if (w->slots[slot].module != NULL)
        w->device->operations->unload(w->device, w->slots[slot].module);
    w->slots[slot].module = NULL;
}

static bool load(struct device_worker *w, const struct message *request, struct message *reply,
                 struct error *e)
{
    struct sent_image sent;
    json_int_t slot = json_integer_value(json_object_get(request->body, "slot"));
    if (slot < 0 || slot >= DEVICE_SLOTS)
        return error_set(e, STATUS_MISSING, "the device worker has no slot %d", (int)slot);
    if (!read_image(request, &sent, e))
        return false;
    unload_slot(w, (int)slot);
    w->slots[slot].plan = sent.plan;
    reply->body = json_object();
    return w->device->operations->load(w->device, &sent.image, &sent.plan, &w->slots[slot].module, e);
}

static bool forget(struct device_worker *w, const struct message *request, struct message *reply,
                   struct error *e)
{
    (void)request;
    (void)e;
    for (int i = 0; i < DEVICE_SLOTS; i++)
        unload_slot(w, i);
    reply->body = json_object();
    return true;
}

static bool find_entries(struct device_worker *w, json_t *slots, struct measured_entry *entries,
                         struct error *e)
{
    size_t i;
    json_t *value;
    json_array_foreach(slots, i, value)
    {
        json_int_t slot = json_integer_value(value);
        if (json_is_null(value))
            continue;
        if (slot < 0 || slot >= DEVICE_SLOTS || w->slots[slot].module == NULL)
            return error_set(e, STATUS_MISSING, "the device worker was not sent the image in slot %d",
                             (int)slot);
        entries[i] = (struct measured_entry){.module = w->slots[slot].module, .plan = &w->slots[slot].plan};
    }
    return true;
}

static json_t *failures_to_json(char **failures, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(list, failures[i] == NULL ? json_null() : json_string(failures[i]));
        free(failures[i]);
    }
    return list;
}

static bool measure(struct device_worker *w, const struct message *request, struct message *reply,
                    struct error *e)
{
    json_t *slots;
    json_int_t seed;
    int rounds;
    if (w->device->operations->measure == NULL)
        return error_set(e, STATUS_USAGE, "the %s device has no time to measure",
                         w->device->operations->name);
    if (json_unpack(request->body, "{s:o, s:i, s:I}", "slots", &slots, "rounds", &rounds, "seed", &seed) !=
            0 ||
        rounds < 1)
        return error_set(e, STATUS_MISSING, "the device worker was sent a measurement that it cannot read");
    int count = (int)json_array_size(slots);
    struct measured_entry *entries = must_calloc((size_t)count + 1, sizeof *entries);
    char **failures = must_calloc((size_t)count + 1, sizeof *failures);
    size_t bytes = (size_t)rounds * (size_t)count * sizeof(double);
    double *samples = must_malloc(bytes + 1);
    bool ok = find_entries(w, slots, entries, e) &&
              w->device->operations->measure(w->device, &w->problem, entries, count, rounds, (uint64_t)seed,
                                             samples, failures, e);
    if (ok) {
        reply->body = json_pack("{s:o}", "failures", failures_to_json(failures, count));
        reply->blob = samples;
        reply->blob_size = bytes;
    } else {
        free(samples);
    }
    free(failures);
    free(entries);
    return ok;
}

static bool compare_batches(struct device_worker *w, const struct message *request, struct message *reply,
                            struct error *e)
{
    struct sent_image sent;
    struct invariance_verdict verdict;
    int64_t rows[INVARIANCE_ROWS_MAX];
    json_t *list = json_object_get(request->body, "rows");
    int count = 0;
    for (; count < INVARIANCE_ROWS_MAX && count < (int)json_array_size(list); count++)
        rows[count] = json_integer_value(json_array_get(list, (size_t)count));
    void *module;
    if (!read_image(request, &sent, e) ||
        !w->device->operations->load(w->device, &sent.image, &sent.plan, &module, e))
        return false;
    bool ok =
        verify_invariance(w->device, &w->problem, module, &sent.plan, rows, count,
                          (uint64_t)json_integer_value(json_object_get(request->body, "seed")), &verdict, e);
    w->device->operations->unload(w->device, module);
    if (!ok)
        return false;
    json_t *launched = json_array();
    for (int i = 0; i < verdict.launched_count; i++)
        json_array_append_new(launched, json_integer(verdict.launched[i]));
    reply->body =
        json_pack("{s:b, s:s, s:o}", "alike", verdict.alike, "reason", verdict.reason, "launched", launched);
    return true;
}

/* ---- the loop ---- */

typedef bool answer(struct device_worker *w, const struct message *request, struct message *reply,
                    struct error *e);

static const struct {
    const char *what;
    answer *run;
} requests[] = {{"problem", set_problem}, {"verify", verify},   {"load", load},
                {"forget", forget},       {"measure", measure}, {"batches", compare_batches}};

static bool answer_request(struct device_worker *w, const struct message *request, struct message *reply,
                           struct error *e)
{
    const char *what = json_string_value(json_object_get(request->body, "do"));
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (what != NULL && strcmp(what, requests[i].what) == 0)
            return requests[i].run(w, request, reply, e);
    return error_set(e, STATUS_MISSING, "the device worker does not know the request '%s'",
                     what == NULL ? "" : what);
}

static bool open_device(const struct device_worker_context *context, struct device **device, struct error *e)
{
    return context->kind == DEVICE_CUDA ? cuda_device_open(context->index, context->shared, device, e)
                                        : emulator_device_open(&context->gpu, device, e);
}

static bool greet(int descriptor, const struct device *device, const struct error *e)
{
    struct message hello = {0};
    hello.body = device == NULL ? error_body(e) : json_pack("{s:o}", "gpu", gpu_to_json(&device->gpu));
    bool written = message_write(descriptor, &hello);
    message_clear(&hello);
    return written && device != NULL;
}

int device_worker_main(int descriptor, void *context)
{
    struct device_worker *w = must_calloc(1, sizeof *w);
    struct error e;
    struct message request;
    if (!open_device(context, &w->device, &e))
        w->device = NULL;
    bool alive = greet(descriptor, w->device, &e);
    while (alive && message_read(descriptor, &request)) {
        struct message reply = {0};
        if (!answer_request(w, &request, &reply, &e)) {
            json_decref(reply.body);
            reply.body = error_body(&e);
        }
        alive = reply.body != NULL && message_write(descriptor, &reply);
        message_clear(&request);
        message_clear(&reply);
    }
    if (w->device != NULL) {
        verifier_close(w->verifier);
        for (int i = 0; i < DEVICE_SLOTS; i++)
            unload_slot(w, i);
        w->device->operations->close(w->device);
    }
    free(w);
    return STATUS_DONE;
}
