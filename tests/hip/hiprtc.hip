// Source that is compiled at run time, loaded as a module and launched; a wrong source gives its log.
#include "check.hpp"

#include <hip/hiprtc.h>
#include <string>

#define RTC(call)                                                                                      \
    do {                                                                                               \
        hiprtcResult result_ = (call);                                                                 \
        if (result_ != HIPRTC_SUCCESS) fail("%s:%d: %s: %s", __FILE__, __LINE__, #call, hiprtcGetErrorString(result_)); \
    } while (0)

static const char *SOURCE = R"(
extern "C" __constant__ float scale = 2.0f;
extern "C" __device__ int launches = 0;
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] * scale + y[i];
    if (i == 0) atomicAdd(&launches, 1);
}
template <int N> __global__ void power(float *x) {
    float v = 1;
    for (int i = 0; i < N; i++) v *= x[threadIdx.x];
    x[threadIdx.x] = v;
}
)";

int main() {
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    std::string target = std::string("--offload-arch=") + device.gcnArchName;
    const char *options[] = {target.c_str(), "-O2"};

    hiprtcProgram wrong;
    RTC(hiprtcCreateProgram(&wrong, "__global__ void f() { this is wrong; }", "wrong.hip", 0, nullptr, nullptr));
    CHECK(hiprtcCompileProgram(wrong, 2, options) == HIPRTC_ERROR_COMPILATION, "a wrong source was compiled");
    size_t log = 0;
    RTC(hiprtcGetProgramLogSize(wrong, &log));
    CHECK(log > 1, "the log of a wrong source is empty");
    RTC(hiprtcDestroyProgram(&wrong));

    hiprtcProgram program;
    RTC(hiprtcCreateProgram(&program, SOURCE, "saxpy.hip", 0, nullptr, nullptr));
    RTC(hiprtcAddNameExpression(program, "power<5>"));
    if (hiprtcCompileProgram(program, 2, options) != HIPRTC_SUCCESS) {
        RTC(hiprtcGetProgramLogSize(program, &log));
        std::string text(log, ' ');
        RTC(hiprtcGetProgramLog(program, &text[0]));
        fail("%s", text.c_str());
    }
    const char *lowered = nullptr;
    RTC(hiprtcGetLoweredName(program, "power<5>", &lowered));
    size_t size = 0;
    RTC(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    RTC(hiprtcGetCode(program, code.data()));

    hipModule_t module;
    hipFunction_t saxpy, power;
    HIP(hipModuleLoadData(&module, code.data()));
    HIP(hipModuleGetFunction(&saxpy, module, "saxpy"));
    HIP(hipModuleGetFunction(&power, module, lowered));
    HIP_REFUSES(hipErrorNotFound, hipModuleGetFunction(&saxpy, module, "absent"));
    HIP(hipModuleGetFunction(&saxpy, module, "saxpy"));
    RTC(hiprtcDestroyProgram(&program));

    unsigned n = 1000;
    std::vector<float> x(n), y(n);
    for (unsigned i = 0; i < n; i++) x[i] = i, y[i] = 5;
    Device<float> dx(x), dy(y);
    float a = 3, *px = dx, *py = dy;
    void *arguments[] = {&a, &px, &py, &n};
    for (int launch = 0; launch < 2; launch++)
        HIP(hipModuleLaunchKernel(saxpy, (n + 255) / 256, 1, 1, 256, 1, 1, 0, 0, arguments, nullptr));
    auto got = dy.host();
    for (unsigned i = 0; i < n; i++) CHECK(got[i] == 2 * 6.0f * i + 5, "y[%u] is %g", i, got[i]);

    hipDeviceptr_t global;
    size_t bytes;
    HIP(hipModuleGetGlobal(&global, &bytes, module, "launches"));
    int launches = 0;
    HIP(hipMemcpyDtoH(&launches, global, sizeof launches));
    CHECK(bytes == sizeof(int) && launches == 2, "%d launches are counted in %zu bytes", launches, bytes);

    std::vector<float> z(64);
    for (int i = 0; i < 64; i++) z[i] = i % 8;
    Device<float> dz(z);
    float *pz = dz;
    void *power_arguments[] = {&pz};
    HIP(hipModuleLaunchKernel(power, 1, 1, 1, 64, 1, 1, 0, 0, power_arguments, nullptr));
    auto powers = dz.host();
    for (int i = 0; i < 64; i++) CHECK(powers[i] == std::pow(float(i % 8), 5), "%d to the fifth is %g", i % 8, powers[i]);
    HIP(hipModuleUnload(module));
    return ok("hiprtc");
}
