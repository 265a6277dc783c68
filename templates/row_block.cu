% -- A block a row.
% local reducer = reduction == "butterfly" and (passes == 2 or threads == 32) and "warp" or "block"
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% include("reduce.cu", { op = "max", level = reducer })
% include("reduce.cu", { op = "sum", level = reducer })
% include("signature.cu", { counted = false, exchange = "" })
{
    long long row = blockIdx.x;
    % include("row_start.cu", { writes = true })
    % include("programmatic.cu", { first = "threadIdx.x", step = threads })

    % include("passes.cu", { first = "threadIdx.x", step = threads, reducer = reducer })
}
