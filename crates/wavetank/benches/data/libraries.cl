// Kernels of the shapes that libraries have. All of it was written for this benchmark. The code object beside it is made by
//   clang-15 -x cl -cl-std=CL1.2 --target=amdgcn-amd-amdhsa -nogpulib -mcpu=gfx900 -O3 libraries.cl -o libraries-gfx900.hsaco
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef unsigned int uint;
typedef unsigned long ulong;
typedef uint uint4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef double double2 __attribute__((ext_vector_type(2)));
typedef half half8 __attribute__((ext_vector_type(8)));

#define LID ((uint)__builtin_amdgcn_workitem_id_x())
#define GRP0 ((uint)__builtin_amdgcn_workgroup_id_x())
#define GRP1 ((uint)__builtin_amdgcn_workgroup_id_y())
#define BARRIER() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier(); \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
#define KERNEL __attribute__((reqd_work_group_size(256, 1, 1))) __kernel void

// C = A · B, row by row, n × n. A work-group has a square of C, and each work-item a square of vectors out of it: PARTS
// vectors in each direction, 16 vectors apart, so that neighbours read what lies side by side. Slices of A (turned) and of
// B are kept in LDS twice: the next one comes from memory while one is used.
#define GEMM(NAME, T, V, W, PARTS)                                                              \
KERNEL NAME(__global const V *a, __global const V *b, __global V *c, uint n) {                  \
  enum { SIDE = 16 * W * PARTS, DEPTH = 16 / PARTS, TALL = W * PARTS };                         \
  __local V left[2][DEPTH][SIDE / W], right[2][DEPTH][SIDE / W];                                \
  const uint x = LID % 16, y = LID / 16, wide = n / W;                                          \
  const uint arow = LID / (DEPTH / W), acol = LID % (DEPTH / W);                                \
  const uint brow = LID / (SIDE / W), bcol = LID % (SIDE / W);                                  \
  __global const V *from_a = a + (GRP1 * SIDE + arow) * wide + acol;                            \
  __global const V *from_b = b + brow * wide + GRP0 * (SIDE / W) + bcol;                        \
  V sum[TALL][PARTS] = {};                                                                      \
  V next_a = *from_a, next_b = *from_b;                                                         \
  uint now = 0;                                                                                 \
  for (uint k = 0; k < n; k += DEPTH, now ^= 1) {                                               \
    _Pragma("unroll")                                                                           \
    for (uint i = 0; i < W; i++) ((__local T *)left[now][acol * W + i])[arow] = next_a[i];      \
    right[now][brow][bcol] = next_b;                                                            \
    BARRIER();                                                                                  \
    if (k + DEPTH < n) {                                                                        \
      next_a = *(from_a += DEPTH / W);                                                          \
      next_b = *(from_b += DEPTH * wide);                                                       \
    }                                                                                           \
    _Pragma("unroll")                                                                           \
    for (uint d = 0; d < DEPTH; d++) {                                                          \
      _Pragma("unroll")                                                                         \
      for (uint p = 0; p < PARTS; p++) {                                                        \
        const V l = left[now][d][p * 16 + y];                                                   \
        _Pragma("unroll")                                                                       \
        for (uint q = 0; q < PARTS; q++) {                                                      \
          const V r = right[now][d][q * 16 + x];                                                \
          _Pragma("unroll")                                                                     \
          for (uint i = 0; i < W; i++) sum[p * W + i][q] = (V)(l[i]) * r + sum[p * W + i][q];   \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
  }                                                                                             \
  _Pragma("unroll")                                                                             \
  for (uint p = 0; p < PARTS; p++)                                                              \
    _Pragma("unroll")                                                                           \
    for (uint i = 0; i < W; i++)                                                                \
      _Pragma("unroll")                                                                         \
      for (uint q = 0; q < PARTS; q++)                                                          \
        c[(GRP1 * SIDE + (p * 16 + y) * W + i) * wide + (GRP0 * PARTS + q) * 16 + x] = sum[p * W + i][q]; \
}
GEMM(gemm_f32, float, float4, 4, 2)
GEMM(gemm_f64, double, double2, 2, 2)
GEMM(gemm_f16, half, half8, 8, 1)

static float2 product(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// A Fourier transform of 1024 complex numbers a work-group: five passes of four numbers a work-item, sorted on the way
// (Stockham). roots[k] is exp(-2πi k / 1024).
KERNEL fft(__global const float2 *in, __global float2 *out, __global const float2 *roots) {
  __local float2 shared[1024];
  const uint j = LID;
  in += GRP0 * 1024;
  out += GRP0 * 1024;
  float2 v[4];
  for (uint t = 0; t < 4; t++) v[t] = in[j + t * 256];
  _Pragma("unroll")
  for (uint pass = 0; pass < 5; pass++) {
    const uint done = 1u << 2 * pass, k = j & (done - 1);
    if (pass > 0)
      for (uint t = 1; t < 4; t++) v[t] = product(v[t], roots[k * t * (256 / done)]);
    const float2 sum02 = v[0] + v[2], dif02 = v[0] - v[2], sum13 = v[1] + v[3], dif13 = v[1] - v[3];
    const float2 turned = (float2)(dif13.y, -dif13.x);
    v[0] = sum02 + sum13;
    v[1] = dif02 + turned;
    v[2] = sum02 - sum13;
    v[3] = dif02 - turned;
    if (pass == 4) break;
    if (pass > 0) BARRIER();
    for (uint t = 0; t < 4; t++) shared[(j - k) * 4 + k + t * done] = v[t];
    BARRIER();
    for (uint t = 0; t < 4; t++) v[t] = shared[j + t * 256];
  }
  for (uint t = 0; t < 4; t++) out[j + t * 256] = v[t];
}

#define SHIFTED(x, how, rows) ((uint)__builtin_amdgcn_update_dpp(0, (int)(x), how, rows, 0xf, false))

// The sum of a wave's numbers up to each lane: within rows of 16 lanes, then from row to row.
static uint wave_sums(uint x) {
  x += SHIFTED(x, 0x111, 0xf);
  x += SHIFTED(x, 0x112, 0xf);
  x += SHIFTED(x, 0x114, 0xf);
  x += SHIFTED(x, 0x118, 0xf);
  x += SHIFTED(x, 0x142, 0xa);
  x += SHIFTED(x, 0x143, 0xc);
  return x;
}

// Sums up to each number of 4096 a work-group, and the sum of all of them. In four rounds of 1024.
KERNEL scan_tiles(__global const uint4 *in, __global uint4 *out, __global uint *totals) {
  __local uint waves[2][4];
  const uint wave = LID / 64;
  uint before = 0;
  for (uint round = 0; round < 4; round++) {
    const uint at = GRP0 * 1024 + round * 256 + LID;
    uint4 v = in[at];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    const uint upto = wave_sums(v.w);
    if (LID % 64 == 63) waves[round & 1][wave] = upto;
    BARRIER();
    uint sum = before + upto - v.w;
    for (uint w = 0; w < 4; w++) {
      const uint all = waves[round & 1][w];
      sum += w < wave ? all : 0;
      before += all;
    }
    out[at] = v + (uint4)(sum);
  }
  if (LID == 0) totals[GRP0] = before;
}

// Adds to each tile but the first what stands before it.
KERNEL scan_add(__global uint4 *out, __global const uint *totals) {
  if (GRP0 == 0) return;
  const uint before = totals[GRP0 - 1];
  for (uint round = 0; round < 4; round++) out[GRP0 * 1024 + round * 256 + LID] += (uint4)(before);
}

// How often each digit of 8 bits is in a tile of 4096 keys: counts[digit][tile].
KERNEL sort_count(__global const uint *keys, __global uint *counts, uint shift, uint tiles) {
  __local uint count[256];
  count[LID] = 0;
  BARRIER();
  for (uint i = 0; i < 16; i++) {
    const uint digit = keys[GRP0 * 4096 + i * 256 + LID] >> shift & 255;
    __atomic_fetch_add(&count[digit], 1, __ATOMIC_RELAXED);
  }
  BARRIER();
  counts[LID * tiles + GRP0] = count[LID];
}

// Puts keys where they belong by a digit, and leaves keys of the same digit in order. ends[digit][tile] is how many keys
// belong before the end of those. A wave has 1024 keys in a row; which of its lanes have the same digit is told by a ballot
// for each bit.
KERNEL sort_move(__global const uint *keys, __global uint *out, __global const uint *ends, uint shift, uint tiles) {
  __local uint places[4][256];
  const uint wave = LID / 64, lane = LID % 64;
  for (uint w = 0; w < 4; w++) places[w][LID] = 0;
  BARRIER();
  __local volatile uint *mine = places[wave];
  uint key[16], rank[16];
  _Pragma("unroll")
  for (uint i = 0; i < 16; i++) {
    key[i] = keys[GRP0 * 4096 + wave * 1024 + i * 64 + lane];
    const uint digit = key[i] >> shift & 255;
    ulong same = ~0ul;
    for (uint bit = 0; bit < 8; bit++) {
      const bool on = digit >> bit & 1;
      const ulong ballot = __builtin_amdgcn_uicmp((uint)on, 0, 33);
      same &= on ? ballot : ~ballot;
    }
    const uint below = __builtin_amdgcn_mbcnt_hi((uint)(same >> 32), __builtin_amdgcn_mbcnt_lo((uint)same, 0));
    const uint before = mine[digit];
    rank[i] = before + below;
    __builtin_amdgcn_wave_barrier();
    if (below == 0) mine[digit] = before + __builtin_popcountl(same);
    __builtin_amdgcn_wave_barrier();
  }
  BARRIER();
  const uint slot = LID * tiles + GRP0;
  uint at = slot == 0 ? 0 : ends[slot - 1];
  for (uint w = 0; w < 4; w++) {
    const uint count = places[w][LID];
    places[w][LID] = at;
    at += count;
  }
  BARRIER();
  for (uint i = 0; i < 16; i++) out[places[wave][key[i] >> shift & 255] + rank[i]] = key[i];
}

// Philox of 4 × 32 bits and ten rounds: `blocks` blocks for each work-item, whose number is the upper half of the counter.
KERNEL random(__global uint4 *out, uint seed, uint blocks, uint items) {
  const uint item = GRP0 * 256 + LID;
  for (uint block = 0; block < blocks; block++) {
    uint4 v = (uint4)(block, 0, item, 0);
    uint key0 = seed, key1 = ~seed;
    for (uint round = 0; round < 10; round++) {
      const ulong even = (ulong)v.x * 0xd2511f53u, odd = (ulong)v.z * 0xcd9e8d57u;
      v = (uint4)((uint)(odd >> 32) ^ v.y ^ key0, (uint)odd, (uint)(even >> 32) ^ v.w ^ key1, (uint)even);
      key0 += 0x9e3779b9u;
      key1 += 0xbb67ae85u;
    }
    out[block * items + item] = v;
  }
}

// The roots of x³ + ax − b for a, b > 0, one after another in each lane of a single work-group. How often the interval is
// halved depends on the tolerance of the lane and on luck.
KERNEL bisection(__global const double2 *ab, __global double *roots, uint count) {
  _Pragma("clang fp contract(off)")
  const double tolerance = 1.0 / (double)(256ul << LID % 40);
  for (uint n = 0; n < count; n++) {
    const double a = ab[n * 256 + LID].x, b = ab[n * 256 + LID].y;
    double low = 0, high = 1 + b, middle = 0;
    for (uint step = 0; step < 200; step++) {
      middle = (low + high) * 0.5;
      const double value = (middle * middle + a) * middle - b;
      if (value == 0 || high - low < tolerance) break;
      if (value < 0) low = middle; else high = middle;
    }
    roots[n * 256 + LID] = middle;
  }
}
