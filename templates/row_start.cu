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
% if problem.scale ~= "none" then
// The scale's sign goes to the elements, so that the largest is that of scale * x.
float sign = scale < 0.0f ? -1.0f : 1.0f;
// Its size goes to their differences; never 0, since 0 * -infinity is NaN.
float rate = ${exp == "ex2" and "1.44269504f * (fabsf(scale) + 1e-45f)" or "fabsf(scale) + 1e-45f"};
% end
