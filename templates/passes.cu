% -- What the threads of a row do, from its first load to its last store.
% -- first: a thread's index among them; step: how many they are; reducer: "block", "warp", "group", "cluster", "grid"
% -- or "split" for those that reduce over them ("sums": only so far), "" where a thread has the row to itself.
% local alone = reducer == ""
% local infinity = "__int_as_float(0x7f800000)"
% local names = { maximum = alone and "maximum" or "row_maximum", sum = alone and "sum" or "row_sum" }
% -- Where a running maximum starts: from -infinity, e^(-infinity - -infinity) would be NaN.
% names.lowest = guard == "clamped" and passes == 2 and "-3.402823466e+38f" or "-" .. infinity
% names.infinity = infinity
% function names.value(text)             -- of an element
%   return problem.scale ~= "none" and "sign * " .. text or text
% end
% function names.result(text)            -- for an element's value
%   if problem.op == "softmax" then
%     return exponential(text, names.maximum) .. " * inverse"
%   end
%   local rate = problem.scale == "none" and "" or exp == "expf" and "rate * " or "fabsf(scale) * "
%   return ("%s(%s - %s) - log_sum"):format(rate, text, names.maximum)
% end
% function names.reduce(op, text)
%   return ("%s_%s(%s)"):format(reducer, op, text)
% end
% function names.at(base)                -- the index that lies `base` beyond a thread's own
%   if first == "0" then return tostring(base) end
%   return base == 0 and first or ("%d + %s"):format(base, first)
% end
% function names.edge(index)             -- the column of the index-th element that is in no load
%   if peeled then return ("%s < head ? %s : %s + %d * whole"):format(index, index, index, vec) end
%   return names.at(problem.N - rest)
% end
% local file = ({ none = "memory", both = "packed" })[cache] or cache
% include("passes_" .. file .. ".cu", { row = names, alone = alone })
