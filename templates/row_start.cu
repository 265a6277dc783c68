% -- Where row `row` lies, and what the problem's scale does to it.
const ${x_type} *x_row = x + row * ${problem.x_stride};
${y_type} *y_row = y + row * ${problem.y_stride};
% if peeled then
// Loads begin at the first aligned address: `head` elements lie before it, the other edges after the last load.
int head = (int)((0 - (unsigned long long)x_row / ${problem.size_in}) % ${vec});
int whole = (${problem.N} - head) / ${vec};
int edges = ${problem.N} - ${vec} * whole;
const ${x_type} *x_body = x_row + head;
${y_type} *y_body = y_row + head;
% end
% include "scale.cu"
