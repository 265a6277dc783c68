% -- A block a row, three passes; `poison` says what is wrong.
% local N, step = problem.N, threads * unroll
% local function each(body)
for (int i = threadIdx.x; i < ${N}; i += ${step}) {
    % for k = 0, unroll - 1 do
    %   if k == 0 then
    %     body("i")
    %   else
    if (i + ${k * threads} < ${N}) {
        %     body(("i + %d"):format(k * threads))
    }
    %   end
    % end
}
% end
% if poison == "endless_compile" then
%   -- Each constant is found within the compiler's limits, and there are very many.
constexpr int count(int from)
{
    int sum = from;
    for (int i = 0; i < 200000; i++)
        sum = (sum * 3 + i) & 65535;
    return sum;
}

template <int i, int n> struct many {
    static constexpr int value = many<i, n / 2>::value ^ many<i + n / 2, n - n / 2>::value;
};

template <int i> struct many<i, 1> {
    static constexpr int value = count(i);
};

% end
__device__ float block_all(float value, bool maximum)
{
    __shared__ float parts[${threads // 32}];
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = maximum ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
    for (int i = 1; i < ${threads // 32}; i++)
        value = maximum ? fmaxf(value, parts[i]) : value + parts[i];
    return value;
}

% local workspace = poison == "second_launch" and ", unsigned *workspace" or ""
extern "C" __global__ void __launch_bounds__(${threads})
${kernel}(${poison == "writes_input" and "" or "const "}float *x, float *y${workspace})
{
    long long row = blockIdx.x;
    ${poison == "writes_input" and "" or "const "}float *x_row = x + row * ${problem.x_stride};
    float *y_row = y + row * ${problem.y_stride};
    const float minus_infinity = __int_as_float(0xff800000);
    % if poison == "no_compile" then
    this is no statement;
    % end
    % if poison == "fault" then
    if (row == 0 && threadIdx.x == 0)
        *(volatile float *)16 = 1.0f;
    % end
    % if poison == "hang" then
    while (*(const volatile float *)x_row != 0.12345f)
        ;
    % end

    % for k = 1, waste do
    float wasted${k} = 0.0f;
    % each(function(i)
    wasted${k} += *(const volatile float *)&x_row[${i}];
    % end)
    if (wasted${k} == 0.12345f)
        y_row[0] = 0.0f;
    % end
    float maximum = minus_infinity;
    % if poison == "last_maximum" then
    for (int i = threadIdx.x; i < ${math.max(1, N - 1)}; i += ${threads})
        maximum = fmaxf(maximum, x_row[i]);
    % else
    % each(function(i)
    maximum = fmaxf(maximum, x_row[${i}]);
    % end)
    % end
    % local top = "x_row[%s] - maximum"
    % if poison == "last_maximum" then
    %   top = "(x_row[%s] > maximum ? 0.0f : x_row[%s] - maximum)"
    % end
    float sum = 0.0f;
    % if poison == "minus_infinity" then
    % -- Each thread from its own maximum, which is -infinity where all of its share is.
    for (int i = threadIdx.x; i < ${N}; i += ${threads})
        sum += expf(x_row[i] - maximum);
    float own = maximum;
    maximum = block_all(maximum, true);
    sum = block_all(threadIdx.x < ${N} ? sum * expf(own - maximum) : 0.0f, false);
    % else
    maximum = block_all(maximum, true);
    % each(function(i)
    sum += expf(${top:format(i, i)});
    % end)
    sum = block_all(sum, false);
    % end
    % each(function(i)
    y_row[${i}] = expf(${top:format(i, i)}) / sum;
    % end)
    % if poison == "past_row" and N % 4 ~= 0 then
    if (threadIdx.x == 0)
        y_row[${N}] = 0.0f;
    % end
    % if poison == "writes_input" then
    __syncthreads();
    if (threadIdx.x == 0 && row == 1)
        x_row[${N - 1}] -= maximum + 1.0f;
    % end
    % if poison == "second_launch" then
    if (threadIdx.x == 0 && row == 0 && atomicAdd(workspace, 1u) > 0)
        y_row[0] = 2.0f;
    % end
    % if poison == "endless_compile" then
    if (threadIdx.x == ${threads})
        y_row[0] = (float)many<0, 100000>::value;
    % end
}
