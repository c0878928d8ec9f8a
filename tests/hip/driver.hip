// Less common calls: values in memory that streams write and wait for, occupancy, attributes of kernels, limits.
#include "check.hpp"

__global__ void __launch_bounds__(256) fill(int *v, int n, int k) {
    __shared__ int lds[100];
    lds[threadIdx.x % 100] = k;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = lds[i % 100] + i;
}

static void check_stream_values() {
    hipStream_t writer, waiter;
    HIP(hipStreamCreateWithFlags(&writer, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&waiter, hipStreamNonBlocking));
    uint64_t *flag;
    HIP(hipExtMallocWithFlags((void **)&flag, 8, hipMallocSignalMemory));
    *flag = 0;
    const int n = 256;
    Device<int> v(n);
    HIP(hipMemset(v, 0, v.bytes()));
    HIP(hipDeviceSynchronize());
    HIP(hipStreamWaitValue64(waiter, flag, 5, hipStreamWaitValueGte, ~0ull));
    fill<<<1, n, 0, waiter>>>(v, n, 50);
    CHECK(hipStreamQuery(waiter) == hipErrorNotReady, "the stream does not wait for the value");
    (void)hipGetLastError();
    HIP(hipStreamWriteValue64(writer, flag, 7, 0));
    HIP(hipStreamSynchronize(waiter));
    for (int i = 0; i < n; i++) CHECK(v.host()[i] == 50 + i, "behind the value: element %d is %d", i, v.host()[i]);
    HIP(hipStreamDestroy(writer));
    HIP(hipStreamDestroy(waiter));
    HIP(hipFree(flag));
}

static void check_attributes() {
    hipFuncAttributes about;
    HIP(hipFuncGetAttributes(&about, reinterpret_cast<const void *>(fill)));
    CHECK(about.sharedSizeBytes == 400 && about.maxThreadsPerBlock == 256 && about.numRegs > 0, "%zu bytes of LDS, %d threads",
          about.sharedSizeBytes, about.maxThreadsPerBlock);
    int blocks = 0, grid = 0, block = 0;
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
    CHECK(blocks >= 1 && blocks <= 40, "%d blocks fit a compute unit", blocks);
    HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0));
    CHECK(grid >= 1 && block >= 64 && block <= 1024, "the best launch is %d blocks of %d", grid, block);
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    CHECK(device.maxThreadsPerBlock == 1024 && device.sharedMemPerBlock == 65536 && device.multiProcessorCount >= 60,
          "%d threads, %zu bytes, %d units", device.maxThreadsPerBlock, device.sharedMemPerBlock, device.multiProcessorCount);
    size_t heap = 0;
    HIP(hipDeviceGetLimit(&heap, hipLimitMallocHeapSize));
    CHECK(heap > 0, "the heap has no size");
    int value = 0;
    HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    CHECK(value == 64, "the warp size is %d", value);
}

int main() {
    check_stream_values();
    check_attributes();
    return ok("driver");
}
