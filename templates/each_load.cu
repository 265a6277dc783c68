% -- Sets each_load, for a row whose loads all have a place of their own: a thread has `loads` of them and `rests`
% -- single elements.
% loads = -(-whole // step)
% rests = -(-rest // step)
% local full_loads = least_whole // step                        -- of every thread
% even = not peeled and whole % step == 0 and rest % step == 0  -- whether every thread has as many
% -- load(c, index): the lines for a load, with braces around them where there are several; one(k, column): the line for
% -- an element, the k-th of its kind.
% function each_load(load, one, several)
% local open, close = several and " {" or "", several and "}"
% local function inner(c, index)
% if vec > 1 then
    % load(c, index)
% else
    ${one(c, index, true)}
% end
% end
% local function guarded(condition, c, index)
if (${condition})${open}
    % inner(c, index)
% if close then
${close}
% end
% end
% if loads == 1 and full_loads == 0 then
% guarded(("%s < %s"):format(first, loads_end), "0", first)
% elseif loads == 1 then
% inner("0", first)
% else
#pragma unroll
% if alone then
for (int c = 0; c < ${loads}; c++)${open}
    % inner("c", "c")
% if close then
${close}
% end
% else
for (int c = 0; c < ${loads}; c++) {
    int i = c * ${step} + ${first};
    % if full_loads == loads then
    % inner("c", "i")
    % else
    % guarded((full_loads > 0 and ("c < %d || "):format(full_loads) or "") .. "i < " .. loads_end, "c", "i")
    % end
}
% end
% end
% for r = 0, rests - 1 do
% local index = row.at(r * step)
% if peeled then
if (${index} < edges)
    ${one(r, row.edge(index))}
% elseif (r + 1) * step > rest then
if (${first} < ${rest - r * step})
    ${one(r, row.at(problem.N - rest + r * step))}
% else
${one(r, row.at(problem.N - rest + r * step))}
% end
% end
% end
