#include "tests/hardware/hardware_variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ALIGN = 16, LONG_ROW = 2000 };

int64_t hardware_rows(int64_t N)
{
    return N > LONG_ROW ? 4 : 18;
}

struct oracle_batch hardware_batch(const struct problem *p, int first_kind)
{
    return (struct oracle_batch){.log_softmax = p->op == OP_LOG_SOFTMAX,
                                 .dtype_in = (int)p->dtype_in,
                                 .dtype_out = (int)p->dtype_out,
                                 .in_place = p->in_place,
                                 .M = p->M,
                                 .N = p->N,
                                 .x_stride = p->x_stride,
                                 .y_stride = p->y_stride,
                                 .rows = p->M,
                                 .seed = 1,
                                 .first_kind = first_kind,
                                 .kind_count = ORACLE_MIXED_KINDS,
                                 .peak_stride = p->N,
                                 .scale = p->scaled ? 0.7f : 1,
                                 .tolerance = 1};
}

/* ---- the file ---- */

static bool read_kernels(const json_t *kernels, struct image *image, struct error *e)
{
    size_t count = json_array_size(kernels);
    if (count < 1 || count > IMAGE_KERNELS_MAX)
        return error_set(e, STATUS_USAGE, "%zu kernels", count);
    for (size_t i = 0; i < count; i++) {
        const char *name;
        struct image_kernel *k = &image->kernels[i];
        if (json_unpack(json_array_get(kernels, i), "{s:s, s:i, s:i}", "name", &name, "registers",
                        &k->registers, "static_smem", &k->static_smem_bytes) != 0)
            return error_set(e, STATUS_USAGE, "kernel %zu is not whole", i);
        snprintf(k->name, sizeof k->name, "%s", name);
    }
    image->kernel_count = (int)count;
    return true;
}

static bool read_cubin(const char *folder, size_t index, struct image *image, struct error *e)
{
    char *path = must_format("%s/%03zu.cubin", folder, index);
    FILE *file = fopen(path, "rb");
    enum { MOST = 4 << 20 };
    bool good = file != NULL;
    if (good) {
        image->cubin = must_malloc(MOST);
        image->cubin_size = fread(image->cubin, 1, MOST, file);
        fclose(file);
    }
    if (!good)
        error_set(e, STATUS_USAGE, "there is no %s", path);
    free(path);
    return good;
}

bool hardware_variant_read(const json_t *document, size_t index, const char *cubins,
                           struct hardware_variant *v, struct error *e)
{
    const json_t *entry = json_array_get(json_object_get(document, "variants"), index);
    json_t *problem, *launches, *workspace, *kernels;
    char *ptx; /* read only: nobody writes to an image */
    size_t size;
    int first_kind;
    memset(v, 0, sizeof *v);
    if (json_unpack((json_t *)entry, "{s:s, s:o, s:i, s:o, s:o, s:o, s:s%}", "key", &v->key, "problem",
                    &problem, "first_kind", &first_kind, "launches", &launches, "workspace_of_M", &workspace,
                    "kernels", &kernels, "ptx", &ptx, &size) != 0)
        return error_set(e, STATUS_USAGE, "variant %zu of the recorded ones is not whole", index);
    v->image.ptx = ptx;
    v->image.ptx_size = size;
    if (!problem_of_json(problem, &v->problem, e) || !launch_plan_of_json(launches, workspace, &v->plan, e) ||
        !read_kernels(kernels, &v->image, e) || (cubins != NULL && !read_cubin(cubins, index, &v->image, e)))
        return false;
    v->batch = hardware_batch(&v->problem, first_kind);
    return true;
}

void hardware_variant_clear(struct hardware_variant *v)
{
    free(v->image.cubin);
}

uint64_t hardware_variant_hash(const struct hardware_variant *v)
{
    uint64_t hash = XXH64(v->key, strlen(v->key), 0);
    char stem[STEM_SIZE];
    problem_stem(&v->problem, true, "sm_90", NULL, stem);
    hash = XXH64(stem, strlen(stem), hash);
    return XXH64(v->image.ptx, v->image.ptx_size, hash);
}

/* ---- running ---- */

struct buffers {
    device_address x, y, workspace;
    int64_t workspace_bytes;
};

static bool make_buffers(const struct hardware_variant *v, struct device *d, struct buffers *b,
                         struct error *e)
{
    const struct device_operations *o = d->operations;
    size_t y_bytes = oracle_y_bytes(&v->batch);
    if (!expression_evaluate(v->plan.workspace_of_M, v->problem.M, d->gpu.sms, &b->workspace_bytes, e) ||
        !o->allocate(d, oracle_x_bytes(&v->batch), ALIGN, &b->x, e) ||
        (!v->problem.in_place && !o->allocate(d, y_bytes, ALIGN, &b->y, e)) ||
        (b->workspace_bytes > 0 && (!o->allocate(d, (size_t)b->workspace_bytes, 256, &b->workspace, e) ||
                                    !o->fill(d, b->workspace, 0, (size_t)b->workspace_bytes, e))) ||
        (!v->problem.in_place && !o->fill(d, b->y, ORACLE_POISON, y_bytes, e)))
        return false;
    if (v->problem.in_place)
        b->y = b->x;
    return true;
}

static void release_buffers(const struct hardware_variant *v, struct device *d, const struct buffers *b)
{
    if (b->x != 0)
        d->operations->release(d, b->x);
    if (b->y != 0 && !v->problem.in_place)
        d->operations->release(d, b->y);
    if (b->workspace != 0)
        d->operations->release(d, b->workspace);
}

static bool run_in(const struct hardware_variant *v, struct device *d, const struct buffers *b, void *module,
                   void *y, struct error *e)
{
    const struct device_operations *o = d->operations;
    size_t x_bytes = oracle_x_bytes(&v->batch);
    void *x = must_calloc(1, x_bytes);
    oracle_host_make_input(&v->batch, x);
    struct launch_values values = {.x = b->x,
                                   .y = b->y,
                                   .workspace = b->workspace,
                                   .M = v->problem.M,
                                   .N = v->problem.N,
                                   .x_stride = v->problem.x_stride,
                                   .y_stride = v->problem.y_stride,
                                   .scale = v->batch.scale};
    bool good = o->write(d, b->x, x, x_bytes, e) && o->launch(d, module, &v->plan, &values, e) &&
                o->read(d, y, b->y, oracle_y_bytes(&v->batch), e);
    free(x);
    return good;
}

bool hardware_variant_run(const struct hardware_variant *v, struct device *d, void **y,
                          struct oracle_verdict *verdict, struct error *e)
{
    struct buffers b = {0};
    void *module;
    if (!d->operations->load(d, &v->image, &v->plan, &module, e))
        return false;
    *y = must_calloc(1, oracle_y_bytes(&v->batch));
    bool good = make_buffers(v, d, &b, e) && run_in(v, d, &b, module, *y, e);
    release_buffers(v, d, &b);
    d->operations->unload(d, module);
    *verdict = oracle_verdict_empty();
    for (int64_t row = 0; good && row < v->batch.M; row++)
        oracle_host_judge_row(
            &v->batch, row, (char *)*y + row * v->batch.y_stride * dtype_size(v->problem.dtype_out), verdict);
    if (!good)
        free(*y);
    return good;
}

/* ---- what is kept ---- */

static int kept_rows(const struct hardware_variant *v, int64_t rows[2])
{
    int count = 0, most = v->problem.N > LONG_ROW ? 1 : 2;
    for (int64_t row = 0; row < v->batch.M && count < most; row++) {
        int kind = (int)((v->batch.first_kind + row) % v->batch.kind_count);
        if (kind != KIND_NAN && kind != KIND_ALL_MINUS_INF && kind != KIND_PLUS_INF)
            rows[count++] = row;
    }
    return count;
}

size_t hardware_variant_kept(const struct hardware_variant *v, const void *y, uint32_t **kept)
{
    int64_t rows[2], N = v->problem.N;
    int count = kept_rows(v, rows);
    *kept = must_calloc((size_t)(count * N), sizeof **kept);
    for (int i = 0; i < count; i++)
        for (int64_t c = 0; c < N; c++)
            (*kept)[i * N + c] = oracle_load(v->batch.dtype_out, y, rows[i] * v->batch.y_stride + c);
    return (size_t)(count * N);
}

void hardware_variant_place(const struct hardware_variant *v, size_t index, int64_t *row, int64_t *column)
{
    int64_t rows[2] = {0, 0};
    kept_rows(v, rows);
    *row = rows[(int64_t)index / v->problem.N];
    *column = (int64_t)index % v->problem.N;
}
