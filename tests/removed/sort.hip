// rocPRIM's radix sort of a device array, in passes over 7 bits: digits are counted, the counts are added up, keys are sorted
// within their work-group and scattered. Five work-groups; keys of 14 bits take two passes.
#include "../hip/check.hpp"

#include <algorithm>
#include <rocprim/rocprim.hpp>

using rocprim::kernel_config;
// No smaller sort in one kernel, and none by merging.
using Config = rocprim::radix_sort_config<7, 7, kernel_config<256, 2>, kernel_config<256, 4>, kernel_config<256, 1>,
                                          kernel_config<256, 1>, 0>;

int main() {
    constexpr unsigned n = 5000, bits = 14;
    std::vector<unsigned> in(n);
    Random random;
    for (unsigned &key : in) key = unsigned(random.next()) >> 8 & ((1u << bits) - 1);
    Device<unsigned> din(in), dout(n);
    unsigned *from = din, *to = dout;
    size_t bytes = 0;
    HIP(rocprim::radix_sort_keys<Config>(nullptr, bytes, from, to, n, 0, bits));
    Device<char> storage(std::max<size_t>(bytes, 1));
    HIP(rocprim::radix_sort_keys<Config>(static_cast<char *>(storage), bytes, from, to, n, 0, bits));
    std::sort(in.begin(), in.end());
    CHECK(dout.host() == in, "the sorted keys differ");
    return ok("sort");
}
