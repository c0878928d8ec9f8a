// RCCL's all-reduce on all GPUs of one process.
#include <hip/hip_runtime.h>
#include <rccl/rccl.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        int error = (int)(call);                                                                       \
        if (error) {                                                                                   \
            std::printf("%s gives %d\n", #call, error);                                                \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

int main() {
    int gpus;
    CHECK(hipGetDeviceCount(&gpus));
    if (gpus < 2) {
        std::printf("there are %d GPUs\n", gpus);
        return 1;
    }
    constexpr size_t count = 5000;
    std::vector<ncclComm_t> comms(gpus);
    CHECK(ncclCommInitAll(comms.data(), gpus, nullptr));
    std::vector<hipStream_t> streams(gpus);
    std::vector<int *> from(gpus), to(gpus);
    for (int n = 0; n < gpus; n++) {
        CHECK(hipSetDevice(n));
        CHECK(hipStreamCreate(&streams[n]));
        CHECK(hipMalloc(&from[n], count * sizeof(int)));
        CHECK(hipMalloc(&to[n], count * sizeof(int)));
        std::vector<int> values(count);
        for (size_t i = 0; i < count; i++) values[i] = int(i) * (n + 1) + n;
        CHECK(hipMemcpy(from[n], values.data(), count * sizeof(int), hipMemcpyHostToDevice));
    }
    CHECK(ncclGroupStart());
    for (int n = 0; n < gpus; n++)
        CHECK(ncclAllReduce(from[n], to[n], count, ncclInt, ncclSum, comms[n], streams[n]));
    CHECK(ncclGroupEnd());
    int factor = 0, offset = 0;
    for (int n = 0; n < gpus; n++) factor += n + 1, offset += n;
    for (int n = 0; n < gpus; n++) {
        CHECK(hipSetDevice(n));
        CHECK(hipStreamSynchronize(streams[n]));
        std::vector<int> got(count);
        CHECK(hipMemcpy(got.data(), to[n], count * sizeof(int), hipMemcpyDeviceToHost));
        for (size_t i = 0; i < count; i++)
            if (got[i] != int(i) * factor + offset) {
                std::printf("GPU %d: element %zu is %d\n", n, i, got[i]);
                return 1;
            }
    }
    for (auto comm : comms) CHECK(ncclCommDestroy(comm));
    std::puts("ok all_reduce");
}
