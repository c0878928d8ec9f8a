// What a HIP program pays for the runtime: round trips and many launches of an empty kernel, copies of 256 MB beside memcpy, and a vector
// addition of 64 MB a vector. Prints `NAME VALUE` lines.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#define HIP(call)                                                                                    \
    do {                                                                                             \
        hipError_t error = (call);                                                                   \
        if (error != hipSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error));                            \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

__global__ void empty() {}

__global__ void vadd(const float *a, const float *b, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

using Clock = std::chrono::steady_clock;

template <class Work> double microseconds(Work work) {
    auto start = Clock::now();
    work();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

static double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

template <class Work> double repeated(int count, Work work) {
    std::vector<double> times;
    for (int i = 0; i < count; i++) times.push_back(microseconds(work));
    return median(times);
}

// Processor time of a launch among many, of the program and of the runtime, in microseconds.
static double of_many(int groups, int items) {
    const int count = 20000;
    auto run = [=] {
        for (int i = 0; i < count; i++) empty<<<groups, items>>>();
        HIP(hipDeviceSynchronize());
    };
    run();
    clock_t start = clock();
    run();
    return double(clock() - start) / CLOCKS_PER_SEC * 1e6 / count;
}

int main() {
    auto launch = [] {
        empty<<<1, 1>>>();
        HIP(hipDeviceSynchronize());
    };
    launch();
    printf("empty_us %.2f\n", repeated(2000, launch));
    for (int waves : {1, 4, 16}) printf("waves_%d_us %.2f\n", waves, of_many(1, 64 * waves));

    size_t bytes = 256 << 20;
    char *from = (char *)malloc(bytes), *to = (char *)malloc(bytes), *device;
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    HIP(hipMalloc(&device, bytes));
    HIP(hipMemcpy(device, from, bytes, hipMemcpyHostToDevice));
    printf("memcpy_us %.0f\n", repeated(5, [&] { memcpy(to, from, bytes); }));
    printf("to_device_us %.0f\n", repeated(5, [&] { HIP(hipMemcpy(device, from, bytes, hipMemcpyHostToDevice)); }));
    printf("to_host_us %.0f\n", repeated(5, [&] { HIP(hipMemcpy(to, device, bytes, hipMemcpyDeviceToHost)); }));

    int n = 16 << 20;
    float *a, *b, *c;
    HIP(hipMalloc(&a, n * sizeof(float)));
    HIP(hipMalloc(&b, n * sizeof(float)));
    HIP(hipMalloc(&c, n * sizeof(float)));
    HIP(hipMemset(a, 0, n * sizeof(float)));
    HIP(hipMemset(b, 0, n * sizeof(float)));
    HIP(hipMemset(c, 0, n * sizeof(float)));
    HIP(hipDeviceSynchronize());
    auto add = [&] {
        vadd<<<n / 256, 256>>>(a, b, c);
        HIP(hipDeviceSynchronize());
    };
    add();
    printf("vadd_us %.0f\n", repeated(5, add));
    return 0;
}
