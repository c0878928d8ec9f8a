// Heat in a rod, a part of it on the GPU of each rank: after each step, ranks exchange the cells at their edges. Rank 0 compares the
// whole rod with one that the CPU computes.
#include "../hip/check.hpp"
#include <mpi.h>

constexpr int CELLS = 1000, STEPS = 60;

__host__ __device__ static inline int flow(int left, int here, int right) { return here + (left - 2 * here + right) / 4; }

__global__ void step(const int *from, int *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i + 1] = flow(from[i], from[i + 1], from[i + 2]);
}

static int start(int cell) { return cell % 97 * 1000; }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, gpus;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    HIP(hipGetDeviceCount(&gpus));
    CHECK(gpus == 1, "rank %d has %d GPUs, not 1", rank, gpus);
    CHECK(CELLS % ranks == 0, "%d ranks do not divide %d cells", ranks, CELLS);

    // A cell at each end is that of the neighbour, or 0 at the ends of the rod.
    const int n = CELLS / ranks;
    const int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    std::vector<int> part(n + 2, 0);
    for (int i = 0; i < n; i++) part[i + 1] = start(rank * n + i);
    Device<int> a(part), b(part);
    int *from = a, *to = b;
    for (int round = 0; round < STEPS; round++) {
        // Memory of an emulated GPU is memory of its process: MPI reads and writes it.
        MPI_Sendrecv(from + 1, 1, MPI_INT, left, 0, from + n + 1, 1, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(from + n, 1, MPI_INT, right, 1, from, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        step<<<(n + 63) / 64, 64>>>(from, to, n);
        HIP(hipDeviceSynchronize());
        std::swap(from, to);
    }

    HIP(hipMemcpy(part.data(), from, part.size() * sizeof(int), hipMemcpyDeviceToHost));
    std::vector<int> rod(CELLS);
    MPI_Gather(part.data() + 1, n, MPI_INT, rod.data(), n, MPI_INT, 0, MPI_COMM_WORLD);
    int status = 0;
    if (rank == 0) {
        std::vector<int> want(CELLS + 2, 0), next(CELLS + 2, 0);
        for (int i = 0; i < CELLS; i++) want[i + 1] = start(i);
        for (int round = 0; round < STEPS; round++) {
            for (int i = 1; i <= CELLS; i++) next[i] = flow(want[i - 1], want[i], want[i + 1]);
            std::swap(want, next);
        }
        for (int i = 0; i < CELLS; i++) CHECK(rod[i] == want[i + 1], "cell %d is %d, not %d", i, rod[i], want[i + 1]);
        printf("%d ranks\n", ranks);
        status = ok("heat");
    }
    MPI_Finalize();
    return status;
}
