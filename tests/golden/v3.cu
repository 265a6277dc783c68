// Lane 0 has the result.
static __device__ float warp_max(float value)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        value = fmaxf(value, __shfl_down_sync(0xffffffff, value, offset));
    return value;
}

static __device__ float block_max(float value)
{
    __shared__ float of_warp[8];
    __shared__ float result;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_max(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_max(lane < 8 ? of_warp[lane] : -__int_as_float(0x7f800000));
        if (lane == 0)
            result = value;
    }
    __syncthreads();
    return result;
}

// Lane 0 has the result.
static __device__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        value = value + __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

static __device__ float block_sum(float value)
{
    __shared__ float of_warp[8];
    __shared__ float result;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_sum(lane < 8 ? of_warp[lane] : 0.0f);
        if (lane == 0)
            result = value;
    }
    __syncthreads();
    return result;
}

extern "C" __global__ void __launch_bounds__(256)
softmax_f32_n8192_sm_120(const float *x, float *y)
{
    long long row = blockIdx.x;
    const float *x_row = x + row * 8192;
    float *y_row = y + row * 8192;

    // Pass 1: the maximum.
    float maximum = -__int_as_float(0x7f800000);
    for (int i = threadIdx.x; i < 8192; i += 256)
        maximum = fmaxf(maximum, x_row[i]);
    float row_maximum = block_max(maximum);

    // Pass 2: the sum.
    float sum = 0.0f;
    for (int i = threadIdx.x; i < 8192; i += 256)
        sum += expf(x_row[i] - row_maximum);
    float row_sum = block_sum(sum);

    // Pass 3: the result.
    float inverse = 1.0f / row_sum;
    for (int i = threadIdx.x; i < 8192; i += 256)
        y_row[i] = expf(x_row[i] - row_maximum) * inverse;
}
