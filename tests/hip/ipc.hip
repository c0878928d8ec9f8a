// Memory of two processes, one for each half of the work: the first shares it, the second opens it, and kernels of both
// work on it in turns.
#include "check.hpp"
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#define SO(condition) CHECK(condition, "not so: %s", #condition)

constexpr int COUNT = 1 << 18;

__global__ void add(int *values, int amount) { values[blockIdx.x * blockDim.x + threadIdx.x] += amount; }

static void all_are(const int *device, int offset) {
    std::vector<int> got(COUNT);
    HIP(hipMemcpy(got.data(), device, COUNT * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) SO(got[i] == i + offset);
}

static void add_to_all(int *device, int amount) {
    add<<<COUNT / 256, 256>>>(device, amount);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
}

// A byte says whose turn it is.
static void pass(int to) { SO(write(to, "", 1) == 1); }
static void await(int from) {
    char byte;
    SO(read(from, &byte, 1) == 1);
}

static int second(int from, int to) {
    hipIpcMemHandle_t handles[2];
    SO(read(from, handles, sizeof handles) == sizeof handles);
    int *large, *small;
    HIP(hipIpcOpenMemHandle((void **)&large, handles[0], hipIpcMemLazyEnablePeerAccess));
    HIP(hipIpcOpenMemHandle((void **)&small, handles[1], hipIpcMemLazyEnablePeerAccess));
    all_are(large, 1);
    add_to_all(large, 10);
    add<<<1, 1>>>(small, 5);
    HIP(hipDeviceSynchronize());
    pass(to);
    await(from);
    all_are(large, 111);
    HIP(hipIpcCloseMemHandle(large));
    HIP(hipIpcCloseMemHandle(small));
    // Nothing of this process is in a handle that never was one.
    hipIpcMemHandle_t wrong = {};
    void *nothing;
    SO(hipIpcOpenMemHandle(&nothing, wrong, hipIpcMemLazyEnablePeerAccess) != hipSuccess);
    return 0;
}

int main(int count, char **words) {
    if (count == 3) return second(atoi(words[1]), atoi(words[2]));
    int there[2], back[2];
    SO(pipe(there) == 0 && pipe(back) == 0);
    // Before anything of HIP: a copy of a process that has a GPU has none.
    pid_t other = fork();
    if (other == 0) {
        std::string from = std::to_string(there[0]), to = std::to_string(back[1]);
        execl("/proc/self/exe", words[0], from.c_str(), to.c_str(), nullptr);
        _exit(9);
    }
    int *large, *small;
    HIP(hipMalloc(&large, COUNT * sizeof(int)));
    HIP(hipMalloc(&small, sizeof(int)));
    std::vector<int> values(COUNT);
    for (int i = 0; i < COUNT; i++) values[i] = i;
    HIP(hipMemcpy(large, values.data(), COUNT * sizeof(int), hipMemcpyHostToDevice));
    HIP(hipMemset(small, 0, sizeof(int)));
    add_to_all(large, 1);
    hipIpcMemHandle_t handles[2];
    HIP(hipIpcGetMemHandle(&handles[0], large));
    HIP(hipIpcGetMemHandle(&handles[1], small));
    SO(write(there[1], handles, sizeof handles) == sizeof handles);
    await(back[0]);
    all_are(large, 11);
    int seen;
    HIP(hipMemcpy(&seen, small, sizeof seen, hipMemcpyDeviceToHost));
    SO(seen == 5);
    add_to_all(large, 100);
    pass(there[1]);
    int status;
    SO(waitpid(other, &status, 0) == other && status == 0);
    all_are(large, 111);
    HIP(hipFree(large));
    HIP(hipFree(small));
    return ok("ipc");
}
