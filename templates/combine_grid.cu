% -- The maximum and sum of a row from those of the threads of its blocks.
% local warps = threads // 32
% local slots = -(-blocks // 32)                       -- that a lane hears
float warp_maximum = warp_max(maximum);
float warp_total = warp_sum(sum * ${exponential("maximum", "warp_maximum")});
__shared__ float2 of_warp[${warps}];
__shared__ float2 of_row;
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
    unsigned int *slots = group + 32 + tag % 2 * 512;
    if (lane == 0)
        tell(slots + 4 * rank, tag, block_maximum, block_sum);
    % if slots == 1 then
    part = make_float2(${row.lowest}, 0.0f);
    if (lane < ${blocks})
        part = hear(slots + 4 * lane, tag);
    float maximum_of_all = warp_max(part.x);
    float sum_of_all = warp_sum(part.y * ${exponential("part.x", "maximum_of_all")});
    % else
    float2 of_block[${slots}];
    float lane_maximum = ${row.lowest};
    #pragma unroll
    for (int k = 0; k < ${slots}; k++) {
        of_block[k] = hear(slots + 4 * (lane + 32 * k), tag);
        lane_maximum = fmaxf(lane_maximum, of_block[k].x);
    }
    float maximum_of_all = warp_max(lane_maximum);
    float lane_sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < ${slots}; k++)
        lane_sum += of_block[k].y * ${exponential("of_block[k].x", "maximum_of_all")};
    float sum_of_all = warp_sum(lane_sum);
    % end
    if (lane == 0)
        of_row = make_float2(maximum_of_all, sum_of_all);
}
__syncthreads();
float row_maximum = of_row.x;
float row_sum = of_row.y;
