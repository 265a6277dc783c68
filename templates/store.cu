% -- Writing y: `put` for one element, store_vector for as many as a load reads. After load.cu.
% local output, size = problem.dtype_out, problem.size_out
% y_loads = peeled and "y_body" or "y_row"
% y_type = output == "f32" and "float" or "unsigned short"
% function put(index, text)
%   return ("y_row[%s] = %s;"):format(index, output == "f32" and text or ("from_float(%s)"):format(text))
% end
% local one_by_one = scope == "tile"     -- computes on single elements, whatever it stores
% local by_hand = output == "bf16" and gpu.compute_capability < 80
% local pairs_at_once = gpu.compute_capability >= 80
% -- Elements that a store may have: what every load's place in y is aligned to.
% local shifted = peeled and (problem.x_stride - problem.y_stride) % vec ~= 0 or problem.align % vec_bytes ~= 0
% local y_bytes = 16
% while y_bytes > size and (problem.align % y_bytes ~= 0 or not peeled and problem.y_stride * size % y_bytes ~= 0) do
%   y_bytes = y_bytes // 2
% end
% if peeled and shifted then y_bytes = size end
% if peeled and problem.in_place then y_bytes = 16 end
% local chunk = math.max(1, math.min(vec, y_bytes // size))
% if output ~= "f32" and (vec == 1 or rest > 0 or chunk == 1 or not pairs_at_once or one_by_one) then
%   if by_hand then
// Rounds to nearest even.
static __device__ unsigned short from_float(float value)
{
    unsigned int bits = __float_as_uint(value);
    if (value != value)
        return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
%   else
static __device__ unsigned short from_float(float value)
{
    unsigned short bits;
    asm("cvt.rn.${output}.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
%   end
% end

% if output ~= "f32" and chunk > 1 and not one_by_one then
static __device__ unsigned int pack(float low, float high)
{
%   if pairs_at_once then
    unsigned int word;
    asm("cvt.rn.${output}x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
%   else
    return from_float(low) | (unsigned int)from_float(high) << 16;
%   end
}
% end

% if vec > 1 and not one_by_one then
%   local chunks = vec // chunk
%   local units = (output == "f32" or chunk == 1) and chunk or chunk // 2   -- floats or pairs a store
%   local base = chunk == 1 and y_type or output == "f32" and "float" or units == 1 and "unsigned int" or "uint"
%   local chunk_type = units == 1 and base or base .. units
%   local function unit(u)
%     if output ~= "f32" and chunk == 1 then return ("from_float(v[%d])"):format(u) end
%     return output == "f32" and ("v[%d]"):format(u) or ("pack(v[%d], v[%d])"):format(2 * u, 2 * u + 1)
%   end
%   local function chunk_value(c)
%     local list = {}
%     for u = 0, units - 1 do list[u + 1] = unit(c * units + u) end
%     local values = table.concat(list, ", ")
%     return units == 1 and values or ("make_%s(%s)"):format(chunk_type, values)
%   end
static __device__ void store_vector(${y_type} *row, int i, const float *v)
{
%   local function keep(place, value)
%     if store == "plain" then return ("%s = %s;"):format(place, value) end
%     return ("__stcs(&%s, %s);"):format(place, value)
%   end
%   if chunks == 1 then
    ${keep(("((%s *)row)[i]"):format(chunk_type), chunk_value(0))}
%   else
    ${chunk_type} *to = (${chunk_type} *)row + ${chunks} * i;
%     for c = 0, chunks - 1 do
    ${keep(("to[%d]"):format(c), chunk_value(c))}
%     end
%   end
}
% end

