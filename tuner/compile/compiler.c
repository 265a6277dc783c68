#include "tuner/compile/compiler.h"

#include "generator/worker.h"
#include "tuner/compile/compile_error.h"
#include "tuner/compile/compile_worker.h"
#include "tuner/compile/compiler_probe.h"
#include "tuner/compile/image_cache.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AddressSanitizer reserves more address space than any limit leaves. */
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifdef ADDRESS_SANITIZER
static const size_t worker_memory = 0;
#else
static const size_t worker_memory = (size_t)4 << 30;
#endif

static const double default_deadline = 30;             /* seconds */
static const uint64_t cache_bytes = (uint64_t)1 << 30; /* of the image cache */
#define BASE_OPTION_VERBOSE  "--ptxas-options=-v"
#define BASE_OPTION_STANDARD "-std=c++17"
static const char *const base_options[] = {BASE_OPTION_VERBOSE, BASE_OPTION_STANDARD};
enum { OPTIONS_MAX = 5, JOBS_MAX = 256 };

/* A source on its way to an image. */
struct job {
    struct job *next;
    struct source source;
    char arch_option[32];
    char *headers_option; /* owned, or NULL */
    const char *options[OPTIONS_MAX];
    int option_count;
    struct image_key key;
    bool internal; /* of compiler_compile(), not for compiler_next() */
    bool finished;
    struct compile_result result;
};

struct job_list {
    struct job *first, **end; /* `end`: where the next one is hung; NULL while empty */
};

/* A worker process, or the place for one. */
struct slot {
    struct worker *worker;
    struct job *job; /* NULL while idle */
    double begun, deadline;
};

struct compiler {
    struct compiler_facts facts;
    struct image_cache *cache; /* NULL: off */
    char *warning;
    double deadline_seconds;
    struct slot *slots;
    int slot_count, pending;
    struct job_list waiting, ready;
};

static void list_append(struct job_list *list, struct job *job)
{
    job->next = NULL;
    if (list->first == NULL)
        list->end = &list->first;
    *list->end = job;
    list->end = &job->next;
}

static struct job *list_take(struct job_list *list)
{
    struct job *job = list->first;
    if (job != NULL)
        list->first = job->next;
    return job;
}

static void source_copy(struct source *to, const struct source *from)
{
    *to = (struct source){.size = from->size, .file_count = from->file_count, .line_count = from->line_count};
    to->text = must_malloc(from->size + 1);
    memcpy(to->text, from->text, from->size);
    to->text[from->size] = '\0';
    to->files = must_calloc((size_t)from->file_count + 1, sizeof *to->files);
    for (int i = 0; i < from->file_count; i++)
        to->files[i] = must_strdup(from->files[i]);
    to->lines = must_calloc((size_t)from->line_count + 1, sizeof *to->lines);
    for (int i = 0; i < from->line_count; i++)
        to->lines[i] = from->lines[i];
}

static void job_free(struct job *job)
{
    source_clear(&job->source);
    free(job->headers_option);
    free(job);
}

/* Frees also a result that nobody has taken. */
static void job_discard(struct job *job)
{
    image_clear(&job->result.image);
    free(job->result.reason);
    job_free(job);
}

static int core_count(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

static void turn_cache_off(struct compiler *c, const struct error *why)
{
    image_cache_close(c->cache);
    c->cache = NULL;
    if (c->warning == NULL)
        c->warning = must_format("%s; going on without it", why->text);
}

struct compiler *compiler_open(const struct compiler_options *options, struct error *e)
{
    double deadline = options->deadline_seconds > 0 ? options->deadline_seconds : default_deadline;
    struct compiler_facts facts;
    if (!compiler_probe(deadline, &facts, e))
        return NULL;
    struct compiler *c = must_calloc(1, sizeof *c);
    c->facts = facts;
    c->deadline_seconds = deadline;
    c->slot_count = options->jobs > 0 ? options->jobs : core_count();
    if (c->slot_count > JOBS_MAX)
        c->slot_count = JOBS_MAX;
    c->slots = must_calloc((size_t)c->slot_count, sizeof *c->slots);
    struct error why;
    if (options->cache != NULL && (c->cache = image_cache_open(options->cache, cache_bytes, &why)) == NULL)
        turn_cache_off(c, &why);
    return c;
}

void compiler_abandon(struct compiler *c)
{
    for (int i = 0; i < c->slot_count; i++) {
        if (c->slots[i].job == NULL)
            continue;
        worker_stop(c->slots[i].worker);
        c->slots[i].worker = NULL;
        job_discard(c->slots[i].job);
        c->slots[i].job = NULL;
    }
    for (struct job *job = list_take(&c->waiting); job != NULL; job = list_take(&c->waiting))
        job_discard(job);
    for (struct job *job = list_take(&c->ready); job != NULL; job = list_take(&c->ready))
        job_discard(job);
    c->pending = 0;
}

void compiler_close(struct compiler *c)
{
    if (c == NULL)
        return;
    compiler_abandon(c);
    for (int i = 0; i < c->slot_count; i++)
        worker_stop(c->slots[i].worker);
    image_cache_close(c->cache);
    compiler_facts_clear(&c->facts);
    free(c->slots);
    free(c->warning);
    free(c);
}

void compiler_version(const struct compiler *c, int *major, int *minor)
{
    *major = c->facts.major;
    *minor = c->facts.minor;
}

const char *compiler_build(const struct compiler *c)
{
    return c->facts.build;
}

const char *compiler_options_text(void)
{
    return BASE_OPTION_VERBOSE " " BASE_OPTION_STANDARD;
}

int compiler_ptx_version(const struct compiler *c)
{
    return c->facts.ptx_version;
}

bool compiler_knows(const struct compiler *c, const char *arch)
{
    int capability, end = 0;
    if (sscanf(arch, "sm_%d%n", &capability, &end) != 1)
        return false;
    /* Targets of one architecture ("sm_90a") and of one family ("sm_100f"). */
    const char *suffix = arch + end;
    bool plain = suffix[0] == '\0', specific = strcmp(suffix, "a") == 0 && capability >= 90,
         family = strcmp(suffix, "f") == 0 && capability >= 100;
    for (int i = 0; i < c->facts.arch_count; i++)
        if (c->facts.archs[i] == capability)
            return plain || specific || family;
    return false;
}

const char *compiler_warning(const struct compiler *c)
{
    return c->warning;
}

static void finish(struct compiler *c, struct job *job)
{
    job->finished = true;
    if (!job->internal)
        list_append(&c->ready, job);
}

/* Takes `reason`. */
static void finish_failed(struct compiler *c, struct job *job, enum compile_outcome outcome, char *reason)
{
    job->result.outcome = outcome;
    job->result.reason = reason;
    finish(c, job);
}

/* A length that the worker gives for one of the parts of its blob. */
static size_t part_size(const struct message *reply, const char *name)
{
    json_int_t size = json_integer_value(json_object_get(reply->body, name));
    return size < 0 || (size_t)size > reply->blob_size ? reply->blob_size + 1 : (size_t)size;
}

/* Makes the job's image of what NVRTC wrote; else returns the reason. */
static char *make_image(const struct job *job, const struct message *reply, struct image *image)
{
    const char *error = json_string_value(json_object_get(reply->body, "error"));
    if (error != NULL)
        return must_strdup(error);
    size_t log_size = part_size(reply, "log"), ptx_size = part_size(reply, "ptx"),
           cubin_size = part_size(reply, "cubin");
    if (log_size + ptx_size + cubin_size != reply->blob_size)
        return must_strdup("the compile worker answered in parts that do not add up");
    char *parts = reply->blob, *log = must_format("%.*s", (int)log_size, parts), *reason = NULL;
    if (json_is_true(json_object_get(reply->body, "compiled"))) {
        struct error e;
        if (!image_make(image, parts + log_size + ptx_size, cubin_size, parts + log_size, ptx_size, log, &e))
            reason = must_format("NVRTC wrote what cannot be used: %s", e.text);
    } else {
        const char *result = json_string_value(json_object_get(reply->body, "result"));
        char *ptx = must_format("%.*s", (int)ptx_size, parts + log_size);
        reason = compile_error_line(&job->source, log, ptx, result == NULL ? "no result" : result);
        free(ptx);
    }
    free(log);
    return reason;
}

static void finish_answered(struct compiler *c, struct job *job, const struct message *reply)
{
    char *reason = make_image(job, reply, &job->result.image);
    if (reason != NULL) {
        finish_failed(c, job, COMPILE_FAILED, reason);
        return;
    }
    job->result.outcome = COMPILE_DONE;
    struct error e;
    if (c->cache != NULL && !image_cache_store(c->cache, &job->key, &job->result.image, &e))
        turn_cache_off(c, &e);
    finish(c, job);
}

/* Ends what the slot does: the reply is there, or the deadline has passed. */
static void settle(struct compiler *c, struct slot *slot)
{
    struct job *job = slot->job;
    struct message reply;
    double now = monotonic_seconds();
    double left = slot->deadline > now ? slot->deadline - now : 0;
    enum worker_answer answer = worker_receive(slot->worker, left, &reply);
    job->result.seconds = monotonic_seconds() - slot->begun;
    slot->job = NULL;
    if (answer == WORKER_ANSWERED) {
        finish_answered(c, job, &reply);
        message_clear(&reply);
        return;
    }
    char *reason = answer == WORKER_LATE
                       ? must_format("the compiler did not end within %g s", c->deadline_seconds)
                       : must_format("the compiler %s", worker_death(slot->worker));
    worker_stop(slot->worker);
    slot->worker = NULL;
    finish_failed(c, job, answer == WORKER_LATE ? COMPILE_LATE : COMPILE_FAILED, reason);
}

static bool send_job(struct compiler *c, struct slot *slot, const struct job *job, struct error *e)
{
    json_t *options = json_array();
    for (int i = 0; i < job->option_count; i++)
        json_array_append_new(options, json_string(job->options[i]));
    /* The blob is only lent. */
    struct message request = {.body = json_pack("{s:o}", "options", options),
                              .blob = job->source.text,
                              .blob_size = job->source.size};
    bool sent = slot->worker != NULL && worker_send(slot->worker, &request);
    if (!sent) { /* none yet, or killed while idle */
        worker_stop(slot->worker);
        slot->worker =
            worker_start("compile worker", compile_worker_main, c->facts.library, worker_memory, e);
        sent = slot->worker != NULL && (worker_send(slot->worker, &request) ||
                                        error_set(e, STATUS_MISSING, "the compile worker died at once"));
    }
    json_decref(request.body);
    return sent;
}

static void start_waiting(struct compiler *c)
{
    for (int i = 0; i < c->slot_count && c->waiting.first != NULL; i++) {
        struct slot *slot = &c->slots[i];
        if (slot->job != NULL)
            continue;
        struct job *job = list_take(&c->waiting);
        struct error e;
        slot->begun = monotonic_seconds();
        slot->deadline = slot->begun + c->deadline_seconds;
        if (send_job(c, slot, job, &e))
            slot->job = job;
        else
            finish_failed(c, job, COMPILE_FAILED, must_strdup(e.text));
    }
}

/* Waits at most `seconds` for something to happen and settles it. False when a signal came. */
static bool collect(struct compiler *c, double seconds)
{
    struct pollfd descriptors[JOBS_MAX];
    int count = compiler_poll(c, descriptors, JOBS_MAX);
    double now = monotonic_seconds();
    for (int i = 0; i < c->slot_count; i++)
        if (c->slots[i].job != NULL && c->slots[i].deadline - now < seconds)
            seconds = c->slots[i].deadline > now ? c->slots[i].deadline - now : 0;
    if (seconds > 3600)
        seconds = 3600;
    int ready = poll(descriptors, (nfds_t)count, seconds > 0 ? (int)(seconds * 1000) + 1 : 0);
    now = monotonic_seconds();
    for (int i = 0, k = 0; i < c->slot_count; i++) {
        if (c->slots[i].job == NULL)
            continue;
        bool answered = ready > 0 && descriptors[k].revents != 0;
        k++;
        if (answered || now >= c->slots[i].deadline)
            settle(c, &c->slots[i]);
    }
    return ready >= 0;
}

bool compiler_has_room(const struct compiler *c)
{
    int room = 0;
    for (int i = 0; i < c->slot_count; i++)
        room += c->slots[i].job == NULL;
    for (const struct job *job = c->waiting.first; job != NULL; job = job->next)
        room--;
    return room > 0;
}

int compiler_pending(const struct compiler *c)
{
    return c->pending;
}

int compiler_poll(const struct compiler *c, struct pollfd *descriptors, int most)
{
    int count = 0;
    for (int i = 0; i < c->slot_count && count < most; i++)
        if (c->slots[i].job != NULL)
            descriptors[count++] =
                (struct pollfd){.fd = worker_descriptor(c->slots[i].worker), .events = POLLIN};
    return count;
}

static struct job *submit(struct compiler *c, const struct compile_request *request, bool internal,
                          struct error *e)
{
    if (!compiler_knows(c, request->arch)) {
        error_set(e, STATUS_USAGE, "NVRTC %d.%d does not compile for %s; it does for sm_%d to sm_%d",
                  c->facts.major, c->facts.minor, request->arch, c->facts.archs[0],
                  c->facts.archs[c->facts.arch_count - 1]);
        return NULL;
    }
    struct job *job = must_calloc(1, sizeof *job);
    source_copy(&job->source, request->source);
    job->internal = internal;
    job->result.ticket = request->ticket;
    snprintf(job->arch_option, sizeof job->arch_option, "-arch=%s", request->arch);
    job->options[job->option_count++] = job->arch_option;
    for (size_t i = 0; i < sizeof base_options / sizeof base_options[0]; i++)
        job->options[job->option_count++] = base_options[i];
    if (request->line_info)
        job->options[job->option_count++] = "-lineinfo";
    if (request->headers != NULL) {
        job->headers_option = must_format("-I%s", request->headers);
        job->options[job->option_count++] = job->headers_option;
    }
    struct image_origin origin = {c->facts.identity, job->options, job->option_count, job->source.text,
                                  job->source.size};
    job->key = image_key_of(&origin);
    job->result.from_cache = c->cache != NULL && image_cache_find(c->cache, &job->key, &job->result.image);
    if (job->result.from_cache)
        finish(c, job);
    else
        list_append(&c->waiting, job);
    start_waiting(c);
    return job;
}

bool compiler_submit(struct compiler *c, const struct compile_request *request, struct error *e)
{
    if (submit(c, request, false, e) == NULL)
        return false;
    c->pending++;
    return true;
}

bool compiler_next(struct compiler *c, double seconds, struct compile_result *result)
{
    double end = monotonic_seconds() + seconds;
    bool last = false;
    for (;;) {
        start_waiting(c);
        struct job *job = list_take(&c->ready);
        if (job != NULL) {
            *result = job->result;
            c->pending--;
            job_free(job);
            return true;
        }
        if (c->pending == 0 || last)
            return false;
        double left = end - monotonic_seconds();
        last = !collect(c, left > 0 ? left : 0) || left <= 0;
    }
}

bool compiler_compile(struct compiler *c, const struct compile_request *request,
                      struct compile_result *result, struct error *e)
{
    struct job *job = submit(c, request, true, e);
    if (job == NULL)
        return false;
    while (!job->finished) {
        collect(c, 3600);
        start_waiting(c);
    }
    *result = job->result;
    job_free(job);
    return true;
}
