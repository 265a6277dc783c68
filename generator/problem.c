#include "generator/problem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const dtype_names[] = {"f32", "f16", "bf16"};
static const int dtype_sizes[] = {4, 2, 2};
static const char *const operation_names[] = {"softmax", "log_softmax"};
static const char *const cache_names[] = {"cold", "hot"};

/* Larger strides or row counts would overflow byte offsets in 64 bits; no GPU holds such a problem either. */
static const int64_t elements_max = INT64_C(1) << 46;
static const int64_t columns_max = INT64_C(0x7fffffff);

static bool find_name(const char *const *names, int count, const char *text, int *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names[*index], text) == 0)
            return true;
    return false;
}

int dtype_size(enum dtype t)
{
    return dtype_sizes[t];
}

const char *dtype_name(enum dtype t)
{
    return dtype_names[t];
}

const char *operation_name(enum operation op)
{
    return operation_names[op];
}

const char *cache_name(enum cache_state cache)
{
    return cache_names[cache];
}

bool dtype_parse(const char *text, enum dtype *t)
{
    int i;
    if (!find_name(dtype_names, 3, text, &i))
        return false;
    *t = (enum dtype)i;
    return true;
}

bool operation_parse(const char *text, enum operation *op)
{
    int i;
    if (!find_name(operation_names, 2, text, &i))
        return false;
    *op = (enum operation)i;
    return true;
}

bool cache_parse(const char *text, enum cache_state *cache)
{
    int i;
    if (!find_name(cache_names, 2, text, &i))
        return false;
    *cache = (enum cache_state)i;
    return true;
}

struct problem problem_default(int64_t M, int64_t N)
{
    return (struct problem){.M = M, .N = N, .x_stride = N, .y_stride = N, .align = DEFAULT_ALIGN};
}

bool problem_check(const struct problem *p, struct error *e)
{
    if (p->N < 1 || p->N > columns_max)
        return error_set(e, STATUS_USAGE, "N is %" PRId64 ": a row has 1 to %" PRId64 " columns", p->N,
                         columns_max);
    if (p->M < 0 || p->M > elements_max)
        return error_set(e, STATUS_USAGE, "M is %" PRId64 ": there are 0 to %" PRId64 " rows", p->M,
                         elements_max);
    if (p->x_stride < p->N || p->y_stride < p->N)
        return error_set(
            e, STATUS_USAGE, "the %s stride is %" PRId64 ": rows of %" PRId64 " columns would overlap",
            p->x_stride < p->N ? "x" : "y", p->x_stride < p->N ? p->x_stride : p->y_stride, p->N);
    int64_t stride = p->x_stride > p->y_stride ? p->x_stride : p->y_stride;
    if (stride > elements_max || (p->M > 0 && stride > elements_max / p->M))
        return error_set(e, STATUS_USAGE,
                         "%" PRId64 " rows %" PRId64 " elements apart are more than 2^46 elements", p->M,
                         stride);
    int element = p->in_place || dtype_size(p->dtype_in) > dtype_size(p->dtype_out)
                      ? dtype_size(p->dtype_in)
                      : dtype_size(p->dtype_out);
    if (p->align < element || p->align > 4096 || (p->align & (p->align - 1)) != 0)
        return error_set(
            e, STATUS_USAGE,
            "the alignment is %d bytes: it is a power of two from the element's size (%d) to 4096", p->align,
            element);
    if (p->in_place && (p->dtype_in != p->dtype_out || p->x_stride != p->y_stride))
        return error_set(e, STATUS_USAGE, "in place, input and output have one type and one stride");
    return true;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t problem_row_align(const struct problem *p)
{
    int64_t align = greatest_common_divisor(p->align, p->x_stride * dtype_size(p->dtype_in));
    return greatest_common_divisor(align, p->y_stride * dtype_size(p->dtype_out));
}

double problem_bytes(const struct problem *p)
{
    return (double)p->M * (double)p->N * (dtype_size(p->dtype_in) + dtype_size(p->dtype_out));
}

json_t *problem_to_json(const struct problem *p)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:i, s:b, s:s, s:s}", "op", operation_name(p->op),
                     "dtype_in", dtype_name(p->dtype_in), "dtype_out", dtype_name(p->dtype_out), "M",
                     (json_int_t)p->M, "N", (json_int_t)p->N, "x_stride", (json_int_t)p->x_stride, "y_stride",
                     (json_int_t)p->y_stride, "align", p->align, "in_place", p->in_place, "scale",
                     p->scaled ? "value" : "none", "cache", cache_name(p->cache));
}

bool problem_of_json(const json_t *object, struct problem *p, struct error *e)
{
    const char *op = "softmax", *in = "f32", *out = NULL, *scale = "none", *cache = "cold";
    json_int_t M = DEFAULT_M, N = 0, x_stride = 0, y_stride = 0, align = DEFAULT_ALIGN;
    int in_place = 0;
    json_error_t reason;
    /* The cast: jansson's unpacking takes a non-const value and leaves it as it was. */
    if (json_unpack_ex((json_t *)object, &reason, 0,
                       "{s?:s, s?:s, s?:s, s?:I, s:I, s?:I, s?:I, s?:I, s?:b, s?:s, s?:s}", "op", &op,
                       "dtype_in", &in, "dtype_out", &out, "M", &M, "N", &N, "x_stride", &x_stride,
                       "y_stride", &y_stride, "align", &align, "in_place", &in_place, "scale", &scale,
                       "cache", &cache) != 0)
        return error_set(e, STATUS_USAGE, "a problem's fields: %s", reason.text);
    struct problem read = problem_default(M, N);
    read.align = (int)align;
    if (read.align != align)
        return error_set(e, STATUS_USAGE,
                         "the alignment is %" JSON_INTEGER_FORMAT " bytes: 4096 are the most", align);
    read.in_place = in_place != 0;
    read.x_stride = json_object_get(object, "x_stride") == NULL ? N : x_stride;
    read.y_stride = json_object_get(object, "y_stride") != NULL ? y_stride
                    : read.in_place                             ? read.x_stride
                                                                : N;
    read.scaled = strcmp(scale, "value") == 0;
    if (!operation_parse(op, &read.op))
        return error_set(e, STATUS_USAGE, "operation '%s': softmax or log_softmax", op);
    if (!dtype_parse(in, &read.dtype_in))
        return error_set(e, STATUS_USAGE, "type '%s': f32, f16 or bf16", in);
    if (!dtype_parse(out == NULL ? in : out, &read.dtype_out))
        return error_set(e, STATUS_USAGE, "type '%s': f32, f16 or bf16", out);
    if (!cache_parse(cache, &read.cache))
        return error_set(e, STATUS_USAGE, "cache '%s': cold or hot", cache);
    if (!read.scaled && strcmp(scale, "none") != 0)
        return error_set(e, STATUS_USAGE, "scale '%s': none, or value (an argument of the kernel)", scale);
    if (!problem_check(&read, e))
        return false;
    *p = read;
    return true;
}

/* Appends to a text of STEM_SIZE bytes; what does not fit is cut, and no stem comes near that. */
static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, STEM_SIZE - used, format, arguments);
    va_end(arguments);
}

void problem_describe(const struct problem *p, char text[STEM_SIZE])
{
    text[0] = '\0';
    if (p->op != OP_SOFTMAX)
        append(text, "%s ", operation_name(p->op));
    append(text, "%s", dtype_name(p->dtype_in));
    if (p->dtype_out != p->dtype_in)
        append(text, " to %s", dtype_name(p->dtype_out));
    append(text, " %" PRId64 "x%" PRId64, p->M, p->N);
    if (p->x_stride != p->N)
        append(text, ", x stride %" PRId64, p->x_stride);
    if (p->y_stride != p->N)
        append(text, ", y stride %" PRId64, p->y_stride);
    if (p->align != DEFAULT_ALIGN)
        append(text, ", aligned to %d", p->align);
    if (p->scaled)
        append(text, ", scaled");
    if (p->in_place)
        append(text, ", in place");
    if (p->cache == CACHE_HOT)
        append(text, ", hot");
}

void problem_stem(const struct problem *p, bool with_M, const char *arch, const char *gpu,
                  char stem[STEM_SIZE])
{
    stem[0] = '\0';
    append(stem, "%s_%s", operation_name(p->op), dtype_name(p->dtype_in));
    if (p->dtype_out != p->dtype_in)
        append(stem, "_%s", dtype_name(p->dtype_out));
    if (with_M)
        append(stem, "_m%" PRId64, p->M);
    append(stem, "_n%" PRId64, p->N);
    if (p->x_stride != p->N)
        append(stem, "_xs%" PRId64, p->x_stride);
    if (p->y_stride != p->N)
        append(stem, "_ys%" PRId64, p->y_stride);
    if (p->align != DEFAULT_ALIGN)
        append(stem, "_al%d", p->align);
    if (p->scaled)
        append(stem, "_scaled");
    if (p->in_place)
        append(stem, "_inplace");
    if (p->cache == CACHE_HOT)
        append(stem, "_hot");
    append(stem, "_%s", arch);
    if (gpu != NULL)
        append(stem, "_%s", gpu);
}
