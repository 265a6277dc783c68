#include "tuner/verify/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/devices/device.h"
#include "tuner/verify/oracle_host.h"
#include "tuner/verify/verify_batches.h"

struct verifier {
    struct device *device;
    struct problem problem;
    struct batch_list list;
    int64_t rows;
    device_address x, y; /* the same in place */
    size_t x_bytes, y_bytes;
    struct oracle_batch held; /* what x holds; rows 0 when that is not known */
};

static const char *const verdict_names[] = {"correct", "constraints", "compile",
                                            "runtime", "timeout",     "correctness"};

const char *verdict_name(enum verdict v)
{
    return verdict_names[v];
}

static void format_value(char text[32], double value)
{
    if (isnan(value))
        snprintf(text, 32, "nan"); /* never "-nan" */
    else
        snprintf(text, 32, "%.3g", value);
}

bool verify_explain(const struct oracle_batch *b, const struct oracle_verdict *verdict, char *text,
                    size_t size)
{
    if (verdict->bad_count > 0) {
        char got[32], expected[32], place[48], times[48] = "";
        format_value(got, verdict->got);
        format_value(expected, verdict->expected);
        if (verdict->bad_column >= 0)
            snprintf(place, sizeof place, "column %" PRId64, verdict->bad_column);
        else
            snprintf(place, sizeof place, "its sum");
        double error = verdict->bad_column >= 0 ? verdict->max_error : verdict->sum_error;
        if (isfinite(error))
            snprintf(times, sizeof times, " (%.3g times the bound)", error);
        snprintf(text, size, "wrong on rows %s: row %" PRId64 ", %s is %s, expected %s%s",
                 oracle_kind_phrase(oracle_row_of(b, verdict->bad_row).kind), verdict->bad_row, place, got,
                 expected, times);
    } else if (verdict->input_changed > 0) {
        snprintf(text, size, "changes its input: %" PRId64 " elements of x differ afterwards",
                 verdict->input_changed);
    } else if (verdict->gap_changed > 0) {
        snprintf(text, size, "writes beyond its rows: %" PRId64 " elements between or after the rows of y",
                 verdict->gap_changed);
    } else {
        return false;
    }
    return true;
}

static bool same_input(const struct oracle_batch *a, const struct oracle_batch *b)
{
    return a->M == b->M && a->rows == b->rows && a->first_kind == b->first_kind &&
           a->kind_count == b->kind_count && a->first_peak == b->first_peak &&
           a->peak_stride == b->peak_stride && a->seed == b->seed && a->scale == b->scale;
}

/* x as the batch says, y poisoned. */
static bool prepare(struct verifier *v, const struct oracle_batch *b, struct error *e)
{
    const struct device_operations *o = v->device->operations;
    if (!same_input(&v->held, b) && !o->make_input(v->device, b, v->x, e))
        return false;
    v->held = *b;
    if (b->in_place)
        v->held.rows = 0;
    return b->in_place || o->fill(v->device, v->y, ORACLE_POISON, v->y_bytes, e);
}

/* ---- the device's oracle against the CPU's ---- */

static bool check_input(struct verifier *v, const struct oracle_batch *b, struct error *e)
{
    size_t bytes = oracle_x_bytes(b);
    void *expected = must_malloc(bytes), *got = must_malloc(bytes);
    oracle_host_make_input(b, expected);
    bool ok = v->device->operations->make_input(v->device, b, v->x, e) &&
              v->device->operations->read(v->device, got, v->x, bytes, e);
    if (ok && memcmp(expected, got, bytes) != 0)
        ok =
            error_set(e, STATUS_MISSING, "the %s device does not make the verifier's inputs as this CPU does",
                      v->device->operations->name);
    free(expected);
    free(got);
    return ok;
}

/* The reference with one element of each row a little off. */
static void *make_flawed_result(const struct oracle_batch *b)
{
    size_t bytes = oracle_y_bytes(b);
    void *y = must_malloc(bytes);
    memset(y, ORACLE_POISON, bytes);
    for (int64_t row = 0; row < b->M; row++) {
        char *first = (char *)y + row * b->y_stride * dtype_size((enum dtype)b->dtype_out);
        oracle_host_reference_row(b, row, first);
        int64_t column = row * 7919 % b->N;
        float value = oracle_decode(b->dtype_out, oracle_load(b->dtype_out, first, column));
        oracle_store(b->dtype_out, first, column,
                     oracle_encode(b->dtype_out, isnan(value) ? 0.5f : value * (row % 2 ? 1.25f : 1.0001f)));
    }
    return y;
}

/* The GPU's passes through a float, and its exp is not the CPU's. */
static bool errors_agree(double here, double there)
{
    return here == there || fabs(here - there) <= 1e-4 * here + 1e-6;
}

static bool check_judge(struct verifier *v, const struct oracle_batch *b, struct error *e)
{
    struct oracle_batch judged = *b;
    judged.in_place = 0; /* x and y are apart on the CPU; what is compared is the reference and the bound */
    void *x = must_malloc(oracle_x_bytes(b)), *y = make_flawed_result(b);
    oracle_host_make_input(b, x);
    struct oracle_verdict here, there = oracle_verdict_empty();
    oracle_host_judge(&judged, x, y, &here);
    bool ok = v->device->operations->write(v->device, v->y, y, oracle_y_bytes(b), e) &&
              v->device->operations->judge(v->device, b, v->x, v->y, &there, e);
    if (ok && (here.bad_count != there.bad_count || here.input_changed != there.input_changed ||
               here.gap_changed != there.gap_changed || !errors_agree(here.max_error, there.max_error) ||
               !errors_agree(here.sum_error, there.sum_error)))
        ok = error_set(e, STATUS_MISSING,
                       "the %s device does not judge as this CPU does: %" PRId64
                       " elements and sums are wrong by at "
                       "most %g and %g bounds there, %" PRId64 " by %g and %g here",
                       v->device->operations->name, there.bad_count, there.max_error, there.sum_error,
                       here.bad_count, here.max_error, here.sum_error);
    free(x);
    free(y);
    return ok;
}

static bool check_oracle(struct verifier *v, const struct verify_options *options, struct error *e)
{
    enum { SAMPLE_ELEMENTS = 1 << 18 };
    int64_t rows = SAMPLE_ELEMENTS / v->problem.N;
    rows = rows > 2 * ORACLE_MIXED_KINDS ? 2 * ORACLE_MIXED_KINDS : rows;
    rows = rows > v->rows ? v->rows : rows;
    struct oracle_batch b = verify_batch(&v->problem, options, rows > 0 ? rows : 1);
    return check_input(v, &b, e) && check_judge(v, &b, e);
}

/* ---- opening ---- */

static int64_t choose_rows(const struct device *d, const struct problem *p,
                           const struct verify_options *options)
{
    enum { SHORTEST = 16 }; /* of shorter rows there would be more than anything learns from */
    int64_t stride = p->x_stride > p->y_stride ? p->x_stride : p->y_stride;
    stride = stride > SHORTEST ? stride : SHORTEST;
    int64_t rows = options->rows > 0 ? options->rows : d->batch_elements / stride;
    rows = rows < p->M ? rows : p->M;
    return rows > 0 ? rows : 1;
}

static bool make_buffers(struct verifier *v, struct error *e)
{
    const struct device_operations *o = v->device->operations;
    struct oracle_batch b = v->list.runs[0].batch;
    v->x_bytes = oracle_x_bytes(&b);
    v->y_bytes = oracle_y_bytes(&b);
    size_t align = (size_t)v->problem.align;
    if (!o->allocate(v->device, v->x_bytes, align, &v->x, e))
        return false;
    v->y = v->x;
    return v->problem.in_place || o->allocate(v->device, v->y_bytes, align, &v->y, e);
}

struct verifier *verifier_open(struct device *d, const struct problem *p,
                               const struct verify_options *options, struct error *e)
{
    struct verifier *v = must_calloc(1, sizeof *v);
    v->device = d;
    v->problem = *p;
    v->rows = choose_rows(d, p, options);
    batch_list_make(&v->list, p, options, v->rows, d->verify_launches, 6 * d->batch_elements);
    if (!make_buffers(v, e) || !check_oracle(v, options, e)) {
        verifier_close(v);
        return NULL;
    }
    return v;
}

void verifier_close(struct verifier *v)
{
    if (v == NULL)
        return;
    if (v->y != 0 && v->y != v->x)
        v->device->operations->release(v->device, v->y);
    if (v->x != 0)
        v->device->operations->release(v->device, v->x);
    batch_list_clear(&v->list);
    free(v);
}

/* ---- one variant ---- */

/* The largest workspace that any of the runs needs: one serves them all, as it must serve a user's. */
static bool workspace_bytes(const struct verifier *v, const struct launch_plan *plan, size_t *bytes,
                            struct error *e)
{
    *bytes = 16;
    for (int i = 0; i < v->list.count; i++) {
        int64_t need;
        if (!expression_evaluate(plan->workspace_of_M, v->list.runs[i].batch.M, v->device->gpu.sms, &need, e))
            return false;
        if (need < 0)
            return error_set(e, STATUS_USAGE, "workspace_of_M (%s) is negative for M = %lld",
                             plan->workspace_of_M, v->list.runs[i].batch.M);
        *bytes = (size_t)need > *bytes ? (size_t)need : *bytes;
    }
    return true;
}

static bool launch_batch(struct verifier *v, void *module, const struct launch_plan *plan,
                         const struct oracle_batch *b, device_address workspace, struct error *e)
{
    struct launch_values values = {.x = v->x,
                                   .y = v->y,
                                   .workspace = workspace,
                                   .M = b->M,
                                   .N = b->N,
                                   .x_stride = b->x_stride,
                                   .y_stride = b->y_stride,
                                   .scale = b->scale};
    return prepare(v, b, e) && v->device->operations->launch(v->device, module, plan, &values, e);
}

/* Appends under which conditions a run was made, where they are not the plain ones. */
static void add_conditions(char *text, size_t size, const struct oracle_batch *b, int repetition)
{
    size_t used = strlen(text);
    if (repetition > 0)
        used += (size_t)snprintf(text + used, size - used, ", in its second run on one workspace");
    if (b->M != b->rows && used < size)
        used += (size_t)snprintf(text + used, size - used, ", M = %lld", b->M);
    if (b->scale != 1 && used < size)
        snprintf(text + used, size - used, ", scale %g", (double)b->scale);
}

/* One launch, judged. False when the variant is not correct, which `out` then says. */
static bool run_batch(struct verifier *v, void *module, const struct launch_plan *plan,
                      device_address workspace, const struct oracle_batch *b, int repetition,
                      struct variant_verdict *out)
{
    const struct device_operations *o = v->device->operations;
    struct error e = {0};
    struct oracle_verdict judged = oracle_verdict_empty();
    if (!launch_batch(v, module, plan, b, workspace, &e) ||
        !o->judge(v->device, b, v->x, v->y, &judged, &e)) {
        char byte;
        out->verdict = VERDICT_RUNTIME;
        snprintf(out->reason, sizeof out->reason, "%.400s", e.text);
        out->device_lost = !o->read(v->device, &byte, v->x, 1, &e);
        v->held.rows = 0;
        return false;
    }
    out->max_error = fmax(out->max_error, judged.max_error);
    bool astray = !o->guards_whole(v->device, &e);
    if (verify_explain(b, &judged, out->reason, sizeof out->reason))
        add_conditions(out->reason, sizeof out->reason, b, repetition);
    else if (astray)
        snprintf(out->reason, sizeof out->reason, "%.400s", e.text);
    else
        return true;
    /* What else of the device's memory such a variant wrote to, nobody knows. */
    out->device_lost = astray || judged.input_changed > 0;
    v->held.rows = 0;
    out->verdict = VERDICT_CORRECTNESS;
    return false;
}

static void run_all(struct verifier *v, void *module, const struct launch_plan *plan,
                    device_address workspace, struct variant_verdict *out)
{
    for (int i = 0; i < v->list.count; i++) {
        const struct batch_run *run = &v->list.runs[i];
        for (int k = 0; k < run->repetitions; k++) {
            if (!run_batch(v, module, plan, workspace, &run->batch, k, out))
                return;
        }
    }
}

void verifier_run(struct verifier *v, void *module, const struct launch_plan *plan,
                  struct variant_verdict *out)
{
    const struct device_operations *o = v->device->operations;
    *out = (struct variant_verdict){.verdict = VERDICT_CORRECT, .max_error = NAN};
    struct error e = {0};
    size_t bytes;
    device_address workspace = 0;
    if (!workspace_bytes(v, plan, &bytes, &e) || !o->allocate(v->device, bytes, 256, &workspace, &e) ||
        !o->fill(v->device, workspace, 0, bytes, &e)) {
        out->verdict = VERDICT_RUNTIME;
        snprintf(out->reason, sizeof out->reason, "%.400s", e.text);
    } else {
        run_all(v, module, plan, workspace, out);
        if (o->count != NULL && out->verdict != VERDICT_RUNTIME)
            out->counts = o->count(v->device, module, plan, &v->problem);
    }
    if (workspace != 0)
        o->release(v->device, workspace);
}
