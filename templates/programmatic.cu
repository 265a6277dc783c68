% -- Where a kernel may be started before its predecessor in the stream has ended.
% if programmatic then
// The predecessor has ended and its writes are seen; the successor's blocks may come and wait here.
asm volatile("griddepcontrol.wait;" ::: "memory");
asm volatile("griddepcontrol.launch_dependents;");
% end
