// What the runtime has to refuse is refused with its error, and work goes on afterwards.
#include "check.hpp"

__global__ void one(int *v) { v[threadIdx.x] = 1; }

int main() {
    int devices = 0;
    HIP(hipGetDeviceCount(&devices));
    CHECK(devices >= 1, "there are %d devices", devices);
    HIP_REFUSES(hipErrorInvalidDevice, hipSetDevice(devices));
    HIP_REFUSES(hipErrorInvalidValue, hipMalloc(nullptr, 4));
    void *p = nullptr;
    HIP_REFUSES(hipErrorOutOfMemory, hipMalloc(&p, size_t(1) << 50));
    int local = 0;
    HIP_REFUSES(hipErrorInvalidValue, hipFree(&local));
    HIP_REFUSES(hipErrorInvalidValue, hipMemcpy(nullptr, &local, 4, hipMemcpyHostToDevice));
    Device<int> v(std::vector<int>(64, 0));
    (void)hipGetLastError();
    one<<<1, 2048>>>(v);
    CHECK(hipGetLastError() != hipSuccess, "2048 threads in a block were accepted");
    one<<<0, 64>>>(v);
    CHECK(hipGetLastError() != hipSuccess, "an empty grid was accepted");
    hipModule_t module;
    CHECK(hipModuleLoadData(&module, "this is no code object, but sixty-four bytes of quite plain text") != hipSuccess,
          "text was accepted as a code object");
    (void)hipGetLastError();
    one<<<1, 64>>>(v);
    for (int e : v.host()) CHECK(e == 1, "after the errors a kernel left %d", e);
    return ok("errors");
}
