// Constants that the host sets, by copies that newer runtimes make with kernels, and that kernels read.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

#define HIP(call)                                                                                      \
    do {                                                                                               \
        hipError_t error = (call);                                                                     \
        if (error != hipSuccess) {                                                                     \
            std::printf("%s: %s\n", #call, hipGetErrorString(error));                                  \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

__constant__ int factors[64];
__constant__ int offset = 5;

__global__ void apply(int *values) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    values[i] = values[i] * factors[i % 64] + offset;
}

int main() {
    constexpr int count = 4096;
    static int host[count], table[64];
    for (int i = 0; i < 64; i++) table[i] = 3 * i + 1;
    for (int i = 0; i < count; i++) host[i] = i;
    int *device;
    HIP(hipMalloc(&device, sizeof host));
    for (int round = 0; round < 3; round++) {
        int off = 100 * round;
        if (round) HIP(hipMemcpyToSymbol(HIP_SYMBOL(offset), &off, sizeof off));
        table[7] += round;
        HIP(hipMemcpyToSymbol(HIP_SYMBOL(factors), table, sizeof table));
        HIP(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice));
        apply<<<count / 256, 256>>>(device);
        static int got[count];
        HIP(hipMemcpy(got, device, sizeof got, hipMemcpyDeviceToHost));
        int back;
        HIP(hipMemcpyFromSymbol(&back, HIP_SYMBOL(offset), sizeof back));
        for (int i = 0; i < count; i++)
            if (got[i] != host[i] * table[i % 64] + back || back != (round ? off : 5)) {
                std::printf("round %d: element %d is %d\n", round, i, got[i]);
                return 1;
            }
    }
    std::puts("ok constant");
}
