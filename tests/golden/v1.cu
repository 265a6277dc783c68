extern "C" __global__ void __launch_bounds__(256)
softmax_f32_n8192_sm_120(const float *x, float *y, long long M)
{
    long long row = (long long)blockIdx.x * 256 + threadIdx.x;
    if (row >= M)
        return;
    const float *x_row = x + row * 8192;
    float *y_row = y + row * 8192;

    // Pass 1: the maximum.
    float maximum = -__int_as_float(0x7f800000);
    for (int i = 0; i < 8192; i++)
        maximum = fmaxf(maximum, x_row[i]);

    // Pass 2: the sum.
    float sum = 0.0f;
    for (int i = 0; i < 8192; i++)
        sum += expf(x_row[i] - maximum);

    // Pass 3: the result.
    float inverse = 1.0f / sum;
    for (int i = 0; i < 8192; i++)
        y_row[i] = expf(x_row[i] - maximum) * inverse;
}
