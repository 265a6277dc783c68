% -- The passes of a row where each reads it from memory.
% local step_on = step == 1 and "i++" or "i += " .. step
% local range = ("int i = %s; i < %s; %s"):format(first, loads_end, step_on)
% local once = rest <= step and not alone              -- whether a thread has at most one of the rest
% local rest_index = once and row.edge(first) or peeled and row.edge("i") or "i"
% local rest_from = peeled and first or row.at(problem.N - rest)
% local function each_rest(visit, open, close)          -- the elements that fill no load
% if rest > 0 and once then
if (${first} < ${rest_end})${open}
    % visit(row.value(element(rest_index)))
% elseif rest > 0 then
for (int i = ${rest_from}; i < ${peeled and "edges" or problem.N}; ${step_on})${open}
    % visit(row.value(element(rest_index)))
% end
% if rest > 0 and close then
${close}
% end
% end
% local function each_element(visit)   -- visit(text of a value): one statement
% if vec == 1 then
for (${range})
    % visit(row.value(element("i")))
% else
for (${range}) {
    float v[${vec}];
    load_vector(${x_loads}, i, v);
    for (int k = 0; k < ${vec}; k++)
        % visit(row.value("v[k]"))
}
% each_rest(visit, "")
% end
% end
% local function online(text)
float larger = fmaxf(maximum, ${text});
sum = sum * ${exponential("maximum", "larger")} + ${exponential(text, "larger")};
maximum = larger;
% end
% if passes == 3 then
// Pass 1: the maximum.
float maximum = ${row.lowest};
% each_element(function(v)
    maximum = fmaxf(maximum, ${v});
% end)
% if not alone then
float row_maximum = ${row.reduce("max", "maximum")};
% end

// Pass 2: the sum.
float sum = 0.0f;
% each_element(function(v)
    sum += ${exponential(v, row.maximum)};
% end)
% if not alone then
float row_sum = ${row.reduce("sum", "sum")};
% end
% else
// Pass 1: the maximum so far, and the sum relative to it.
float maximum = ${row.lowest};
float sum = 0.0f;
% if vec == 1 then
for (${range}) {
    float v = ${row.value(element("i"))};
    % online("v")
}
% elseif update == "element" then
for (${range}) {
    float v[${vec}];
    load_vector(${x_loads}, i, v);
    for (int k = 0; k < ${vec}; k++) {
        % online(row.value("v[k]"))
    }
}
% else
for (${range}) {
    float v[${vec}];
    load_vector(${x_loads}, i, v);
    float larger = maximum;
    for (int k = 0; k < ${vec}; k++)
        larger = fmaxf(larger, ${row.value("v[k]")});
    sum *= ${exponential("maximum", "larger")};
    for (int k = 0; k < ${vec}; k++)
        sum += ${exponential(row.value("v[k]"), "larger")};
    maximum = larger;
}
% end
% each_rest(online, " {", "}")
% if not alone then
% include "combine.cu"
% end
% end

% include "outside.cu"
// Pass ${passes}: the result.
% if problem.op == "softmax" then
float inverse = ${over("1.0f", row.sum)};
% else
float log_sum = logf(${row.sum});
% end
% if vec == 1 then
for (${range})
    ${put("i", row.result(row.value(element("i"))))}
% else
for (${range}) {
    float v[${vec}];
    load_vector(${x_loads}, i, v);
    for (int k = 0; k < ${vec}; k++)
        v[k] = ${row.result(row.value("v[k]"))};
    store_vector(${y_loads}, i, v);
}
% each_rest(function(v)
    ${put(rest_index, row.result(v))}
% end, "")
% end
