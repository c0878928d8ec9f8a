// A tiled product of matrices.
// Barriers: 2, of which 2 matter. The one before a tile is read, and the one before it is overwritten.
#include "../hip/check.hpp"

constexpr int T = 16;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[T][T], bs[T][T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main() {
    const int n = 48;
    std::vector<float> a(n * n), b(n * n);
    // Small whole numbers: the sums are exact.
    for (int i = 0; i < n * n; i++) a[i] = float(i * 7 % 11), b[i] = float(i * 5 % 13);
    Device<float> da(a), db(b), dc(n * n);
    product<<<dim3(n / T, n / T), dim3(T, T)>>>(da, db, dc, n);
    auto c = dc.host();
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            float want = 0, got = c[row * n + column];
            for (int k = 0; k < n; k++) want += a[row * n + k] * b[k * n + column];
            CHECK(got == want, "[%d][%d] is %g, not %g", row, column, got, want);
        }
    }
    return ok("product");
}
