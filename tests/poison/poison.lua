-- A hundred good variants and ten poisonous ones, each fast if it were right: what the tuner must survive.
return space {
  name = "poison",
  template = "poison.cu",
  parameters = {
    { "poison", { "none", "fault", "hang", "past_row", "second_launch", "last_maximum", "minus_infinity", "writes_input",
                  "too_much_shared", "no_compile", "endless_compile" }, "what is wrong with it" },
    { "threads", { 256, 64, 128, 512 },  "threads per block" },
    { "unroll",  { 1, 2, 4, 8, 16 },     "elements a thread loads at once" },
    { "waste",   { 0, 1, 2, 3, 4 },      "times that it reads the row for nothing" },
  },
  constraints = {
    { { "poison", "threads", "unroll", "waste" }, function(poison, threads, unroll, waste)
        return poison == "none" or (threads == 256 and unroll == 1 and waste == 0)
      end, "one variant of each poison" },
    { {}, function(problem) return problem.dtype_in == "f32" and problem.dtype_out == "f32" and problem.op == "softmax" end,
      "f32 alone" },
  },
  launch = function(v)
    local launch = { grid_of_M = "M", block = v.threads, args = { "x", "y" } }
    if v.poison == "second_launch" then launch.args = { "x", "y", "workspace" } end
    if v.poison == "too_much_shared" then launch.dynamic_smem_bytes = 1 << 20 end
    return { launch, workspace_of_M = v.poison == "second_launch" and "16" or "0" }
  end,
}
