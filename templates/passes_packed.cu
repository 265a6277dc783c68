% -- The passes of a row that is read once and kept as it is: in registers, 16-bit elements two in one; or half of it
% -- there and half in shared memory, where each thread reads back what it wrote, so that no barrier is needed.
% include "each_load.cu"
% local outside = cache == "both" and loads // 2 or 0   -- loads in shared memory: the first, which every thread has
% local words = (loads - outside) * (vec_bytes // 4)
% local at = ("word + %d * c"):format(vec_bytes // 4)
% if loads == 1 then at = "word" end
% if outside > 0 then at = ("word + %d * (c - %d)"):format(vec_bytes // 4, outside) end
% local slot = ("kept[%d * c + threadIdx.x]"):format(threads)
% if outside > 0 then
%   at = ("c < %d ? (unsigned int *)&%s : %s"):format(outside, slot, at)
% end
% -- Words of infinities.
% local nothing = ({ f32 = "0xff800000u", bf16 = "0xff80ff80u", f16 = "0xfc00fc00u" })[problem.dtype_in]
% local all_high = ({ f32 = "0x7f800000u", bf16 = "0x7f807f80u", f16 = "0x7c007c00u" })[problem.dtype_in]
% local function each_element(statement)   -- statement(text of a value)
#pragma unroll
for (int c = 0; c < ${loads}; c++) {
    float v[${vec}];
    unpack(${at}, v);
    for (int k = 0; k < ${vec}; k++)
        ${statement(row.value("v[k]"))}
}
% for r = 0, rests - 1 do
${statement(row.value(("edge[%d]"):format(r)))}
% end
% end
% local function hold()
#pragma unroll
for (int w = 0; w < ${words}; w++)
    asm volatile("" : "+r"(word[w])${outside > 0 and " :: \"memory\"" or ""});
% end
% if outside > 0 then
extern __shared__ ${vector_type} kept[];
% end
unsigned int word[${words}];
% if not even then
#pragma unroll
for (int w = 0; w < ${words}; w++)
    word[w] = ${problem.scale == "none" and nothing or ("sign < 0.0f ? %s : %s"):format(all_high, nothing)};
% end
% if rests > 0 then
float edge[${rests}];
#pragma unroll
for (int r = 0; r < ${rests}; r++)
    edge[r] = ${row.value("-" .. row.infinity)};
% end
% local function read(c, index)
load_words(${x_loads}, ${index}, ${at});
% end
% each_load(read, function(r, column) return ("edge[%d] = %s;"):format(r, element(column)) end)

% if pairwise then
unsigned int largest = ${nothing};
#pragma unroll
for (int c = 0; c < ${loads}; c++) {
    const unsigned int *pairs = ${at};
    for (int w = 0; w < ${vec // 2}; w++)
        largest = larger_of_pairs(largest, pairs[w]);
}
float maximum = fmaxf(${low("largest")}, ${high("largest")});
% for r = 0, rests - 1 do
maximum = fmaxf(maximum, edge[${r}]);
% end
% if row.lowest ~= "-" .. row.infinity then
maximum = fmaxf(maximum, ${row.lowest});
% end
% else
float maximum = ${row.lowest};
% each_element(function(value) return ("maximum = fmaxf(maximum, %s);"):format(value) end)
% end
% if passes == 3 and not alone then
float row_maximum = ${row.reduce("max", "maximum")};
% end

// Keeps the compiler from holding the elements unpacked, in twice the registers.
% hold()
% local relative_to = passes == 3 and row.maximum or "maximum"
float sum = 0.0f;
% each_element(function(value) return ("sum += %s;"):format(exponential(value, relative_to)) end)

% if passes == 2 then
% include "combine.cu"
% elseif not alone then
float row_sum = ${row.reduce("sum", "sum")};
% end

% include "outside.cu"
% if problem.op == "softmax" then
float inverse = ${over("1.0f", row.sum)};
% else
float log_sum = logf(${row.sum});
% end
% hold()
% local function write(c, index)
float v[${vec}];
unpack(${at}, v);
for (int k = 0; k < ${vec}; k++)
    v[k] = ${row.result(row.value("v[k]"))};
store_vector(${y_loads}, ${index}, v);
% end
% each_load(write, function(r, column) return put(column, row.result(row.value(("edge[%d]"):format(r)))) end, true)
