% -- Reading x: `element` for one, load_vector for `vec` at once, or load_words and unpack where a row stays packed.
% local input = problem.dtype_in
% vec = vec_bytes // problem.size_in     -- elements a load
% peeled = problem.x_stride * problem.size_in % vec_bytes ~= 0 or problem.align % vec_bytes ~= 0
% whole = problem.N // vec               -- loads a row, at most
% least_whole = peeled and (problem.N - vec + 1) // vec or whole
% rest = problem.N % vec                 -- elements that fill no load, at most: the last, or the edges of a peeled row
% if peeled and rest < vec - 1 then rest = rest + vec end
% x_type = input == "f32" and "float" or "unsigned short"
% x_loads = peeled and "x_body" or "x_row"     -- what loads count from
% loads_end = peeled and "whole" or tostring(whole)
% rest_end = peeled and "edges" or tostring(rest)
% function element(index)
%   return (input == "f32" and "x_row[%s]" or "to_float(x_row[%s])"):format(index)
% end
% local one_by_one = scope == "tile"     -- computes on single elements, whatever it loads
% local words = vec_bytes // 4
% local suffix = words == 1 and "" or tostring(words)
% local as_floats = input == "f32" and cache ~= "both"
% vector_type = (as_floats and "float" or words > 1 and "uint" or "unsigned int") .. suffix
% local function vector_at(hint, row, index)
%   if hint == "plain" then return ("((const %s *)%s)[%s]"):format(vector_type, row, index) end
%   local read = hint == "stream" and "__ldcs" or "load_no_allocate"
%   return ("%s((const %s *)%s + %s)"):format(read, vector_type, row, index)
% end
% function fetch(from, index) return vector_at(load, from, index) end
% local from_row = vector_at(cache == "shared" and "plain" or load, "row", "i")
% if input == "f16" then
static __device__ float to_float(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
% elseif input == "bf16" and (vec == 1 or rest > 0 or one_by_one) then
static __device__ float to_float(unsigned short bits)
{
    return __uint_as_float((unsigned int)bits << 16);
}
% end

% if load == "no_allocate" and vec_bytes < 32 then
%   local parts = { "x", "y", "z", "w" }
%   local outputs, places = {}, {}
%   for w = 1, words do
%     outputs[w] = ('"=%s"(word%s)'):format(as_floats and "f" or "r", words > 1 and "." .. parts[w] or "")
%     places[w] = "%" .. (w - 1)
%   end
%   local list = table.concat(places, ", ")
%   local form = (words > 1 and ".v" .. words or "") .. (as_floats and ".f32" or ".b32")
// What is read once needs no place in L1.
static __device__ ${vector_type} load_no_allocate(const ${vector_type} *from)
{
    ${vector_type} word;
    asm volatile("ld.global.L1::no_allocate${form} ${words > 1 and "{" .. list .. "}" or list}, [%${words}];"
                 : ${table.concat(outputs, ", ")} : "l"(from));
    return word;
}
% end

% if vec_bytes == 32 then
// Columns ${vec} i to ${vec} i + ${vec - 1} of a row, in words of 32 bits.
static __device__ void load_words(const ${x_type} *row, int i, unsigned int *word)
{
%   local hint = load == "plain" and "" or ".L1::no_allocate"
    asm volatile("ld.global${hint}.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3]), "=r"(word[4]), "=r"(word[5]),
                   "=r"(word[6]), "=r"(word[7])
                 : "l"(row + ${vec} * (long long)i));
}
% elseif cache == "packed" or cache == "both" then
// Columns ${vec} i to ${vec} i + ${vec - 1} of a row${input == "f32" and "" or ", two in a word"}.
static __device__ void load_words(const ${x_type} *row, int i, unsigned int *word)
{
%   if words == 1 then
    word[0] = ${from_row};
%   else
    ${vector_type} vector = ${from_row};
%     for w, part in ipairs({ "x", "y", "z", "w" }) do
%       if w <= words then
    word[${w - 1}] = vector.${part};
%       end
%     end
%   end
}
% end

% function low(word)                     -- of the two 16-bit elements in a word
%   return (input == "bf16" and "__uint_as_float(%s << 16)" or "to_float((unsigned short)%s)"):format(word)
% end
% function high(word)
%   local form = input == "bf16" and "__uint_as_float(%s & 0xffff0000u)" or "to_float((unsigned short)(%s >> 16))"
%   return form:format(word)
% end
% local function split(w, word)
%   if input == "f32" then
    v[${w - 1}] = __uint_as_float(${word});
%   else
    v[${2 * w - 2}] = ${low(word)};
    v[${2 * w - 1}] = ${high(word)};
%   end
% end
% -- Whether the maximum of packed elements is found two at a time: the sign that a scale gives them is not in them.
% pairwise = (cache == "packed" or cache == "both") and input ~= "f32" and problem.scale == "none"
%            and gpu.compute_capability >= 80
% if pairwise then
static __device__ unsigned int larger_of_pairs(unsigned int a, unsigned int b)
{
    unsigned int larger;
    asm("max.${input}x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
    return larger;
}

% end
% if cache == "packed" or cache == "both" then
static __device__ void unpack(const unsigned int *word, float *v)
{
%   for w = 1, words do
    % split(w, ("word[%d]"):format(w - 1))
%   end
}
% elseif vec_bytes == 32 then
// Columns ${vec} i to ${vec} i + ${vec - 1} of a row.
static __device__ void load_vector(const ${x_type} *row, int i, float *v)
{
    unsigned int word[8];
    load_words(row, i, word);
%   if input == "f32" then
    for (int w = 0; w < 8; w++)
        v[w] = __uint_as_float(word[w]);
%   else
%     for w = 1, 8 do
    % split(w, ("word[%d]"):format(w - 1))
%     end
%   end
}
% elseif one_by_one then
% elseif vec > 1 and input == "f32" then
// Columns ${vec} i to ${vec} i + ${vec - 1} of a row.
static __device__ void load_vector(const float *row, int i, float *v)
{
    float${vec} word = ${from_row};
%   for k, part in ipairs({ "x", "y", "z", "w" }) do
%     if k <= vec then
    v[${k - 1}] = word.${part};
%     end
%   end
}
% elseif vec > 1 then
// Columns ${vec} i to ${vec} i + ${vec - 1} of a row.
static __device__ void load_vector(const unsigned short *row, int i, float *v)
{
    ${vector_type} word = ${from_row};
%   for w, part in ipairs({ ".x", ".y", ".z", ".w" }) do
%     if w > words then break end
    % split(w, words == 1 and "word" or "word" .. part)
%   end
}
% end

