#include "tuner/verify/verify_invariance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/devices/device.h"
#include "tuner/verify/oracle_host.h"
#include "tuner/verify/verify.h"

enum { CONTENTS_MAX = 31, LAUNCHES_OF_ONE = 4, BATCHES = 4 };

struct trial_of_rows {
    struct device *device;
    const struct problem *problem;
    void *module;
    const struct launch_plan *plan;
    struct oracle_batch contents; /* M: how many there are */
    int64_t most;                 /* rows of a launch */
    device_address x, y, workspace;
    size_t x_row, y_row, y_values;     /* bytes: from row to row, and of a row's results */
    unsigned char *inputs;             /* twice the contents, one row after the other, with their gaps */
    unsigned char *results;            /* what each content gave first */
    int64_t *origin_row, *origin_rows; /* where that was: row, of how many; -1: not yet */
};

static int64_t content_of(const struct trial_of_rows *t, int64_t row, int64_t shift)
{
    return (row + shift) % t->contents.M;
}

/* Chunks of as many rows as there are contents: each holds the same bytes, which begin at content `shift`. */
static bool write_rows(struct trial_of_rows *t, int64_t M, int64_t shift, struct error *e)
{
    const unsigned char *from = t->inputs + (size_t)content_of(t, 0, shift) * t->x_row;
    size_t last = (size_t)t->problem->N * (size_t)dtype_size(t->problem->dtype_in);
    bool ok = true;
    for (int64_t row = 0; ok && row < M; row += t->contents.M) {
        int64_t rows = M - row < t->contents.M ? M - row : t->contents.M;
        ok = t->device->operations->write(t->device, t->x + (device_address)row * t->x_row, from,
                                          (size_t)(rows - 1) * t->x_row + last, e);
    }
    return ok;
}

static void explain(const struct trial_of_rows *t, int64_t row, int64_t M, const unsigned char *result,
                    struct invariance_verdict *verdict, int64_t content)
{
    size_t size = (size_t)dtype_size(t->problem->dtype_out), at = 0;
    const unsigned char *before = t->results + (size_t)content * t->y_values;
    while (memcmp(result + at, before + at, size) == 0)
        at += size;
    verdict->alike = false;
    snprintf(verdict->reason, sizeof verdict->reason,
             "a row's bits depend on the batch: row %" PRId64 " of %" PRId64 " and row %" PRId64
             " of %" PRId64 " hold the same input, and their results differ from column %zu on",
             row, M, t->origin_row[content], t->origin_rows[content], at / size);
}

/* Compares the results of rows from `first` on; the first of a content is kept. */
static void compare_rows(struct trial_of_rows *t, int64_t first, int64_t rows, int64_t M, int64_t shift,
                         const unsigned char *results, struct invariance_verdict *verdict)
{
    for (int64_t i = 0; verdict->alike && i < rows; i++) {
        int64_t content = content_of(t, first + i, shift);
        const unsigned char *result = results + (size_t)i * t->y_row;
        if (t->origin_row[content] < 0) {
            memcpy(t->results + (size_t)content * t->y_values, result, t->y_values);
            t->origin_row[content] = first + i;
            t->origin_rows[content] = M;
        } else if (memcmp(t->results + (size_t)content * t->y_values, result, t->y_values) != 0) {
            explain(t, first + i, M, result, verdict, content);
        }
    }
}

static bool read_rows(struct trial_of_rows *t, int64_t M, int64_t shift, struct invariance_verdict *verdict,
                      struct error *e)
{
    unsigned char *results = must_malloc((size_t)t->contents.M * t->y_row);
    bool ok = true;
    for (int64_t row = 0; ok && verdict->alike && row < M; row += t->contents.M) {
        int64_t rows = M - row < t->contents.M ? M - row : t->contents.M;
        ok = t->device->operations->read(t->device, results, t->y + (device_address)row * t->y_row,
                                         (size_t)(rows - 1) * t->y_row + t->y_values, e);
        if (ok)
            compare_rows(t, row, rows, M, shift, results, verdict);
    }
    free(results);
    return ok;
}

static bool launch_rows(struct trial_of_rows *t, int64_t M, int64_t shift, struct invariance_verdict *verdict,
                        struct error *e)
{
    const struct problem *p = t->problem;
    const struct launch_values values = {.x = t->x,
                                         .y = t->y,
                                         .workspace = t->workspace,
                                         .M = M,
                                         .N = p->N,
                                         .x_stride = p->x_stride,
                                         .y_stride = p->y_stride,
                                         .scale = t->contents.scale};
    int n = verdict->launched_count;
    if (n == 0 || verdict->launched[n - 1] != M)
        verdict->launched[verdict->launched_count++] = M;
    return write_rows(t, M, shift, e) &&
           t->device->operations->launch(t->device, t->module, t->plan, &values, e) &&
           read_rows(t, M, shift, verdict, e);
}

/* ---- the numbers of rows ---- */

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Few rows, and those asked for, each at most `most`, ascending and once. */
static int choose_rows(const struct trial_of_rows *t, const int64_t *rows, int count,
                       int64_t chosen[INVARIANCE_ROWS_MAX])
{
    const int64_t few[] = {1, 2, 3, t->contents.M, 2 * t->contents.M + 1};
    enum { FEW = sizeof few / sizeof few[0] };
    int total = 0, kept = 0;
    for (int i = 0; i < FEW; i++)
        chosen[total++] = few[i];
    for (int i = 0; i < count && total < INVARIANCE_ROWS_MAX; i++)
        chosen[total++] = rows[i];
    for (int i = 0; i < total; i++)
        chosen[i] = chosen[i] < t->most ? chosen[i] : t->most;
    qsort(chosen, (size_t)total, sizeof *chosen, ascending);
    for (int i = 0; i < total; i++)
        if (chosen[i] > 0 && (kept == 0 || chosen[i] != chosen[kept - 1]))
            chosen[kept++] = chosen[i];
    return kept;
}

/* ---- buffers ---- */

static void make_contents(struct trial_of_rows *t, uint64_t seed)
{
    const struct problem *p = t->problem;
    t->contents = verify_batch(p, &(struct verify_options){.seed = seed},
                               t->most < CONTENTS_MAX ? t->most : CONTENTS_MAX);
    size_t n = (size_t)t->contents.M, bytes = oracle_x_bytes(&t->contents);
    t->x_row = (size_t)p->x_stride * (size_t)dtype_size(p->dtype_in);
    t->y_row = (size_t)p->y_stride * (size_t)dtype_size(p->dtype_out);
    t->y_values = (size_t)p->N * (size_t)dtype_size(p->dtype_out);
    t->inputs = must_calloc(2 * n, t->x_row);
    oracle_host_make_input(&t->contents, t->inputs);
    memcpy(t->inputs + n * t->x_row, t->inputs, bytes);
    t->results = must_malloc(n * t->y_values);
    t->origin_row = must_malloc(n * sizeof *t->origin_row);
    t->origin_rows = must_malloc(n * sizeof *t->origin_rows);
    for (size_t i = 0; i < n; i++)
        t->origin_row[i] = -1;
}

static bool make_buffers(struct trial_of_rows *t, const int64_t *chosen, int count, struct error *e)
{
    const struct device_operations *o = t->device->operations;
    size_t align = (size_t)t->problem->align, most = (size_t)chosen[count - 1], bytes = 16;
    for (int i = 0; i < count; i++) {
        int64_t need;
        if (!expression_evaluate(t->plan->workspace_of_M, chosen[i], t->device->gpu.sms, &need, e))
            return false;
        bytes = need > 0 && (size_t)need > bytes ? (size_t)need : bytes;
    }
    if (!o->allocate(t->device, bytes, 256, &t->workspace, e) ||
        !o->fill(t->device, t->workspace, 0, bytes, e) ||
        !o->allocate(t->device, most * t->x_row, align, &t->x, e))
        return false;
    t->y = t->x;
    return t->problem->in_place || o->allocate(t->device, most * t->y_row, align, &t->y, e);
}

static void clear(struct trial_of_rows *t)
{
    const device_address held[] = {t->workspace, t->x, t->y != t->x ? t->y : 0};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        if (held[i] != 0)
            t->device->operations->release(t->device, held[i]);
    free(t->inputs);
    free(t->results);
    free(t->origin_row);
    free(t->origin_rows);
}

bool verify_invariance(struct device *d, const struct problem *p, void *module,
                       const struct launch_plan *plan, const int64_t *rows, int count, uint64_t seed,
                       struct invariance_verdict *verdict, struct error *e)
{
    int64_t stride = p->x_stride > p->y_stride ? p->x_stride : p->y_stride, chosen[INVARIANCE_ROWS_MAX];
    struct trial_of_rows t = {.device = d, .problem = p, .module = module, .plan = plan};
    t.most = BATCHES * d->batch_elements / stride > 0 ? BATCHES * d->batch_elements / stride : 1;
    make_contents(&t, seed);
    *verdict = (struct invariance_verdict){.alike = true};
    int kept = choose_rows(&t, rows, count, chosen);
    bool ok = make_buffers(&t, chosen, kept, e);
    for (int i = 0; ok && verdict->alike && i < kept; i++)
        for (int64_t k = 0; ok && verdict->alike && k < (chosen[i] == 1 ? LAUNCHES_OF_ONE : 1); k++)
            ok = launch_rows(&t, chosen[i], 5 * i + k, verdict, e);
    clear(&t);
    return ok;
}
