#include "generator/launch.h"

#include <stdio.h>
#include <string.h>

static const char *const argument_names[] = {"x", "y",        "workspace", "M",
                                             "N", "x_stride", "y_stride",  "scale"};
static const char *const type_names[] = {"ptr", "i32", "i64", "f32"};

const char *argument_name(enum argument a)
{
    return argument_names[a];
}

const char *argument_type_name(enum argument_type t)
{
    return type_names[t];
}

static bool find_index(const char *const *names, int count, const char *text, int *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names[*index], text) == 0)
            return true;
    return false;
}

static json_t *launch_to_json(const struct launch *l, int64_t M, int64_t sms, struct error *e)
{
    int64_t grid;
    if (!expression_evaluate(l->grid_of_M, M, sms, &grid, e))
        return NULL;
    json_t *args = json_array();
    for (int i = 0; i < l->arg_count; i++)
        json_array_append_new(args, json_pack("{s:s, s:s}", "name", argument_name(l->args[i].name), "type",
                                              argument_type_name(l->args[i].type)));
    return json_pack("{s:s, s:s, s:[I,i,i], s:[i,i,i], s:[i,i,i], s:i, s:b, s:b, s:o}", "kernel", l->kernel,
                     "grid_of_M", l->grid_of_M, "grid", (json_int_t)grid, 1, 1, "block", l->block[0],
                     l->block[1], l->block[2], "cluster", l->cluster[0], l->cluster[1], l->cluster[2],
                     "dynamic_smem_bytes", l->dynamic_smem_bytes, "cooperative", l->cooperative,
                     "programmatic", l->programmatic, "args", args);
}

json_t *launch_plan_to_json(const struct launch_plan *plan, int64_t M, int64_t sms, struct error *e)
{
    json_t *launches = json_array();
    for (int i = 0; i < plan->count; i++) {
        json_t *launch = launch_to_json(&plan->launches[i], M, sms, e);
        if (launch == NULL) {
            json_decref(launches);
            return NULL;
        }
        json_array_append_new(launches, launch);
    }
    return launches;
}

static bool copy_text(char *to, size_t size, const char *from, const char *field, struct error *e)
{
    if (strlen(from) >= size)
        return error_set(e, STATUS_USAGE, "a launch's %s is longer than %zu characters", field, size - 1);
    memcpy(to, from, strlen(from) + 1);
    return true;
}

static bool read_args(json_t *args, struct launch *l, struct error *e)
{
    if (json_array_size(args) > LAUNCH_ARGS_MAX)
        return error_set(e, STATUS_USAGE, "a launch has more than %d arguments", LAUNCH_ARGS_MAX);
    l->arg_count = (int)json_array_size(args);
    for (int i = 0; i < l->arg_count; i++) {
        const char *name = "", *type = "";
        int name_index, type_index;
        if (json_unpack(json_array_get(args, (size_t)i), "{s:s, s:s}", "name", &name, "type", &type) != 0 ||
            !find_index(argument_names, 8, name, &name_index) ||
            !find_index(type_names, 4, type, &type_index))
            return error_set(e, STATUS_USAGE,
                             "launch argument %d ('%s' of type '%s') is not one of a manifest", i + 1, name,
                             type);
        l->args[i].name = (enum argument)name_index;
        l->args[i].type = (enum argument_type)type_index;
    }
    return true;
}

static bool check_launch(const struct launch *l, struct error *e)
{
    int64_t threads = 1, blocks = 1, unused;
    for (int i = 0; i < 3; i++) {
        if (l->block[i] < 1 || l->block[i] > 1024 || l->cluster[i] < 1 || l->cluster[i] > 16)
            return error_set(e, STATUS_USAGE,
                             "a launch of %s has a block extent of %d and a cluster extent of %d", l->kernel,
                             l->block[i], l->cluster[i]);
        threads *= l->block[i];
        blocks *= l->cluster[i];
    }
    if (threads > 1024 || blocks > 16)
        return error_set(e, STATUS_USAGE,
                         "a launch of %s has %d threads a block and %d blocks a cluster: at most 1024 and 16",
                         l->kernel, (int)threads, (int)blocks);
    if (l->dynamic_smem_bytes < 0)
        return error_set(e, STATUS_USAGE, "a launch of %s asks for %d bytes of shared memory", l->kernel,
                         l->dynamic_smem_bytes);
    return expression_evaluate(l->grid_of_M, 1024, 1, &unused, e);
}

static bool read_launch(json_t *object, struct launch *l, struct error *e)
{
    *l = (struct launch){.cluster = {1, 1, 1}};
    const char *kernel, *grid_of_M;
    json_t *args;
    int cooperative = 0, programmatic = 0;
    json_error_t reason;
    if (json_unpack_ex(object, &reason, 0, "{s:s, s:s, s:[i,i,i], s?[i,i,i], s?i, s?b, s?b, s:o}", "kernel",
                       &kernel, "grid_of_M", &grid_of_M, "block", &l->block[0], &l->block[1], &l->block[2],
                       "cluster", &l->cluster[0], &l->cluster[1], &l->cluster[2], "dynamic_smem_bytes",
                       &l->dynamic_smem_bytes, "cooperative", &cooperative, "programmatic", &programmatic,
                       "args", &args) != 0)
        return error_set(e, STATUS_USAGE, "a launch's fields: %s", reason.text);
    l->cooperative = cooperative != 0;
    l->programmatic = programmatic != 0;
    return copy_text(l->kernel, sizeof l->kernel, kernel, "kernel name", e) &&
           copy_text(l->grid_of_M, sizeof l->grid_of_M, grid_of_M, "grid_of_M", e) && read_args(args, l, e) &&
           check_launch(l, e);
}

bool launch_plan_of_json(const json_t *launches, const json_t *workspace_of_M, struct launch_plan *plan,
                         struct error *e)
{
    *plan = (struct launch_plan){.workspace_of_M = "0"};
    size_t count = json_array_size(launches);
    if (count < 1 || count > LAUNCHES_MAX)
        return error_set(e, STATUS_USAGE, "a plan has 1 to %d launches, not %zu", LAUNCHES_MAX, count);
    for (size_t i = 0; i < count; i++)
        if (!read_launch(json_array_get(launches, i), &plan->launches[i], e))
            return false;
    plan->count = (int)count;
    int64_t unused;
    if (workspace_of_M == NULL)
        return true;
    if (!json_is_string(workspace_of_M))
        return error_set(e, STATUS_USAGE, "workspace_of_M is an expression, as text");
    return copy_text(plan->workspace_of_M, EXPRESSION_SIZE, json_string_value(workspace_of_M),
                     "workspace_of_M", e) &&
           expression_evaluate(plan->workspace_of_M, 1024, 1, &unused, e);
}
