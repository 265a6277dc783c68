% -- The maximum and sum of a row from those of the threads of its cluster.
% local warps = threads // 32
% local pairs = blocks * warps
float warp_maximum = warp_max(maximum);
float warp_total = warp_sum(sum * ${exponential("maximum", "warp_maximum")});
int lane = threadIdx.x % 32;
cluster_wait();   // for all blocks to have begun
if (lane < ${blocks})
    tell(&of_warp[rank * ${warps} + threadIdx.x / 32], lane, warp_maximum, warp_total);
% if reduction == "barrier" then
// Parks the warps until all have told: asking over and over would cost other blocks of the SM their time.
asm volatile("barrier.cluster.arrive.relaxed.aligned;");
cluster_wait();
% end
// Every warp finishes by itself.
% local function hear(index) return ("hear(&of_warp[%s])"):format(index) end
% include("hear_all.cu", { count = pairs, hear = hear, maximum_name = "row_maximum", sum_name = "row_sum" })
