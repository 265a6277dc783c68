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
    // The maximum and sum of every warp of the cluster, in every block, and how many bytes of them are still to come.
    __shared__ float2 of_warp[${pairs}];
    __shared__ unsigned long long told;
    if (threadIdx.x == 0)
        expect(&told, ${8 * pairs});
    cluster_arrive();
    long long row = blockIdx.x / ${blocks};
    int rank = blockIdx.x % ${blocks};
    int first = rank * ${threads} + threadIdx.x;
    % include("row_start.cu", { writes = true })
    % include("programmatic.cu", { first = "first", step = blocks * threads })

    % include("passes.cu", { first = "first", step = blocks * threads, reducer = "cluster" })
}
