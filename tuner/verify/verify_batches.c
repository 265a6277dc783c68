#include "tuner/verify/verify_batches.h"

#include <math.h>
#include <stdlib.h>

struct oracle_batch verify_batch(const struct problem *p, const struct verify_options *options, int64_t rows)
{
    return (struct oracle_batch){.log_softmax = p->op == OP_LOG_SOFTMAX,
                                 .dtype_in = (int)p->dtype_in,
                                 .dtype_out = (int)p->dtype_out,
                                 .in_place = p->in_place,
                                 .M = rows,
                                 .N = p->N,
                                 .x_stride = p->x_stride,
                                 .y_stride = p->y_stride,
                                 .rows = rows,
                                 .seed = options->seed,
                                 .kind_count = ORACLE_MIXED_KINDS,
                                 .peak_stride = p->N,
                                 .scale = p->scaled ? 0.7f : 1,
                                 .tolerance = options->tolerance > 0 ? options->tolerance : 1};
}

static void add(struct batch_list *list, struct oracle_batch b, int repetitions)
{
    if ((list->count & (list->count - 1)) == 0)
        list->runs =
            must_realloc(list->runs, (size_t)(list->count == 0 ? 1 : 2 * list->count) * sizeof *list->runs);
    list->runs[list->count++] = (struct batch_run){.batch = b, .repetitions = repetitions};
}

/* Whether in a row of `peaks` equal peaks one more or less moves each result by twice its bound. */
static bool peaks_show(const struct oracle_batch *b, int64_t peaks)
{
    double n = (double)peaks;
    struct oracle_sums s = {.top = 0, .total = n, .log_total = log(n)};
    double ref = oracle_reference(b, &s, 0);
    double bound =
        oracle_bound(b, &s, 0, ref, sqrt((double)b->N)) + b->tolerance * oracle_last_place(b->dtype_out, ref);
    double change = b->log_softmax ? log((n + 1) / n) : 1 / n - 1 / (n + 1);
    return change >= 2 * bound;
}

int64_t batch_peak_stride(const struct oracle_batch *b, bool single)
{
    enum { STRIDE_MIN = 16 }; /* with fewer classes rows of peaks become rows of equal values */
    if (single || b->N <= STRIDE_MIN)
        return b->N;
    int64_t peaks = 1;
    /* The classes are scattered: some have up to twice as many columns as the mean. */
    while (b->N / (2 * peaks) >= STRIDE_MIN && peaks_show(b, 4 * peaks))
        peaks *= 2;
    return (b->N + peaks - 1) / peaks;
}

/* Rows of moving peaks until every column has had one. */
static void add_peaks(struct batch_list *list, struct oracle_batch b, bool thorough, int first, int most)
{
    enum { SINGLE_LAUNCHES = 64 };
    b.first_kind = KIND_PEAKS;
    b.kind_count = 1;
    b.peak_stride = batch_peak_stride(&b, b.N <= b.M * (thorough ? SINGLE_LAUNCHES : 1));
    int64_t launches = (b.peak_stride + b.M - 1) / b.M;
    for (int64_t i = first; i < launches && i - first < most; i++) {
        b.first_peak = ((int64_t)(b.seed % (uint64_t)b.peak_stride) + i * b.M) % b.peak_stride;
        add(list, b, 1);
    }
}

/* All kinds in turn, in as many launches as that takes from launch `first` on. */
static void add_mixed(struct batch_list *list, struct oracle_batch b, int first, int most)
{
    int step = b.M < ORACLE_MIXED_KINDS ? (int)b.M : ORACLE_MIXED_KINDS;
    for (int i = first; i * step < ORACLE_MIXED_KINDS && i - first < most; i++) {
        b.first_kind = i * step;
        b.first_peak = i;
        add(list, b, 1);
    }
}

static void add_scales(struct batch_list *list, struct oracle_batch b)
{
    static const float scales[] = {1000, -2};
    for (int i = 0; i < 2; i++) {
        b.scale = scales[i];
        add_mixed(list, b, 0, ORACLE_MIXED_KINDS);
    }
}

/* Keeps the runs at the front that the budgets allow. */
static void cut(struct batch_list *list, int launches, int64_t elements)
{
    enum { FEWEST = 4 };
    int kept = 0;
    for (; kept < list->count && kept < launches; kept++) {
        const struct batch_run *run = &list->runs[kept];
        elements -= run->batch.M * run->batch.N * run->repetitions;
        if (elements < 0 && kept >= FEWEST)
            break;
    }
    list->count = kept;
}

void batch_list_make(struct batch_list *list, const struct problem *p, const struct verify_options *options,
                     int64_t rows, int launches, int64_t elements)
{
    enum { ALL = 1 << 20 };
    *list = (struct batch_list){0};
    struct oracle_batch ordinary = verify_batch(p, options, rows), mixed = ordinary, fewer = ordinary;
    ordinary.kind_count = 1;
    fewer.M = rows / 2 | 1;
    fewer.seed++;
    add(list, ordinary, 1);
    add_mixed(list, mixed, 0, 1);
    list->runs[list->count - 1].repetitions = 2;
    add_peaks(list, mixed, options->thorough, 0, 1);
    if (fewer.M < rows) {
        fewer.first_kind = KIND_FINITE_CLASS;
        add(list, fewer, 1);
    }
    if (p->scaled)
        add_scales(list, options->thorough ? mixed : fewer);
    add_mixed(list, mixed, 1, ALL);
    if (rows > 1) {
        struct oracle_batch one = fewer;
        one.M = 1;
        one.first_kind = KIND_BEGINS_MINUS_INF;
        add(list, one, 1);
    }
    add_peaks(list, mixed, options->thorough, 1, ALL);
    if (options->thorough) {
        mixed.seed += 2;
        mixed.first_peak = 1000;
        add(list, mixed, 1);
    } else {
        cut(list, launches, elements);
    }
}

void batch_list_clear(struct batch_list *list)
{
    free(list->runs);
    *list = (struct batch_list){0};
}
