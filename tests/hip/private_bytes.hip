// Private memory at any byte. Compilers copy bytes of private arrays by dwords at any address (clang from version 20 on, for
// gfx9); so that others make such accesses too, functions are written out that go through the descriptor of scratch, which is in
// s[0:3] by the calling convention.
#include "check.hpp"

constexpr int BYTES = 72;

__host__ __device__ inline void repeat(uint8_t *to, const uint8_t *from, int length) {
    for (int at = 0; at + length <= BYTES; at += length + 1)
        for (int i = 0; i < length; i++) to[at + i] = from[i];
}

__global__ void repeats(const uint32_t *in, uint32_t *out) {
    int lane = threadIdx.x;
    uint32_t from[BYTES / 4], to[BYTES / 4] = {0};
    for (int i = 0; i < BYTES / 4; i++) from[i] = in[lane * BYTES / 4 + i];
    repeat((uint8_t *)to, (uint8_t *)from, lane);
    for (int i = 0; i < BYTES / 4; i++) out[lane * BYTES / 4 + i] = to[i];
}

// The offset of private memory is the low half of its address.
__device__ __attribute__((noinline)) void put(uint8_t *to, uint32_t value) {
    asm volatile("buffer_store_dword %0, %1, s[0:3], 0 offen" ::"v"(value), "v"(uint32_t(uintptr_t(to))) : "memory");
}

__device__ __attribute__((noinline)) uint64_t take(const uint8_t *from) {
    uint64_t value;
    asm volatile("buffer_load_dwordx2 %0, %1, s[0:3], 0 offen\n\ts_waitcnt vmcnt(0)"
                 : "=v"(value)
                 : "v"(uint32_t(uintptr_t(from)))
                 : "memory");
    return value;
}

// Each work-item puts a dword at a byte of its own, and takes eight bytes from the one before.
__global__ void dwords(uint8_t *arrays, uint64_t *taken) {
    int lane = threadIdx.x;
    uint8_t own[BYTES];
    for (int i = 0; i < BYTES; i++) ((volatile uint8_t *)own)[i] = uint8_t(i + lane);
    put(own + 1 + lane, 0xd1c2b3a4 + lane);
    taken[lane] = take(own + lane);
    for (int i = 0; i < BYTES; i++) arrays[lane * BYTES + i] = ((volatile uint8_t *)own)[i];
}

int main() {
    std::vector<uint32_t> in(64 * BYTES / 4);
    for (size_t i = 0; i < in.size(); i++) in[i] = uint32_t(i * 2654435761u);
    Device<uint32_t> from(in), to(in.size());
    repeats<<<1, 64>>>(from, to);
    auto got = to.host();
    for (int lane = 0; lane < 64; lane++) {
        uint8_t expected[BYTES] = {0};
        repeat(expected, (const uint8_t *)&in[lane * BYTES / 4], lane);
        CHECK(memcmp(expected, &got[lane * BYTES / 4], BYTES) == 0, "%d bytes are repeated wrong", lane);
    }
    Device<uint8_t> arrays(64 * BYTES);
    Device<uint64_t> taken(64);
    dwords<<<1, 64>>>(arrays, taken);
    auto bytes = arrays.host();
    auto eight = taken.host();
    for (int lane = 0; lane < 64; lane++) {
        uint8_t own[BYTES];
        for (int i = 0; i < BYTES; i++) own[i] = uint8_t(i + lane);
        uint32_t value = 0xd1c2b3a4 + lane;
        memcpy(own + 1 + lane, &value, 4);
        CHECK(memcmp(own, &bytes[lane * BYTES], BYTES) == 0, "the dword at byte %d went elsewhere", 1 + lane);
        CHECK(memcmp(own + lane, &eight[lane], 8) == 0, "the bytes from %d on were %llx", lane, (unsigned long long)eight[lane]);
    }
    return ok("private_bytes");
}
