// Waves of a block advance together, as on a chip: kernels that lack a barrier, or count on a race, behave as there.
#include "check.hpp"

// Four waves do `x[i] += 1` on the same elements: all have loaded before the first one stores.
__global__ void add(int *x) { x[threadIdx.x] += 1; }

// Cyclic Jacobi: eigenvalues of a symmetric matrix, in place, and its eigenvectors. Thread (x, y) rotates pair x in every
// blockDim.y-th row or column. After the norm has been summed up there is no barrier before the waves of row 0 overwrite
// its parts with sines, as in libraries; loads, a division and a square root come between.
__global__ void jacobi(float *a, float *v, int n, float tolerance, int *sweeps) {
    __shared__ float cosine[32], sine[32];
    __shared__ int top[32], bottom[32];
    const int x = threadIdx.x, y = threadIdx.y, pairs = blockDim.x;
    if (y == 0) {
        float norm = 0;
        for (int row = x; row < n; row += pairs)
            for (int column = 0; column < n; column++)
                if (row != column) norm += a[row + column * n] * a[row + column * n];
        sine[x] = norm;
        top[x] = 2 * x;
        bottom[x] = 2 * x + 1;
    }
    for (int r = y; r < n; r += blockDim.y)
        for (int c = x; c < n; c += pairs) v[r + c * n] = r == c;
    __syncthreads();
    int sweep = 0;
    for (; sweep < 30; sweep++) {
        float norm = 0;
        for (int i = 0; i < pairs; i++) norm += sine[i];
        if (norm <= tolerance) break;
        for (int step = 0; step < 2 * pairs - 1; step++) {
            const int p = min(top[x], bottom[x]), q = max(top[x], bottom[x]);
            if (y == 0) {
                float c = 1, s = 0;
                if (q < n) {
                    const float apq = a[p + q * n], difference = a[q + q * n] - a[p + p * n];
                    if (apq != 0) {
                        const float theta = difference / (2 * apq);
                        const float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1));
                        c = 1 / sqrtf(t * t + 1);
                        s = t * c;
                    }
                }
                cosine[x] = c;
                sine[x] = s;
            }
            __syncthreads();
            const float c = cosine[x], s = sine[x];
            if (q < n)
                for (int k = y; k < n; k += blockDim.y) {
                    const float ap = a[k + p * n], aq = a[k + q * n], vp = v[k + p * n], vq = v[k + q * n];
                    a[k + p * n] = c * ap - s * aq;
                    a[k + q * n] = s * ap + c * aq;
                    v[k + p * n] = c * vp - s * vq;
                    v[k + q * n] = s * vp + c * vq;
                }
            __syncthreads();
            if (q < n)
                for (int k = y; k < n; k += blockDim.y) {
                    const float ap = a[p + k * n], aq = a[q + k * n];
                    a[p + k * n] = c * ap - s * aq;
                    a[q + k * n] = s * ap + c * aq;
                }
            // Everybody but the first moves on by one place, so that each meets each.
            const int up = x == 0 ? top[0] : x == 1 ? bottom[0] : top[x - 1];
            const int down = x == pairs - 1 ? top[x] : bottom[x + 1];
            __syncthreads();
            if (y == 0) {
                top[x] = up;
                bottom[x] = pairs == 1 ? bottom[x] : down;
            }
            __syncthreads();
        }
        if (y == 0) {
            float rest = 0;
            for (int row = x; row < n; row += pairs)
                for (int column = 0; column < n; column++)
                    if (row != column) rest += a[row + column * n] * a[row + column * n];
            sine[x] = rest;
        }
        __syncthreads();
    }
    if (x == 0 && y == 0) *sweeps = sweep;
}

// The largest element of A·V - V·D, with the eigenvalues D on the diagonal of what is left of A.
static double residual(const std::vector<float> &a, const std::vector<float> &left, const std::vector<float> &v, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += double(a[i + k * n]) * v[k + j * n];
            largest = std::fmax(largest, std::fabs(sum - double(v[i + j * n]) * left[j + j * n]));
        }
    return largest;
}

static void check_jacobi(int n) {
    Random random;
    std::vector<float> a(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) a[i + j * n] = a[j + i * n] = 2 * random.unit() - 1;
    Device<float> work(a), vectors(a.size());
    Device<int> sweeps(1);
    const unsigned pairs = (n + 1) / 2;
    jacobi<<<1, dim3(pairs, 1024 / pairs)>>>(work, vectors, n, 1e-9f, sweeps);
    HIP(hipDeviceSynchronize());
    const double wrong = residual(a, work.host(), vectors.host(), n);
    CHECK(wrong < 1e-4, "n = %d: residual %g after %d sweeps", n, wrong, sweeps.host()[0]);
}

int main() {
    const std::vector<int> zero(256);
    Device<int> x(zero);
    add<<<1, dim3(32, 8)>>>(x);
    const std::vector<int> first = x.host();
    for (int i = 0; i < 32; i++) CHECK(first[i] == 1, "element %d: %d", i, first[i]);
    for (int n = 18; n <= 58; n += 4) check_jacobi(n);
    return ok("siblings");
}
