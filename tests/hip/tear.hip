// An aligned access of 8 or 16 bytes is one access, as on a chip: a block that reads what another one writes finds no halves.
// Look-back scans count on it, whose state is a value and its flag.
#include "check.hpp"

typedef uint32_t Quad __attribute__((ext_vector_type(4)));
constexpr uint32_t TURNS = 5000;

struct Pairs {
    static __device__ void store(Quad *to, uint32_t x) {
        const uint64_t pair = x | uint64_t(x) << 32;
        __hip_atomic_store((uint64_t *)to, pair, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    static __device__ bool is_torn(Quad *from) {
        const uint64_t pair = __hip_atomic_load((uint64_t *)from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        return uint32_t(pair) != uint32_t(pair >> 32);
    }
};

struct Quads {
    static __device__ void store(Quad *to, uint32_t x) {
        const Quad quad = {x, x, x, x};
        asm volatile("global_store_dwordx4 %0, %1, off\ns_waitcnt vmcnt(0)" ::"v"(to), "v"(quad) : "memory");
    }
    static __device__ bool is_torn(Quad *from) {
        Quad quad;
#ifdef __gfx942__
        asm volatile("global_load_dwordx4 %0, %1, off sc0\ns_waitcnt vmcnt(0)" : "=v"(quad) : "v"(from) : "memory");
#else
        asm volatile("global_load_dwordx4 %0, %1, off glc\ns_waitcnt vmcnt(0)" : "=v"(quad) : "v"(from) : "memory");
#endif
        return quad.x != quad.y || quad.x != quad.z || quad.x != quad.w;
    }
};

// The first block writes, the second one reads; `apart` elements lie between the lanes.
template <class Width> __global__ void race(Quad *all, uint32_t *torn, unsigned lanes, unsigned apart) {
    if (threadIdx.x >= lanes) return;
    Quad *here = all + threadIdx.x * apart;
    uint32_t halves = 0;
    for (uint32_t n = 1; n <= TURNS; n++) {
        if (blockIdx.x == 0)
            Width::store(here, n);
        else
            halves += Width::is_torn(here);
    }
    if (halves) atomicAdd(torn, halves);
}

template <class Width> static void check(const char *name, unsigned lanes, unsigned apart, unsigned dwords) {
    Device<Quad> all(std::vector<Quad>(64 * 3));
    Device<uint32_t> torn(std::vector<uint32_t>(1));
    race<Width><<<2, 64>>>(all, torn, lanes, apart);
    HIP(hipDeviceSynchronize());
    const uint32_t halves = torn.host()[0];
    CHECK(halves == 0, "%s, %u lanes, %u apart: %u torn", name, lanes, apart, halves);
    const std::vector<Quad> left = all.host();
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned n = 0; n < dwords; n++) {
            const uint32_t got = left[lane * apart][n];
            CHECK(got == TURNS, "%s, lane %u, dword %u: %u", name, lane, n, got);
        }
}

int main() {
    for (unsigned apart : {0u, 1u, 3u})
        for (unsigned lanes : {1u, 64u}) {
            check<Pairs>("8 bytes", lanes, apart, 2);
            check<Quads>("16 bytes", lanes, apart, 4);
        }
    return ok("tear");
}
