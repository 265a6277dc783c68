#include "tuner/cli/rival_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "softmax-tune:";
static const char keys_known[] = "kernel, grid, block, args, smem, workspace, cluster, cooperative";

static bool read_number(const char *text, int least, int most, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);
    *number = (int)value;
    return end != text && *end == '\0' && value >= least && value <= most;
}

/* "256", "32x8" */
static bool read_extents(char *text, int extents[3])
{
    char *rest = text, *item;
    int count = 0;
    extents[0] = extents[1] = extents[2] = 1;
    while ((item = strsep(&rest, "x")) != NULL)
        if (count == 3 || !read_number(item, 1, 1024, &extents[count++]))
            return false;
    return true;
}

static bool read_arguments(char *text, struct launch *l)
{
    char *rest = text, *item;
    l->arg_count = 0;
    while ((item = strsep(&rest, ",")) != NULL) {
        int name = ARG_X;
        while (name <= ARG_SCALE && strcmp(argument_name((enum argument)name), item) != 0)
            name++;
        if (name > ARG_SCALE || l->arg_count == LAUNCH_ARGS_MAX)
            return false;
        l->args[l->arg_count++].name = (enum argument)name;
    }
    return true;
}

static bool read_expression(const char *text, char to[EXPRESSION_SIZE])
{
    int64_t value;
    if (strlen(text) >= EXPRESSION_SIZE || !expression_evaluate(text, 8192, 100, &value, NULL))
        return false;
    memcpy(to, text, strlen(text) + 1);
    return true;
}

/* One key=value; NULL, or what is wrong with it. */
static const char *read_setting(const char *key, char *value, struct launch_plan *plan)
{
    struct launch *l = &plan->launches[0];
    if (strcmp(key, "kernel") == 0)
        return NULL;
    if (strcmp(key, "grid") == 0)
        return read_expression(value, l->grid_of_M) ? NULL : "this is no expression of M and sms";
    if (strcmp(key, "workspace") == 0)
        return read_expression(value, plan->workspace_of_M) ? NULL : "this is no expression of M and sms";
    if (strcmp(key, "block") == 0)
        return read_extents(value, l->block) ? NULL : "a block is 256 or 32x8 threads";
    if (strcmp(key, "cluster") == 0)
        return read_extents(value, l->cluster) ? NULL : "a cluster is a number of blocks";
    if (strcmp(key, "smem") == 0)
        return read_number(value, 0, 1 << 20, &l->dynamic_smem_bytes) ? NULL : "this is no number of bytes";
    if (strcmp(key, "args") == 0)
        return read_arguments(value, l)
                   ? NULL
                   : "arguments are up to 8 of x, y, workspace, M, N, x_stride, y_stride, scale";
    if (strcmp(key, "cooperative") == 0) {
        l->cooperative = strcmp(value, "true") == 0;
        return l->cooperative || strcmp(value, "false") == 0 ? NULL : "it is true or false";
    }
    return keys_known;
}

/* The value of "kernel=" in the line, or NULL: what the line is for. */
static bool is_for(const char *line, const char *symbol)
{
    const char *named = strstr(line, " kernel=");
    if (named == NULL)
        return true;
    named += strlen(" kernel=");
    size_t length = strcspn(named, " \t");
    return strlen(symbol) == length && memcmp(named, symbol, length) == 0;
}

static bool read_line(const char *place, char *line, struct launch_plan *plan, struct error *e)
{
    struct launch *l = &plan->launches[0];
    *plan = (struct launch_plan){.count = 1, .workspace_of_M = "0"};
    l->block[0] = 0;
    l->cluster[0] = l->cluster[1] = l->cluster[2] = 1;
    char *rest = line, *item;
    while ((item = strsep(&rest, " \t\r")) != NULL) {
        char *equals = strchr(item, '=');
        if (item[0] == '\0' || strcmp(item, "*/") == 0)
            continue;
        if (equals == NULL)
            return error_set(e, STATUS_USAGE, "%s: '%s' is not name=value: the names are %s", place, item,
                             keys_known);
        *equals = '\0';
        char *value = must_strdup(equals + 1);
        const char *wrong = read_setting(item, value, plan);
        free(value);
        if (wrong == keys_known)
            return error_set(e, STATUS_USAGE, "%s: '%s' is not known: the names are %s", place, item, wrong);
        if (wrong != NULL)
            return error_set(e, STATUS_USAGE, "%s: %s=%s: %s", place, item, equals + 1, wrong);
    }
    if (l->grid_of_M[0] == '\0' || l->block[0] == 0 || l->arg_count == 0)
        return error_set(e, STATUS_USAGE, "%s: grid, block and args must be there", place);
    return true;
}

bool rival_launch_read(const char *path, const char *text, const char *symbol, struct launch_plan *plan,
                       struct error *e)
{
    int number = 1;
    for (const char *line = text; *line != '\0'; number++) {
        size_t length = strcspn(line, "\n");
        char *copy = must_format("%.*s", (int)length, line);
        const char *marked = strstr(copy, mark);
        if (marked != NULL && is_for(marked, symbol)) {
            char *place = must_format("%s:%d", path, number);
            char *settings = must_strdup(marked + strlen(mark));
            bool ok = read_line(place, settings, plan, e);
            free(settings);
            free(place);
            free(copy);
            return ok;
        }
        free(copy);
        line += length + (line[length] == '\n');
    }
    return error_set(e, STATUS_USAGE,
                     "%s: no line says how %s is launched, for example: // softmax-tune: kernel=%s grid=M "
                     "block=256 args=x,y,M,N",
                     path, symbol, symbol);
}

/* ---- types ---- */

/* The type of a PTX parameter, after ".param"; alignment may come before it. */
static bool parameter_type(const char *declaration, char type[16])
{
    int alignment, used = 0;
    if (sscanf(declaration, " .align %d%n", &alignment, &used) == 1)
        declaration += used;
    return sscanf(declaration, " .%15[a-z0-9]", type) == 1;
}

static bool type_argument(enum argument name, const char *type, enum argument_type *to)
{
    bool buffer = name == ARG_X || name == ARG_Y || name == ARG_WORKSPACE;
    bool integer = strchr("usb", type[0]) != NULL, wide = strcmp(type + 1, "64") == 0;
    if (name == ARG_SCALE) {
        *to = TYPE_F32;
        return strcmp(type, "f32") == 0;
    }
    *to = buffer ? TYPE_PTR : wide ? TYPE_I64 : TYPE_I32;
    return integer && (wide || (!buffer && strcmp(type + 1, "32") == 0));
}

bool rival_launch_type(const char *ptx, const char *kernel, struct launch *launch, struct error *e)
{
    char *entry = must_format(".entry %s(", kernel);
    const char *at = strstr(ptx, entry);
    const char *end = at != NULL ? strchr(at, ')') : NULL;
    free(entry);
    int count = 0;
    while (end != NULL && (at = strstr(at, ".param")) != NULL && at < end) {
        char type[16];
        at += strlen(".param");
        if (!parameter_type(at, type))
            return error_set(e, STATUS_USAGE, "parameter %d of %s cannot be read", count + 1, kernel);
        if (count < launch->arg_count &&
            !type_argument(launch->args[count].name, type, &launch->args[count].type))
            return error_set(
                e, STATUS_USAGE,
                "parameter %d of %s is of PTX type .%s, which cannot be %s: buffers are pointers, "
                "counts int or long long, the scale float",
                count + 1, kernel, type, argument_name(launch->args[count].name));
        count++;
    }
    return count == launch->arg_count ||
           error_set(e, STATUS_USAGE, "args has %d names, and %s has %d parameters", launch->arg_count,
                     kernel, count);
}
