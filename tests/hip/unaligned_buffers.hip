// Buffer loads and stores of dwords at addresses that are no multiples of four, as libraries make them: pairs of halfs of a
// matrix with an odd leading dimension. ROCm's driver sets the chip so that they are made there.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

typedef int Descriptor __attribute__((ext_vector_type(4)));
typedef int Quad __attribute__((ext_vector_type(4)));

__device__ int load(Descriptor, int offset, int base, int policy) __asm("llvm.amdgcn.raw.buffer.load.i32");
__device__ Quad load_quad(Descriptor, int offset, int base, int policy) __asm("llvm.amdgcn.raw.buffer.load.v4i32");
__device__ void store(int, Descriptor, int offset, int base, int policy) __asm("llvm.amdgcn.raw.buffer.store.i32");

// A raw buffer of dwords (data format 32).
__device__ Descriptor describe(void *memory, int bytes) {
    uint64_t address = uint64_t(memory);
    return {int(address), int(address >> 32), bytes, 0x20000};
}

constexpr int ROWS = 64, LEADING = 17;

// Each work-item moves the first two halfs of its row behind one another, and takes four pairs of them.
__global__ void pairs(uint16_t *matrix, uint16_t *packed, Quad *quads) {
    int row = threadIdx.x, bytes = ROWS * LEADING * 2;
    Descriptor from = describe(matrix, bytes), to = describe(packed, 2 + ROWS * 6);
    store(load(from, row * LEADING * 2, 0, 0), to, 2 + row * 6, 0, 0);
    quads[row] = load_quad(from, row * LEADING * 2, 2, 0);
}

int main() {
    std::vector<uint16_t> matrix(ROWS * LEADING);
    for (size_t i = 0; i < matrix.size(); i++) matrix[i] = uint16_t(i * 40503 + 1);
    Device<uint16_t> from(matrix), packed(1 + ROWS * 3);
    Device<Quad> quads(ROWS);
    HIP(hipMemset(packed, 0, packed.bytes()));
    pairs<<<1, ROWS>>>(from, packed, quads);
    auto halfs = packed.host();
    auto taken = quads.host();
    for (int row = 0; row < ROWS; row++) {
        const uint16_t *own = &matrix[row * LEADING], *got = &halfs[1 + row * 3];
        CHECK(got[0] == own[0] && got[1] == own[1], "row %d has %x %x", row, got[0], got[1]);
        CHECK(got[2] == 0 && halfs[0] == 0, "what is behind row %d has changed", row);
        CHECK(memcmp(&taken[row], own + 1, 16) == 0, "the quad of row %d is wrong", row);
    }
    return ok("unaligned_buffers");
}
