% -- The passes of a row that is read once and kept in shared memory as it is. Each thread reads back what it wrote, so
% -- that no barrier is needed.
% local slots = -(-whole // step)                      -- a thread's loads
% local rests = -(-rest // step)
% local range = ("int i = %s, at = threadIdx.x; i < %s; i += %d, at += %d"):format(first, loads_end, step, threads)
% local function each_edge(one)                        -- one(r, column): the statement for a thread's r-th element
% for r = 0, rests - 1 do
% local index = row.at(r * step)
% if peeled or (r + 1) * step > rest then
if (${index} < ${rest_end})
    ${one(r, peeled and row.edge(index) or row.at(problem.N - rest + r * step))}
% else
${one(r, row.at(problem.N - rest + r * step))}
% end
% end
% end
extern __shared__ ${vector_type} kept[];
% if rests > 0 then
float edge[${rests}];
#pragma unroll
for (int r = 0; r < ${rests}; r++)
    edge[r] = ${row.value("-" .. row.infinity)};
% each_edge(function(r, column) return ("edge[%d] = %s;"):format(r, element(column)) end)
% end
float maximum = ${row.lowest};
#pragma unroll ${math.min(slots, 16)}
for (${range}) {
    float v[${vec}];
    kept[at] = ${fetch(x_loads, "i")};
    load_vector((const ${x_type} *)kept, at, v);
    for (int k = 0; k < ${vec}; k++)
        maximum = fmaxf(maximum, ${row.value("v[k]")});
}
% for r = 0, rests - 1 do
maximum = fmaxf(maximum, ${row.value(("edge[%d]"):format(r))});
% end
% if passes == 3 then
float row_maximum = ${row.reduce("max", "maximum")};
% end

% local relative_to = passes == 3 and row.maximum or "maximum"
float sum = 0.0f;
#pragma unroll ${math.min(slots, 4)}
for (${range}) {
    float v[${vec}];
    load_vector((const ${x_type} *)kept, at, v);
    for (int k = 0; k < ${vec}; k++)
        sum += ${exponential(row.value("v[k]"), relative_to)};
}
% for r = 0, rests - 1 do
sum += ${exponential(row.value(("edge[%d]"):format(r)), relative_to)};
% end

% if passes == 2 then
% include "combine.cu"
% else
float row_sum = ${row.reduce("sum", "sum")};
% end

% if problem.op == "softmax" then
float inverse = ${over("1.0f", "row_sum")};
% else
float log_sum = logf(row_sum);
% end
#pragma unroll ${math.min(slots, 4)}
for (${range}) {
    float v[${vec}];
    load_vector((const ${x_type} *)kept, at, v);
    for (int k = 0; k < ${vec}; k++)
        v[k] = ${row.result(row.value("v[k]"))};
    store_vector(${y_loads}, i, v);
}
% each_edge(function(r, column) return put(column, row.result(row.value(("edge[%d]"):format(r)))) end)
