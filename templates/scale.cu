% -- What the problem's scale does to a row.
% if problem.scale ~= "none" then
// The scale's sign goes to the elements, so that the largest is that of scale * x.
float sign = scale < 0.0f ? -1.0f : 1.0f;
// Its size goes to their differences; never 0, since 0 * -infinity is NaN.
float rate = ${exp == "ex2" and "1.44269504f * (fabsf(scale) + 1e-45f)" or "fabsf(scale) + 1e-45f"};
% end
