// Two GPUs of different kinds: each with its own memory and queue, and copies between them.
// GPUs: gfx900,gfx906
#include "check.hpp"

__global__ void add(int *v, int k) { v[threadIdx.x] += k; }

int main() {
    int count = 0, reachable = 0;
    HIP(hipGetDeviceCount(&count));
    CHECK(count == 2, "there are %d devices, not 2", count);
    const char *names[2] = {"gfx900", "gfx906"};
    int *memory[2], host[64];
    for (int d = 0; d < 2; d++) {
        hipDeviceProp_t device;
        HIP(hipGetDeviceProperties(&device, d));
        CHECK(strncmp(device.gcnArchName, names[d], 6) == 0, "device %d is %s", d, device.gcnArchName);
        HIP(hipSetDevice(d));
        HIP(hipMalloc(&memory[d], sizeof host));
        HIP(hipMemset(memory[d], 0, sizeof host));
        add<<<1, 64>>>(memory[d], d + 1);
        HIP(hipDeviceSynchronize());
    }
    HIP(hipDeviceCanAccessPeer(&reachable, 0, 1));
    HIP(hipMemcpyPeer(memory[0], 0, memory[1], 1, sizeof host));
    HIP(hipSetDevice(0));
    add<<<1, 64>>>(memory[0], 10);
    HIP(hipMemcpy(host, memory[0], sizeof host, hipMemcpyDeviceToHost));
    for (int v : host) CHECK(v == 12, "after the copy between the devices there is %d, not 12", v);
    if (reachable) {
        HIP(hipDeviceEnablePeerAccess(1, 0));
        add<<<1, 64>>>(memory[1], 100); // by device 0, in the memory of device 1
        HIP(hipDeviceSynchronize());
        HIP(hipMemcpy(host, memory[1], sizeof host, hipMemcpyDeviceToHost));
        for (int v : host) CHECK(v == 102, "after the access between the devices there is %d, not 102", v);
    }
    for (int d = 0; d < 2; d++) HIP(hipFree(memory[d]));
    return ok("devices");
}
