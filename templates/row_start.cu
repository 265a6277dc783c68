% -- Where row `row` lies, in y too where it `writes`, and what the problem's scale does to it.
const ${x_type} *x_row = x + row * ${problem.x_stride};
% if writes then
${y_type} *y_row = y + row * ${problem.y_stride};
% end
% if peeled then
// Loads begin at the first aligned address: `head` elements lie before it, the other edges after the last load.
int head = (int)((0 - (unsigned long long)x_row / ${problem.size_in}) % ${vec});
int whole = (${problem.N} - head) / ${vec};
int edges = ${problem.N} - ${vec} * whole;
const ${x_type} *x_body = x_row + head;
% if writes then
${y_type} *y_body = y_row + head;
% end
% end
% include "scale.cu"
