% -- The maximum and sum of a row from those that the kernel before left of its blocks.
% local function hear(index) return ("workspace[row * %d + %s]"):format(blocks, index) end
% if programmatic then
// The kernel before has ended, and its successor may come.
asm volatile("griddepcontrol.wait;" ::: "memory");
asm volatile("griddepcontrol.launch_dependents;");
% end
int lane = threadIdx.x % 32;
% include("hear_all.cu", { count = blocks, hear = hear, maximum_name = "row_maximum", sum_name = "row_sum" })
