% -- Reading x: `element` for one, load_vector for `vec` at once.
% local input = problem.dtype_in
% vec = vec_bytes // problem.size_in     -- elements a load
% whole = problem.N // vec               -- loads a row
% rest = problem.N % vec                 -- the row's last elements, which fill no load
% x_type = input == "f32" and "float" or "unsigned short"
% function element(index)
%   return (input == "f32" and "x_row[%s]" or "to_float(x_row[%s])"):format(index)
% end
% if input == "f16" then
static __device__ float to_float(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
% elseif input == "bf16" and (vec == 1 or rest > 0) then
static __device__ float to_float(unsigned short bits)
{
    return __uint_as_float((unsigned int)bits << 16);
}
% end

% if vec > 1 and input == "f32" then
// Columns ${vec} i to ${vec} i + ${vec - 1} of a row.
static __device__ void load_vector(const float *row, int i, float *v)
{
    float${vec} word = ((const float${vec} *)row)[i];
%   for k, part in ipairs({ "x", "y", "z", "w" }) do
%     if k <= vec then
    v[${k - 1}] = word.${part};
%     end
%   end
}
% elseif vec > 1 then
%   local words = vec_bytes // 4
%   local word_type = words == 1 and "unsigned int" or "uint" .. words
// Columns ${vec} i to ${vec} i + ${vec - 1} of a row.
static __device__ void load_vector(const unsigned short *row, int i, float *v)
{
    ${word_type} word = ((const ${word_type} *)row)[i];
%   for w, part in ipairs({ ".x", ".y", ".z", ".w" }) do
%     local word = words == 1 and "word" or "word" .. part
%     if w > words then break end
%     if input == "bf16" then
    v[${2 * w - 2}] = __uint_as_float(${word} << 16);
    v[${2 * w - 1}] = __uint_as_float(${word} & 0xffff0000u);
%     else
    v[${2 * w - 2}] = to_float((unsigned short)${word});
    v[${2 * w - 1}] = to_float((unsigned short)(${word} >> 16));
%     end
%   end
}
% end

