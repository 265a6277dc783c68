% -- The passes of a row that is read once and kept in registers, as floats.
% include "each_load.cu"
% local held = loads * vec                             -- a thread's elements in loads
% local all = held + rests
% local function at(c) return loads == 1 and "v" or ("v + %d * %s"):format(vec, c) end
% local function place(k, inside) return inside and k or tostring(held + k) end
float v[${all}];
% if not even then
#pragma unroll
for (int k = 0; k < ${all}; k++)
    v[k] = ${row.value("-" .. row.infinity)};
% end
% local function read(c, index)
load_vector(${x_loads}, ${index}, ${at(c)});
% end
% each_load(read, function(k, column, inside) return ("v[%s] = %s;"):format(place(k, inside), element(column)) end)
% if problem.scale ~= "none" then
#pragma unroll
for (int k = 0; k < ${all}; k++)
    v[k] *= sign;
% end

float maximum = ${row.lowest};
#pragma unroll
for (int k = 0; k < ${all}; k++)
    maximum = fmaxf(maximum, v[k]);
% if passes == 3 and not alone then
float row_maximum = ${row.reduce("max", "maximum")};
% end

% local relative_to = passes == 3 and row.maximum or "maximum"
float sum = 0.0f;
#pragma unroll
% if problem.op == "softmax" then
for (int k = 0; k < ${all}; k++) {
    v[k] = ${exponential("v[k]", relative_to)};
    sum += v[k];
}
% else
for (int k = 0; k < ${all}; k++)
    sum += ${exponential("v[k]", relative_to)};
% end

% if passes == 2 then
% include "combine.cu"
% elseif not alone then
float row_sum = ${row.reduce("sum", "sum")};
% end
% if reducer ~= "sums" then

% include "outside.cu"
% if problem.op == "log_softmax" then
float log_sum = logf(${row.sum});
% elseif passes == 2 then
float factor = ${over(exponential("maximum", "row_maximum"), "row_sum")};
% else
float factor = ${over("1.0f", row.sum)};
% end
#pragma unroll
for (int k = 0; k < ${all}; k++)
    ${problem.op == "softmax" and "v[k] *= factor" or "v[k] = " .. row.result("v[k]")};
% local function write(c, index)
store_vector(${y_loads}, ${index}, ${at(c)});
% end
% each_load(write, function(k, column, inside) return put(column, ("v[%s]"):format(place(k, inside))) end)
% end
