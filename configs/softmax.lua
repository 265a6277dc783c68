-- The default space. docs/space-softmax.md says what each axis means and when it helps.

-- Threads that share a row.
local function sharers(scope, lanes, threads)
  return scope == "thread" and 1 or scope == "warp" and lanes or threads
end

-- Elements of a row that each of `step` threads holds.
local function held(problem, vec_bytes, step)
  local vec = vec_bytes // problem.size_in
  local function share(n) return (n + step - 1) // step end
  return share(problem.N // vec) * vec + share(problem.N % vec)
end

-- The widest load that every row is aligned to and long enough for.
local function widest(problem)
  local bytes = 16
  while bytes > problem.size_in and (problem.row_align % bytes ~= 0 or bytes // problem.size_in > problem.N) do
    bytes = bytes // 2
  end
  return bytes
end

return space {
  name = "softmax",
  template = function(v) return "row_" .. v.scope .. ".cu" end,
  parameters = {
    { "scope",     { "block", "warp", "thread" },        "who owns a row" },
    { "lanes",     { 32, 16, 8, 4, 2 },                  "of a warp that share a row" },
    { "threads",   { 256, 64, 128, 512, 1024 },          "threads per block", full = { 32, 96, 192, 384, 768 } },
    { "vec_bytes", function(problem) return problem.size_in == 4 and { 4, 8, 16 } or { 2, 4, 8, 16 } end,
      "bytes per load of x" },
    { "cache",     { "none", "registers" },              "where a row is kept between the passes" },
    { "reduction", { "shuffle", "tree", "butterfly", "none" },
      "over a block: warp shuffles and then one warp; a tree in shared memory; warp shuffles and then every warp" },
    { "passes",    { 3, 2 },                             "maximum, sum, result; or maximum and sum at once, result" },
    { "update",    { "element", "vector" },              "how often an online sum is brought to a new maximum" },
    { "guard",     { "none", "clamped" },                "where an online maximum starts: -infinity, the lowest number" },
    { "exp",       { "expf", "ex2" },                    "the exponential: the library's, or the hardware's power of two" },
    { "resident",  function(problem, gpu)
        return { 0, gpu.max_threads_per_sm, gpu.max_threads_per_sm > 1024 and 1024 or 512 }
      end, "threads an SM that the registers must leave room for; 0: as many registers as the compiler likes" },
  },
  constraints = {
    -- What cannot be.
    { { "scope", "lanes" }, function(scope, lanes) return scope == "warp" or lanes == 32 end,
      "lanes are for rows that share a warp" },
    { { "vec_bytes" }, function(vec_bytes, problem)
        return problem.row_align % vec_bytes == 0 or vec_bytes == problem.size_in
      end, "every row begins at a whole vector" },
    { { "threads" }, function(threads, problem) return problem.N + threads < 1 << 31 end,
      "a column's index, and the next after the last, is a 32-bit integer" },
    { { "vec_bytes" }, function(vec_bytes, problem) return vec_bytes // problem.size_in <= problem.N end,
      "a row fills a vector" },
    { { "scope", "reduction" }, function(scope, reduction) return (scope == "block") == (reduction ~= "none") end,
      "only a block has warps to reduce over" },
    { { "threads", "reduction" }, function(threads, reduction)
        return reduction ~= "tree" or threads & (threads - 1) == 0
      end, "a tree halves a power of two" },
    { { "scope", "cache", "passes" }, function(scope, cache, passes)
        return not (scope == "thread" and cache == "registers" and passes == 2)
      end, "one thread with its row in registers has no sums to bring together" },
    { { "vec_bytes", "cache", "passes", "update" }, function(vec_bytes, cache, passes, update, problem)
        return update == "element" or (vec_bytes > problem.size_in and cache == "none" and passes == 2)
      end, "an update a vector is for an online sum over vectors" },
    { { "passes", "guard" }, function(passes, guard) return passes == 2 or guard == "none" end,
      "three passes need no guard: they know the maximum before the first exponential" },
    { { "threads", "vec_bytes", "cache", "reduction", "passes", "update", "guard", "exp", "resident" },
      function(threads, vec_bytes, cache, reduction, passes, update, guard, exp, resident)
        return guard == "clamped" or passes == 3 or (threads == 256 and vec_bytes == 16 and cache == "none"
               and reduction == "shuffle" and update == "element" and exp == "expf" and resident == 0)
      end, "only the article's v5 goes without a guard" },
    { { "threads", "resident" }, function(threads, resident, problem, gpu)
        return resident == 0 or (resident % threads == 0 and resident > threads
                                 and resident // threads <= gpu.max_blocks_per_sm)
      end, "whole blocks, and more than one, make up the resident threads" },
    { { "scope", "lanes", "threads", "vec_bytes", "cache" },
      function(scope, lanes, threads, vec_bytes, cache, problem, gpu)
        local registers = math.min(gpu.max_registers_per_thread, gpu.registers_per_sm // threads)
        return cache == "none" or held(problem, vec_bytes, sharers(scope, lanes, threads)) + 10 <= registers
      end, "a thread's share of the row fits its registers" },
    { { "scope", "lanes", "threads", "vec_bytes", "cache", "resident" },
      function(scope, lanes, threads, vec_bytes, cache, resident, problem, gpu)
        return resident == 0 or cache == "none"
               or held(problem, vec_bytes, sharers(scope, lanes, threads)) + 8 <= gpu.registers_per_sm // resident
      end, "a thread's share of the row fits the registers of so many resident threads" },

    -- What has not been seen to win.
    { { "threads", "vec_bytes", "cache", "scope" }, function(threads, vec_bytes, cache, scope, problem)
        return vec_bytes == widest(problem) or (vec_bytes == problem.size_in and cache == "none")
      end, "the widest load, or the article's of one element", only = "default" },
    { { "scope", "lanes", "threads", "vec_bytes", "cache" }, function(scope, lanes, threads, vec_bytes, cache, problem)
        return cache == "none" or held(problem, vec_bytes, sharers(scope, lanes, threads)) <= 64
      end, "at most 64 elements a thread in registers", only = "default" },
    { { "scope", "lanes", "threads", "vec_bytes", "cache" }, function(scope, lanes, threads, vec_bytes, cache, problem)
        local step = sharers(scope, lanes, threads)
        return step <= math.max(1, 2 * (problem.N * problem.size_in // vec_bytes)) or (cache == "none" and step <= 256)
      end, "most threads of a row have a load to do", only = "default" },
    { { "scope", "cache" }, function(scope, cache) return scope ~= "warp" or cache == "registers" end,
      "a row of a warp fits its registers", only = "default" },
    { { "scope", "threads" }, function(scope, threads) return scope ~= "warp" or threads <= 256 end,
      "warps that share no row need no large block", only = "default" },
    { { "scope", "threads", "vec_bytes", "cache", "passes" },
      function(scope, threads, vec_bytes, cache, passes, problem)
        return scope ~= "thread" or (threads <= 256 and problem.N <= 64)
               or (threads == 256 and vec_bytes == problem.size_in and cache == "none" and passes == 3)
      end, "a thread a row is for rows of at most 64 elements, and for the article's v1", only = "default" },
    { { "cache", "reduction", "exp" }, function(cache, reduction, exp)
        return reduction == "butterfly" or reduction == "none" or (cache == "none" and exp == "expf")
      end, "the article's reductions go with its exponential and its passes over memory", only = "default" },
    { { "vec_bytes", "reduction" }, function(vec_bytes, reduction, problem)
        return reduction ~= "butterfly" or vec_bytes == widest(problem)
      end, "newer reductions go with the widest load", only = "default" },
    { { "vec_bytes", "cache", "passes", "update", "guard" },
      function(vec_bytes, cache, passes, update, guard, problem)
        return update == "vector" or passes == 3 or cache == "registers" or vec_bytes == problem.size_in
               or guard == "none"
      end, "an online sum over vectors is updated a vector at a time", only = "default" },
    { { "cache", "resident" }, function(cache, resident) return cache == "registers" or resident == 0 end,
      "without a row in registers there are registers enough", only = "default" },
  },
  launch = function(v, problem)
    local rows = v.threads // sharers(v.scope, v.lanes, v.threads)   -- a block
    local launch = { grid_of_M = "M", block = v.threads, args = { "x", "y" } }
    if v.scope ~= "block" then
      launch.grid_of_M = ("ceil(M, %d)"):format(rows)
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
