% -- What the blocks of a cluster tell each other: a maximum and a sum of each of their warps, in one word whose sign
% -- says that it is not there yet (a sum has none). No barrier follows: a block that has heard all others has all that
% -- will ever be written to its memory.
static __device__ void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

static __device__ void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Writes to the same place in the memory of the cluster's block `rank`.
static __device__ void tell(unsigned long long *place, int rank, float maximum, float sum)
{
    unsigned int address = (unsigned int)__cvta_generic_to_shared(place);
    unsigned long long word;
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
    asm("mov.b64 %0, {%1, %2};" : "=l"(word) : "f"(maximum), "r"(__float_as_uint(sum) & 0x7fffffffu));
    asm volatile("st.relaxed.cluster.shared::cluster.b64 [%0], %1;" :: "r"(address), "l"(word) : "memory");
}

// Waits until some warp has told its maximum and sum.
static __device__ float2 hear(const unsigned long long *place)
{
    unsigned int address = (unsigned int)__cvta_generic_to_shared(place);
    long long word;
    do
        asm volatile("ld.relaxed.cluster.shared::cta.b64 %0, [%1];" : "=l"(word) : "r"(address) : "memory");
    while (word < 0);
    return make_float2(__uint_as_float((unsigned int)word), __uint_as_float((unsigned int)(word >> 32)));
}

