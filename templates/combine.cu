% -- The maximum and sum of a row from those of its threads, each sum relative to its thread's maximum.
% if reducer == "cluster" or reducer == "grid" or reducer == "sums" or reducer == "split" then
% include("combine_" .. reducer .. ".cu")
% elseif reducer == "warp" and threads > 32 then
float warp_maximum = warp_max(maximum);
float warp_total = warp_sum(sum * ${exponential("maximum", "warp_maximum")});
__shared__ float2 of_warp[${threads // 32}];
if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = make_float2(warp_maximum, warp_total);
__syncthreads();
// Every warp finishes by itself.
float2 part = make_float2(${row.lowest}, 0.0f);
if (threadIdx.x % 32 < ${threads // 32})
    part = of_warp[threadIdx.x % 32];
float row_maximum = warp_max(part.x);
float row_sum = warp_sum(part.y * ${exponential("part.x", "row_maximum")});
% else
float row_maximum = ${row.reduce("max", "maximum")};
float row_sum = ${row.reduce("sum", "sum * " .. exponential("maximum", "row_maximum"))};
% end
