/* The parent's side: every call is a request to the space worker. */
#include "generator/generator.h"

#include "generator/sandbox.h"
#include "generator/space_worker.h"
#include "generator/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { DEFAULT_MEMORY = 512 << 20 };
static const double DEFAULT_SECONDS = 10;

struct generator {
    struct space_worker_context context;
    char *path;
    struct worker *worker;
    struct error broken; /* why there is no worker any more */
    json_t *problem;     /* owned: the last request that told one, for a new worker; NULL before */
    bool opened, reviving;
};

/* The worker is gone: says so, now and for every later call. */
static bool lose_worker(struct generator *g, enum worker_answer how, struct error *e)
{
    const struct activity *a = g->context.activity;
    if (how == WORKER_LATE)
        error_set(&g->broken, STATUS_USAGE, "%s: %s did not end within %g s", a->place, a->what,
                  g->context.options.deadline_seconds);
    else
        error_set(&g->broken, STATUS_USAGE, "%s: %s: the space worker %s", a->place, a->what,
                  worker_death(g->worker));
    worker_stop(g->worker);
    g->worker = NULL;
    return error_set(e, g->broken.status, "%s", g->broken.text);
}

static bool ask(struct generator *g, json_t *body, struct message *reply, struct error *e);

/* A worker that knows what the last one knew. Once a request: if the space itself ends its worker, it does so
   again. */
static bool revive(struct generator *g, struct error *e)
{
    struct message reply;
    worker_stop(g->worker);
    g->worker = worker_start("space worker", space_worker_run, &g->context, 0, e);
    g->reviving = true;
    bool ok = g->worker != NULL && ask(g, json_pack("{s:s}", "request", "open"), &reply, e);
    if (ok)
        message_clear(&reply);
    ok = ok && (g->problem == NULL || ask(g, json_incref(g->problem), &reply, e));
    if (ok && g->problem != NULL)
        message_clear(&reply);
    g->reviving = false;
    return ok;
}

/* Sends `body`, which it takes, and waits. The reply is the caller's after success. */
static bool ask(struct generator *g, json_t *body, struct message *reply, struct error *e)
{
    struct message request = {.body = body};
    if (body == NULL) /* json_pack() takes nothing else */
        return error_set(e, STATUS_USAGE, "a name, variant or problem is not UTF-8");
    if (g->worker == NULL) {
        json_decref(body);
        return error_set(e, g->broken.status, "%s", g->broken.text);
    }
    worker_send(g->worker, &request); /* when that fails the worker is dead, and receiving says how it died */
    enum worker_answer how = worker_receive(g->worker, g->context.options.deadline_seconds, reply);
    if (how == WORKER_DIED && g->opened && !g->reviving) { /* killed by somebody else, as far as one knows */
        struct error why;
        if (!revive(g, &why)) {
            json_decref(body);
            g->broken = why;
            return error_set(e, why.status, "%s", why.text);
        }
        worker_send(g->worker, &request);
        how = worker_receive(g->worker, g->context.options.deadline_seconds, reply);
    }
    json_decref(body);
    if (how != WORKER_ANSWERED)
        return lose_worker(g, how, e);
    int status = (int)json_integer_value(json_object_get(reply->body, "status"));
    if (status == STATUS_DONE)
        return true;
    error_set(e, status, "%.*s", (int)reply->blob_size, (const char *)reply->blob);
    message_clear(reply);
    return false;
}

static void choose_file(struct generator *g, const char *config)
{
    g->context.built_in = config == NULL || strcmp(config, "softmax") == 0 || strcmp(config, "article") == 0;
    g->path = g->context.built_in ? must_format("configs/%s.lua", config == NULL ? "softmax" : config)
                                  : must_strdup(config);
    g->context.path = g->path;
}

static bool check_folder(const char *folder, struct error *e)
{
    struct stat status;
    if (folder == NULL || (stat(folder, &status) == 0 && S_ISDIR(status.st_mode)))
        return true;
    return error_set(e, STATUS_USAGE, "there is no folder %s to take templates from", folder);
}

struct generator *generator_open(const struct generator_options *options, struct error *e)
{
    if (!check_folder(options->templates, e))
        return NULL;
    struct generator *g = must_calloc(1, sizeof *g);
    g->context.options = *options;
    if (options->deadline_seconds == 0)
        g->context.options.deadline_seconds = DEFAULT_SECONDS;
    if (options->memory_bytes == 0)
        g->context.options.memory_bytes = DEFAULT_MEMORY;
    choose_file(g, options->config);
    g->context.activity =
        mmap(NULL, sizeof *g->context.activity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct message reply;
    if (g->context.activity == MAP_FAILED) {
        g->context.activity = NULL;
        error_set(e, STATUS_MISSING, "there is no memory to share with a space worker");
    } else {
        g->worker = worker_start("space worker", space_worker_run, &g->context, 0, e);
        if (g->worker != NULL && ask(g, json_pack("{s:s}", "request", "open"), &reply, e)) {
            message_clear(&reply);
            g->opened = true;
            return g;
        }
    }
    generator_close(g);
    return NULL;
}

void generator_close(struct generator *g)
{
    if (g == NULL)
        return;
    worker_stop(g->worker);
    json_decref(g->problem);
    if (g->context.activity != NULL)
        munmap(g->context.activity, sizeof *g->context.activity);
    free(g->path);
    free(g);
}

/* The problem as the space sees it. */
static json_t *problem_record(const struct problem *p)
{
    json_t *record = problem_to_json(p);
    json_object_set_new(record, "row_align", json_integer(problem_row_align(p)));
    json_object_set_new(record, "size_in", json_integer(dtype_size(p->dtype_in)));
    json_object_set_new(record, "size_out", json_integer(dtype_size(p->dtype_out)));
    return record;
}

bool generator_set_problem(struct generator *g, const struct problem *p, const struct gpu *gpu,
                           struct error *e)
{
    struct message reply;
    json_t *request = json_pack("{s:s, s:o, s:o}", "request", "problem", "problem", problem_record(p), "gpu",
                                gpu_to_json(gpu));
    json_decref(g->problem);
    g->problem = json_incref(request);
    if (!ask(g, request, &reply, e))
        return false;
    message_clear(&reply);
    return true;
}

/* Asks, and takes the field `name` of the answer; a new reference. */
static json_t *ask_for(struct generator *g, json_t *body, const char *name, struct error *e)
{
    struct message reply;
    if (!ask(g, body, &reply, e))
        return NULL;
    json_t *field = json_incref(json_object_get(reply.body, name));
    message_clear(&reply);
    return field;
}

json_t *generator_describe(struct generator *g, struct error *e)
{
    return ask_for(g, json_pack("{s:s}", "request", "describe"), "description", e);
}

json_t *generator_list(struct generator *g, size_t most, char **why, struct error *e)
{
    struct message reply;
    if (!ask(g, json_pack("{s:s, s:I}", "request", "list", "most", (json_int_t)most), &reply, e))
        return NULL;
    json_t *keys = json_array();
    const char *end = (const char *)reply.blob + reply.blob_size;
    for (const char *key = reply.blob, *stop; key < end; key = stop + 1) {
        stop = memchr(key, '\n', (size_t)(end - key));
        json_array_append_new(keys, json_stringn(key, (size_t)(stop - key)));
    }
    if (why != NULL) {
        const char *reason = json_string_value(json_object_get(reply.body, "why"));
        *why = reason == NULL ? NULL : must_strdup(reason);
    }
    message_clear(&reply);
    return keys;
}

char *generator_key(struct generator *g, const char *typed, bool valid_only, struct error *e)
{
    json_t *key =
        ask_for(g, json_pack("{s:s, s:s, s:b}", "request", "key", "typed", typed, "valid_only", valid_only),
                "key", e);
    if (key == NULL)
        return NULL;
    char *text = must_strdup(json_string_value(key));
    json_decref(key);
    return text;
}

json_t *generator_config(struct generator *g, const char *key, struct error *e)
{
    return ask_for(g, json_pack("{s:s, s:s}", "request", "config", "typed", key), "config", e);
}

static int integer_of(const struct message *reply, const char *field)
{
    return (int)json_integer_value(json_object_get(reply->body, field));
}

bool generator_source(struct generator *g, const char *key, const char *kernel, struct source *out,
                      struct error *e)
{
    struct message reply;
    if (!ask(g, json_pack("{s:s, s:s, s:s}", "request", "source", "typed", key, "kernel", kernel), &reply, e))
        return false;
    *out = (struct source){.text = reply.blob, /* ends with its NUL; what is behind that goes unused */
                           .size = (size_t)integer_of(&reply, "size"),
                           .line_count = integer_of(&reply, "lines"),
                           .file_count = integer_of(&reply, "files")};
    size_t lines_size = (size_t)out->line_count * sizeof *out->lines;
    out->lines = must_malloc(lines_size + 1);
    memcpy(out->lines, out->text + out->size + 1, lines_size);
    out->files = must_calloc((size_t)out->file_count, sizeof *out->files);
    const char *path = out->text + out->size + 1 + lines_size;
    for (int i = 0; i < out->file_count; i++, path += strlen(path) + 1)
        out->files[i] = must_strdup(path);
    reply.blob = NULL;
    message_clear(&reply);
    return true;
}

bool generator_launch(struct generator *g, const char *key, const char *kernel,
                      const struct image_facts *facts, struct launch_plan *plan, struct error *e)
{
    json_t *body = json_pack("{s:s, s:s, s:s}", "request", "launch", "typed", key, "kernel", kernel);
    if (body != NULL && facts != NULL) {
        json_object_set_new(body, "registers", json_integer(facts->registers));
        json_object_set_new(body, "static_smem_bytes", json_integer(facts->static_smem_bytes));
        json_object_set_new(body, "spill_bytes", json_integer(facts->spill_bytes));
    }
    struct message reply;
    if (!ask(g, body, &reply, e))
        return false;
    memcpy(plan, reply.blob, sizeof *plan);
    message_clear(&reply);
    return true;
}
