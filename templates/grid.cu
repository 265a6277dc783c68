% -- What the blocks of a row tell each other through the workspace. Each group of blocks has 1056 words of it: the tag
% -- of its last exchange, how many blocks have left, and from word 32 on a slot of 4 words for each of up to 128
% -- blocks, twice, for exchanges take turns. Nothing in it depends on M or on the number of blocks.
// Two 64-bit words, each whole by itself: value and tag in one, so that no fence has to order them.
static __device__ void tell(unsigned int *slot, unsigned int tag, float maximum, float sum)
{
    unsigned long long words[2];
    asm("mov.b64 %0, {%1, %2};" : "=l"(words[0]) : "f"(maximum), "r"(tag));
    asm("mov.b64 %0, {%1, %2};" : "=l"(words[1]) : "f"(sum), "r"(tag));
    asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};"
                 :: "l"(slot), "l"(words[0]), "l"(words[1]) : "memory");
}

// Waits until the slot has this exchange's maximum and sum.
static __device__ float2 hear(const unsigned int *slot, unsigned int tag)
{
    unsigned long long maximum, sum;
    do
        asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                     : "=l"(maximum), "=l"(sum) : "l"(slot) : "memory");
    while (maximum >> 32 != tag || sum >> 32 != tag);
    return make_float2(__uint_as_float((unsigned int)maximum), __uint_as_float((unsigned int)sum));
}

static __device__ unsigned int last_tag(const unsigned int *group)
{
    unsigned int tag;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(tag) : "l"(group) : "memory");
    return tag;
}

// Says that the block will ask for nothing more; tells how many have left before.
static __device__ unsigned int leave(unsigned int *group)
{
    unsigned int before;
    asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], ${blocks - 1};" : "=r"(before) : "l"(group + 1) : "memory");
    return before;
}

static __device__ void keep_tag(unsigned int *group, unsigned int tag)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(group), "r"(tag) : "memory");
}

