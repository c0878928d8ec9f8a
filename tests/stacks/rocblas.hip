// Products of matrices by rocBLAS, single, double and half precision, with odd leading dimensions.
#include <hip/hip_runtime.h>
#include <rocblas/rocblas.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        int error = (int)(call);                                                                       \
        if (error) {                                                                                   \
            std::printf("%s gives %d\n", #call, error);                                                \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

constexpr int M = 67, N = 45, K = 33, LDA = 71, LDB = 37, LDC = 69;

static rocblas_status gemm(rocblas_handle h, const float *a, const float *b, float *c) {
    float one = 1, half = 0.5;
    auto none = rocblas_operation_none;
    return rocblas_sgemm(h, none, none, M, N, K, &one, a, LDA, b, LDB, &half, c, LDC);
}
static rocblas_status gemm(rocblas_handle h, const double *a, const double *b, double *c) {
    double one = 1, half = 0.5;
    auto none = rocblas_operation_none;
    return rocblas_dgemm(h, none, none, M, N, K, &one, a, LDA, b, LDB, &half, c, LDC);
}
static rocblas_status gemm(rocblas_handle h, const _Float16 *a, const _Float16 *b, _Float16 *c) {
    _Float16 one = 1, half = 0.5;
    auto none = rocblas_operation_none, *p = &none;
    return rocblas_hgemm(h, *p, *p, M, N, K, (rocblas_half *)&one, (rocblas_half *)a, LDA, (rocblas_half *)b, LDB,
                         (rocblas_half *)&half, (rocblas_half *)c, LDC);
}

// Small integers: every product and sum is exact.
template <class T> static void check(rocblas_handle handle, const char *name) {
    std::vector<T> a(LDA * K), b(LDB * N), c(LDC * N), got(LDC * N);
    for (size_t i = 0; i < a.size(); i++) a[i] = T(int(i * 7 % 5) - 2);
    for (size_t i = 0; i < b.size(); i++) b[i] = T(int(i * 11 % 7) - 3);
    for (size_t i = 0; i < c.size(); i++) c[i] = T(int(i % 9) * 2);
    T *da, *db, *dc;
    CHECK(hipMalloc(&da, a.size() * sizeof(T)));
    CHECK(hipMalloc(&db, b.size() * sizeof(T)));
    CHECK(hipMalloc(&dc, c.size() * sizeof(T)));
    CHECK(hipMemcpy(da, a.data(), a.size() * sizeof(T), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(db, b.data(), b.size() * sizeof(T), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(dc, c.data(), c.size() * sizeof(T), hipMemcpyHostToDevice));
    CHECK(gemm(handle, da, db, dc));
    CHECK(hipMemcpy(got.data(), dc, got.size() * sizeof(T), hipMemcpyDeviceToHost));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LDC; i++) {
            double want = double(c[j * LDC + i]);
            if (i < M) {
                want *= 0.5;
                for (int k = 0; k < K; k++) want += double(a[k * LDA + i]) * double(b[j * LDB + k]);
            }
            if (double(got[j * LDC + i]) != want) {
                std::printf("%s: (%d, %d) is %g, not %g\n", name, i, j, double(got[j * LDC + i]), want);
                std::exit(1);
            }
        }
    CHECK(hipFree(da));
    CHECK(hipFree(db));
    CHECK(hipFree(dc));
}

int main() {
    rocblas_handle handle;
    CHECK(rocblas_create_handle(&handle));
    check<float>(handle, "sgemm");
    check<double>(handle, "dgemm");
    check<_Float16>(handle, "hgemm");
    CHECK(rocblas_destroy_handle(handle));
    std::puts("ok rocblas");
}
