// Products of matrices whose bytes fill whole pages, in 500 shapes: kernels of rocBLAS read on past the end of such a matrix.
#include "check.hpp"
#include <rocblas/rocblas.h>

#define BLAS(call) CHECK((call) == rocblas_status_success, "%s", #call)

// Small integers: every product and sum is exact.
static std::vector<float> matrix(size_t count, int seed) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++) values[i] = float(int(i * (seed + 6) % 7) - 3);
    return values;
}

static void gemm(rocblas_handle handle, int m, int n, int k, bool turn_a, bool turn_b) {
    std::vector<float> a = matrix(size_t(m) * k, 1), b = matrix(size_t(k) * n, 5);
    Device<float> device_a(a), device_b(b), device_c(size_t(m) * n);
    auto turned = [](bool is) { return is ? rocblas_operation_transpose : rocblas_operation_none; };
    const float one = 1, zero = 0;
    BLAS(rocblas_sgemm(handle, turned(turn_a), turned(turn_b), m, n, k, &one, (float *)device_a, turn_a ? k : m,
                       (float *)device_b, turn_b ? n : k, &zero, (float *)device_c, m));
    std::vector<float> c = device_c.host();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float want = 0;
            for (int l = 0; l < k; l++)
                want += a[turn_a ? size_t(i) * k + l : size_t(l) * m + i] * b[turn_b ? size_t(l) * n + j : size_t(j) * k + l];
            CHECK(c[size_t(j) * m + i] == want, "%d x %d x %d %c%c: (%d, %d) is %g, not %g", m, n, k, turn_a ? 'T' : 'N',
                  turn_b ? 'T' : 'N', i, j, c[size_t(j) * m + i], want);
        }
}

int main() {
    rocblas_handle handle;
    BLAS(rocblas_create_handle(&handle));
    const int sizes[] = {16, 32, 64, 96, 128};
    for (int m : sizes)
        for (int n : sizes)
            for (int k : sizes)
                for (int turns = 0; turns < 4; turns++) gemm(handle, m, n, k, turns & 1, turns & 2);
    BLAS(rocblas_destroy_handle(handle));
    return ok("rocblas_shapes");
}
