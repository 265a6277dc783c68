% -- A warp a row, or `lanes` neighbours in one.
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% include("reduce.cu", { op = "max", level = "group" })
% include("reduce.cu", { op = "sum", level = "group" })
% include("signature.cu", { counted = true, exchange = "" })
{
    long long row = (long long)blockIdx.x * ${threads // lanes} + threadIdx.x / ${lanes};
    int lane = threadIdx.x % ${lanes};
    % if lanes == 32 then
    if (row >= M)
        return;
    % else
    // A warp without a row leaves. Lanes past the last row go along with the others of their warp, whose shuffles name
    // them: they do the last row and store nothing.
    if (row - threadIdx.x % 32 / ${lanes} >= M)
        return;
    bool inside = row < M;
    if (!inside)
        row = M - 1;
    % end
    % include("row_start.cu", { writes = true })
    % include("programmatic.cu", { first = "lane", step = lanes })

    % include("passes.cu", { first = "lane", step = lanes, reducer = "group" })
}
