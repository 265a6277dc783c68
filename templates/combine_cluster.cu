% -- The maximum and sum of a row from those of the threads of its cluster.
% local warps = threads // 32
% local pairs = blocks * warps
float warp_maximum = warp_max(maximum);
float warp_total = warp_sum(sum * ${exponential("maximum", "warp_maximum")});
// Every warp tells every block, so that no block reads the memory of one that may have ended.
__shared__ float2 of_warp[${pairs}];
int lane = threadIdx.x % 32;
cluster_wait();
if (lane < ${blocks})
    store_to_block(&of_warp[rank * ${warps} + threadIdx.x / 32], lane, warp_maximum, warp_total);
asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
cluster_wait();
// Every warp finishes by itself.
% if pairs <= 32 then
float2 part = make_float2(${row.lowest}, 0.0f);
if (lane < ${pairs})
    part = of_warp[lane];
float row_maximum = warp_max(part.x);
float row_sum = warp_sum(part.y * ${exponential("part.x", "row_maximum")});
% else
float lane_maximum = of_warp[lane].x;
for (int w = lane + 32; w < ${pairs}; w += 32)
    lane_maximum = fmaxf(lane_maximum, of_warp[w].x);
float row_maximum = warp_max(lane_maximum);
float lane_sum = 0.0f;
for (int w = lane; w < ${pairs}; w += 32)
    lane_sum += of_warp[w].y * ${exponential("of_warp[w].x", "row_maximum")};
float row_sum = warp_sum(lane_sum);
% end
