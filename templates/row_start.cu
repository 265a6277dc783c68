% -- Where row `row` lies, and what the problem's scale does to it.
const ${x_type} *x_row = x + row * ${problem.x_stride};
${y_type} *y_row = y + row * ${problem.y_stride};
% if problem.scale ~= "none" then
// The sign of the scale goes to the elements, so that the largest is that of scale * x; its size to differences.
float sign = scale < 0.0f ? -1.0f : 1.0f;
float rate = ${exp == "ex2" and "1.44269504f * " or ""}fabsf(scale);
% end
