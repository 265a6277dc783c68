% -- What the blocks of a cluster tell each other: a maximum and a sum of each of their warps, by asynchronous stores that
% -- count towards the receiving block's barrier `told`. No barrier of the cluster follows: a block that has heard all
% -- others has all that will ever be written to its memory.
static __device__ unsigned int shared_address(const void *place)
{
    return (unsigned int)__cvta_generic_to_shared(place);
}

// Begins to expect `bytes`; one thread does so.
static __device__ void expect(unsigned long long *told, unsigned int bytes)
{
    unsigned int address = shared_address(told);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%0], %1;"
                 :: "r"(address), "r"(bytes) : "memory");
}

static __device__ void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

static __device__ void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Writes to the same place in the memory of the cluster's block `rank`, and counts it there.
static __device__ void tell(float2 *place, unsigned long long *told, int rank, float maximum, float sum)
{
    unsigned int to = shared_address(place), counter = shared_address(told);
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(to) : "r"(rank));
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(counter) : "r"(rank));
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];"
                 :: "r"(to), "f"(maximum), "f"(sum), "r"(counter) : "memory");
}

// Waits until all has been told.
static __device__ void hear(unsigned long long *told)
{
    unsigned int address = shared_address(told), done;
    do
        asm volatile("{\n\t.reg .pred complete;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, complete;\n\t}"
                     : "=r"(done) : "r"(address) : "memory");
    while (done == 0);
}

