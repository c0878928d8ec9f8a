// Products of matrices by hipBLASLt, by each algorithm that it offers for a shape: D = alpha A B + beta C. All values are small
// integers, whose sums are exact; results of 16 bits are rounded.
#include "check.hpp"
#include <array>
#include <hipblaslt/hipblaslt.h>

#define LT(call) CHECK((call) == HIPBLAS_STATUS_SUCCESS, "%s", #call)

struct Bfloat {
    uint16_t bits;
    Bfloat(float v = 0) {
        uint32_t word = __builtin_bit_cast(uint32_t, v);
        // To nearest even.
        bits = uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
    }
    operator float() const { return __builtin_bit_cast(float, uint32_t(bits) << 16); }
};

template <class T> std::vector<T> matrix(int count, int step) {
    std::vector<T> values(count);
    for (int i = 0; i < count; i++) values[i] = T(float(i * step % 5 - 2));
    return values;
}

struct Shape {
    int m, n, k;
    bool turn_a, turn_b;
};

template <class T> hipblasLtMatrixLayout_t layout(hipDataType type, int rows, int columns) {
    hipblasLtMatrixLayout_t made;
    LT(hipblasLtMatrixLayoutCreate(&made, type, rows, columns, rows));
    return made;
}

template <class T> int check(hipblasLtHandle_t handle, const char *name, hipDataType type, Shape s) {
    auto [m, n, k, turn_a, turn_b] = s;
    std::vector<T> a = matrix<T>(m * k, 7), b = matrix<T>(k * n, 8), c = matrix<T>(m * n, 3);
    Device<T> da(a), db(b), dc(c), dd(m * n);
    hipblasLtMatmulDesc_t product;
    LT(hipblasLtMatmulDescCreate(&product, HIPBLAS_COMPUTE_32F, HIP_R_32F));
    hipblasOperation_t ways[] = {HIPBLAS_OP_N, HIPBLAS_OP_T};
    LT(hipblasLtMatmulDescSetAttribute(product, HIPBLASLT_MATMUL_DESC_TRANSA, &ways[turn_a], sizeof ways[0]));
    LT(hipblasLtMatmulDescSetAttribute(product, HIPBLASLT_MATMUL_DESC_TRANSB, &ways[turn_b], sizeof ways[0]));
    auto of_a = layout<T>(type, turn_a ? k : m, turn_a ? m : k), of_b = layout<T>(type, turn_b ? n : k, turn_b ? k : n);
    auto of_c = layout<T>(type, m, n);
    hipblasLtMatmulPreference_t preference;
    LT(hipblasLtMatmulPreferenceCreate(&preference));
    size_t room = 4 << 20;
    LT(hipblasLtMatmulPreferenceSetAttribute(preference, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room));
    Device<char> work(room);
    hipblasLtMatmulHeuristicResult_t found[16];
    int count = 0;
    LT(hipblasLtMatmulAlgoGetHeuristic(handle, product, of_a, of_b, of_c, of_c, preference, 16, found, &count));
    float alpha = 2, beta = -1;
    for (int r = 0; r < count; r++) {
        LT(hipblasLtMatmul(handle, product, &alpha, (T *)da, of_a, (T *)db, of_b, &beta, (T *)dc, of_c, (T *)dd, of_c,
                           &found[r].algo, (char *)work, room, 0));
        std::vector<T> got = dd.host();
        for (int at = 0; at < m * n; at++) {
            int i = at % m, j = at / m;
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += float(a[turn_a ? i * k + l : l * m + i]) * float(b[turn_b ? l * n + j : j * k + l]);
            float want = T(2 * sum - float(c[at]));
            CHECK(float(got[at]) == want, "%s %d x %d x %d %c%c by algorithm %d: (%d, %d) is %g, not %g", name, m, n, k,
                  turn_a ? 'T' : 'N', turn_b ? 'T' : 'N', r, i, j, float(got[at]), want);
        }
    }
    return count;
}

int main() {
    hipblasLtHandle_t handle;
    LT(hipblasLtCreate(&handle));
    int count = 0;
    for (auto [m, n, k] : {std::array{64, 64, 64}, std::array{128, 96, 160}, std::array{200, 72, 136}})
        for (int turns = 0; turns < 4; turns++) {
            Shape s{m, n, k, bool(turns & 1), bool(turns & 2)};
            count += check<_Float16>(handle, "f16", HIP_R_16F, s);
            count += check<Bfloat>(handle, "bf16", HIP_R_16BF, s);
            count += check<float>(handle, "f32", HIP_R_32F, s);
        }
    printf("%d products\n", count);
    CHECK(count >= 36, "there are too few algorithms: %d", count);
    LT(hipblasLtDestroy(handle));
    return ok("hipblaslt");
}
