// RCCL's all-reduce of two processes, each with a GPU of its own.
#include <hip/hip_runtime.h>
#include <rccl/rccl.h>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        int error = (int)(call);                                                                       \
        if (error) {                                                                                   \
            std::printf("%s gives %d\n", #call, error);                                                \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

constexpr int RANKS = 2;
constexpr size_t COUNT = 100000;

static int rank_of(int rank, const ncclUniqueId &id) {
    CHECK(hipSetDevice(rank));
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, RANKS, id, rank));
    std::vector<int> values(COUNT);
    for (size_t i = 0; i < COUNT; i++) values[i] = int(i) * (rank + 1);
    int *from, *to;
    CHECK(hipMalloc(&from, COUNT * sizeof(int)));
    CHECK(hipMalloc(&to, COUNT * sizeof(int)));
    CHECK(hipMemcpy(from, values.data(), COUNT * sizeof(int), hipMemcpyHostToDevice));
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        CHECK(ncclAllReduce(from, to, COUNT, ncclInt, ncclSum, comm, stream));
        CHECK(hipStreamSynchronize(stream));
        CHECK(hipMemcpy(values.data(), to, COUNT * sizeof(int), hipMemcpyDeviceToHost));
        for (size_t i = 0; i < COUNT; i++)
            if (values[i] != int(i) * (RANKS * (RANKS + 1) / 2)) {
                std::printf("rank %d, round %d: element %zu is %d\n", rank, round, i, values[i]);
                return 1;
            }
    }
    CHECK(ncclCommDestroy(comm));
    return 0;
}

int main() {
    int ends[2];
    CHECK(pipe(ends));
    pid_t others[RANKS] = {};
    for (int rank = 1; rank < RANKS; rank++)
        if ((others[rank] = fork()) == 0) {
            ncclUniqueId id;
            if (read(ends[0], &id, sizeof id) != sizeof id) return 9;
            return rank_of(rank, id);
        }
    ncclUniqueId id;
    CHECK(ncclGetUniqueId(&id));
    for (int rank = 1; rank < RANKS; rank++)
        if (write(ends[1], &id, sizeof id) != sizeof id) return 9;
    int failed = rank_of(0, id);
    for (int rank = 1; rank < RANKS; rank++) {
        int status;
        waitpid(others[rank], &status, 0);
        failed |= status;
    }
    if (!failed) std::puts("ok all_reduce_processes");
    return failed != 0;
}
