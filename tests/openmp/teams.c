// Two-dimensional loops over teams and threads: a matrix product and a stencil, in data that stays on the device.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

enum { M = 40, N = 50, K = 30, STEPS = 8 };

static void product(void) {
    static float a[M][K], b[K][N], c[M][N];
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) a[i][k] = (float)(i - k);
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++) b[k][j] = (float)(k * j % 7);
#pragma omp target teams distribute parallel for collapse(2) map(to : a, b) map(from : c)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float want = 0; // small integers: exact
            for (int k = 0; k < K; k++) want += a[i][k] * b[k][j];
            CHECK(c[i][j] == want, "C[%d][%d] is %g, not %g", i, j, c[i][j], want);
        }
}

static void step(double *from, double *to, int i, int j) {
    to[i * N + j] = 0.25 * (from[(i - 1) * N + j] + from[(i + 1) * N + j] + from[i * N + j - 1] + from[i * N + j + 1]);
}

static void stencil(void) {
    double *a = calloc(M * N, sizeof *a), *b = calloc(M * N, sizeof *b), *x = calloc(M * N, sizeof *x),
           *y = calloc(M * N, sizeof *y);
    for (int i = 0; i < M * N; i++) a[i] = b[i] = x[i] = y[i] = i % 13;
#pragma omp target data map(tofrom : a[0 : M * N]) map(to : b[0 : M * N])
    for (int s = 0; s < STEPS; s++) {
        double *from = s % 2 ? b : a, *to = s % 2 ? a : b;
#pragma omp target teams distribute map(to : from[0 : M * N], to[0 : M * N])
        for (int i = 1; i < M - 1; i++) {
#pragma omp parallel for
            for (int j = 1; j < N - 1; j++)
                to[i * N + j] =
                    0.25 * (from[(i - 1) * N + j] + from[(i + 1) * N + j] + from[i * N + j - 1] + from[i * N + j + 1]);
        }
    }
    for (int s = 0; s < STEPS; s++)
        for (int i = 1; i < M - 1; i++)
            for (int j = 1; j < N - 1; j++) step(s % 2 ? y : x, s % 2 ? x : y, i, j);
    for (int i = 0; i < M * N; i++) CHECK(fabs(a[i] - x[i]) < 1e-12, "cell %d is %.17g, not %.17g", i, a[i], x[i]);
}

static void shape(void) {
    int teams = 0, threads = 0, seen[4] = {0};
#pragma omp target teams num_teams(4) thread_limit(64) map(tofrom : teams, threads, seen)
    {
        seen[omp_get_team_num()] = 1 + omp_get_team_num();
        if (omp_get_team_num() == 0) {
            teams = omp_get_num_teams();
#pragma omp parallel
#pragma omp single
            threads = omp_get_num_threads();
        }
    }
    CHECK(teams == 4 && threads >= 1 && threads <= 64, "%d teams of %d threads", teams, threads);
    for (int i = 0; i < 4; i++) CHECK(seen[i] == i + 1, "team %d left %d", i, seen[i]);
}

int main(void) {
    need_device();
    product();
    stencil();
    shape();
    puts("ok teams");
    return 0;
}
