#include "generator/space_worker.h"

#include "generator/resources.h"
#include "generator/space.h"
#include "generator/template.h"
#include "generator/worker.h"

#include <lauxlib.h>
#include <string.h>

enum { SPACE_FILE_MAX = 4 << 20, STACK_SLOTS = 100 };

struct server {
    const struct space_worker_context *context;
    struct sandbox sandbox;
    struct space space;
    bool has_problem; /* and the space's parameters were evaluated for it */
    struct templates *templates;
    const json_t *request; /* the present one's body */
    json_t *reply;         /* and its answer, an object */
    struct text_buffer blob;
};

static const char *text_of(const struct server *server, const char *field)
{
    const char *text = json_string_value(json_object_get(server->request, field));
    return text == NULL ? "" : text;
}

static int integer_of(const struct server *server, const char *field)
{
    return (int)json_integer_value(json_object_get(server->request, field));
}

static void serve_open(lua_State *L, struct server *server)
{
    const struct space_worker_context *context = server->context;
    struct space *s = &server->space;
    s->path = context->path;
    s->full = context->options.full;
    s->pins = context->options.pins;
    sandbox_doing(L, s->path, "the space");
    const struct resource *resource = context->built_in ? resource_find(s->path) : NULL;
    struct error e;
    if (resource != NULL)
        text_add(&s->text, resource->text, resource->size);
    else if (context->built_in)
        sandbox_raise(L, s->path, 0, "this space is not built into the program");
    else if (!text_read_file(&s->text, s->path, SPACE_FILE_MAX, &e))
        sandbox_raise(L, NULL, 0, "%s (built in are the spaces softmax and article)", e.text);
    text_add(&s->text, "", 0); /* an empty file is a text too */
    space_read(L, s);
}

static void serve_problem(lua_State *L, struct server *server)
{
    struct gpu gpu;
    struct error e;
    const json_t *record = json_object_get(server->request, "gpu");
    if (!gpu_of_json(record, &gpu, &e))
        sandbox_raise(L, NULL, 0, "%s", e.text);
    server->has_problem = false;
    space_set_problem(L, &server->space, json_object_get(server->request, "problem"), &gpu, record);
    server->has_problem = true;
}

static void serve_describe(lua_State *L, struct server *server)
{
    (void)L;
    json_object_set_new(server->reply, "description", space_describe(&server->space));
}

static void serve_list(lua_State *L, struct server *server)
{
    size_t count =
        space_list(L, &server->space, (size_t)json_integer_value(json_object_get(server->request, "most")),
                   server->context->options.memory_bytes, &server->blob);
    json_object_set_new(server->reply, "count", json_integer((json_int_t)count));
    if (count > 0)
        return;
    struct text_buffer why = {0};
    space_explain(&server->space, &why);
    json_object_set_new(server->reply, "why", json_string(why.data));
    text_free(&why);
}

static void serve_key(lua_State *L, struct server *server)
{
    struct variant v;
    space_parse_key(L, &server->space, text_of(server, "typed"), &v);
    if (json_is_true(json_object_get(server->request, "valid_only")))
        space_require_valid(L, &server->space, &v);
    space_key(&server->space, &v, &server->blob);
    json_object_set_new(server->reply, "key", json_string(server->blob.data));
}

static void serve_config(lua_State *L, struct server *server)
{
    struct variant v;
    space_parse_key(L, &server->space, text_of(server, "typed"), &v);
    json_object_set_new(server->reply, "config", space_config(&server->space, &v));
}

static void serve_source(lua_State *L, struct server *server)
{
    struct space *s = &server->space;
    struct variant v;
    space_parse_key(L, s, text_of(server, "typed"), &v);
    const char *name = space_template(L, s, &v);
    space_push_globals(L, s, &v, text_of(server, "kernel"));
    const struct rendering *r = template_render(L, server->templates, name, s->path, s->template_line);
    text_add(&server->blob, r->text.data, r->text.size);
    text_add(&server->blob, "", 1);
    text_add(&server->blob, (const char *)r->lines, (size_t)r->line_count * sizeof *r->lines);
    for (int i = 0; i < r->path_count; i++) /* not as JSON: a path need not be UTF-8 */
        text_add(&server->blob, r->paths[i], strlen(r->paths[i]) + 1);
    json_object_set_new(server->reply, "files", json_integer(r->path_count));
    json_object_set_new(server->reply, "size", json_integer((json_int_t)r->text.size));
    json_object_set_new(server->reply, "lines", json_integer(r->line_count));
}

static void serve_launch(lua_State *L, struct server *server)
{
    struct variant v;
    struct launch_plan plan;
    struct image_facts facts = {.registers = integer_of(server, "registers"),
                                .static_smem_bytes = integer_of(server, "static_smem_bytes"),
                                .spill_bytes = integer_of(server, "spill_bytes")};
    bool known = json_object_get(server->request, "registers") != NULL;
    space_parse_key(L, &server->space, text_of(server, "typed"), &v);
    space_launch(L, &server->space, &v, text_of(server, "kernel"), known ? &facts : NULL, &plan);
    text_add(&server->blob, (const char *)&plan, sizeof plan);
}

static int serve(lua_State *L)
{
    static const struct {
        const char *name;
        void (*serve)(lua_State *L, struct server *server);
        bool needs_problem;
    } requests[] = {{"open", serve_open, false},        {"problem", serve_problem, false},
                    {"describe", serve_describe, true}, {"list", serve_list, true},
                    {"key", serve_key, true},           {"config", serve_config, true},
                    {"source", serve_source, true},     {"launch", serve_launch, true}};
    struct server *server = lua_touserdata(L, 1);
    const char *name = text_of(server, "request");
    luaL_checkstack(L, STACK_SLOTS, NULL);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i].name, name) != 0)
            continue;
        if (requests[i].needs_problem && !server->has_problem)
            sandbox_raise(L, server->space.path, 0, "no problem was set");
        requests[i].serve(L, server);
        return 0;
    }
    sandbox_raise(L, NULL, 0, "the generator has no request '%s'", name);
}

/* Answers one request; false when the parent is gone. */
static bool answer(int descriptor, struct server *server, const struct message *m, bool started,
                   struct error *e)
{
    server->request = m->body;
    server->reply = json_object();
    server->blob.size = 0;
    bool done =
        started && sandbox_run(&server->sandbox, server->context->options.deadline_seconds, serve, server, e);
    if (!done) {
        json_object_clear(server->reply);
        server->blob.size = 0;
        text_add_string(&server->blob, e->text);
    }
    json_object_set_new(server->reply, "status", json_integer(done ? STATUS_DONE : e->status));
    struct message reply = {.body = server->reply, .blob = server->blob.data, .blob_size = server->blob.size};
    bool written = message_write(descriptor, &reply);
    json_decref(server->reply);
    return written;
}

int space_worker_run(int descriptor, void *context)
{
    struct server server = {.context = context};
    struct error e;
    bool started =
        sandbox_open(&server.sandbox, server.context->options.memory_bytes, server.context->activity, &e);
    server.templates = templates_new(server.context->options.templates);
    bool alive = true;
    while (alive) {
        struct message m;
        if (!message_read(descriptor, &m))
            break;
        alive = answer(descriptor, &server, &m, started, &e);
        message_clear(&m);
    }
    sandbox_close(&server.sandbox);
    templates_free(server.templates);
    space_free(&server.space);
    text_free(&server.blob);
    return STATUS_DONE;
}
