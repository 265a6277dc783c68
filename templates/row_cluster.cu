% -- A cluster of blocks a row. Its size is the launch's; the shares are made for `blocks`.
% local pairs = blocks * threads // 32
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% include("reduce.cu", { op = "max", level = "warp", reduction = "butterfly" })
% include("reduce.cu", { op = "sum", level = "warp", reduction = "butterfly" })
% include "cluster.cu"
% include("signature.cu", { counted = false, exchange = "" })
{
    // One word of every warp of the cluster, in every block.
    __shared__ unsigned long long of_warp[${pairs}];
    % if pairs <= threads then
    if (threadIdx.x < ${pairs})
        of_warp[threadIdx.x] = ~0ull;
    % else
    for (int w = threadIdx.x; w < ${pairs}; w += ${threads})
        of_warp[w] = ~0ull;
    % end
    cluster_arrive();
    long long row = blockIdx.x / ${blocks};
    int rank = blockIdx.x % ${blocks};
    int first = rank * ${threads} + threadIdx.x;
    % include("row_start.cu", { writes = true })
    % include("programmatic.cu", { first = "first", step = blocks * threads })

    % include("passes.cu", { first = "first", step = blocks * threads, reducer = "cluster" })
}
