% -- The article's kernels: the general ones with everything newer left out.
% local older = { cache = "none", exp = "expf", update = "element", resident = 0, blocks = 1, rows = 1 }
% older.load, older.store, older.programmatic = "plain", "plain", false
% include("row_" .. scope .. ".cu", older)
