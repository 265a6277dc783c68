static __device__ float block_max(float value)
{
    __shared__ float partial[256];
    int t = threadIdx.x;
    partial[t] = value;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            partial[t] = fmaxf(partial[t], partial[t + s]);
        __syncthreads();
    }
    return partial[0];
}

static __device__ float block_sum(float value)
{
    __shared__ float partial[256];
    int t = threadIdx.x;
    partial[t] = value;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            partial[t] = partial[t] + partial[t + s];
        __syncthreads();
    }
    return partial[0];
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
