% -- Many blocks a row in two kernels: the first writes each block's maximum and sum to the workspace, the second reads
% -- x again, from L2 mostly, and writes y. Started early, the second reads while the first still runs: x is whole by
% -- then, since the first lets it start only after its own predecessor has ended.
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% include("reduce.cu", { op = "max", level = "warp" })
% include("reduce.cu", { op = "sum", level = "warp" })
% local scale = problem.scale ~= "none" and ", float scale" or ""
% local step = blocks * threads
% local function start(writes)
    long long row = blockIdx.x / ${blocks};
    int rank = blockIdx.x % ${blocks};
    int first = rank * ${threads} + threadIdx.x;
    % include("row_start.cu", { writes = writes })
% end
extern "C" __global__ void __launch_bounds__(${threads})
${kernel}_sums(const ${x_type} *x, float2 *workspace${scale})
{
    % start(false)
    % include("programmatic.cu", { first = "first", step = step })

    % include("passes.cu", { first = "first", step = step, reducer = "sums" })
}

% include("signature.cu", { counted = false, exchange = "const float2" })
{
    % start(true)

    % include("passes.cu", { first = "first", step = step, reducer = "split" })
}
