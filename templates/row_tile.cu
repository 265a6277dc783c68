% -- A block copies many rows that lie one after the other into shared memory, whatever their alignment, and writes them
% -- back as it read them. In between `lanes` threads do a row.
% local reducer = lanes > 1 and "group" or ""
% local groups = threads // lanes                       -- rows at a time
% local same = problem.size_in == problem.size_out      -- results take the place of the elements
% local out_vec = 16 // problem.size_out
% local out_at = same and "kept" or ("kept + %d"):format(rows * problem.N * problem.size_in // 16)
% include "load.cu"
% include "store.cu"
% include "exp.cu"
% if lanes > 1 then
% include("reduce.cu", { op = "max", level = "group" })
% include("reduce.cu", { op = "sum", level = "group" })
% end
% include("signature.cu", { counted = true, exchange = "" })
{
    extern __shared__ uint4 kept[];
    ${x_type} *x_kept = (${x_type} *)kept;
    ${y_type} *y_kept = (${y_type} *)(${out_at});
    long long tile = (long long)blockIdx.x * ${rows};
    const ${x_type} *x_tile = x + tile * ${problem.N};
    ${y_type} *y_tile = y + tile * ${problem.N};
    int rows = M - tile < ${rows} ? (int)(M - tile) : ${rows};
    int elements = rows * ${problem.N};
    % include("programmatic.cu", { first = "threadIdx.x", step = threads })
    #pragma unroll ${math.min(16, -(-rows * problem.N // (vec * threads)))}
    for (int i = threadIdx.x; i < elements / ${vec}; i += ${threads})
        ((${vector_type} *)kept)[i] = ${fetch("x_tile", "i")};
    for (int i = elements / ${vec} * ${vec} + threadIdx.x; i < elements; i += ${threads})
        x_kept[i] = x_tile[i];
    __syncthreads();

    % include "scale.cu"
    % if lanes > 1 then
    int lane = threadIdx.x % ${lanes};
    % end
    for (int row = threadIdx.x${lanes > 1 and " / " .. lanes or ""}; row < ${rows}; row += ${groups}) {
        % if lanes == 1 or lanes == 32 then
        if (row >= rows)
            break;
        % else
        // A warp without a row leaves. Lanes past the last row go along with the others of their warp, whose shuffles
        // name them: they do the last row and store nothing.
        if (row - (int)threadIdx.x % 32 / ${lanes} >= rows)
            break;
        bool inside = row < rows;
        if (!inside)
            row = rows - 1;
        % end
        const ${x_type} *x_row = x_kept + row * ${problem.N};
        ${y_type} *y_row = y_kept + row * ${problem.N};
        % local part = { first = lanes > 1 and "lane" or "0", step = lanes, reducer = reducer, vec = 1, peeled = false }
        % part.whole, part.least_whole, part.rest, part.loads_end = problem.N, problem.N, 0, tostring(problem.N)
        % include("passes.cu", part)
    }
    __syncthreads();
    #pragma unroll 4
    for (int i = threadIdx.x; i < elements / ${out_vec}; i += ${threads})
        % if store == "plain" then
        ((uint4 *)y_tile)[i] = ((const uint4 *)y_kept)[i];
        % else
        __stcs((uint4 *)y_tile + i, ((const uint4 *)y_kept)[i]);
        % end
    for (int i = elements / ${out_vec} * ${out_vec} + threadIdx.x; i < elements; i += ${threads})
        y_tile[i] = y_kept[i];
}
