% -- The article's kernels: the general ones with everything newer left out.
% include("row_" .. scope .. ".cu", { cache = "none", exp = "expf", update = "element", resident = 0,
%                                          blocks = 1, rows = 1, load = "plain", store = "plain", programmatic = false })
