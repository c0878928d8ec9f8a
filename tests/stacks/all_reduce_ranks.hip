// RCCL's all-reduce of ranks that know each other by a file alone: `all_reduce_ranks RANK RANKS FILE`. Each may be on a machine of its
// own, with one GPU.
#include <hip/hip_runtime.h>
#include <rccl/rccl.h>
#include <cstdio>
#include <cstdlib>
#include <string>
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

constexpr size_t COUNT = 100000;

// Rank 0 writes the name of the group, and the others wait for it.
static ncclUniqueId group(int rank, const std::string &path) {
    ncclUniqueId id;
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&id));
        FILE *file = std::fopen((path + ".part").c_str(), "wb");
        CHECK(!file || std::fwrite(&id, sizeof id, 1, file) != 1 || std::fclose(file));
        CHECK(std::rename((path + ".part").c_str(), path.c_str()));
        return id;
    }
    FILE *file;
    while (!(file = std::fopen(path.c_str(), "rb"))) usleep(10000);
    CHECK(std::fread(&id, sizeof id, 1, file) != 1);
    std::fclose(file);
    return id;
}

int main(int count, char **arguments) {
    CHECK(count != 4);
    int rank = std::atoi(arguments[1]), ranks = std::atoi(arguments[2]), gpus;
    CHECK(hipGetDeviceCount(&gpus));
    CHECK(gpus != 1);
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, ranks, group(rank, arguments[3]), rank));
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
            if (values[i] != int(i) * (ranks * (ranks + 1) / 2)) {
                std::printf("rank %d, round %d: element %zu is %d\n", rank, round, i, values[i]);
                return 1;
            }
    }
    CHECK(ncclCommDestroy(comm));
    std::printf("ok all_reduce_ranks %d\n", rank);
    return 0;
}
