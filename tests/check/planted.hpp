// What the programs here share. They check nothing themselves: what counts is what is found in them.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

// Ends the program unless the call succeeds.
#define HIP(call)                                                                  \
    do {                                                                           \
        hipError_t error_ = (call);                                                \
        if (error_ != hipSuccess) {                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorName(error_)); \
            _Exit(9);                                                              \
        }                                                                          \
    } while (0)

// `count` values of device memory, all bytes 0.
template <typename T>
T *zeros(size_t count) {
    T *memory;
    HIP(hipMalloc(&memory, count * sizeof(T)));
    HIP(hipMemset(memory, 0, count * sizeof(T)));
    return memory;
}

// Device memory with these values.
template <typename T, size_t count>
T *copied(const T (&values)[count]) {
    T *memory = zeros<T>(count);
    HIP(hipMemcpy(memory, values, sizeof(values), hipMemcpyHostToDevice));
    return memory;
}
