// What every OpenMP program here uses. They are run with OMP_TARGET_OFFLOAD=MANDATORY, so a device is really used.
#pragma once
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                                                          \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            fprintf(stderr, "FAIL: %s:%d: %s: ", __FILE__, __LINE__, #condition);                      \
            fprintf(stderr, __VA_ARGS__);                                                              \
            fputc('\n', stderr);                                                                       \
            exit(1);                                                                                   \
        }                                                                                              \
    } while (0)

// Ends the program unless target regions run on a device.
static inline void need_device(void) {
    int on_host = 1;
#pragma omp target map(tofrom : on_host)
    on_host = omp_is_initial_device();
    CHECK(omp_get_num_devices() > 0 && !on_host, "there are %d devices, and the region ran on the host",
          omp_get_num_devices());
}
