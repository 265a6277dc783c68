-- The default space. docs/space-softmax.md says what each axis means and when it helps.

-- Threads that share a row.
local function sharers(scope, lanes, threads, blocks)
  return scope == "thread" and 1 or (scope == "warp" or scope == "tile") and lanes or threads * blocks
end

local function together(scope) return scope == "cluster" or scope == "grid" or scope == "split" end

local function ceil(a, b) return (a + b - 1) // b end

-- Whether loads of so many bytes begin at the row's second element or later, and leave edges on both sides.
local function peeled(problem, vec_bytes)
  return problem.x_stride * problem.size_in % vec_bytes ~= 0 or problem.align % vec_bytes ~= 0
end

-- Elements of a row that each of `step` threads holds.
local function held(problem, vec_bytes, step)
  local vec = vec_bytes // problem.size_in
  local rest = problem.N % vec
  if peeled(problem, vec_bytes) and rest < vec - 1 then rest = rest + vec end
  return ceil(problem.N // vec, step) * vec + ceil(rest, step)
end

-- Registers that a thread's share of the row takes.
local function registers_held(problem, cache, vec_bytes, step)
  if cache == "none" or cache == "shared" then return 0 end
  local elements = held(problem, vec_bytes, step)
  if cache == "both" then
    local loads = ceil(problem.N * problem.size_in // vec_bytes, step)
    return (loads - loads // 2) * vec_bytes // 4 + 2
  end
  return cache == "packed" and ceil(elements, 2) or elements
end

-- Shared memory that a block's share of the row takes.
local function kept_bytes(problem, cache, vec_bytes, threads, blocks)
  local loads = ceil(problem.N * problem.size_in // vec_bytes, threads * blocks)
  return (cache == "both" and loads // 2 or cache == "shared" and loads or 0) * threads * vec_bytes
end

-- Shared memory that `rows` rows take, as read and, where that is of another size, as written.
local function tile_bytes(problem, rows)
  local same = problem.size_in == problem.size_out
  return rows * problem.N * (problem.size_in + (same and 0 or problem.size_out))
end

-- Whether so many rows are some 4 to 36 KiB, of which an SM has several, or as much as there can be.
local function tile_fits(problem, rows)
  local bytes = tile_bytes(problem, rows)
  return bytes <= 36864 and (bytes >= 7000 or rows == 1024)
end

-- The widest load that every row is long enough for; 16 bytes are the most but on a few GPUs.
local function widest(problem)
  local bytes = 16
  while bytes > problem.size_in and bytes // problem.size_in > problem.N do bytes = bytes // 2 end
  return bytes
end

-- Bytes that all of x has, and whether that is so little that starting the kernel takes a good part of the time.
local function x_bytes(problem) return problem.M * problem.N * problem.size_in end
local function small(problem) return x_bytes(problem) <= 32 << 20 end

return space {
  name = "softmax",
  template = function(v) return "row_" .. v.scope .. ".cu" end,
  parameters = {
    { "scope",     function(problem, gpu)
        return gpu.max_cluster > 0 and { "block", "warp", "thread", "tile", "cluster", "grid", "split" }
               or { "block", "warp", "thread", "tile", "grid", "split" }
      end, "who owns a row" },
    { "lanes",     { 32, 16, 8, 4, 2, 1 },               "of a warp that share a row" },
    { "rows",      { 1, 8, 16, 32, 64, 128, 256, 512, 1024 }, "that a block copies into shared memory together" },
    { "blocks",    { 1, 2, 4, 8, 16, 32, 64, 128 },      "that share a row" },
    { "threads",   { 256, 64, 128, 192, 512, 1024 },     "threads per block", full = { 32, 96, 384, 768 } },
    { "vec_bytes", function(problem) return problem.size_in == 4 and { 4, 8, 16 } or { 2, 4, 8, 16 } end,
      "bytes per load of x", full = function(problem, gpu)
        return gpu.compute_capability >= 100 and (gpu.ptx_version == 0 or gpu.ptx_version >= 88) and { 32 } or {}
      end },
    { "cache",     function(problem)
        return problem.size_in == 2 and { "none", "registers", "packed", "shared", "both" }
               or { "none", "registers", "shared", "both" }
      end, "where a row is kept between the passes" },
    { "reduction", { "shuffle", "tree", "butterfly", "none" },
      "over a block: warp shuffles, then one warp; a tree in shared memory; warp shuffles, then every warp" },
    { "passes",    { 3, 2 },                             "maximum, sum, result; or maximum and sum at once, result" },
    { "update",    { "element", "vector" },              "how often an online sum is brought to a new maximum" },
    { "guard",     { "none", "clamped" },                "where an online maximum starts: -infinity, the lowest number" },
    { "exp",       { "expf", "ex2" },                    "the exponential: the library's, or the hardware's power of two" },
    { "resident",  function(problem, gpu) return { 0, gpu.max_threads_per_sm } end,
      "threads an SM that the registers must leave room for; 0: as many registers as the compiler likes",
      full = function(problem, gpu)
        local fewer = {}
        for _, threads in ipairs { 1536, 1024, 960, 768, 512 } do
          if threads < gpu.max_threads_per_sm then table.insert(fewer, threads) end
        end
        return fewer
      end },
    { "load",      { "plain", "no_allocate" },           "a hint to the cache: none, no place in L1", full = { "stream" } },
    { "store",     { "plain", "stream" },                "a hint to the cache: none, the first to go" },
    { "programmatic", function(problem, gpu) return gpu.max_cluster > 0 and { false, true, "prefetch" } or { false } end,
      "whether the kernel starts before its predecessor has ended, and what it does before it waits" },
  },
  constraints = {
    -- What cannot be.
    { { "scope", "lanes" }, function(scope, lanes)
        return scope == "tile" or (scope == "warp" and lanes > 1) or lanes == 32
      end, "lanes are for rows that share a warp" },
    { { "scope", "rows" }, function(scope, rows, problem)
        if scope ~= "tile" then return rows == 1 end
        local elements = rows * problem.N
        return rows > 1 and problem.x_stride == problem.N and problem.y_stride == problem.N and problem.align % 16 == 0
               and elements * problem.size_in % 16 == 0 and elements * problem.size_out % 16 == 0
      end, "rows are copied together that lie one after the other, as many as begin at a whole vector again" },
    { { "lanes", "rows", "threads" }, function(lanes, rows, threads)
        return rows == 1 or (rows * lanes) % threads == 0
      end, "all threads have a row to do" },
    { { "rows" }, function(rows, problem, gpu)
        return rows == 1 or tile_bytes(problem, rows) <= gpu.smem_per_block - 8192
      end, "the rows that are copied together fit the shared memory" },
    { { "scope", "blocks" }, function(scope, blocks, problem, gpu)
        if scope == "cluster" then return blocks > 1 and blocks <= gpu.max_cluster end
        return together(scope) == (blocks >= 8) and (scope == "grid" or scope == "split" or blocks == 1)
      end, "a row has one block, or a cluster of them, or 8 to 128 that need not be neighbours" },
    { { "scope", "vec_bytes" }, function(scope, vec_bytes, problem)
        return scope ~= "thread" or vec_bytes == problem.size_in or not peeled(problem, vec_bytes)
      end, "the row of one thread begins at a whole vector" },
    { { "scope", "blocks" }, function(scope, blocks, problem, gpu) return scope ~= "grid" or blocks <= gpu.sms end,
      "blocks that wait for one another are on the GPU together: one an SM always is" },
    { { "threads", "blocks" }, function(threads, blocks, problem) return problem.N + threads * blocks < 1 << 31 end,
      "a column's index, and the next after the last, is a 32-bit integer" },
    { { "scope", "vec_bytes" }, function(scope, vec_bytes, problem)
        return scope == "tile" or vec_bytes // problem.size_in <= problem.N
      end, "a row fills a vector" },
    { { "scope", "reduction" }, function(scope, reduction)
        return (scope == "thread" or scope == "warp" or scope == "tile") == (reduction == "none")
               and (not together(scope) or reduction == "butterfly")
      end, "only a block has warps to reduce over, and several exchange what every warp knows" },
    { { "threads", "reduction" }, function(threads, reduction)
        return reduction ~= "tree" or threads & (threads - 1) == 0
      end, "a tree halves a power of two" },
    { { "scope", "passes" }, function(scope, passes) return passes == 2 or not together(scope) end,
      "blocks exchange the maximum and the sum together" },
    { { "scope", "resident" }, function(scope, resident) return scope ~= "split" or resident == 0 end,
      "two kernels have different needs" },
    { { "scope", "cache" }, function(scope, cache)
        if scope == "tile" or scope == "split" then return cache == "registers" end
        return (cache ~= "none" or not together(scope)) and (cache ~= "shared" and cache ~= "both" or scope == "block" or together(scope))
      end, "blocks keep what they have read, and what is kept in shared memory is a block's" },
    { { "vec_bytes", "cache" }, function(vec_bytes, cache, problem)
        return vec_bytes > problem.size_in and vec_bytes < (cache == "packed" and 64 or 32)
               or cache == "none" or cache == "registers"
      end, "a row is kept as it is in whole vectors, of 16 bytes at most in shared memory" },
    { { "scope", "vec_bytes" }, function(scope, vec_bytes) return scope ~= "tile" or vec_bytes == 16 end,
      "rows are copied together in vectors of 16 bytes" },
    { { "scope", "lanes", "cache", "passes" }, function(scope, lanes, cache, passes)
        return not ((scope == "thread" and cache ~= "none" or lanes == 1) and passes == 2)
      end, "one thread with its row in registers has no sums to bring together" },
    { { "vec_bytes", "cache", "passes", "update" }, function(vec_bytes, cache, passes, update, problem)
        return update == "element" or (vec_bytes > problem.size_in and cache == "none" and passes == 2)
      end, "an update a vector is for an online sum over vectors" },
    { { "passes", "guard" }, function(passes, guard) return passes == 2 or guard == "none" end,
      "three passes need no guard: they know the maximum before the first exponential" },
    { { "scope", "threads", "vec_bytes", "cache", "reduction", "passes", "update", "guard", "exp" },
      function(scope, threads, vec_bytes, cache, reduction, passes, update, guard, exp, problem)
        return guard == "clamped" or passes == 3 or (threads == 256 and vec_bytes == 16 and cache == "none"
               and reduction == "shuffle" and update == "element" and exp == "expf" and not peeled(problem, vec_bytes))
      end, "only the article's v5 goes without a guard" },
    { { "passes", "guard", "resident", "store", "programmatic" }, function(passes, guard, resident, store, programmatic)
        return guard == "clamped" or passes == 3 or (resident == 0 and store == "plain" and not programmatic)
      end, "and v5 has nothing newer" },
    { { "threads", "resident" }, function(threads, resident, problem, gpu)
        return resident == 0 or (resident % threads == 0 and resident > threads
                                 and resident // threads <= gpu.max_blocks_per_sm)
      end, "whole blocks, and more than one, make up the resident threads" },
    { { "scope", "lanes", "threads", "blocks", "vec_bytes", "cache" },
      function(scope, lanes, threads, blocks, vec_bytes, cache, problem, gpu)
        local registers = math.min(gpu.max_registers_per_thread, gpu.registers_per_sm // threads)
        local room = cache == "registers" and 12 or 24
        local step = sharers(scope, lanes, threads, blocks)
        return cache == "none" or registers_held(problem, cache, vec_bytes, step) + room <= registers
      end, "a thread's share of the row fits its registers" },
    { { "threads", "blocks", "vec_bytes", "cache" }, function(threads, blocks, vec_bytes, cache, problem, gpu)
        local bytes = kept_bytes(problem, cache, vec_bytes, threads, blocks)
        return bytes <= gpu.smem_per_block - 8192 and (cache ~= "both" or bytes > 0)
      end, "a block's share of the row fits its shared memory" },
    { { "scope", "lanes", "threads", "blocks", "vec_bytes", "cache", "resident" },
      function(scope, lanes, threads, blocks, vec_bytes, cache, resident, problem, gpu)
        if resident == 0 or cache == "none" then return true end
        local step = sharers(scope, lanes, threads, blocks)
        local room = cache == "registers" and 12 or 22
        return registers_held(problem, cache, vec_bytes, step) + room <= gpu.registers_per_sm // resident
      end, "a thread's share of the row fits the registers of so many resident threads" },
    { { "threads", "blocks", "vec_bytes", "cache", "resident" },
      function(threads, blocks, vec_bytes, cache, resident, problem, gpu)
        local bytes = kept_bytes(problem, cache, vec_bytes, threads, blocks)
        return bytes == 0 or resident // threads * (bytes + gpu.smem_reserved + 1024) <= gpu.smem_per_sm
      end, "the shares of all resident blocks fit the shared memory" },
    { { "vec_bytes", "cache", "load" }, function(vec_bytes, cache, load, problem)
        return load == "plain" or (vec_bytes > problem.size_in and cache ~= "none"
                                   and (vec_bytes < 32 or load == "no_allocate"))
      end, "hints are for vectors of a row that is read once" },
    { { "vec_bytes", "store" }, function(vec_bytes, store, problem)
        return store == "plain" or vec_bytes > problem.size_in
      end, "hints are for vectors" },

    { { "scope", "programmatic" }, function(scope, programmatic) return scope ~= "tile" or programmatic ~= "prefetch" end,
      "rows that are copied together are not asked for before" },

    -- What has not been seen to win.
    { { "scope", "cache", "vec_bytes" }, function(scope, cache, vec_bytes, problem)
        local wider = cache ~= "none" and problem.size_out > problem.size_in and problem.N >= widest(problem)
        return (vec_bytes == widest(problem) and not (wider and together(scope)))
               or (vec_bytes == problem.size_in and cache == "none") or scope == "tile"
               or (wider and 2 * vec_bytes == widest(problem))
      end, "the widest load or, where results are wider, store; or the article's of one element", only = "default" },
    { { "scope", "lanes", "threads", "blocks", "vec_bytes", "cache" },
      function(scope, lanes, threads, blocks, vec_bytes, cache, problem)
        local held = registers_held(problem, cache, vec_bytes, sharers(scope, lanes, threads, blocks))
        return held <= (scope == "cluster" and 128 or 64)
      end, "at most 64 registers a thread for the row, of a cluster 128", only = "default" },
    { { "scope", "lanes", "threads", "blocks", "vec_bytes", "cache" },
      function(scope, lanes, threads, blocks, vec_bytes, cache, problem)
        local step = sharers(scope, lanes, threads, blocks)
        return scope == "tile" or step <= math.max(1, 2 * (problem.N * problem.size_in // vec_bytes))
               or (cache == "none" and step <= 256)
      end, "most threads of a row have a load to do", only = "default" },
    { { "scope", "threads", "cache" }, function(scope, threads, cache, problem)
        return cache ~= "none" or scope ~= "block" or threads == 256 or problem.N * problem.size_in > 65536
      end, "passes over memory are the article's, or for rows that fit nowhere else", only = "default" },
    { { "scope", "cache" }, function(scope, cache) return scope ~= "warp" or cache ~= "none" end,
      "a row of a warp fits its registers", only = "default" },
    { { "scope", "threads" }, function(scope, threads) return scope ~= "warp" or threads <= 256 end,
      "warps that share no row need no large block", only = "default" },
    { { "scope", "blocks", "threads" }, function(scope, blocks, threads, problem, gpu)
        local share = problem.N * problem.size_in // blocks
        if scope == "cluster" then
          return threads >= 128 and share >= 2048
                 and (problem.M * blocks <= 4 * gpu.sms or share >= 8192)
        end
        return not together(scope) or (problem.M * blocks <= 4 * gpu.sms and share >= 2048 and threads >= 128)
               or (share >= 32768 and threads >= 512 and (share * blocks >= 1 << 20 or gpu.max_cluster == 0))
      end, "blocks that share a row have enough of it, and few rows leave them room", only = "default" },
    { { "threads", "blocks", "vec_bytes", "cache" }, function(threads, blocks, vec_bytes, cache, problem)
        return cache ~= "both" or kept_bytes(problem, cache, vec_bytes, threads, blocks) >= 16384
      end, "both places are for rows that fill one", only = "default" },
    { { "scope" }, function(scope, problem)
        return (scope ~= "warp" and scope ~= "thread") or problem.N * problem.size_in <= 16384
      end, "a long row is no warp's", only = "default" },
    { { "scope", "lanes", "rows", "threads" }, function(scope, lanes, rows, threads, problem)
        if scope ~= "tile" then return true end
        local share, turns = ceil(problem.N, lanes), rows * lanes // threads
        return tile_fits(problem, rows) and threads >= 128 and threads <= 256 and turns <= 8
               and (share >= 4 or lanes <= 2) and (share <= 20 or (share <= 36 and lanes == 32) or (share <= 33 and lanes == 2))
               and (peeled(problem, 16) or problem.N * problem.size_in < 64)
      end, "rows are copied together where they are not aligned, some 4 to 36 KiB of them", only = "default" },
    { { "scope", "passes", "resident", "load", "store" }, function(scope, passes, resident, load, store)
        return scope ~= "tile" or (passes == 3 and resident == 0 and load == "plain" and store == "plain")
      end, "what is in shared memory needs little else", only = "default" },
    { { "scope", "threads", "vec_bytes", "cache", "passes" },
      function(scope, threads, vec_bytes, cache, passes, problem)
        return scope ~= "thread" or (threads <= 256 and problem.N <= 64)
               or (threads == 256 and vec_bytes == problem.size_in and cache == "none" and passes == 3)
      end, "a thread a row is for rows of at most 64 elements, and for the article's v1", only = "default" },
    { { "cache", "reduction", "exp" }, function(cache, reduction, exp)
        return reduction == "butterfly" or reduction == "none" or (cache == "none" and exp == "expf")
      end, "the article's reductions go with its exponential and its passes over memory", only = "default" },
    { { "scope", "reduction", "exp" }, function(scope, reduction, exp, problem)
        return exp == "ex2" or reduction == "shuffle" or reduction == "tree" or scope == "thread"
      end, "newer reductions go with the faster exponential", only = "default" },
    { { "vec_bytes", "reduction" }, function(vec_bytes, reduction, problem)
        return reduction ~= "butterfly" or vec_bytes > problem.size_in or widest(problem) == problem.size_in
      end, "newer reductions go with the widest load", only = "default" },
    { { "vec_bytes", "cache", "passes", "update", "guard" },
      function(vec_bytes, cache, passes, update, guard, problem)
        return update == "vector" or passes == 3 or cache ~= "none" or vec_bytes == problem.size_in
               or guard == "none"
      end, "an online sum over vectors is updated a vector at a time", only = "default" },
    { { "scope", "lanes", "threads", "blocks", "vec_bytes", "cache", "resident" },
      function(scope, lanes, threads, blocks, vec_bytes, cache, resident, problem, gpu)
        if resident == 0 then return true end
        local step = sharers(scope, lanes, threads, blocks)
        return cache ~= "none" and cache ~= "shared"
               and registers_held(problem, cache, vec_bytes, step) + 40 > gpu.registers_per_sm // resident
      end, "without a large share of the row in registers there are registers enough", only = "default" },
    { { "scope", "cache" }, function(scope, cache) return cache ~= "shared" or scope == "grid" end,
      "a row in shared memory alone was slower than in registers or both, but for a grid's", only = "default" },
    { { "scope", "lanes", "vec_bytes" }, function(scope, lanes, vec_bytes, problem)
        return scope ~= "warp" or lanes == 32 or ceil(problem.N * problem.size_in // vec_bytes, lanes) <= 4
      end, "a thread has at most 4 loads where more threads could share the row", only = "default" },
    { { "scope", "lanes", "cache", "passes" }, function(scope, lanes, cache, passes, problem)
        if cache == "none" or together(scope) or scope == "thread" or scope == "tile" or lanes == 1 then return true end
        if peeled(problem, widest(problem)) then return passes == 3 end
        return passes == 2 or (scope == "block" and problem.N * problem.size_in > 4096)
      end, "a kept row is done in three passes where it is not aligned, in two where it is short", only = "default" },
    { { "scope", "resident" }, function(scope, resident, problem)
        return resident == 0 or (scope == "warp" and peeled(problem, widest(problem)))
      end, "fewer registers help warps with edges", only = "default" },
    { { "load", "store" }, function(load, store) return load == "plain" and store == "plain" end,
      "kernels with hints were up to 5 % apart from round to round", only = "default" },
    { { "scope", "threads" }, function(scope, threads, problem)
        return threads ~= 192 or (scope == "cluster" and not small(problem) and problem.N * problem.size_in >= 16384)
      end, "blocks between 128 and 256 threads are for the clusters of large problems", only = "default" },
    { { "scope", "threads", "blocks" }, function(scope, threads, blocks, problem)
        local bytes = problem.N * problem.size_in
        return scope ~= "cluster" or small(problem) or bytes >= (bytes < 65536 and 32 or 80) * threads * blocks
      end, "a thread of a large problem's cluster has 32 bytes or more, of long rows 80", only = "default" },
    { { "scope", "cache", "programmatic" }, function(scope, cache, programmatic, problem, gpu)
        if cache == "none" or gpu.max_cluster == 0 then return programmatic == false end
        if x_bytes(problem) <= 4 << 20 then return programmatic == "prefetch" or scope == "tile" end
        if scope == "cluster" and not small(problem) and problem.N * problem.size_in < 65536 then
          return programmatic == "prefetch"
        end
        if small(problem) or (scope == "block" and problem.N * problem.size_in > 4096) then return programmatic ~= false end
        return programmatic == true
      end, "what was measured to help: small problems and long rows of a block ask early", only = "default" },
  },
  launch = function(v, problem, gpu, image)
    local launch = { grid_of_M = "M", block = v.threads, args = { "x", "y" }, programmatic = v.programmatic ~= false }
    local workspace = 0
    launch.dynamic_smem_bytes = kept_bytes(problem, v.cache, v.vec_bytes, v.threads, v.blocks)
    if v.scope == "tile" then
      launch.dynamic_smem_bytes = tile_bytes(problem, v.rows)
      launch.grid_of_M = ("ceil(M, %d)"):format(v.rows)
      table.insert(launch.args, "M")
    elseif v.scope == "thread" or v.scope == "warp" then
      launch.grid_of_M = ("ceil(M, %d)"):format(v.threads // sharers(v.scope, v.lanes, v.threads, v.blocks))
      table.insert(launch.args, "M")
    elseif v.scope == "cluster" then
      launch.grid_of_M = ("M * %d"):format(v.blocks)
      launch.cluster = v.blocks
    elseif v.scope == "grid" then
      -- Rows whose blocks are all resident at once; the others come after them.
      local rows = ("min(M, max(1, sms * %d / %d))"):format(math.max(1, image.blocks_per_sm), v.blocks)
      launch.grid_of_M = ("%s * %d"):format(rows, v.blocks)
      launch.cooperative = true
      workspace = rows .. " * 4224"
      table.insert(launch.args, "workspace")
      table.insert(launch.args, "M")
    end
    local scale = problem.scale ~= "none" and "scale" or nil
    if v.scope == "split" then
      launch.grid_of_M = ("M * %d"):format(v.blocks)
      local sums = { grid_of_M = launch.grid_of_M, block = v.threads, programmatic = launch.programmatic,
                     suffix = "_sums", args = { "x", "workspace", scale } }
      launch.args = { "x", "y", "workspace", scale }
      return { sums, launch, workspace_of_M = ("M * %d"):format(8 * v.blocks) }
    end
    table.insert(launch.args, scale)
    return { launch, workspace_of_M = workspace }
  end,
  presets = {
    v1 = { scope = "thread", reduction = "none" },
    v2 = { reduction = "tree" },
    v3 = { reduction = "shuffle" },
    v4 = { reduction = "shuffle", vec_bytes = 16 },
    v5 = { reduction = "shuffle", vec_bytes = 16, passes = 2 },
  },
}
