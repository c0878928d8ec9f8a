//! Tests that plant each hazard of CDNA on each chip that has it, its twin with wait states, and pairs without a hazard.
//!
//! The wait states are typed from LLVM 22, `GCNHazardRecognizer.cpp`. Matrix instructions of 4 × 4, 16 × 16 and 32 × 32 have 2, 8
//! and 16 passes, from gfx942 on 4 and 8 in the shapes of one block; those of double precision have 4 and 8 (gfx950: 16).

use std::collections::BTreeSet;

use wavetank_gcn::Chip;

use super::super::{Column, Need, Row, rows};
use super::found;

/// Hazards: name, chips (8: gfx908, a: gfx90a, 4: gfx942, 5: gfx950), wait states, and the instructions. The wait states are those
/// in front of the last one.
const PLANTED: &str = "
wide-store-data     45   2  global_store_dwordx4 v[4:5], v[0:3], off / v_mov_b32 v1, 0
wide-store-data     45   2  global_store_dwordx4 v[4:5], a[0:3], off / v_accvgpr_write_b32 a3, v0
wide-store-data     8a   1  buffer_store_dwordx4 v[0:3], v9, s[0:3], 0 offen / v_mov_b32 v3, 0
valu-exec-mfma      8a45 4  v_cmpx_eq_u32 vcc, v0, v1 / v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]
valu-exec-mfma      8    4  v_cmpx_eq_u32 vcc, v0, v1 / v_accvgpr_write_b32 a0, v2
valu-vgpr-mfma      8a45 2  v_mov_b32 v2, v0 / v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]
valu-vgpr-mfma      8    2  v_mov_b32 v2, v0 / v_accvgpr_write_b32 a0, v2
valu-vgpr-mfma      8    2  v_accvgpr_read_b32 v2, a0 / v_mfma_f32_4x4x1f32 a[4:7], v3, v2, a[4:7]
valu-vgpr-mfma      8    2  v_dot2_f32_f16 v2, v0, v1, v4 / v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]
valu-vgpr-mfma      a45  2  v_mov_b32 v7, v0 / v_mfma_f32_4x4x1f32 v[4:7], v2, v3, v[4:7]
valu-vgpr-mfma      a45  2  v_accvgpr_write_b32 a0, v0 / v_mfma_f32_4x4x1f32 a[4:7], a0, v3, a[4:7]
valu-vgpr-mfma      45   2  v_mov_b32 v9, v0 / v_smfmac_f32_16x16x32_f16 v[0:3], v[2:3], v[4:7], v9

# SrcC of other registers.
mfma-result-c       8    2  v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_mfma_f32_4x4x1f32 a[4:7], v2, v3, a[2:5]
mfma-result-c       8    2  v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[32:63] / v_mfma_f32_16x16x1f32 a[64:79], v2, v3, a[0:15]
mfma-result-c       a    2  v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_mfma_f32_4x4x1f32 a[4:7], v2, v3, a[2:5]
mfma-result-c       a    8  v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v20, v21, v[2:5]
mfma-result-c       a    16 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mfma_f32_4x4x1f32 v[32:35], v60, v61, v[2:5]
mfma-result-c       a    3  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mfma_f64_4x4x4f64 v[4:5], v[20:21], v[22:23], v[2:3]
mfma-result-c       a    9  v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[8:11] / v_mfma_f64_4x4x4f64 v[4:5], v[20:21], v[22:23], v[2:3]
mfma-result-c       a    17 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mfma_f64_4x4x4f64 v[32:33], v[60:61], v[62:63], v[2:3]
mfma-result-c       a45  4  v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[0:1]
mfma-result-c       a45  4  v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / v_mfma_f64_16x16x4f64 v[30:37], v[20:21], v[22:23], v[0:7]
mfma-result-c       a4   9  v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mfma_f64_16x16x4f64 v[30:37], v[20:21], v[22:23], v[2:9]
mfma-result-c       5    17 v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mfma_f64_16x16x4f64 v[30:37], v[20:21], v[22:23], v[2:9]
mfma-result-c       4    9  v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mfma_f32_4x4x1f32 v[30:33], v20, v21, v[2:5]
# From gfx942 on: half precision first, of 2, 4, 8 and 16 passes.
mfma-result-c       4    3  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x4f16 v[4:7], v[20:21], v[22:23], v[2:5]
mfma-result-c       4    5  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x4f16 v[4:7], v[20:21], v[22:23], v[2:5]
mfma-result-c       4    9  v_mfma_f32_32x32x8f16 v[0:15], v[60:61], v[62:63], v[16:31] / v_mfma_f32_4x4x1f32 v[32:35], v60, v61, v[2:5]
mfma-result-c       4    17 v_mfma_f32_32x32x4f16 v[0:31], v[90:91], v[92:93], v[32:63] / v_mfma_f64_4x4x4f64 v[64:65], v[90:91], v[92:93], v[2:3]
mfma-result-c       5    4  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x4f16 v[4:7], v[20:21], v[22:23], v[2:5]
mfma-result-c       5    6  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x4f16 v[4:7], v[20:21], v[22:23], v[2:5]
mfma-result-c       5    3  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v20, v21, v[2:5]
mfma-result-c       5    3  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f64_4x4x4f64 v[4:5], v[20:21], v[22:23], v[2:3]
mfma-result-c       5    10 v_mfma_f32_32x32x8f16 v[0:15], v[60:61], v[62:63], v[16:31] / v_mfma_f32_4x4x1f32 v[32:35], v60, v61, v[2:5]
mfma-result-c       5    18 v_mfma_f32_32x32x4f16 v[0:31], v[90:91], v[92:93], v[32:63] / v_mfma_f64_4x4x4f64 v[64:65], v[90:91], v[92:93], v[2:3]
# Single precision first.
mfma-result-c       45   2  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v20, v21, v[2:5]
mfma-result-c       45   8  v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v20, v21, v[2:5]
mfma-result-c       45   16 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mfma_f64_4x4x4f64 v[32:33], v[60:61], v[62:63], v[2:3]
# The same registers, after two passes.
mfma-result-c       45   2  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x4f16 v[4:7], v[20:21], v[22:23], v[0:3]
mfma-result-c       45   2  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[0:3]
mfma-result-c       45   2  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_smfmac_f32_16x16x32_f16 v[0:3], v[20:21], v[24:27], v28

mfma-result-ab      8    4  v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_mfma_f32_4x4x1f32 a[4:7], a3, v3, a[4:7]
mfma-result-ab      8    4  v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[32:63] / v_mfma_f32_4x4x4f16 a[64:67], v[2:3], a[4:5], a[64:67]
mfma-result-ab      a4   5  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v2, v20, v[4:7]
mfma-result-ab      a    11 v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v20, v2, v[4:7]
mfma-result-ab      a    19 v_mfma_f32_32x32x8f16 a[0:15], v[20:21], v[22:23], a[16:31] / v_mfma_f64_4x4x4f64 v[4:5], a[2:3], v[20:21], v[4:5]
mfma-result-ab      a45  6  v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / v_mfma_f64_4x4x4f64 v[4:5], v[0:1], v[20:21], v[4:5]
mfma-result-ab      a4   11 v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mfma_f32_4x4x1f32 v[30:33], v4, v20, v[30:33]
mfma-result-ab      5    19 v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mfma_f32_4x4x1f32 v[30:33], v4, v20, v[30:33]
mfma-result-ab      4    7  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v2, v20, v[4:7]
mfma-result-ab      4    11 v_mfma_i32_32x32x16_i8 v[0:15], v[20:21], v[22:23], v[32:47] / v_smfmac_f32_16x16x32_f16 v[16:19], v[20:21], v[24:27], v9
mfma-result-ab      4    19 v_mfma_f32_32x32x4f16 v[0:31], v[90:91], v[92:93], v[32:63] / v_mfma_f32_4x4x1f32 v[64:67], v2, v90, v[64:67]
mfma-result-ab      5    5  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v2, v20, v[4:7]
mfma-result-ab      5    8  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v2, v20, v[4:7]
mfma-result-ab      45   4  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mfma_f32_4x4x4f16 v[4:7], v[2:3], v[20:21], v[4:7]
mfma-result-ab      45   10 v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[8:11] / v_mfma_f32_4x4x1f32 v[4:7], v2, v20, v[4:7]
mfma-result-ab      45   18 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mfma_f32_4x4x1f32 v[32:35], v2, v60, v[32:35]

mfma-result-read    8    4  v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_accvgpr_read_b32 v4, a3
mfma-result-read    8    10 v_mfma_f32_16x16x4f32 a[0:3], v2, v3, a[8:11] / v_accvgpr_read_b32 v4, a3
mfma-result-read    8    18 v_mfma_f32_32x32x2f32 a[0:15], v2, v3, a[16:31] / v_accvgpr_read_b32 v4, a15
mfma-result-read    a    5  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mov_b32 v4, v3
mfma-result-read    a    11 v_mfma_f32_16x16x4f32 a[0:3], v20, v21, a[8:11] / v_accvgpr_read_b32 v4, a3
mfma-result-read    a    19 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_add_f64 v[32:33], v[14:15], v[34:35]
mfma-result-read    a45  6  v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / v_add_f64 v[4:5], v[0:1], v[6:7]
mfma-result-read    a4   11 v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mov_b32 v30, v7
mfma-result-read    5    19 v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mov_b32 v30, v7
mfma-result-read    4    5  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mov_b32 v4, v3
mfma-result-read    4    7  v_smfmac_f32_16x16x32_f16 v[0:3], v[20:21], v[24:27], v28 / v_mov_b32 v4, v3
mfma-result-read    4    11 v_mfma_f32_32x32x4_xf32 v[0:15], v[60:61], v[62:63], v[16:31] / v_mov_b32 v32, v15
mfma-result-read    4    19 v_mfma_i32_32x32x4i8 v[0:31], v90, v92, v[32:63] / v_mov_b32 v64, v31
mfma-result-read    5    5  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mov_b32 v4, v3
mfma-result-read    5    8  v_smfmac_f32_16x16x32_f16 v[0:3], v[20:21], v[24:27], v28 / v_mov_b32 v4, v3
mfma-result-read    5    8  v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[20:23], v[24:27], v[8:11] cbsz:4 blgp:4 / v_mov_b32 v4, v3
mfma-result-read    5    12 v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[20:27], v[32:35], v[8:11] blgp:4 / v_mov_b32 v4, v3
mfma-result-read    5    20 v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[40:47], v[48:55], v[16:31] / v_mov_b32 v32, v15
mfma-result-read    5    12 v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[20:27], v[32:39], v[8:11], v60, v61 / v_mov_b32 v4, v3
mfma-result-read    45   4  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mov_b32 v4, v3
mfma-result-read    45   10 v_mfma_f32_16x16x4f32 a[0:3], v20, v21, a[8:11] / v_accvgpr_mov_b32 a12, a3
mfma-result-read    45   18 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mov_b32 v32, v15

mfma-result-memory  a4   5  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / ds_write_b32 v4, v3
mfma-result-memory  a    11 v_mfma_f32_16x16x4f32 a[0:3], v20, v21, a[8:11] / global_store_dword v[4:5], a3, off
mfma-result-memory  a    19 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / buffer_load_dword v32, v15, s[0:3], 0 offen
mfma-result-memory  a45  9  v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / global_store_dwordx2 v[4:5], v[0:1], off
mfma-result-memory  a45  18 v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / flat_load_dword v30, v[0:1]
mfma-result-memory  4    7  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / scratch_store_dword off, v3, s0
mfma-result-memory  5    5  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / ds_write_b32 v4, v3
mfma-result-memory  5    8  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / ds_write_b32 v4, v3
mfma-result-memory  45   10 v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[8:11] / ds_read_b32 v4, v3

mfma-result-write   8    1  v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_accvgpr_write_b32 a3, v4
mfma-result-write   8    7  v_mfma_f32_16x16x4f32 a[0:3], v2, v3, a[8:11] / v_accvgpr_write_b32 a3, v4
mfma-result-write   8    15 v_mfma_f32_32x32x2f32 a[0:15], v2, v3, a[16:31] / v_accvgpr_write_b32 a15, v4
mfma-result-write   a    5  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mov_b32 v3, v4
mfma-result-write   a    11 v_mfma_f32_16x16x4f32 a[0:3], v20, v21, a[8:11] / v_accvgpr_write_b32 a3, v4
mfma-result-write   a    19 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mov_b32 v15, v32
mfma-result-write   a45  6  v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / v_mov_b32 v1, v4
mfma-result-write   a45  11 v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mov_b32 v7, v30
mfma-result-write   4    7  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mov_b32 v3, v4
mfma-result-write   5    8  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mov_b32 v3, v4
mfma-result-write   45   18 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mov_b32 v15, v32

mfma-c-write        8    5  v_mfma_f32_16x16x4f32 a[0:3], v2, v3, a[8:11] / v_accvgpr_write_b32 a8, v4
mfma-c-write        8    13 v_mfma_f32_32x32x2f32 a[0:15], v2, v3, a[16:31] / v_accvgpr_write_b32 a31, v4
mfma-c-write        a    1  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / v_mov_b32 v8, v4
mfma-c-write        a    7  v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[8:11] / v_mov_b32 v8, v4
mfma-c-write        a    15 v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mov_b32 v31, v32
mfma-c-write        45   1  v_mfma_f32_4x4x4f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mov_b32 v8, v4
mfma-c-write        45   3  v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[8:11] / v_mov_b32 v8, v4
mfma-c-write        45   7  v_mfma_f32_32x32x8f16 v[0:15], v[60:61], v[62:63], v[16:31] / v_mov_b32 v31, v32
mfma-c-write        45   15 v_mfma_f32_32x32x4f16 v[0:31], v[90:91], v[92:93], v[32:63] / v_mov_b32 v63, v64

accvgpr-write-read  8    1  v_accvgpr_write_b32 a0, v0 / v_mfma_f32_4x4x1f32 a[4:7], v2, v3, a[0:3]
accvgpr-write-read  8    3  v_accvgpr_write_b32 a0, v0 / v_mfma_f32_4x4x1f32 a[4:7], a0, v3, a[4:7]
accvgpr-write-read  8    3  v_accvgpr_write_b32 a0, v0 / v_accvgpr_read_b32 v1, a0
accvgpr-read-memory 8    2  v_accvgpr_read_b32 v0, a0 / global_store_dword v[2:3], v0, off
accvgpr-read-memory 8    2  v_accvgpr_read_b32 v0, a0 / ds_read_b32 v1, v0
valu-accvgpr-memory 8    1  v_mov_b32 v0, v4 / v_accvgpr_read_b32 v1, a0 / ds_write_b32 v5, v0
valu-accvgpr-memory 8    1  v_mov_b32 v0, v4 / v_accvgpr_write_b32 a0, v6 / global_store_dword v[2:3], v0, off

dgemm-fma-f64       a45  2  v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / v_fma_f64 v[4:5], v[6:7], v[30:31], v[32:33]
dgemm-fma-f64       a45  2  v_mfma_f64_16x16x4f64 a[0:7], v[20:21], v[22:23], a[8:15] / v_fmac_f64 v[4:5], v[6:7], v[30:31]
valu-dgemm-memory   a    1  v_mov_b32 v10, v4 / v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / ds_write_b32 v5, v10
dot-result          a45  3  v_dot2_f32_f16 v0, v1, v2, v3 / v_mov_b32 v4, v0
dot-result          a45  3  v_dot2_f32_f16 v0, v1, v2, v3 / v_dot2_f32_f16 v4, v0, v2, v3
dot-result          a45  3  v_dot2_f32_f16 v0, v1, v2, v3 / v_dot2_f32_f16 v4, v1, v0, v3
dot-result          a45  3  v_dot4_i32_i8 v0, v1, v2, v3 / v_dot2c_f32_f16 v0, v1, v2
dot-result          a45  3  v_dot4_i32_i8 v0, v1, v2, v3 / v_mov_b32 v0, v1
trans-result        45   1  v_rcp_f32 v0, v1 / v_add_f32 v2, v0, v3
trans-result        45   1  v_sqrt_f64 v[0:1], v[2:3] / v_mov_b32 v4, v1
part-result         45   1  v_add_f16_sdwa v0, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD / v_add_f32 v3, v0, v4
part-result         45   1  v_mad_u16 v0, v1, v2, v3 op_sel:[0,0,0,1] / v_mov_b32 v4, v0
part-result         45   1  v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1] / v_mov_b32 v4, v0
part-result         45   1  v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,0] / v_mov_b32 v4, v0
part-result         5    1  v_cvt_scalef32_f32_fp8 v0, v1, v2 / v_mov_b32 v4, v0
valu-sgpr-valu      45   2  v_readfirstlane_b32 s4, v0 / v_mov_b32 v1, s4
valu-sgpr-valu      45   2  v_cmp_eq_u32 vcc, v0, v1 / v_cndmask_b32 v2, v3, v4, vcc
valu-sgpr-valu      45   2  v_cmp_eq_u32 s[4:5], v0, v1 / v_cndmask_b32 v2, v3, v4, s[4:5]
valu-exec-lane      45   4  v_cmpx_eq_u32 vcc, v0, v1 / v_readfirstlane_b32 s0, v2
valu-exec-lane      45   4  v_cmpx_eq_u32 vcc, v0, v1 / v_writelane_b32 v2, s0, 3
valu-vgpr-lane      45   1  v_mov_b32 v0, v1 / v_readlane_b32 s0, v0, 3
valu-vgpr-swap      5    2  v_mov_b32 v0, v2 / v_permlane32_swap_b32 v0, v1
valu-vgpr-swap      5    2  v_mov_b32 v1, v2 / v_permlane16_swap_b32 v0, v1
valu-exec-swap      5    4  v_cmpx_eq_u32 vcc, v2, v3 / v_permlane32_swap_b32 v0, v1
";

/// Instructions that look like a hazard and are not: chips, instructions.
const INNOCENT: &str = "
# Exactly the same registers are forwarded, but after two passes from gfx942 on.
8a   v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]
8a45 v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[0:31] / v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[0:31]
a45  v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mfma_f64_16x16x4f64 v[30:37], v[20:21], v[22:23], v[0:7]
45   v_smfmac_f32_16x16x32_f16 v[0:3], v[20:21], v[24:27], v28 / v_smfmac_f32_16x16x32_f16 v[0:3], v[20:21], v[24:27], v28
# Double precision first, and another one adds to it; single precision first, and others from gfx942 on.
a    v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[8:15] / v_mfma_f32_4x4x1f32 v[30:33], v20, v21, v[2:5]
45   v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[8:11] / v_mfma_f32_4x4x4f16 v[4:7], v[20:21], v[22:23], v[2:5]
# Results of other registers, or in the other file; a result that is overwritten by another matrix instruction.
8a45 v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_accvgpr_read_b32 v4, a4
a45  v_mfma_f32_4x4x1f32 a[0:3], v20, v21, a[8:11] / v_mov_b32 v4, v0
a45  v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[8:11] / global_store_dword v[4:5], a0, off
a45  v_mfma_f32_32x32x1f32 v[0:31], v60, v61, v[0:31] / v_mfma_f32_16x16x4f32 v[0:3], v60, v61, v[40:43]
# Before it is added to, SrcC of a 4 × 4 is read in time on gfx908, and that of single precision on gfx942.
8    v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[8:11] / v_accvgpr_write_b32 a8, v4
45   v_mfma_f32_32x32x2f32 v[0:15], v60, v61, v[16:31] / v_mov_b32 v31, v32
# VALU after another one: moves of AGPRs are only late on gfx908, EXEC matters for writes there.
a45  v_accvgpr_write_b32 a0, v0 / v_accvgpr_read_b32 v1, a0
a45  v_accvgpr_read_b32 v0, a0 / global_store_dword v[2:3], v0, off
8    v_cmpx_eq_u32 vcc, v0, v1 / v_accvgpr_read_b32 v2, a0
a45  v_cmpx_eq_u32 vcc, v0, v1 / v_accvgpr_write_b32 a0, v2
8    v_mov_b32 v0, v4 / s_nop 0 / v_accvgpr_read_b32 v1, a0 / ds_write_b32 v5, v0
# A defect of gfx90a alone, and only right after the VALU instruction.
45   v_mov_b32 v10, v4 / v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / ds_write_b32 v5, v10
a    v_mov_b32 v10, v4 / s_nop 0 / v_mfma_f64_4x4x4f64 v[0:1], v[20:21], v[22:23], v[8:9] / ds_write_b32 v5, v10
a    v_mov_b32 v10, v4 / v_mfma_f32_4x4x1f32 v[0:3], v20, v21, v[4:7] / ds_write_b32 v5, v10
# A dot product adds to the result of the same operation, and matrix instructions multiply with it from gfx90a on.
a45  v_dot2_f32_f16 v0, v1, v2, v3 / v_dot2_f32_f16 v4, v1, v2, v0
a45  v_dot2c_f32_f16 v0, v1, v2 / v_dot2c_f32_f16 v0, v1, v2
a45  v_dot2_f32_f16 v2, v0, v1, v4 / v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]
8    v_dot2_f32_f16 v0, v1, v2, v3 / v_mov_b32 v4, v0
# One function after another, whole registers, and what only gfx942 has.
45   v_rcp_f32 v0, v1 / v_rcp_f32 v2, v0
45   v_rcp_f32 v0, v1 / global_store_dword v[2:3], v0, off
8a   v_rcp_f32 v0, v1 / v_add_f32 v2, v0, v3
45   v_add_f16_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD / v_add_f32 v3, v0, v4
8a   v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD / v_add_f32 v3, v0, v4
8a   v_cmp_eq_u32 vcc, v0, v1 / v_cndmask_b32 v2, v3, v4, vcc
45   s_mov_b32 s4, 0 / v_mov_b32 v1, s4
8a   v_cmpx_eq_u32 vcc, v0, v1 / v_readfirstlane_b32 s0, v2
8a   v_mov_b32 v0, v1 / v_readlane_b32 s0, v0, 3
";

/// The columns before CDNA.
const COLUMNS: [Column; 4] = [Column::Gfx6, Column::Gfx7, Column::Gfx8, Column::Vega];

/// Returns the chips of letters.
fn chips(letters: &str) -> Vec<Chip> {
    let named = ['8', 'a', '4', '5'].into_iter().zip(Chip::CDNA);
    let named = named.filter(|(letter, _)| letters.contains(*letter));
    named.map(|(_, chip)| *chip).collect()
}

/// Returns the lines of a table: the first `columns` words, and the instructions.
fn lines(
    table: &'static str,
    columns: usize,
) -> impl Iterator<Item = (Vec<&'static str>, Vec<&'static str>)> {
    let lines = table.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(move |line| {
        let (mut words, mut rest) = (Vec::new(), line);
        for _ in 0..columns {
            let (word, after) = rest.split_once(' ').expect("another word");
            words.push(word);
            rest = after.trim();
        }
        (words, rest.split(" / ").collect())
    })
}

/// Returns `s_nop`s of so many wait states: of 16 at most.
fn nops(states: usize) -> Vec<String> {
    let parts = [states.min(16), states.saturating_sub(16)];
    let parts = parts.into_iter().filter(|part| *part > 0);
    parts.map(|part| format!("s_nop {}", part - 1)).collect()
}

/// Returns instructions with so many wait states in front of the last one.
fn spaced(instructions: &[&str], states: usize) -> String {
    let (last, before) = instructions.split_last().expect("two instructions");
    let nops = nops(states);
    let lines = before
        .iter()
        .copied()
        .chain(nops.iter().map(String::as_str));
    lines.chain([*last]).collect::<Vec<_>>().join("\n")
}

#[test]
fn planted_hazards_are_found() {
    for (words, instructions) in lines(PLANTED, 3) {
        let need: usize = words[2].parse().expect("wait states");
        for chip in chips(words[1]) {
            for states in 0..need {
                let source = spaced(&instructions, states);
                let all = found(&source, chip);
                let [finding] = &all[..] else {
                    panic!("{chip}:\n{source}\n{} of {}: {all:#?}", all.len(), words[0]);
                };
                assert_eq!(finding.rule, words[0], "{chip}:\n{source}");
                let help = finding.help.as_deref().unwrap_or_default();
                for nop in nops(need - states) {
                    assert!(
                        help.contains(&format!("`{nop}`")),
                        "{chip}:\n{source}\n{help}"
                    );
                }
            }
            let source = spaced(&instructions, need);
            assert_eq!(found(&source, chip), [], "{chip}:\n{source}");
        }
    }
}

#[test]
fn every_rule_is_planted_on_every_chip_that_has_it() {
    let of_cdna = |row: &&Row| {
        COLUMNS
            .iter()
            .all(|column| row.need(*column) == Need::Never)
    };
    let rows = rows().filter(of_cdna).flat_map(|row| {
        let has = |chip: &&Chip| row.need(Column::of(**chip)) != Need::Never;
        let chips = Chip::CDNA.iter().filter(has);
        chips.map(|chip| (row.name, *chip))
    });
    let rows: BTreeSet<_> = rows.collect();
    let planted = lines(PLANTED, 3).flat_map(|(words, _)| {
        chips(words[1])
            .into_iter()
            .map(move |chip| (words[0], chip))
    });
    let planted: BTreeSet<_> = planted.collect();
    let missing: Vec<_> = rows.difference(&planted).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn what_is_no_hazard_is_not_found() {
    for (words, instructions) in lines(INNOCENT, 1) {
        let source = instructions.join("\n");
        for chip in chips(words[0]) {
            assert_eq!(found(&source, chip), [], "{chip}:\n{source}");
        }
    }
}

#[test]
fn a_finding_names_both_instructions_and_the_way_out() {
    let all = found(
        "v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], a[0:15]\ns_nop 0\nv_accvgpr_read_b32 v0, a2",
        Chip::Gfx90a,
    );
    let [finding] = &all[..] else {
        panic!("{all:?}")
    };
    assert_eq!(
        finding.message,
        "`v_accvgpr_read_b32` reads a2, 1 wait state after `v_mfma_f32_32x32x8f16` wrote it; it needs 19 wait states between"
    );
    assert_eq!(finding.related[0].label, "writes a2");
    let help = finding.help.as_deref().unwrap_or_default();
    assert!(
        help.starts_with("insert `s_nop 15` and `s_nop 1` before it"),
        "{help}"
    );
}

/// What reads the other registers of the same result is not reported again: the `s_nop` that is told is enough for them.
#[test]
fn a_missing_wait_is_reported_once() {
    let reads = ["v_accvgpr_read_b32 v0, a0", "v_accvgpr_read_b32 v1, a1"].join("\n");
    let source = format!("v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], a[0:15]\n{reads}");
    let all = found(&source, Chip::Gfx90a);
    assert_eq!(all.iter().map(|f| f.at.place.pc).collect::<Vec<_>>(), [8]);
}

/// A matrix instruction of sixteen passes on one path, and one of two passes, which is nearer, on the other.
#[test]
fn the_path_that_lacks_most_counts() {
    let source = "s_cbranch_scc0 short
                  v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[0:31]
                  s_nop 7
                  s_branch end
                  short: v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]
                  end: v_accvgpr_read_b32 v0, a0";
    let all = found(source, Chip::Gfx90a);
    let of = |at: usize| all.get(at).map(|f| f.message.clone()).unwrap_or_default();
    assert!(
        of(0).contains(", 9 wait states after `v_mfma_f32_32x32x1f32`"),
        "{}",
        of(0)
    );
}
