% -- A cluster of blocks a row. Its size is the launch's; the shares are made for `blocks`.
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% include("reduce.cu", { op = "max", level = "warp" })
% include("reduce.cu", { op = "sum", level = "warp" })
% include "cluster.cu"
% include("signature.cu", { counted = false, exchange = false })
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;");
    long long row = blockIdx.x / ${blocks};
    int rank = blockIdx.x % ${blocks};
    int first = rank * ${threads} + threadIdx.x;
    % include "row_start.cu"
    % include("programmatic.cu", { first = "first", step = blocks * threads })

    % include("passes.cu", { first = "first", step = blocks * threads, reducer = "cluster" })
}
