% -- `exponential(a, b)`: e^(a - b), or, where the problem has a scale, e^(rate (a - b)).
% local scaled = problem.scale ~= "none"
% local name = exp == "expf" and "expf" or scaled and "exp2_approx" or "exp_approx"
% function exponential(a, b)
%   return (scaled and "%s(rate * (%s - %s))" or "%s(%s - %s)"):format(name, a, b)
% end
% function over(a, b)   -- a / b; the hardware's division is within 2 units in the last place
%   return (exp == "expf" and "%s / %s" or "__fdividef(%s, %s)"):format(a, b)
% end
% if name == "exp_approx" then
// e^x within a few units in the last place; zero below 2^-126.
static __device__ float exp_approx(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
    return y;
}
% elseif name == "exp2_approx" then
// 2^x within a few units in the last place; zero below 2^-126.
static __device__ float exp2_approx(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
% end

