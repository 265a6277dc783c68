% -- The maximum and sum of a row from those of the threads of its blocks.
% local warps = threads // 32
float warp_maximum = warp_max(maximum);
float warp_total = warp_sum(sum * ${exponential("maximum", "warp_maximum")});
__shared__ float2 of_warp[${warps}];
__shared__ float2 of_row;
int lane = threadIdx.x % 32;
if (lane == 0)
    of_warp[threadIdx.x / 32] = make_float2(warp_maximum, warp_total);
__syncthreads();
if (threadIdx.x < 32) {
    float2 own = make_float2(${row.lowest}, 0.0f);
    if (lane < ${warps})
        own = of_warp[lane];
    float block_maximum = warp_max(own.x);
    float block_sum = warp_sum(own.y * ${exponential("own.x", "block_maximum")});
    unsigned int *slots = group + 32 + tag % 2 * 512;
    if (lane == 0)
        tell(slots + 4 * rank, tag, block_maximum, block_sum);
    % local function hear(index) return ("hear(slots + 4 * (%s), tag)"):format(index) end
    % local names = { count = blocks, hear = hear, maximum_name = "maximum_of_all", sum_name = "sum_of_all" }
    % include("hear_all.cu", names)
    if (lane == 0)
        of_row = make_float2(maximum_of_all, sum_of_all);
}
__syncthreads();
// Leaving takes time, which writing y can hide.
if (threadIdx.x == ${threads - 1} && row + gridDim.x / ${blocks} >= M)
    before = leave(group);
float row_maximum = of_row.x;
float row_sum = of_row.y;
