// rocRAND's generators inside a kernel, against the same functions compiled for the CPU.
#define FQUALIFIERS __forceinline__ __host__ __device__
#include "../hip/check.hpp"

#include <rocrand/rocrand_kernel.h>

constexpr int THREADS = 192, DRAWS = 40;

struct Draw {
    unsigned bits[DRAWS];
    float uniform[DRAWS], normal[DRAWS];
};

// What thread `i` draws; on the device and on the CPU.
template <class State> __host__ __device__ void draw(unsigned long long seed, unsigned i, Draw &to) {
    State state;
    rocrand_init(seed, i, 5ull * i, &state);
    for (int d = 0; d < DRAWS; d++) to.bits[d] = rocrand(&state);
    for (int d = 0; d < DRAWS; d++) to.uniform[d] = rocrand_uniform(&state);
    for (int d = 0; d < DRAWS; d++) to.normal[d] = rocrand_normal(&state);
    skipahead(1000, &state);
    to.bits[DRAWS - 1] = rocrand(&state);
}

template <class State> __global__ void draw_on_device(unsigned long long seed, Draw *to) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    draw<State>(seed, i, to[i]);
}

template <class State> static void check(const char *name, unsigned long long seed) {
    Device<Draw> drawn(THREADS);
    draw_on_device<State><<<THREADS / 64, 64>>>(seed, drawn);
    HIP(hipGetLastError());
    auto got = drawn.host();
    for (int i = 0; i < THREADS; i++) {
        Draw want;
        draw<State>(seed, i, want);
        for (int d = 0; d < DRAWS; d++) {
            CHECK(got[i].bits[d] == want.bits[d], "%s: thread %d drew %x, not %x", name, i, got[i].bits[d], want.bits[d]);
            CHECK(got[i].uniform[d] == want.uniform[d], "%s: thread %d drew %.9g, not %.9g", name, i, got[i].uniform[d],
                  want.uniform[d]);
            CHECK(std::fabs(got[i].normal[d] - want.normal[d]) < 1e-4f, "%s: thread %d drew %.9g, not %.9g", name, i,
                  got[i].normal[d], want.normal[d]);
        }
    }
}

int main() {
    check<rocrand_state_xorwow>("XORWOW", 12345);
    check<rocrand_state_philox4x32_10>("Philox 4x32-10", 0xDEADBEEF12345678ull);
    check<rocrand_state_mrg32k3a>("MRG32k3a", 20211);
    return ok("rocrand_device");
}
