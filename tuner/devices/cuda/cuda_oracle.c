#include "tuner/devices/cuda/cuda_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generator/resources.h"
#include "tuner/compile/nvrtc_library.h"
#include "tuner/verify/oracle_host.h"

/* What the kernels of oracle.cu share with this file. */
struct judge_counts {
    unsigned long long worst; /* 32 bits of a float, 4 of 15 - kind, 28 of the row */
    unsigned long long bad, input_changed, gap_changed;
    unsigned long long worst_sum; /* likewise, of a row's sum */
};
enum { ROW_SUM_BYTES = 2 * sizeof(double) };
_Static_assert(ORACLE_KINDS <= 16, "a kind has 4 bits in judge_counts.worst");

/* The sums of a batch's rows, which every variant is judged with. */
struct sums_of_batch {
    struct oracle_batch batch;
    CUdeviceptr sums; /* struct oracle_sums for each row */
};

enum { SUMS_MAX = 64, SUMS_ROWS_MAX = 1 << 25 };

struct cuda_oracle {
    CUmodule module;
    CUfunction make_input, sum_rows, judge, judge_sums, guard_check, copies[4];
    CUdeviceptr counts;     /* struct judge_counts */
    CUdeviceptr guard_word; /* 0 until a look finds something else than poison */
    CUdeviceptr row_sums;   /* grows */
    int64_t row_sums_rows;
    struct sums_of_batch sums[SUMS_MAX];
    int sums_count;
    int64_t sums_rows; /* of all of them */
};

static const struct {
    int vectors_index; /* of copies[]: 1, 2, 4 or 8 vectors of 16 bytes a thread */
    unsigned threads;
} copy_shapes[COPY_SHAPES] = {{0, 512}, {0, 1024}, {1, 128}, {1, 256}, {2, 256}, {2, 512}, {3, 256}};

/* ---- compiling and loading ---- */

static bool compile_oracle(const struct cuda_device *c, struct error *e)
{
    const struct resource *rules = resource_find("tuner/verify/oracle_rules.h");
    const struct resource *kernels = resource_find("tuner/devices/cuda/oracle.cu");
    struct nvrtc_library *nvrtc = nvrtc_library_open(NULL, e);
    if (nvrtc == NULL)
        return false;
    char *text = must_format("%s\n%s", rules->text, kernels->text);
    char *arch = must_format("-arch=%s", c->device.gpu.arch);
    const char *options[] = {arch, "--std=c++17"};
    struct nvrtc_output output;
    nvrtc_library_compile(nvrtc, text, options, 2, &output);
    bool ok = output.compiled && output.cubin_size <= sizeof c->shared->kept;
    if (ok) {
        memcpy(c->shared->kept, output.cubin, output.cubin_size);
        c->shared->kept_size = output.cubin_size;
    } else {
        char *line_end = strchr(output.log, '\n');
        error_set(
            e, STATUS_MISSING,
            "%s does not compile the verifier's kernels for %s (%s): %.*s; a newer NVRTC may know this GPU",
            nvrtc_library_path(nvrtc), c->device.gpu.arch, output.result,
            line_end == NULL ? (int)strlen(output.log) : (int)(line_end - output.log), output.log);
    }
    nvrtc_output_clear(&output);
    free(arch);
    free(text);
    nvrtc_library_close(nvrtc);
    return ok;
}

static bool load_oracle(struct cuda_device *c, struct cuda_oracle *o, struct error *e)
{
    const struct cuda_driver *d = c->driver;
    CUresult r = d->module_load(&o->module, c->shared->kept);
    if (r == CUDA_ERROR_NO_BINARY_FOR_GPU || r == CUDA_ERROR_INVALID_IMAGE ||
        r == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || r == CUDA_ERROR_NOT_SUPPORTED)
        return error_set(
            e, STATUS_MISSING,
            "the CUDA driver, which is for CUDA %d.%d, is too old for the machine code of the NVRTC in "
            "use; update NVIDIA's driver, or point SOFTMAX_TUNE_NVRTC at an older NVRTC",
            d->version / 1000, d->version % 1000 / 10);
    if (!cuda_ok(d, r, "loading the verifier's kernels", e))
        return false;
    const struct {
        CUfunction *function;
        const char *name;
    } names[] = {{&o->make_input, "oracle_make_input"},
                 {&o->sum_rows, "oracle_sum_rows"},
                 {&o->judge, "oracle_judge"},
                 {&o->judge_sums, "oracle_judge_sums"},
                 {&o->guard_check, "guard_check"},
                 {&o->copies[0], "copy_1"},
                 {&o->copies[1], "copy_2"},
                 {&o->copies[2], "copy_4"},
                 {&o->copies[3], "copy_8"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!cuda_ok(d, d->module_function(names[i].function, o->module, names[i].name), names[i].name, e))
            return false;
    return cuda_ok(d, d->memory_allocate(&o->counts, sizeof(struct judge_counts)), "allocating", e) &&
           cuda_ok(d, d->memory_allocate(&o->guard_word, sizeof(unsigned)), "allocating", e) &&
           cuda_ok(d, d->fill(o->guard_word, 0, sizeof(unsigned), c->stream), "clearing", e);
}

struct cuda_oracle *cuda_oracle_open(struct cuda_device *c, struct error *e)
{
    if (c->shared->kept_size == 0 && !compile_oracle(c, e))
        return NULL;
    struct cuda_oracle *o = must_calloc(1, sizeof *o);
    if (!load_oracle(c, o, e)) {
        cuda_oracle_close(c, o);
        return NULL;
    }
    return o;
}

static void drop_sums(struct cuda_device *c, struct cuda_oracle *o)
{
    while (o->sums_count > 0)
        c->driver->memory_free(o->sums[--o->sums_count].sums);
    o->sums_rows = 0;
}

void cuda_oracle_close(struct cuda_device *c, struct cuda_oracle *o)
{
    if (o == NULL)
        return;
    drop_sums(c, o);
    if (o->row_sums != 0)
        c->driver->memory_free(o->row_sums);
    if (o->counts != 0)
        c->driver->memory_free(o->counts);
    if (o->guard_word != 0)
        c->driver->memory_free(o->guard_word);
    if (o->module != NULL)
        c->driver->module_unload(o->module);
    free(o);
}

/* ---- the two loops ---- */

/* A warp a row for short rows, else a block; several blocks a row where there are few rows. */
static void choose_shape(const struct cuda_device *c, const struct oracle_batch *b, int64_t rows, bool parts,
                         unsigned grid[2], unsigned block[2])
{
    block[0] = b->N <= 1024 ? 32 : b->N <= 8192 ? 256 : 512;
    block[1] = block[0] == 32 ? 8 : 1;
    grid[0] = (unsigned)((rows + block[1] - 1) / block[1]);
    int64_t wanted = 8 * (int64_t)c->device.gpu.sms / rows, most = b->N / 4096;
    wanted = wanted < most ? wanted : most;
    grid[1] = parts && wanted > 1 ? (unsigned)wanted : 1;
}

bool cuda_oracle_make_input(struct device *d, const struct oracle_batch *b, device_address x, struct error *e)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct oracle_batch batch = *b;
    CUdeviceptr to = x;
    unsigned grid[2], block[2];
    choose_shape(c, b, b->rows, true, grid, block);
    return cuda_run(c, c->oracle->make_input, grid, block, (void *[]){&batch, &to}, "making the input", e);
}

static bool same_sums(const struct oracle_batch *a, const struct oracle_batch *b)
{
    return a->dtype_in == b->dtype_in && a->M == b->M && a->N == b->N && a->seed == b->seed &&
           a->first_kind == b->first_kind && a->kind_count == b->kind_count &&
           a->first_peak == b->first_peak && a->peak_stride == b->peak_stride && a->scale == b->scale;
}

static bool find_sums(struct cuda_device *c, const struct oracle_batch *b, CUdeviceptr *sums, struct error *e)
{
    struct cuda_oracle *o = c->oracle;
    for (int i = 0; i < o->sums_count; i++)
        if (same_sums(&o->sums[i].batch, b)) {
            *sums = o->sums[i].sums;
            return true;
        }
    if (o->sums_count == SUMS_MAX || o->sums_rows + b->M > SUMS_ROWS_MAX)
        drop_sums(c, o);
    struct oracle_batch batch = *b;
    unsigned grid[2], block[2];
    if (!cuda_ok(c->driver, c->driver->memory_allocate(sums, (size_t)b->M * sizeof(struct oracle_sums)),
                 "allocating", e))
        return false;
    o->sums[o->sums_count++] = (struct sums_of_batch){.batch = *b, .sums = *sums};
    o->sums_rows += b->M;
    choose_shape(c, b, b->M, false, grid, block);
    if (cuda_run(c, o->sum_rows, grid, block, (void *[]){&batch, sums}, "summing the rows", e))
        return true;
    drop_sums(c, o);
    return false;
}

static bool grow_row_sums(struct cuda_device *c, int64_t rows, struct error *e)
{
    struct cuda_oracle *o = c->oracle;
    if (rows <= o->row_sums_rows)
        return true;
    if (o->row_sums != 0)
        c->driver->memory_free(o->row_sums);
    o->row_sums = 0;
    o->row_sums_rows = 0;
    if (!cuda_ok(c->driver, c->driver->memory_allocate(&o->row_sums, (size_t)rows * ROW_SUM_BYTES),
                 "allocating", e))
        return false;
    o->row_sums_rows = rows;
    return true;
}

static bool count_errors(struct cuda_device *c, const struct oracle_batch *b, CUdeviceptr x, CUdeviceptr y,
                         struct judge_counts *counts, struct error *e)
{
    struct cuda_oracle *o = c->oracle;
    struct oracle_batch batch = *b;
    CUdeviceptr sums;
    unsigned grid[2], block[2];
    if (!find_sums(c, b, &sums, e) || !grow_row_sums(c, b->M, e) ||
        !cuda_ok(c->driver, c->driver->fill(o->counts, 0, sizeof *counts, c->stream), "clearing", e) ||
        !cuda_ok(c->driver, c->driver->fill(o->row_sums, 0, (size_t)b->M * ROW_SUM_BYTES, c->stream),
                 "clearing", e))
        return false;
    choose_shape(c, b, b->rows, true, grid, block);
    const unsigned rows_grid[2] = {(unsigned)((b->M + 255) / 256), 1}, rows_block[2] = {256, 1};
    return cuda_run(c, o->judge, grid, block, (void *[]){&batch, &sums, &x, &y, &o->row_sums, &o->counts},
                    "judging", e) &&
           cuda_run(c, o->judge_sums, rows_grid, rows_block,
                    (void *[]){&batch, &sums, &o->row_sums, &o->counts}, "judging", e) &&
           cuda_wait(c, "judging", e) &&
           cuda_ok(c->driver, c->driver->copy_to_host(counts, o->counts, sizeof *counts), "judging", e);
}

static float error_of(unsigned long long worst)
{
    return oracle_float_of((unsigned)(worst >> 32));
}

/* The CPU names the element, from its own reference. */
static bool explain_row(struct cuda_device *c, const struct oracle_batch *b, int64_t row, CUdeviceptr y,
                        struct oracle_verdict *verdict, struct error *e)
{
    size_t element = (size_t)dtype_size((enum dtype)b->dtype_out), bytes = (size_t)b->N * element;
    void *values = must_malloc(bytes);
    struct oracle_verdict here = oracle_verdict_empty();
    bool ok = cuda_ok(c->driver,
                      c->driver->copy_to_host(values, y + (CUdeviceptr)(row * b->y_stride) * element, bytes),
                      "reading a row", e);
    if (ok) {
        oracle_host_judge_row(b, row, values, &here);
        if (here.bad_row < 0)
            ok = error_set(
                e, STATUS_MISSING,
                "the GPU finds row %lld wrong by %g bounds and the CPU does not: the verifier is broken",
                (long long)row, verdict->max_error > 1 ? verdict->max_error : verdict->sum_error);
    }
    free(values);
    verdict->bad_row = here.bad_row;
    verdict->bad_column = here.bad_column;
    verdict->got = here.got;
    verdict->expected = here.expected;
    return ok;
}

bool cuda_oracle_judge(struct device *d, const struct oracle_batch *b, device_address x, device_address y,
                       struct oracle_verdict *verdict, struct error *e)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct judge_counts counts;
    *verdict = oracle_verdict_empty();
    if (!count_errors(c, b, x, y, &counts, e))
        return false;
    verdict->max_error = error_of(counts.worst);
    verdict->sum_error = error_of(counts.worst_sum);
    verdict->bad_count = (int64_t)counts.bad;
    verdict->input_changed = (int64_t)counts.input_changed;
    verdict->gap_changed = (int64_t)counts.gap_changed;
    unsigned long long told = verdict->max_error > 1 ? counts.worst : counts.worst_sum;
    return counts.bad == 0 || explain_row(c, b, (int64_t)(told & 0xfffffffu), y, verdict, e);
}

bool cuda_oracle_look(struct cuda_device *c, CUdeviceptr address, size_t bytes, struct error *e)
{
    unsigned poison = ORACLE_POISON;
    long long count = (long long)bytes;
    const unsigned grid[2] = {64, 1}, block[2] = {256, 1};
    return cuda_run(c, c->oracle->guard_check, grid, block,
                    (void *[]){&address, &count, &poison, &c->oracle->guard_word}, "checking guards", e);
}

bool cuda_oracle_looked(struct cuda_device *c, bool *all_poison, struct error *e)
{
    struct cuda_oracle *o = c->oracle;
    unsigned changed = 0;
    if (!cuda_wait(c, "checking guards", e) ||
        !cuda_ok(c->driver, c->driver->copy_to_host(&changed, o->guard_word, sizeof changed),
                 "checking guards", e) ||
        !cuda_ok(c->driver, c->driver->fill(o->guard_word, 0, sizeof changed, c->stream), "checking guards",
                 e))
        return false;
    *all_poison = changed == 0;
    return true;
}

bool cuda_oracle_copy(struct cuda_device *c, int index, CUdeviceptr to, CUdeviceptr from, size_t bytes,
                      struct error *e)
{
    long long count = (long long)(bytes / 16),
              each = copy_shapes[index].threads * 1ll << copy_shapes[index].vectors_index;
    const unsigned grid[2] = {(unsigned)((count + each - 1) / each), 1},
                   block[2] = {copy_shapes[index].threads, 1};
    return cuda_run(c, c->oracle->copies[copy_shapes[index].vectors_index], grid, block,
                    (void *[]){&from, &to, &count}, "copying", e);
}
