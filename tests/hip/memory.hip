// Pinned, mapped, registered and managed memory, and what the runtime says about pointers.
#include "check.hpp"

// HIP 6 has another name for it.
static hipMemoryType kind(const hipPointerAttribute_t &about) {
#if HIP_VERSION_MAJOR >= 6
    return about.type;
#else
    return about.memoryType;
#endif
}

__global__ void increment(int *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i]++;
}

__global__ void add_to_host(int *total, const int *v) { atomicAdd_system(total, v[threadIdx.x]); }

static void run(int *v, int n) {
    increment<<<(n + 255) / 256, 256>>>(v, n);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
}

static void check(const char *kind, const int *v, int n) {
    for (int i = 0; i < n; i++) CHECK(v[i] == i + 1, "%s memory: element %d is %d", kind, i, v[i]);
}

int main() {
    const int n = 5000;
    int *pinned, *mapped, *seen, *managed;

    HIP(hipHostMalloc(&pinned, n * sizeof(int), hipHostMallocDefault));
    for (int i = 0; i < n; i++) pinned[i] = i;
    run(pinned, n);
    check("pinned", pinned, n);

    HIP(hipHostMalloc(&mapped, n * sizeof(int), hipHostMallocMapped | hipHostMallocCoherent));
    HIP(hipHostGetDevicePointer((void **)&seen, mapped, 0));
    for (int i = 0; i < n; i++) mapped[i] = i;
    run(seen, n);
    check("mapped", mapped, n);

    std::vector<int> own(n + 17);
    int *inside = own.data() + 3; // registered memory need not begin at a page
    for (int i = 0; i < n; i++) inside[i] = i;
    HIP(hipHostRegister(inside, n * sizeof(int), hipHostRegisterMapped));
    HIP(hipHostGetDevicePointer((void **)&seen, inside, 0));
    run(seen, n);
    check("registered", inside, n);
    HIP(hipHostUnregister(inside));

    HIP(hipMallocManaged(&managed, n * sizeof(int)));
    for (int i = 0; i < n; i++) managed[i] = i;
    run(managed, n);
    check("managed", managed, n);
    HIP(hipMemAdvise(managed, n * sizeof(int), hipMemAdviseSetReadMostly, 0));
    HIP(hipMemPrefetchAsync(managed, n * sizeof(int), 0, 0));
    HIP(hipDeviceSynchronize());

    // The device adds into host memory.
    *mapped = 0;
    for (int i = 0; i < 256; i++) pinned[i] = i;
    add_to_host<<<1, 256>>>(mapped, pinned);
    HIP(hipDeviceSynchronize());
    CHECK(*mapped == 255 * 256 / 2, "the device added %d", *mapped);

    Device<int> device(n);
    hipPointerAttribute_t about;
    HIP(hipPointerGetAttributes(&about, device + 10));
    CHECK(kind(about) == hipMemoryTypeDevice && about.devicePointer == device + 10, "device memory is type %d at %p",
          kind(about), about.devicePointer);
    HIP(hipPointerGetAttributes(&about, pinned));
    CHECK(kind(about) == hipMemoryTypeHost && about.hostPointer == pinned, "pinned memory is type %d at %p",
          kind(about), about.hostPointer);
    HIP(hipPointerGetAttributes(&about, managed));
    CHECK(about.isManaged, "managed memory is not said to be managed");
    int local;
#if HIP_VERSION_MAJOR >= 6
    HIP(hipPointerGetAttributes(&about, &local));
    CHECK(kind(about) == hipMemoryTypeUnregistered, "memory of the host is type %d", kind(about));
#else
    HIP_REFUSES(hipErrorInvalidValue, hipPointerGetAttributes(&about, &local));
#endif

    hipDeviceptr_t base;
    size_t size;
    HIP(hipMemGetAddressRange(&base, &size, (hipDeviceptr_t)(device + 100)));
    CHECK(base == (hipDeviceptr_t)(int *)device && size == n * sizeof(int), "the range is %p, %zu bytes", base, size);

    size_t free_before, free_after, total;
    HIP(hipMemGetInfo(&free_before, &total));
    CHECK(free_before <= total && total >= (size_t(1) << 30), "%zu of %zu bytes are free", free_before, total);
    {
        Device<char> large(64 << 20);
        HIP(hipMemGetInfo(&free_after, &total));
        CHECK(free_after + (64 << 20) <= free_before, "64 MB were taken, but %zu and then %zu bytes are free", free_before,
              free_after);
    }
    // A thousand blocks come and go.
    for (int round = 0; round < 4; round++) {
        std::vector<void *> blocks(250);
        for (size_t i = 0; i < blocks.size(); i++) HIP(hipMalloc(&blocks[i], 1 + i * 37));
        for (size_t i = 0; i < blocks.size(); i++) CHECK((uintptr_t)blocks[i] % 256 == 0, "block %p", blocks[i]);
        for (void *block : blocks) HIP(hipFree(block));
    }
    HIP(hipHostFree(pinned));
    HIP(hipHostFree(mapped));
    HIP(hipFree(managed));
    return ok("memory");
}
