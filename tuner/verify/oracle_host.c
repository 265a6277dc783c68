#include "tuner/verify/oracle_host.h"

_Static_assert((int)DTYPE_F32 == ORACLE_F32 && (int)DTYPE_F16 == ORACLE_F16 && (int)DTYPE_BF16 == ORACLE_BF16,
               "oracle_rules.h counts the types as problem.h does");

static const char *const kind_phrases[ORACLE_KINDS] = {
    [KIND_ORDINARY] = "of ordinary values",
    [KIND_BEGINS_MINUS_INF] = "that begin with -inf",
    [KIND_WIDE] = "of widely spread values",
    [KIND_FINITE_CLASS] = "that are -inf but for every so many columns",
    [KIND_FINITE_WINDOW] = "that are -inf but for one stretch of columns",
    [KIND_NAN] = "with a NaN",
    [KIND_ALL_MINUS_INF] = "of nothing but -inf",
    [KIND_EDGE_PEAK] = "with one high peak",
    [KIND_PLUS_INF] = "with a +inf",
    [KIND_HUGE] = "of huge magnitudes",
    [KIND_MINUS_INF_CLASS] = "with -inf every so many columns",
    [KIND_MINUS_INF_WINDOW] = "with a stretch of -inf",
    [KIND_ONE_FINITE] = "with one finite value",
    [KIND_EQUAL] = "of equal values",
    [KIND_PEAKS] = "with moving peaks",
};

const char *oracle_kind_phrase(int kind)
{
    return kind_phrases[kind];
}

static size_t spanned_bytes(int64_t rows, int64_t stride, int64_t N, int dtype)
{
    return (size_t)((rows - 1) * stride + N) * (size_t)dtype_size((enum dtype)dtype);
}

size_t oracle_x_bytes(const struct oracle_batch *b)
{
    return spanned_bytes(b->rows, b->x_stride, b->N, b->dtype_in);
}

size_t oracle_y_bytes(const struct oracle_batch *b)
{
    return spanned_bytes(b->rows, b->y_stride, b->N, b->dtype_out);
}

struct oracle_verdict oracle_verdict_empty(void)
{
    return (struct oracle_verdict){.bad_row = -1, .bad_column = -1};
}

/* Columns of a row that the buffer holds: the last row has no gap. */
static int64_t held_columns(const struct oracle_batch *b, int64_t row, int64_t stride)
{
    return row == b->rows - 1 ? b->N : stride;
}

/* What make_input writes at a place of x. */
static unsigned input_bits(const struct oracle_batch *b, const struct oracle_row *r, int64_t row,
                           int64_t column)
{
    return row < b->M && column < b->N ? oracle_input(b, r, column) : oracle_poison(b->dtype_in);
}

void oracle_host_make_input(const struct oracle_batch *b, void *x)
{
    for (int64_t row = 0; row < b->rows; row++) {
        struct oracle_row r = oracle_row_of(b, row);
        for (int64_t c = 0; c < held_columns(b, row, b->x_stride); c++)
            oracle_store(b->dtype_in, x, row * b->x_stride + c, input_bits(b, &r, row, c));
    }
}

static int64_t count_input_changes(const struct oracle_batch *b, const void *x)
{
    int64_t changed = 0;
    for (int64_t row = 0; row < b->rows; row++) {
        struct oracle_row r = oracle_row_of(b, row);
        for (int64_t c = 0; c < held_columns(b, row, b->x_stride); c++)
            changed += oracle_load(b->dtype_in, x, row * b->x_stride + c) != input_bits(b, &r, row, c);
    }
    return changed;
}

static int64_t count_gap_changes(const struct oracle_batch *b, const void *y)
{
    int64_t changed = 0;
    for (int64_t row = 0; row < b->rows; row++)
        for (int64_t c = row < b->M ? b->N : 0; c < held_columns(b, row, b->y_stride); c++)
            changed += oracle_load(b->dtype_out, y, row * b->y_stride + c) != oracle_poison(b->dtype_out);
    return changed;
}

static struct oracle_sums sum_row(const struct oracle_batch *b, const struct oracle_row *r)
{
    struct oracle_sums s = {.top = -INFINITY};
    for (int64_t c = 0; c < b->N; c++) {
        double v = oracle_scaled(b, oracle_input(b, r, c));
        s.nan |= isnan(v) || v == INFINITY;
        s.top = v > s.top ? v : s.top;
    }
    s.nan |= s.top == -INFINITY;
    for (int64_t c = 0; c < b->N && !s.nan; c++)
        s.total += exp(oracle_scaled(b, oracle_input(b, r, c)) - s.top);
    s.log_total = log(s.total);
    return s;
}

void oracle_host_reference_row(const struct oracle_batch *b, int64_t row, void *y)
{
    struct oracle_row r = oracle_row_of(b, row);
    struct oracle_sums s = sum_row(b, &r);
    for (int64_t c = 0; c < b->N; c++) {
        double ref = s.nan ? NAN : oracle_reference(b, &s, oracle_scaled(b, oracle_input(b, &r, c)));
        oracle_store(b->dtype_out, y, c, oracle_encode(b->dtype_out, (float)ref));
    }
}

static void note_error(struct oracle_verdict *verdict, double error, int64_t row, int64_t column, double got,
                       double expected)
{
    verdict->bad_count += error > 1;
    if (error <= verdict->max_error)
        return;
    verdict->max_error = error;
    if (error > 1) {
        verdict->bad_row = row;
        verdict->bad_column = column;
        verdict->got = got;
        verdict->expected = expected;
    }
}

static void note_sum(struct oracle_verdict *verdict, double error, int64_t row, double sum)
{
    verdict->bad_count += error > 1;
    if (error <= verdict->sum_error)
        return;
    verdict->sum_error = error;
    if (error > 1 && verdict->max_error <= 1) { /* a wrong element of another row says more */
        verdict->bad_row = row;
        verdict->bad_column = -1;
        verdict->got = sum;
        verdict->expected = 1;
    }
}

void oracle_host_judge_row(const struct oracle_batch *b, int64_t row, const void *y,
                           struct oracle_verdict *verdict)
{
    struct oracle_row r = oracle_row_of(b, row);
    struct oracle_sums s = sum_row(b, &r);
    double root = sqrt((double)b->N), sum = 0, sum_bound = 0;
    for (int64_t c = 0; c < b->N; c++) {
        double got = oracle_decode(b->dtype_out, oracle_load(b->dtype_out, y, c));
        if (s.nan) {
            note_error(verdict, isnan(got) ? 0 : INFINITY, row, c, got, NAN);
            continue;
        }
        double v = oracle_scaled(b, oracle_input(b, &r, c)), ref = oracle_reference(b, &s, v);
        double bound = oracle_bound(b, &s, v, ref, root);
        double last = b->tolerance * oracle_last_place(b->dtype_out, ref);
        double error = oracle_error(b, got, ref, bound + last);
        note_error(verdict, error, row, c, got, ref);
        sum += got;
        sum_bound += error > 1 ? INFINITY : bound + last / 2; /* a wrong element says more than its sum */
    }
    if (!s.nan && !b->log_softmax && sum_bound < INFINITY)
        note_sum(verdict, fabs(sum - 1) / sum_bound, row, sum);
}

void oracle_host_judge(const struct oracle_batch *b, const void *x, const void *y,
                       struct oracle_verdict *verdict)
{
    *verdict = oracle_verdict_empty();
    for (int64_t row = 0; row < b->M; row++) {
        const char *first =
            (const char *)y + row * b->y_stride * (int64_t)dtype_size((enum dtype)b->dtype_out);
        oracle_host_judge_row(b, row, first, verdict);
    }
    if (!b->in_place)
        verdict->input_changed = count_input_changes(b, x);
    verdict->gap_changed = count_gap_changes(b, y);
}
