// Device globals, constant memory and managed globals: their initial values, and copies from and to them.
#include "check.hpp"

__device__ int counter = 42;
__device__ float table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__constant__ int factors[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
__device__ int untouched[1000]; // .bss
__device__ int *pointer_to_counter = &counter; // a relocation
__managed__ int shared_counter = 7;

__global__ void use(float *out) {
    int i = threadIdx.x;
    out[i] = table[i & 7] * factors[i & 15] + *pointer_to_counter + untouched[i];
    untouched[i] = i;
    __syncthreads();
    if (i == 0) counter++, shared_counter += counter;
}

int main() {
    Device<float> out(256);
    float host_table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    auto check = [&](int counted, bool touched, int factor) {
        use<<<1, 256>>>(out);
        auto got = out.host();
        for (int i = 0; i < 256; i++) {
            float want = host_table[i & 7] * (i & 15) * factor + counted + (touched ? i : 0);
            CHECK(got[i] == want, "element %d is %g, not %g", i, got[i], want);
        }
    };
    check(42, false, 1);
    check(43, true, 1);
    HIP(hipDeviceSynchronize());
    CHECK(shared_counter == 7 + 43 + 44, "the managed counter is %d", shared_counter);

    int value = 0;
    HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof value));
    CHECK(value == 44, "the counter is %d, not 44", value);
    value = 1000;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(counter), &value, sizeof value));
    int doubled[16];
    for (int i = 0; i < 16; i++) doubled[i] = 2 * i;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(factors), doubled, sizeof doubled));
    float last = 256;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), &last, sizeof last, 7 * sizeof last));
    host_table[7] = last;
    check(1000, true, 2);

    int *address;
    size_t size;
    HIP(hipGetSymbolAddress((void **)&address, HIP_SYMBOL(untouched)));
    HIP(hipGetSymbolSize(&size, HIP_SYMBOL(untouched)));
    CHECK(size == sizeof untouched, "the symbol has %zu bytes", size);
    HIP(hipMemset(address, 0, size));
    shared_counter = 0;
    check(1001, false, 2);
    HIP(hipDeviceSynchronize());
    CHECK(shared_counter == 1002, "the managed counter is %d", shared_counter);
    return ok("globals");
}
