-- The article's five kernels and everything between them, for every type and shape.
--   v1  one thread a row                        v4  16 bytes a load
--   v2  a block a row, tree in shared memory    v5  maximum and sum in one pass (online)
--   v3  warp shuffles in two stages
return space {
  name = "article",
  template = "article.cu",
  parameters = {
    { "scope",     { "block", "thread" },                 "who owns a row" },
    { "threads",   { 256, 32, 64, 128, 512, 1024 },       "threads per block" },
    { "vec_bytes", function(problem) return problem.size_in == 4 and { 4, 8, 16 } or { 2, 4, 8, 16 } end,
      "bytes per load" },
    { "reduction", { "tree", "shuffle", "none" },
      "over a block's threads: a tree in shared memory; warp shuffles, then the first warp over the warps" },
    { "passes",    { 3, 2 },                              "over x: maximum, sum, result; or both at once, result" },
    { "guard",     { "none", "clamped" },
      "where an online maximum starts: -infinity, as published, which makes NaN of a first -infinity; or the lowest number" },
  },
  constraints = {
    { { "scope", "reduction" }, function(scope, reduction) return (scope == "thread") == (reduction == "none") end,
      "a block reduces, a thread has nothing to reduce" },
    { { "vec_bytes" }, function(vec_bytes, problem)
        return problem.row_align % vec_bytes == 0 or vec_bytes == problem.size_in
      end, "every row begins at a whole vector" },
    { { "threads" }, function(threads, problem) return problem.N + threads < 1 << 31 end,
      "a column's index, and the next after the last, is a 32-bit integer" },
    { { "vec_bytes" }, function(vec_bytes, problem) return vec_bytes // problem.size_in <= problem.N end,
      "a row fills a vector" },
    { { "passes", "guard" }, function(passes, guard) return passes == 2 or guard == "none" end,
      "three passes need no guard: they know the maximum before the first exponential" },
  },
  launch = function(v, problem)
    local launch = { grid_of_M = "M", block = v.threads, args = { "x", "y" } }
    if v.scope == "thread" then
      launch.grid_of_M = ("ceil(M, %d)"):format(v.threads)
      table.insert(launch.args, "M")
    end
    if problem.scale ~= "none" then table.insert(launch.args, "scale") end
    return { launch }
  end,
  presets = {
    v1 = { scope = "thread", reduction = "none" },
    v2 = { reduction = "tree" },
    v3 = { reduction = "shuffle" },
    v4 = { reduction = "shuffle", vec_bytes = 16 },
    v5 = { reduction = "shuffle", vec_bytes = 16, passes = 2 },
  },
}
