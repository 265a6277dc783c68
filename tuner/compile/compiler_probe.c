#include "tuner/compile/compiler_probe.h"

#include "generator/worker.h"
#include "tuner/compile/compile_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sends `request` and takes the reply. */
static bool ask(struct worker *worker, struct message *request, double seconds, struct message *reply,
                struct error *e)
{
    worker_send(worker, request); /* when that fails the worker is dead, and receiving says how it died */
    if (worker_receive(worker, seconds, reply) != WORKER_ANSWERED) {
        const char *library = getenv("SOFTMAX_TUNE_NVRTC");
        return error_set(e, STATUS_MISSING,
                         "NVRTC does not work: the process that loaded %s %s; set "
                         "SOFTMAX_TUNE_NVRTC to another libnvrtc.so.13",
                         library == NULL ? "it" : library, worker_death(worker));
    }
    const char *reason = json_string_value(json_object_get(reply->body, "error"));
    return reason == NULL || error_set(e, STATUS_MISSING, "%s", reason);
}

static bool ask_library(struct worker *worker, double seconds, struct compiler_facts *facts, struct error *e)
{
    struct message request = {.body = json_pack("{s:b}", "probe", true)}, reply = {0};
    bool asked = ask(worker, &request, seconds, &reply, e);
    if (asked) {
        const json_t *archs = json_object_get(reply.body, "archs");
        facts->library = must_strdup(json_string_value(json_object_get(reply.body, "path")));
        facts->major = (int)json_integer_value(json_object_get(reply.body, "major"));
        facts->minor = (int)json_integer_value(json_object_get(reply.body, "minor"));
        for (size_t i = 0; i < json_array_size(archs) && i < PROBE_ARCHS_MAX; i++)
            facts->archs[facts->arch_count++] = (int)json_integer_value(json_array_get(archs, i));
        if (facts->major < 12 || facts->arch_count == 0)
            asked = error_set(e, STATUS_MISSING,
                              "%s is NVRTC %d.%d, and 12.0 or newer is needed; ./tune.sh installs "
                              "13.0",
                              facts->library, facts->major, facts->minor);
    }
    message_clear(&request);
    message_clear(&reply);
    return asked;
}

/* Compiles an empty kernel: whether the compiler works at all, and the head of its PTX. */
static bool ask_ptx(struct worker *worker, double seconds, struct compiler_facts *facts, struct error *e)
{
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%d", facts->archs[0]);
    struct message request = {.body = json_pack("{s:[s]}", "options", arch), .blob = NULL}, reply = {0};
    request.blob = must_strdup("extern \"C\" __global__ void probe() {}\n");
    request.blob_size = strlen(request.blob);
    bool asked = ask(worker, &request, seconds, &reply, e);
    const char *ptx = reply.blob == NULL ? "" : reply.blob; /* the log before it does no harm */
    const char *version = strstr(ptx, ".version ");
    int major, minor;
    if (asked && version != NULL && sscanf(version, ".version %d.%d", &major, &minor) == 2) {
        facts->ptx_version = 10 * major + minor;
        /* The comment at the head of the PTX tells builds of one version apart. */
        facts->identity =
            must_format("NVRTC %d.%d\n%.*s", facts->major, facts->minor, (int)(version - ptx), ptx);
        const char *build = strstr(facts->identity, ", V"); /* "release 13.0, V13.0.88" */
        if (build == NULL || sscanf(build, ", V%31[0-9.]", facts->build) != 1)
            snprintf(facts->build, sizeof facts->build, "%d.%d", facts->major, facts->minor);
    } else if (asked) {
        asked = error_set(e, STATUS_MISSING, "%s (NVRTC %d.%d) compiles no empty kernel: %.*s",
                          facts->library, facts->major, facts->minor, (int)strcspn(ptx, "\n"), ptx);
    }
    message_clear(&request);
    message_clear(&reply);
    return asked;
}

bool compiler_probe(double deadline_seconds, struct compiler_facts *facts, struct error *e)
{
    *facts = (struct compiler_facts){0};
    struct worker *worker = worker_start("compile worker", compile_worker_main, NULL, 0, e);
    if (worker == NULL)
        return false;
    bool learned =
        ask_library(worker, deadline_seconds, facts, e) && ask_ptx(worker, deadline_seconds, facts, e);
    worker_stop(worker);
    if (!learned)
        compiler_facts_clear(facts);
    return learned;
}

void compiler_facts_clear(struct compiler_facts *facts)
{
    free(facts->library);
    free(facts->identity);
    *facts = (struct compiler_facts){0};
}
