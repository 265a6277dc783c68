% -- A block copies many rows that lie one after the other into shared memory, whatever their alignment, and writes them
% -- back as it read them. In between `lanes` threads do a row.
% local reducer = lanes > 1 and "group" or ""
% local groups = threads // lanes                       -- rows at a time
% local same = problem.size_in == problem.size_out      -- results take the place of the elements
% local out_vec = 16 // problem.size_out
% local out_at = same and "kept" or ("kept + %d"):format(rows * problem.N * problem.size_in // 16)
% local side = 32 // lanes                              -- rows that a warp does side by side
% -- Turns that shared memory takes for the elements that a warp asks for at once, its rows `apart` rows apart, from an even
% -- and from an odd row on.
% local function turns(apart, size)
%   local sum = 0
%   for row = 0, 1 do
%     local seen, banks, most = {}, {}, 0
%     for thread = 0, 31 do
%       local word = ((thread // lanes * apart + row) * problem.N + thread % lanes) * size // 4
%       local bank = word % 32
%       banks[bank] = (banks[bank] or 0) + (seen[word] and 0 or 1)
%       seen[word] = true
%       most = math.max(most, banks[bank])
%     end
%     sum = sum + most
%   end
%   return sum
% end
% local apart, least = 1, math.huge
% local distance = 1
% while distance <= 32 and rows % (distance * side) == 0 do
%   local sum = turns(distance, problem.size_in) + turns(distance, problem.size_out)
%   if sum < least then apart, least = distance, sum end
%   distance = 2 * distance
% end
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
    // What is after the last row is done along with the others, and not stored.
    for (int i = elements / ${vec} * ${vec} + threadIdx.x; i < ${rows * problem.N}; i += ${threads})
        x_kept[i] = i < elements ? x_tile[i] : 0;
    __syncthreads();

    % include "scale.cu"
    % if lanes > 1 then
    int lane = threadIdx.x % ${lanes};
    % end
    for (int turn = threadIdx.x${lanes > 1 and " / " .. lanes or ""}; turn < ${rows}; turn += ${groups}) {
        % if apart > 1 then
        // A warp's rows are ${apart} apart, where their elements are in other banks of shared memory.
        int row = turn / ${apart * side} * ${apart * side} + turn % ${side} * ${apart} + turn / ${side} % ${apart};
        % else
        int row = turn;
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
