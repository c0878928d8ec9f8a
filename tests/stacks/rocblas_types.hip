// Products of matrices in every type that rocBLAS has, in all transpositions, with alpha and beta. All values are small integers:
// every product and sum is exact, whatever instructions compute it.
#include "check.hpp"
#include <rocblas/rocblas.h>
#include <string>

#define BLAS(call)                                                                                 \
    do {                                                                                           \
        rocblas_status status_ = (call);                                                           \
        if (status_ != rocblas_status_success) fail("%s: %s", #call, rocblas_status_to_string(status_)); \
    } while (0)

struct Half {
    _Float16 bits;
    Half(float v = 0) : bits(_Float16(v)) {}
    operator float() const { return float(bits); }
};
struct Bfloat {
    uint16_t bits;
    // Exact: small integers have no more than eight bits.
    Bfloat(float v = 0) {
        uint32_t word;
        memcpy(&word, &v, 4);
        bits = uint16_t(word >> 16);
    }
    operator float() const {
        uint32_t word = uint32_t(bits) << 16;
        float v;
        memcpy(&v, &word, 4);
        return v;
    }
};

template <class T> std::vector<T> matrix(size_t count, int seed) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; i++) values[i] = T(int(i * (seed + 6) % 5) - 2);
    return values;
}

struct Shape {
    int m, n, k;
    bool turn_a, turn_b;
};

// Calls gemm(shape, operations, leading dimensions, A, B, C, D), and checks what it leaves in D: alpha A B + beta C.
template <class In, class Out, class Call> void check(const char *name, Shape s, int alpha, int beta, Call gemm) {
    auto [m, n, k, turn_a, turn_b] = s;
    std::vector<In> a = matrix<In>(size_t(m) * k, 1), b = matrix<In>(size_t(k) * n, 2);
    std::vector<Out> c = matrix<Out>(size_t(m) * n, 3);
    Device<In> da(a), db(b);
    Device<Out> dc(c);
    gemm(turn_a ? rocblas_operation_transpose : rocblas_operation_none,
         turn_b ? rocblas_operation_transpose : rocblas_operation_none, turn_a ? k : m, turn_b ? n : k, (In *)da, (In *)db,
         (Out *)dc);
    std::vector<Out> got = dc.host();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int sum = 0;
            for (int l = 0; l < k; l++)
                sum += int(a[turn_a ? size_t(i) * k + l : size_t(l) * m + i]) *
                       int(b[turn_b ? size_t(l) * n + j : size_t(j) * k + l]);
            size_t at = size_t(j) * m + i;
            int want = alpha * sum + beta * int(c[at]);
            CHECK(double(got[at]) == want, "%s %d x %d x %d %c%c, %d, %d: (%d, %d) is %g, not %d", name, m, n, k,
                  turn_a ? 'T' : 'N', turn_b ? 'T' : 'N', alpha, beta, i, j, double(got[at]), want);
        }
}

template <class In, class Out>
void check_ex(rocblas_handle handle, const char *name, Shape s, rocblas_datatype in, rocblas_datatype out) {
    float alpha = 2, beta = -1;
    int whole_alpha = 2, whole_beta = -1;
    bool is_whole = out == rocblas_datatype_i32_r;
    check<In, Out>(name, s, 2, -1, [&](auto ta, auto tb, int lda, int ldb, In *a, In *b, Out *c) {
        BLAS(rocblas_gemm_ex(handle, ta, tb, s.m, s.n, s.k, is_whole ? (void *)&whole_alpha : &alpha, a, in, lda, b, in, ldb,
                             is_whole ? (void *)&whole_beta : &beta, c, out, s.m, c, out, s.m,
                             is_whole ? rocblas_datatype_i32_r : rocblas_datatype_f32_r, rocblas_gemm_algo_standard, 0, 0));
    });
}

int main() {
    rocblas_handle handle;
    BLAS(rocblas_create_handle(&handle));
    const int sizes[][3] = {{1, 1, 1}, {16, 16, 16}, {33, 17, 65}, {64, 64, 64}, {128, 96, 32}, {100, 130, 70}, {192, 256, 100}};
    for (auto &size : sizes)
        for (int turns = 0; turns < 4; turns++) {
            int m = size[0], n = size[1], k = size[2];
            Shape s{m, n, k, bool(turns & 1), bool(turns & 2)};
            for (int beta : {0, -1}) {
                float falpha = 2, fbeta = float(beta);
                check<float, float>("sgemm", s, 2, beta, [&](auto ta, auto tb, int lda, int ldb, float *a, float *b, float *c) {
                    BLAS(rocblas_sgemm(handle, ta, tb, m, n, k, &falpha, a, lda, b, ldb, &fbeta, c, m));
                });
                double dalpha = 2, dbeta = beta;
                check<double, double>("dgemm", s, 2, beta, [&](auto ta, auto tb, int lda, int ldb, double *a, double *b, double *c) {
                    BLAS(rocblas_dgemm(handle, ta, tb, m, n, k, &dalpha, a, lda, b, ldb, &dbeta, c, m));
                });
                Half halpha(2), hbeta{float(beta)};
                check<Half, Half>("hgemm", s, 2, beta, [&](auto ta, auto tb, int lda, int ldb, Half *a, Half *b, Half *c) {
                    BLAS(rocblas_hgemm(handle, ta, tb, m, n, k, (rocblas_half *)&halpha, (rocblas_half *)a, lda, (rocblas_half *)b,
                                       ldb, (rocblas_half *)&hbeta, (rocblas_half *)c, m));
                });
            }
            check_ex<Half, Half>(handle, "f16", s, rocblas_datatype_f16_r, rocblas_datatype_f16_r);
            check_ex<Half, float>(handle, "f16 to f32", s, rocblas_datatype_f16_r, rocblas_datatype_f32_r);
            check_ex<Bfloat, float>(handle, "bf16 to f32", s, rocblas_datatype_bf16_r, rocblas_datatype_f32_r);
            if (k % 4 == 0 && m % 4 == 0 && n % 4 == 0)
                check_ex<int8_t, int32_t>(handle, "i8", s, rocblas_datatype_i8_r, rocblas_datatype_i32_r);
        }
    BLAS(rocblas_destroy_handle(handle));
    return ok("rocblas_types");
}
