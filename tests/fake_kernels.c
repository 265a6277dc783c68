#include "tests/fake_kernels.h"

#include "tuner/verify/oracle_host.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* For oracle_host.c, which nothing else of the program comes with. */
int dtype_size(enum dtype t)
{
    return t == DTYPE_F32 ? 4 : 2;
}

/* ---- the softmax kernels: x, y, workspace, M, N, x_stride, y_stride, scale ---- */

static void *pointer(const struct op *op, int i)
{
    return (void *)(uintptr_t)op->values[i];
}

static float *row_of(const struct op *op, int argument, int64_t row)
{
    return (float *)pointer(op, argument) + row * (int64_t)op->values[argument == 0 ? 5 : 6];
}

static int64_t rows(const struct op *op)
{
    return (int64_t)op->values[3];
}

static int64_t columns(const struct op *op)
{
    return (int64_t)op->values[4];
}

static void softmax(const struct op *op, int64_t counted)
{
    for (int64_t row = 0; row < rows(op); row++) {
        float *x = row_of(op, 0, row), *y = row_of(op, 1, row);
        double top = -INFINITY, total = 0;
        for (int64_t c = 0; c < columns(op); c++)
            top = isnan(x[c]) || x[c] > top ? x[c] : top;
        for (int64_t c = 0; c < counted; c++)
            total += exp(x[c] - top);
        for (int64_t c = 0; c < columns(op); c++)
            y[c] = (float)(exp(x[c] - top) / total);
    }
}

static CUresult right(struct op *op)
{
    softmax(op, columns(op));
    return CUDA_SUCCESS;
}

static CUresult skips_last(struct op *op)
{
    softmax(op, columns(op) - 1);
    return CUDA_SUCCESS;
}

static CUresult unguarded(struct op *op)
{
    softmax(op, columns(op));
    for (int64_t row = 0; row < rows(op); row++)
        for (int64_t c = 0; row_of(op, 0, row)[0] == -INFINITY && c < columns(op); c++)
            row_of(op, 1, row)[c] = NAN;
    return CUDA_SUCCESS;
}

static CUresult writes_beyond(struct op *op)
{
    softmax(op, columns(op));
    row_of(op, 1, rows(op) - 1)[columns(op) + 2] = 0;
    return CUDA_SUCCESS;
}

static CUresult right_once(struct op *op)
{
    unsigned *runs = pointer(op, 2);
    softmax(op, columns(op) - ((*runs)++ > 0));
    return CUDA_SUCCESS;
}

/* The workspace of the measurement has seen graphs; the verifier's has not. */
static CUresult wrong_after_graphs(struct op *op)
{
    unsigned *replays = pointer(op, 2);
    *replays += op->replayed;
    softmax(op, columns(op) - (*replays > 0));
    return CUDA_SUCCESS;
}

static CUresult faults(struct op *op)
{
    (void)op;
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static CUresult faults_in_graphs(struct op *op)
{
    return op->replayed ? CUDA_ERROR_ILLEGAL_ADDRESS : right(op);
}

static CUresult hangs(struct op *op)
{
    (void)op;
    while (pause() != 0)
        ;
    return CUDA_SUCCESS;
}

static CUresult hangs_in_graphs(struct op *op)
{
    return op->replayed ? hangs(op) : right(op);
}

static CUresult crashes(struct op *op)
{
    (void)op;
    raise(SIGKILL);
    return CUDA_SUCCESS;
}

static CUresult is_stopped(struct op *op)
{
    (void)op;
    raise(SIGSTOP);
    return CUDA_SUCCESS;
}

/* ---- the oracle's kernels ---- */

static CUresult make_input(struct op *op)
{
    oracle_host_make_input(&op->batch, pointer(op, 1));
    return CUDA_SUCCESS;
}

static CUresult sum_rows(struct op *op)
{
    (void)op;
    return CUDA_SUCCESS;
}

static CUresult judge(struct op *op)
{
    unsigned long long *counts = pointer(op, 5);
    struct oracle_verdict verdict;
    oracle_host_judge(&op->batch, pointer(op, 2), pointer(op, 3), &verdict);
    unsigned row = verdict.bad_row < 0 ? 0 : (unsigned)verdict.bad_row;
    counts[0] = (unsigned long long)oracle_bits_of((float)verdict.max_error) << 32 | row;
    counts[1] += (unsigned long long)verdict.bad_count;
    counts[2] += (unsigned long long)verdict.input_changed;
    counts[3] += (unsigned long long)verdict.gap_changed;
    counts[4] = (unsigned long long)oracle_bits_of((float)verdict.sum_error) << 32 | row;
    return CUDA_SUCCESS;
}

static CUresult guard_check(struct op *op)
{
    const unsigned char *bytes = pointer(op, 0);
    for (size_t i = 0; i < op->values[1]; i++)
        if (bytes[i] != (unsigned char)op->values[2])
            *(unsigned *)pointer(op, 3) = 1;
    return CUDA_SUCCESS;
}

static CUresult copy(struct op *op)
{
    memcpy(pointer(op, 1), pointer(op, 0), op->values[2] * 16);
    return CUDA_SUCCESS;
}

static CUresult copy_bytes(struct op *op)
{
    memcpy(pointer(op, 0), pointer(op, 1), op->values[2]);
    return CUDA_SUCCESS;
}

const struct script fake_memcpy = {"memcpy", copy_bytes, 50, 3, -1, false, CUDA_SUCCESS};

/* Eight arguments, of which scale is narrow. */
#define SOFTMAX 8, 7, false

static const struct script scripts[] = {
    {"right", right, 100, SOFTMAX, CUDA_SUCCESS},
    {"slow", right, 300, SOFTMAX, CUDA_SUCCESS},
    {"very_slow", right, 5000, SOFTMAX, CUDA_SUCCESS},
    {"skips_last", skips_last, 100, SOFTMAX, CUDA_SUCCESS},
    {"unguarded", unguarded, 100, SOFTMAX, CUDA_SUCCESS},
    {"writes_beyond", writes_beyond, 100, SOFTMAX, CUDA_SUCCESS},
    {"right_once", right_once, 100, SOFTMAX, CUDA_SUCCESS},
    {"wrong_after_graphs", wrong_after_graphs, 90, SOFTMAX, CUDA_SUCCESS},
    {"faults", faults, 100, SOFTMAX, CUDA_SUCCESS},
    {"faults_in_graphs", faults_in_graphs, 100, SOFTMAX, CUDA_SUCCESS},
    {"hangs", hangs, 100, SOFTMAX, CUDA_SUCCESS},
    {"hangs_in_graphs", hangs_in_graphs, 100, SOFTMAX, CUDA_SUCCESS},
    {"crashes", crashes, 100, SOFTMAX, CUDA_SUCCESS},
    {"is_stopped", is_stopped, 100, SOFTMAX, CUDA_SUCCESS},
    {"too_large", right, 100, SOFTMAX, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE},
    {"needs_attributes", right, 100, SOFTMAX, CUDA_SUCCESS},
    {"oracle_make_input", make_input, 1, 2, -1, true, CUDA_SUCCESS},
    {"oracle_sum_rows", sum_rows, 1, 2, -1, true, CUDA_SUCCESS},
    {"oracle_judge", judge, 1, 6, -1, true, CUDA_SUCCESS},
    {"oracle_judge_sums", sum_rows, 1, 4, -1, true, CUDA_SUCCESS},
    {"guard_check", guard_check, 1, 4, 2, false, CUDA_SUCCESS},
    {"copy_1", copy, 60, 3, -1, false, CUDA_SUCCESS},
    {"copy_2", copy, 55, 3, -1, false, CUDA_SUCCESS},
    {"copy_4", copy, 45, 3, -1, false, CUDA_SUCCESS},
    {"copy_8", copy, 52, 3, -1, false, CUDA_SUCCESS},
};

const struct script *fake_kernel(const char *name)
{
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        if (strcmp(scripts[i].name, name) == 0)
            return &scripts[i];
    return NULL;
}
