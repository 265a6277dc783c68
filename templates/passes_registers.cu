% -- The passes of a row that is read once and kept in registers.
% local loads, full_loads = -(-whole // step), whole // step   -- of a thread, of every thread
% local rests = -(-rest // step)
% local held = loads * vec                             -- a thread's elements, without the rest
% local all = held + rests
% local even = whole % step == 0 and rest % step == 0  -- whether every thread has as many
% local at = loads == 1 and "v" or ("v + %d * c"):format(vec)
% local function each_load(vector, one)   -- vector(index): the statement for a load; one(place in v, index)
% local function statement(index)
%   return vec > 1 and vector(index) or one(loads == 1 and "0" or "c", index)
% end
% if loads == 1 and full_loads == 0 then
if (${first} < ${whole})
    ${statement(first)}
% elseif loads == 1 then
${statement(first)}
% else
#pragma unroll
% if alone then
for (int c = 0; c < ${loads}; c++)
    ${statement("c")}
% else
for (int c = 0; c < ${loads}; c++) {
    int i = c * ${step} + ${first};
    % if full_loads < loads then
    if (${full_loads > 0 and ("c < %d || "):format(full_loads) or ""}i < ${whole})
        ${statement("i")}
    % else
    ${statement("i")}
    % end
}
% end
% end
% for r = 0, rests - 1 do
% local index = row.at(problem.N - rest + r * step)
% if (r + 1) * step > rest then
if (${first} < ${rest - r * step})
    ${one(held + r, index)}
% else
${one(held + r, index)}
% end
% end
% end
float v[${all}];
% if not even then
#pragma unroll
for (int k = 0; k < ${all}; k++)
    v[k] = ${row.value("-" .. row.infinity)};
% end
% each_load(function(index) return ("load_vector(x_row, %s, %s);"):format(index, at) end,
%           function(k, index) return ("v[%s] = %s;"):format(k, element(index)) end)
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

% if reducer == "group" and lanes < 32 then
if (!inside)
    return;
% end
% if problem.op == "log_softmax" then
float log_sum = logf(${row.sum});
% elseif passes == 2 then
float factor = ${exponential("maximum", "row_maximum")} / row_sum;
% else
float factor = 1.0f / ${row.sum};
% end
#pragma unroll
for (int k = 0; k < ${all}; k++)
    ${problem.op == "softmax" and "v[k] *= factor" or "v[k] = " .. row.result("v[k]")};
% each_load(function(index) return ("store_vector(y_row, %s, %s);"):format(index, at) end,
%           function(k, index) return put(index, ("v[%s]"):format(k)) end)
