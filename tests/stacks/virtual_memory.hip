// Addresses that are reserved, and memory that is mapped at them, twice.
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

__global__ void number(int *values) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    values[i] = 3 * i;
}

int main() {
    int supported = 0;
    HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
    if (!supported) {
        // The runtime does not ask for it before version 6.
        std::puts(HIP_VERSION_MAJOR < 6 ? "ok virtual_memory: there is none" : "there is no virtual memory");
        return HIP_VERSION_MAJOR >= 6;
    }
    hipMemAllocationProp wish = {};
    wish.type = hipMemAllocationTypePinned;
    wish.location.type = hipMemLocationTypeDevice;
    wish.location.id = 0;
    size_t granularity;
    HIP(hipMemGetAllocationGranularity(&granularity, &wish, hipMemAllocationGranularityRecommended));
    size_t bytes = 4 * granularity, count = bytes / sizeof(int);
    hipMemGenericAllocationHandle_t memory;
    HIP(hipMemCreate(&memory, bytes, &wish, 0));
    hipMemAccessDesc access = {};
    access.location = wish.location;
    access.flags = hipMemAccessFlagsProtReadWrite;
    void *places[2];
    for (void *&place : places) {
        HIP(hipMemAddressReserve(&place, bytes, 0, nullptr, 0));
        HIP(hipMemMap(place, bytes, 0, memory, 0));
        HIP(hipMemSetAccess(place, bytes, &access, 1));
    }
    number<<<count / 64, 64>>>((int *)places[0]);
    HIP(hipDeviceSynchronize());
    int *host = (int *)std::malloc(bytes);
    HIP(hipMemcpy(host, places[1], bytes, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        if (host[i] != int(3 * i)) {
            std::printf("element %zu is %d\n", i, host[i]);
            return 1;
        }
    for (void *place : places) {
        HIP(hipMemUnmap(place, bytes));
        HIP(hipMemAddressFree(place, bytes));
    }
    HIP(hipMemRelease(memory));
    std::puts("ok virtual_memory");
}
