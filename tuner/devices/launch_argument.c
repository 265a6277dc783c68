#include "tuner/devices/launch_argument.h"

#include <inttypes.h>

static int64_t integer_of(enum argument name, const struct launch_values *v)
{
    switch (name) {
    case ARG_X:
        return (int64_t)v->x;
    case ARG_Y:
        return (int64_t)v->y;
    case ARG_WORKSPACE:
        return (int64_t)v->workspace;
    case ARG_M:
        return v->M;
    case ARG_N:
        return v->N;
    case ARG_X_STRIDE:
        return v->x_stride;
    case ARG_Y_STRIDE:
        return v->y_stride;
    case ARG_SCALE:
        break;
    }
    return 0;
}

bool launch_argument(const struct launch *l, int index, const struct launch_values *v,
                     union argument_value *value, struct error *e)
{
    enum argument name = l->args[index].name;
    int64_t integer = integer_of(name, v);
    switch (l->args[index].type) {
    case TYPE_PTR:
        value->ptr = (uint64_t)integer;
        return true;
    case TYPE_I64:
        value->i64 = integer;
        return true;
    case TYPE_F32:
        value->f32 = name == ARG_SCALE ? v->scale : (float)integer;
        return true;
    case TYPE_I32:
        value->i32 = (int32_t)integer;
        return integer == value->i32 ||
               error_set(e, STATUS_USAGE, "%s = %" PRId64 " does not fit the i32 argument of kernel %s",
                         argument_name(name), integer, l->kernel);
    }
    return false;
}

size_t argument_size(enum argument_type t)
{
    return t == TYPE_PTR || t == TYPE_I64 ? 8 : 4;
}
