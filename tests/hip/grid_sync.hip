// Cooperative groups: a barrier over the whole grid, and tiles of a wave.
#include "check.hpp"

#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;

// Each round reads what the neighbouring block wrote in the round before.
__global__ void rounds(int *buffers, int count) {
    cg::grid_group grid = cg::this_grid();
    int n = int(grid.size()), me = int(grid.thread_rank());
    for (int round = 0; round < count; round++) {
        const int *from = buffers + round % 2 * n;
        int *to = buffers + (round + 1) % 2 * n;
        to[me] = from[(me + int(blockDim.x)) % n] + 1;
        grid.sync();
    }
}

__global__ void tiles(const int *in, int *out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = in[threadIdx.x];
    for (int o = 8; o; o >>= 1) v += tile.shfl_down(v, o);
    if (tile.thread_rank() == 0) out[threadIdx.x / 16] = v;
}

int main() {
    int cooperative = 0;
    HIP(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, 0));
    CHECK(cooperative == 1, "the device does not offer cooperative launches");

    const int blocks = 6, threads = 128, n = blocks * threads;
    int count = 9;
    std::vector<int> host(2 * n);
    for (int i = 0; i < n; i++) host[i] = i;
    Device<int> buffers(host);
    int *argument = buffers;
    void *arguments[] = {&argument, &count};
    for (int launch = 0; launch < 2; launch++) {
        HIP(hipMemcpy(buffers, host.data(), buffers.bytes(), hipMemcpyHostToDevice));
        HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(rounds), dim3(blocks), dim3(threads), arguments, 0, 0));
        HIP(hipDeviceSynchronize());
        auto got = buffers.host();
        for (int i = 0; i < n; i++) {
            int want = (i + count * threads) % n + count;
            CHECK(got[count % 2 * n + i] == want, "launch %d: element %d is %d, not %d", launch, i, got[count % 2 * n + i],
                  want);
        }
    }

    std::vector<int> in(256);
    for (int i = 0; i < 256; i++) in[i] = i * i;
    Device<int> din(in), out(16);
    tiles<<<1, 256>>>(din, out);
    auto got = out.host();
    for (int t = 0; t < 16; t++) {
        int want = 0;
        for (int i = 0; i < 16; i++) want += in[16 * t + i];
        CHECK(got[t] == want, "tile %d has %d, not %d", t, got[t], want);
    }
    return ok("grid_sync");
}
