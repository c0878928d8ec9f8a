// Scans of values of 8 bytes, 300 times: their blocks hand each other a value and its flag in one access of 16 bytes. A value
// with a flag that is not its own loses the sums of the blocks before.
#include "check.hpp"
#include <hipcub/hipcub.hpp>

constexpr int ITEMS = 2000000, ROUNDS = 300;

int main() {
    std::vector<int> in(ITEMS);
    std::vector<long> want(ITEMS);
    uint32_t random = 1;
    long sum = 0;
    for (int i = 0; i < ITEMS; i++) {
        random = random * 1664525u + 1013904223u;
        in[i] = int(random >> 8) - (1 << 23);
        want[i] = sum += in[i];
    }
    Device<int> device_in(in);
    Device<long> device_out(ITEMS);
    auto scan = [&](void *room, size_t &bytes) {
        return hipcub::DeviceScan::InclusiveScan(room, bytes, (int *)device_in, (long *)device_out,
                                                 [] __device__(long a, long b) { return a + b; }, ITEMS);
    };
    size_t bytes = 0;
    HIP(scan(nullptr, bytes));
    Device<char> room(bytes);
    for (int round = 0; round < ROUNDS; round++) {
        HIP(hipMemset(device_out, 0xff, device_out.bytes()));
        HIP(scan((char *)room, bytes));
        std::vector<long> got = device_out.host();
        for (int i = 0; i < ITEMS; i++)
            CHECK(got[i] == want[i], "scan %d: element %d is %ld, not %ld", round, i, got[i], want[i]);
    }
    return ok("scan");
}
