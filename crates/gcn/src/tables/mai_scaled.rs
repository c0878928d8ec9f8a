//! Rows of matrix instructions with scales, which are two words of VOP3P: the scales, then the matrices (LLVM, `VOP3PX2e`). The
//! registers of the scales are in [`Mods::scales`](crate::Mods::scales).

use super::Ty::*;
use super::row::*;
use crate::shapes::Shape;

family! {
    /// Matrix instructions with scales, which are two words of VOP3P: the scales, then the matrices (LLVM, `VOP3PX2e`).
    MaiScaled: Valu {
        V_MFMA_SCALE_F32_16X16X128_F8F6F4 = row("v_mfma_scale_f32_16x16x128_f8f6f4", [__, __, __, 0x2d], &[dst(B128).vector(), src0(B256).vector(), src1(B256).vector(), src2(B128).accumulator()]).no_exec().shape(Shape::chosen([16, 16, 128, 1])).on(Chips::GFX950),
        V_MFMA_SCALE_F32_32X32X64_F8F6F4  = row("v_mfma_scale_f32_32x32x64_f8f6f4",  [__, __, __, 0x2e], &[dst(B512).vector(), src0(B256).vector(), src1(B256).vector(), src2(B512).accumulator()]).no_exec().shape(Shape::chosen([32, 32, 64, 1])).on(Chips::GFX950),
    }
}
