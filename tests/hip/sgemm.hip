// C = alpha A B + beta C by tiles in LDS, against the CPU in double precision.
#include "check.hpp"

constexpr int TILE = 16;

__global__ void sgemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        left[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
        right[y][x] = t + y < k && column < n ? b[(t + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

void check(int m, int n, int k) {
    Random random;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (auto *matrix : {&a, &b, &c})
        for (float &v : *matrix) v = 2 * random.unit() - 1;
    const float alpha = 1.5f, beta = -0.25f;
    Device<float> da(a), db(b), dc(c);
    sgemm<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(m, n, k, alpha, da, db, beta, dc);
    HIP(hipGetLastError());
    std::vector<float> got = dc.host();
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int l = 0; l < k; l++) {
                double product = double(a[i * k + l]) * b[l * n + j];
                sum += product, size += std::fabs(product);
            }
            double want = alpha * sum + beta * c[i * n + j];
            // k roundings of a sum of that size, and a few more.
            double bound = (k + 4) * 0x1p-24 * (std::fabs(alpha) * size + 1);
            CHECK(std::fabs(got[i * n + j] - want) <= bound, "%dx%dx%d: C[%d][%d] is %.9g, not %.9g", m, n, k, i, j,
                  got[i * n + j], want);
        }
}

int main() {
    check(16, 16, 16);
    check(1, 1, 1);
    check(129, 70, 93);
    check(128, 128, 256);
    return ok("sgemm");
}
