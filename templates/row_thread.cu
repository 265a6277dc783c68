% -- One thread a row.
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% include("signature.cu", { counted = true, exchange = "" })
{
    long long row = (long long)blockIdx.x * ${threads} + threadIdx.x;
    if (row >= M)
        return;
    % include("row_start.cu", { writes = true })
    % include("programmatic.cu", { first = "0", step = 1 })

    % include("passes.cu", { first = "0", step = 1, reducer = "" })
}
