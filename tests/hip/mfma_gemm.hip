// D = alpha A B + beta C by matrix instructions, from tiles in LDS, in every type that the chip has. All values are multiples of 1/4
// so small that each product and sum is exact, so what the CPU computes has the same bits.
// GPUs: gfx908
// GPUs: gfx90a
#include "check.hpp"
#include <string>
#include <type_traits>

template <class T, int N> using Vector = T __attribute__((ext_vector_type(N)));

// A matrix instruction of one block: its shape, its elements, and its call. ON is whether the chip compiled for has it.
template <class In_, class Out_, int M_, int K_> struct Shape {
    using In = In_;
    using Out = Out_;
    static constexpr int M = M_, K = K_;
    // Elements of A, and of B, in a lane, and registers of the sum.
    static constexpr int E = M * K / 64, R = M * M / 64;
    using Fragment = Vector<In, E>;
    using Sum = Vector<Out, R>;
};
struct F32 : Shape<float, float, 32, 2> {
    static __device__ Sum multiply(Fragment a, Fragment b, Sum c) {
#ifdef __HIP_DEVICE_COMPILE__
        return __builtin_amdgcn_mfma_f32_32x32x2f32(a[0], b[0], c, 0, 0, 0);
#else
        return c;
#endif
    }
};
struct F16 : Shape<_Float16, float, 16, 16> {
    static __device__ Sum multiply(Fragment a, Fragment b, Sum c) {
#ifdef __HIP_DEVICE_COMPILE__
        return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
#else
        return c;
#endif
    }
};
// The bits of a bfloat16.
#if defined(__gfx908__)
constexpr int BF16_K = 4;
#else
constexpr int BF16_K = 8;
#endif
struct BF16 : Shape<short, float, 32, BF16_K> {
    static __device__ Sum multiply(Fragment a, Fragment b, Sum c) {
#if defined(__gfx908__)
        return __builtin_amdgcn_mfma_f32_32x32x4bf16(a, b, c, 0, 0, 0);
#elif defined(__HIP_DEVICE_COMPILE__)
        return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0);
#else
        return c;
#endif
    }
};
#if defined(__gfx942__)
constexpr int I8_K = 32;
using Bytes = long;
#else
constexpr int I8_K = 16;
using Bytes = int;
#endif
struct I8 : Shape<signed char, int, 16, I8_K> {
    static __device__ Sum multiply(Fragment a, Fragment b, Sum c) {
#ifdef __HIP_DEVICE_COMPILE__
        Bytes left = __builtin_bit_cast(Bytes, a), right = __builtin_bit_cast(Bytes, b);
#if defined(__gfx942__)
        return __builtin_amdgcn_mfma_i32_16x16x32_i8(left, right, c, 0, 0, 0);
#else
        return __builtin_amdgcn_mfma_i32_16x16x16i8(left, right, c, 0, 0, 0);
#endif
#else
        return c;
#endif
    }
};
struct F64 : Shape<double, double, 16, 4> {
    static __device__ Sum multiply(Fragment a, Fragment b, Sum c) {
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__gfx908__)
        return __builtin_amdgcn_mfma_f64_16x16x4f64(a[0], b[0], c, 0, 0, 0);
#else
        return c;
#endif
    }
};

// Four waves, each with one tile of M x M, two beside two.
template <class I>
__global__ __launch_bounds__(256) void gemm(int m, int n, int k, typename I::Out alpha, const typename I::In *a,
                                            const typename I::In *b, typename I::Out beta, typename I::Out *c) {
    constexpr int M = I::M, E = I::E, DEPTH = 2 * I::K, SIDE = 2 * M;
    __shared__ typename I::In left[SIDE][DEPTH + 1], right[DEPTH][SIDE + 1];
    int item = threadIdx.x, wave = item / 64, lane = item % 64;
    int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
    int down = wave / 2 * M, along = wave % 2 * M;
    typename I::Sum sum = {};
    for (int t = 0; t < k; t += DEPTH) {
        for (int i = item; i < SIDE * DEPTH; i += 256) {
            int x = i % DEPTH, y = i / DEPTH;
            left[y][x] = row + y < m && t + x < k ? a[(row + y) * k + t + x] : typename I::In(0);
            x = i % SIDE, y = i / SIDE;
            right[y][x] = t + y < k && column + x < n ? b[(t + y) * n + column + x] : typename I::In(0);
        }
        __syncthreads();
        for (int depth = 0; depth < DEPTH; depth += I::K) {
            // Lane 64 / M groups of M lanes each: group g holds elements g E to g E + E - 1 along K.
            int first = depth + lane / M * E;
            typename I::Fragment from_left, from_right;
            for (int e = 0; e < E; e++) {
                from_left[e] = left[down + lane % M][first + e];
                from_right[e] = right[first + e][along + lane % M];
            }
            sum = I::multiply(from_left, from_right, sum);
        }
        __syncthreads();
    }
    for (int r = 0; r < I::R; r++) {
        // Rows of D: four in a row in a lane, but one of doubles.
        int i = sizeof(typename I::Out) == 8 ? 4 * r + lane / M : r / 4 * (256 / M) + lane / M * 4 + r % 4;
        int x = column + along + lane % M, y = row + down + i;
        if (y < m && x < n) c[y * n + x] = alpha * sum[r] + beta * c[y * n + x];
    }
}

template <class In> In element(float v) { return In(v); }
template <> short element<short>(float v) { return short(__builtin_bit_cast(unsigned, v) >> 16); }
template <class In> double number(In v) { return double(v); }
template <> double number(short v) { return __builtin_bit_cast(float, unsigned(v) << 16); }

template <class I> void check(const char *name, int m, int n, int k) {
    using In = typename I::In;
    using Out = typename I::Out;
    Random random;
    std::vector<In> a(m * k), b(k * n);
    std::vector<Out> c(m * n);
    // Integers of -100 to 100 in bytes, else multiples of 1/4 from -4 to 4.
    bool is_byte = std::is_same<In, signed char>::value;
    auto value = [&] { return is_byte ? float(int(random.next() % 201) - 100) : float(int(random.next() % 33) - 16) / 4; };
    for (auto *matrix : {&a, &b})
        for (In &v : *matrix) v = element<In>(value());
    for (Out &v : c) v = Out(int(random.next() % 9) - 4);
    const Out alpha = 2, beta = -3;
    Device<In> da(a), db(b);
    Device<Out> dc(c);
    dim3 groups((n + 2 * I::M - 1) / (2 * I::M), (m + 2 * I::M - 1) / (2 * I::M));
    gemm<I><<<groups, 256>>>(m, n, k, alpha, da, db, beta, dc);
    HIP(hipGetLastError());
    std::vector<Out> got = dc.host();
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += double(number(a[i * k + l])) * number(b[l * n + j]);
            double want = 2 * sum - 3.0 * c[i * n + j];
            CHECK(got[i * n + j] == want, "%s %d x %d x %d: D[%d][%d] is %g, not %g", name, m, n, k, i, j, double(got[i * n + j]),
                  want);
        }
}

int main() {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    bool is_first = std::string(properties.gcnArchName).find("gfx908") == 0;
    const int sizes[][3] = {{32, 32, 16}, {1, 1, 1}, {64, 64, 64}, {65, 130, 37}, {100, 33, 129}};
    for (auto &size : sizes) {
        int m = size[0], n = size[1], k = size[2];
        check<F32>("f32", m, n, k);
        check<F16>("f16", m, n, k);
        check<BF16>("bf16", m, n, k);
        check<I8>("i8", m, n, k);
        if (!is_first) check<F64>("f64", m, n, k);
    }
    return ok("mfma_gemm");
}
