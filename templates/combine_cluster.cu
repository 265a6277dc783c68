% -- The maximum and sum of a row from those of the threads of its cluster.
% local warps = threads // 32
% local pairs = blocks * warps
float warp_maximum = warp_max(maximum);
float warp_total = warp_sum(sum * ${exponential("maximum", "warp_maximum")});
int lane = threadIdx.x % 32;
cluster_wait();   // for all blocks to have begun
if (lane < ${blocks})
    tell(&of_warp[rank * ${warps} + threadIdx.x / 32], &told, lane, warp_maximum, warp_total);
// Every warp finishes by itself.
hear(&told);
% local function heard(index) return ("of_warp[%s]"):format(index) end
% include("hear_all.cu", { count = pairs, hear = heard, maximum_name = "row_maximum", sum_name = "row_sum" })
