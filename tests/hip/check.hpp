// What every HIP program here uses: each call is checked, each value is compared with what the CPU computes, and the
// last line says `ok NAME`.
#pragma once
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

[[noreturn]] inline void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("FAIL: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    // Neither destructors nor exit handlers: a device thread may still be running.
    _Exit(1);
}

// Ends the program unless the call succeeds.
#define HIP(call)                                                                                      \
    do {                                                                                               \
        hipError_t error_ = (call);                                                                    \
        if (error_ != hipSuccess) fail("%s:%d: %s: %s", __FILE__, __LINE__, #call, hipGetErrorName(error_)); \
    } while (0)

// Ends the program unless the call gives this error.
#define HIP_REFUSES(expected, call)                                                                    \
    do {                                                                                               \
        hipError_t error_ = (call);                                                                    \
        if (error_ != (expected))                                                                      \
            fail("%s:%d: %s: %s, expected %s", __FILE__, __LINE__, #call, hipGetErrorName(error_),     \
                 hipGetErrorName(expected));                                                           \
    } while (0)

#define CHECK(condition, ...)                                                                          \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                            \
            fail(__VA_ARGS__);                                                                         \
        }                                                                                              \
    } while (0)

// The last call of each program: what is under way ends well, and nothing was left unsaid.
inline int ok(const char *name) {
    HIP(hipDeviceSynchronize());
    HIP(hipGetLastError());
    printf("ok %s\n", name);
    return 0;
}

// Device memory that holds `count` elements, and frees itself.
template <class T> class Device {
  public:
    explicit Device(size_t count) : count_(count) { HIP(hipMalloc(&data_, count * sizeof(T))); }
    explicit Device(const std::vector<T> &host) : Device(host.size()) {
        HIP(hipMemcpy(data_, host.data(), bytes(), hipMemcpyHostToDevice));
    }
    Device(const Device &) = delete;
    ~Device() { (void)hipFree(data_); }
    operator T *() const { return data_; }
    size_t bytes() const { return count_ * sizeof(T); }
    std::vector<T> host() const {
        std::vector<T> out(count_);
        HIP(hipMemcpy(out.data(), data_, bytes(), hipMemcpyDeviceToHost));
        return out;
    }

  private:
    T *data_ = nullptr;
    size_t count_;
};

// The same numbers on every machine (the minimal standard generator of Park and Miller, 1988).
class Random {
  public:
    uint32_t next() { return state_ = uint32_t(uint64_t(state_) * 48271 % 2147483647); }
    float unit() { return float(next()) / 2147483648.0f; }

  private:
    uint32_t state_ = 1;
};
