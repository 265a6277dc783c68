// The verifier's loops on the GPU, and the copy that the limit is measured with. oracle_rules.h is put in front.
//
// A row belongs to a team of blockDim.x threads (one warp, or a whole block); blockDim.y teams share a block, and
// gridDim.y blocks share a long row, each a part of it.

struct judge_counts {
    unsigned long long worst; // the worst error's bits as a float; of equal ones the first kind; the row: 32, 4, 28 bits
    unsigned long long bad, input_changed, gap_changed;
    unsigned long long worst_sum; // likewise, of a row's sum
};

struct plus {
    static __device__ double of(double a, double b)
    {
        return a + b;
    }
};

struct maximum {
    static __device__ double of(double a, double b)
    {
        return a > b ? a : b;
    }
};

template <typename Operation> static __device__ double team_reduce(double value)
{
    __shared__ double parts[32];
    for (int step = 16; step > 0; step >>= 1)
        value = Operation::of(value, __shfl_xor_sync(0xffffffffu, value, step));
    if (blockDim.x == 32)
        return value;
    __syncthreads(); // the last reduction has been read
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
    for (unsigned i = 1; i < blockDim.x / 32; i++)
        value = Operation::of(value, parts[i]);
    return value;
}

static __device__ long long team_row()
{
    return (long long)blockIdx.x * blockDim.y + threadIdx.y;
}

static __device__ long long held_columns(const oracle_batch &b, long long row, long long stride)
{
    return row == b.rows - 1 ? b.N : stride;
}

static __device__ unsigned input_bits(const oracle_batch &b, const oracle_row &r, long long row, long long column)
{
    return row < b.M && column < b.N ? oracle_input(&b, &r, column) : oracle_poison(b.dtype_in);
}

// The columns from `first` to `end` that this block's part of the row has.
struct part {
    long long first, end;
};

static __device__ part part_of(long long columns)
{
    const long long size = (columns + gridDim.y - 1) / gridDim.y;
    const long long first = blockIdx.y * size, end = first + size;
    return {first + threadIdx.x, end < columns ? end : columns};
}

extern "C" __global__ void __launch_bounds__(512) oracle_make_input(const oracle_batch b, void *x)
{
    const long long row = team_row();
    if (row >= b.rows)
        return;
    const oracle_row r = oracle_row_of(&b, row);
    const part p = part_of(held_columns(b, row, b.x_stride));
    for (long long c = p.first; c < p.end; c += blockDim.x)
        oracle_store(b.dtype_in, x, row * b.x_stride + c, input_bits(b, r, row, c));
}

// What the reference needs of every row: the same for all variants, so it is computed once a batch.
extern "C" __global__ void __launch_bounds__(512) oracle_sum_rows(const oracle_batch b, oracle_sums *sums)
{
    const long long row = team_row();
    if (row >= b.M)
        return;
    const double infinity = (double)oracle_float_of(0x7f800000u);
    const oracle_row r = oracle_row_of(&b, row);
    double top = -infinity, broken = 0, total = 0;
    for (long long c = threadIdx.x; c < b.N; c += blockDim.x) {
        const double v = oracle_scaled(&b, oracle_input(&b, &r, c));
        if (oracle_is_nan(v) || v == infinity)
            broken = 1;
        top = v > top ? v : top;
    }
    top = team_reduce<maximum>(top);
    broken = team_reduce<maximum>(broken);
    const bool nan = broken > 0 || top == -infinity;
    if (!nan)
        for (long long c = threadIdx.x; c < b.N; c += blockDim.x)
            total += exp(oracle_scaled(&b, oracle_input(&b, &r, c)) - top);
    total = team_reduce<plus>(total);
    if (threadIdx.x == 0)
        sums[row] = {nan, top, total, log(total)};
}

// The sum of a row of y, and how far from 1 it may be.
struct row_sum {
    double sum, bound;
};

static __device__ void note_worst(unsigned long long *worst, double error, int kind, long long row)
{
    const unsigned long long key =
        (unsigned long long)oracle_bits_of((float)error) << 32 | (unsigned)(15 - kind) << 28 | (unsigned)row;
    if (error > 0 && key > *(volatile unsigned long long *)worst)
        atomicMax(worst, key);
}

static __device__ void compare_row(const oracle_batch &b, const oracle_row &r, long long row, const oracle_sums &s,
                                   const void *y, row_sum *row_sums, judge_counts *counts)
{
    const double infinity = (double)oracle_float_of(0x7f800000u), root = sqrt((double)b.N);
    const part p = part_of(b.N);
    double worst = 0, sum = 0, sum_bound = 0;
    unsigned long long bad = 0;
    for (long long c = p.first; c < p.end; c += blockDim.x) {
        const double got = oracle_decode(b.dtype_out, oracle_load(b.dtype_out, y, row * b.y_stride + c));
        double error;
        if (s.nan) {
            error = oracle_is_nan(got) ? 0 : infinity;
        } else {
            const double v = oracle_scaled(&b, oracle_input(&b, &r, c)), ref = oracle_reference(&b, &s, v);
            const double bound = oracle_bound(&b, &s, v, ref, root);
            const double last = b.tolerance * oracle_last_place(b.dtype_out, ref);
            error = oracle_error(&b, got, ref, bound + last);
            sum += got;
            sum_bound += error > 1 ? infinity : bound + last / 2; // a wrong element says more than its sum
        }
        bad += error > 1;
        worst = error > worst ? error : worst;
    }
    worst = team_reduce<maximum>(worst);
    sum = team_reduce<plus>(sum);
    sum_bound = team_reduce<plus>(sum_bound);
    if (bad > 0)
        atomicAdd(&counts->bad, bad);
    if (threadIdx.x > 0)
        return;
    note_worst(&counts->worst, worst, r.kind, row);
    if (gridDim.y == 1) {
        row_sums[row] = {sum, sum_bound};
    } else {
        atomicAdd(&row_sums[row].sum, sum);
        atomicAdd(&row_sums[row].bound, sum_bound);
    }
}

// `row_sums` and `counts` begin as zeros.
extern "C" __global__ void __launch_bounds__(512)
    oracle_judge(const oracle_batch b, const oracle_sums *sums, const void *x, const void *y, row_sum *row_sums,
                 judge_counts *counts)
{
    const long long row = team_row();
    if (row >= b.rows)
        return;
    const oracle_row r = oracle_row_of(&b, row);
    if (row < b.M)
        compare_row(b, r, row, sums[row], y, row_sums, counts);
    unsigned long long input_changed = 0, gap_changed = 0;
    const part p = part_of(b.in_place ? 0 : held_columns(b, row, b.x_stride));
    for (long long c = p.first; c < p.end; c += blockDim.x)
        input_changed += oracle_load(b.dtype_in, x, row * b.x_stride + c) != input_bits(b, r, row, c);
    const long long gap = row < b.M ? b.N : 0;
    const part q = part_of(held_columns(b, row, b.y_stride) - gap);
    for (long long c = q.first; c < q.end; c += blockDim.x)
        gap_changed += oracle_load(b.dtype_out, y, row * b.y_stride + gap + c) != oracle_poison(b.dtype_out);
    if (input_changed > 0)
        atomicAdd(&counts->input_changed, input_changed);
    if (gap_changed > 0)
        atomicAdd(&counts->gap_changed, gap_changed);
}

// After oracle_judge: the rows' sums, which softmax alone has. A thread a row.
extern "C" __global__ void oracle_judge_sums(const oracle_batch b, const oracle_sums *sums, const row_sum *row_sums,
                                             judge_counts *counts)
{
    const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= b.M || sums[row].nan || b.log_softmax || oracle_is_inf(row_sums[row].bound))
        return;
    const double error = fabs(row_sums[row].sum - 1) / row_sums[row].bound;
    if (error > 1)
        atomicAdd(&counts->bad, 1ull);
    note_worst(&counts->worst_sum, error, oracle_row_of(&b, row).kind, row);
}

// Sets *changed when one of `count` bytes is not `pattern`.
extern "C" __global__ void guard_check(const unsigned char *bytes, long long count, unsigned pattern, unsigned *changed)
{
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x)
        if (bytes[i] != pattern)
            *changed = 1;
}

struct alignas(16) vector {
    unsigned words[4];
};

template <int Vectors> static __device__ void copy(const vector *from, vector *to, long long count)
{
    const long long first = (long long)blockIdx.x * blockDim.x * Vectors + threadIdx.x;
    vector held[Vectors];
#pragma unroll
    for (int i = 0; i < Vectors; i++)
        if (first + (long long)i * blockDim.x < count)
            held[i] = from[first + (long long)i * blockDim.x];
#pragma unroll
    for (int i = 0; i < Vectors; i++)
        if (first + (long long)i * blockDim.x < count)
            to[first + (long long)i * blockDim.x] = held[i];
}

extern "C" __global__ void copy_1(const vector *from, vector *to, long long count)
{
    copy<1>(from, to, count);
}

extern "C" __global__ void copy_2(const vector *from, vector *to, long long count)
{
    copy<2>(from, to, count);
}

extern "C" __global__ void copy_4(const vector *from, vector *to, long long count)
{
    copy<4>(from, to, count);
}

extern "C" __global__ void copy_8(const vector *from, vector *to, long long count)
{
    copy<8>(from, to, count);
}
