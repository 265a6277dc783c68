% -- Many blocks a row. They wait for each other, so that all must be resident: the launch is cooperative.
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% include("reduce.cu", { op = "max", level = "warp" })
% include("reduce.cu", { op = "sum", level = "warp" })
% include "grid.cu"
% include("signature.cu", { counted = true, exchange = "unsigned int" })
{
    unsigned int *group = workspace + blockIdx.x / ${blocks} * 1056;
    int rank = blockIdx.x % ${blocks};
    int first = rank * ${threads} + threadIdx.x;
    % if programmatic == "prefetch" then
    const ${x_type} *x_row = x + blockIdx.x / ${blocks} * ${problem.x_stride}LL;
    % end
    % include("programmatic.cu", { first = "first", step = blocks * threads })
    unsigned int tag = last_tag(group);
    unsigned int before = ${blocks};
    for (long long row = blockIdx.x / ${blocks}; row < M; row += gridDim.x / ${blocks}) {
        tag++;
        % include("row_start.cu", { writes = true })

        % include("passes.cu", { first = "first", step = blocks * threads, reducer = "grid" })
    }
    // The last block to leave keeps the tag for the next launch, when no block of this one can still ask for it.
    if (before == ${blocks - 1})
        keep_tag(group, tag);
}
