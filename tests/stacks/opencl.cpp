// An OpenCL program: a kernel from source, buffers, and the result against the host's.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(error)                                                                                   \
    do {                                                                                               \
        cl_int error_ = (error);                                                                       \
        if (error_) {                                                                                  \
            std::printf("line %d: %d\n", __LINE__, error_);                                            \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

static const char *source = R"(
kernel void sums(global const int *values, global int *out, local int *scratch) {
    size_t i = get_local_id(0), n = get_local_size(0);
    scratch[i] = values[get_global_id(0)];
    for (size_t step = n / 2; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step) scratch[i] += scratch[i + step];
    }
    if (i == 0) out[get_group_id(0)] = scratch[0];
})";

int main() {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    CHECK(clGetPlatformIDs(1, &platform, nullptr));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr));
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    CHECK(error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &error);
    CHECK(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    CHECK(error);
    if ((error = clBuildProgram(program, 1, &device, "", nullptr, nullptr))) {
        static char log[1 << 16];
        CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr));
        std::printf("%s\n", log);
        CHECK(error);
    }
    cl_kernel kernel = clCreateKernel(program, "sums", &error);
    CHECK(error);
    constexpr size_t count = 1 << 14, group = 256;
    std::vector<int> values(count), got(count / group);
    for (size_t i = 0; i < count; i++) values[i] = int(i * 2654435761u >> 20);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, count * sizeof(int), values.data(), &error);
    CHECK(error);
    cl_mem out = clCreateBuffer(context, 0, got.size() * sizeof(int), nullptr, &error);
    CHECK(error);
    CHECK(clSetKernelArg(kernel, 0, sizeof in, &in));
    CHECK(clSetKernelArg(kernel, 1, sizeof out, &out));
    CHECK(clSetKernelArg(kernel, 2, group * sizeof(int), nullptr));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, &group, 0, nullptr, nullptr));
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, got.size() * sizeof(int), got.data(), 0, nullptr, nullptr));
    for (size_t n = 0; n < got.size(); n++) {
        int want = 0;
        for (size_t i = 0; i < group; i++) want += values[n * group + i];
        if (got[n] != want) {
            std::printf("sum %zu is %d, not %d\n", n, got[n], want);
            return 1;
        }
    }
    std::puts("ok opencl");
}
