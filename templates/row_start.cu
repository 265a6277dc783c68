% -- Where row `row` lies, and what the problem's scale does to it.
const ${x_type} *x_row = x + row * ${problem.x_stride};
${y_type} *y_row = y + row * ${problem.y_stride};
% if problem.scale ~= "none" then
// The scale's sign goes to the elements, so that the largest is that of scale * x.
float sign = scale < 0.0f ? -1.0f : 1.0f;
// Its size goes to their differences; never 0, since 0 * -infinity is NaN.
float rate = ${exp == "ex2" and "1.44269504f * (fabsf(scale) + 1e-45f)" or "fabsf(scale) + 1e-45f"};
% end
