/* The GPUs of configs/gpus.lua, which a sandboxed child evaluates. */
#include "generator/gpu.h"
#include "generator/resources.h"
#include "generator/sandbox.h"
#include "generator/worker.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 64 << 20 };
static const char path[] = "configs/gpus.lua";
static const double SECONDS = 10;

static int evaluate(lua_State *L)
{
    json_t **gpus = lua_touserdata(L, 1);
    const struct resource *file = resource_find(path);
    sandbox_doing(L, path, "the list of GPUs");
    if (file == NULL)
        sandbox_raise(L, path, 0, "it is not built into the program");
    sandbox_load(L, file->text, file->size, path);
    lua_call(L, 0, 1);
    *gpus = sandbox_records_to_json(L, -1);
    if (*gpus == NULL)
        sandbox_raise(L, path, 0, "it does not return a list of GPUs, each a table of numbers and names");
    return 0;
}

static int run(int descriptor, void *context)
{
    (void)context;
    struct activity activity = {.place = "", .what = ""};
    struct sandbox sandbox;
    struct error e;
    json_t *gpus = NULL;
    bool done = sandbox_open(&sandbox, MEMORY_BYTES, &activity, &e) &&
                sandbox_run(&sandbox, SECONDS, evaluate, &gpus, &e);
    struct message reply = {.body = done ? json_pack("{s:o}", "gpus", gpus)
                                         : json_pack("{s:s%}", "error", e.text, strlen(e.text))};
    bool written = reply.body != NULL && message_write(descriptor, &reply);
    message_clear(&reply);
    sandbox_close(&sandbox);
    return written ? STATUS_DONE : STATUS_USAGE;
}

static bool read_gpus(const json_t *gpus, struct gpu_list *list, struct error *e)
{
    size_t count = json_array_size(gpus);
    list->gpus = must_calloc(count + 1, sizeof *list->gpus);
    for (size_t i = 0; i < count; i++) {
        struct error wrong;
        if (!gpu_of_json(json_array_get(gpus, i), &list->gpus[i], &wrong)) {
            gpu_list_clear(list);
            return error_set(e, STATUS_USAGE, "%s: GPU %zu: %s", path, i + 1, wrong.text);
        }
        list->count++;
    }
    return true;
}

bool gpu_list_load(struct gpu_list *list, struct error *e)
{
    *list = (struct gpu_list){0};
    struct worker *worker = worker_start("GPU list worker", run, NULL, 0, e);
    if (worker == NULL)
        return false;
    struct message reply;
    bool loaded;
    if (worker_receive(worker, SECONDS, &reply) != WORKER_ANSWERED) {
        loaded = error_set(e, STATUS_USAGE, "%s: its evaluation %s", path, worker_death(worker));
    } else {
        const char *failure = json_string_value(json_object_get(reply.body, "error"));
        loaded = failure != NULL ? error_set(e, STATUS_USAGE, "%s", failure)
                                 : read_gpus(json_object_get(reply.body, "gpus"), list, e);
        message_clear(&reply);
    }
    worker_stop(worker);
    return loaded;
}

void gpu_list_clear(struct gpu_list *list)
{
    free(list->gpus);
    *list = (struct gpu_list){0};
}
