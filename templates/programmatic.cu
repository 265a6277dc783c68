% -- Where a kernel may be started before its predecessor in the stream has ended. Threads are numbered by `first`,
% -- `step` of them share a row of x.
% local line = 128 // problem.size_in
% local lines = -(-problem.N // line)
% local function prefetch(index)
%   return ('asm volatile("prefetch.global.L2 [%%0];" :: "l"(x_row + %d * %s));'):format(line, index)
% end
% if programmatic == "prefetch" then
// What the predecessor may still be writing is not read yet, but may come to L2, where its writes go as well.
% if lines <= step then
if (${first} < ${lines})
    ${prefetch(first)}
% else
for (int line = ${first}; line < ${lines}; line += ${step})
    ${prefetch("line")}
% end
% end
% if programmatic then
// The predecessor has ended and its writes are seen; the successor's blocks may come and wait here.
asm volatile("griddepcontrol.wait;" ::: "memory");
asm volatile("griddepcontrol.launch_dependents;");
% end
