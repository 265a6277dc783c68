% -- What the blocks of a cluster do together.
// Blocks begin and end at different times: what is written to another's memory lies between two of these.
static __device__ void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Writes to the same place in the memory of the cluster's block `rank`.
static __device__ void store_to_block(float2 *place, int rank, float maximum, float sum)
{
    unsigned int address = (unsigned int)__cvta_generic_to_shared(place);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" :: "r"(address), "f"(maximum), "f"(sum) : "memory");
}

