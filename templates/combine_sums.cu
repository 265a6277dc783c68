% -- The maximum and sum of a block's share of the row, for the kernel that follows.
% local warps = threads // 32
float warp_maximum = warp_max(maximum);
float warp_total = warp_sum(sum * ${exponential("maximum", "warp_maximum")});
__shared__ float2 of_warp[${warps}];
int lane = threadIdx.x % 32;
if (lane == 0)
    of_warp[threadIdx.x / 32] = make_float2(warp_maximum, warp_total);
__syncthreads();
if (threadIdx.x < 32) {
    float2 part = make_float2(${row.lowest}, 0.0f);
    if (lane < ${warps})
        part = of_warp[lane];
    float block_maximum = warp_max(part.x);
    float block_sum = warp_sum(part.y * ${exponential("part.x", "block_maximum")});
    if (lane == 0)
        workspace[row * ${blocks} + rank] = make_float2(block_maximum, block_sum);
}
