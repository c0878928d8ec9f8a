//! VALU instructions whose results are late from CDNA 2 on: dot products, transcendental functions, writes of a part of a register.

use wavetank_gcn::tables::{Features, Vop1, Vop2, Vop3, Vop3p};
use wavetank_gcn::{Chip, Form, Inst, Op, SdwaSel};

/// Whether an instruction is a dot product (LLVM, `IsDOT`).
pub(super) fn is_dot(inst: &Inst) -> bool {
    use Vop2::*;
    use Vop3p::*;
    matches!(
        inst.op,
        Op::Vop2(
            V_DOT2C_F32_BF16 | V_DOT2C_F32_F16 | V_DOT2C_I32_I16 | V_DOT4C_I32_I8 | V_DOT8C_I32_I4
        ) | Op::Vop3p(
            V_DOT2_F32_F16
                | V_DOT2_F32_BF16
                | V_DOT2_I32_I16
                | V_DOT2_U32_U16
                | V_DOT4_I32_I8
                | V_DOT4_U32_U8
                | V_DOT8_I32_I4
                | V_DOT8_U32_U4
        )
    )
}

/// Whether an instruction is a transcendental function (LLVM, `TRANS`).
pub(super) fn is_transcendental(inst: &Inst) -> bool {
    use Vop1::*;
    matches!(
        inst.op,
        Op::Vop1(
            V_EXP_F16
                | V_EXP_F32
                | V_EXP_LEGACY_F32
                | V_LOG_F16
                | V_LOG_F32
                | V_LOG_LEGACY_F32
                | V_RCP_F16
                | V_RCP_F32
                | V_RCP_IFLAG_F32
                | V_RCP_F64
                | V_RSQ_F16
                | V_RSQ_F32
                | V_RSQ_F64
                | V_SQRT_F16
                | V_SQRT_F32
                | V_SQRT_F64
                | V_SIN_F16
                | V_SIN_F32
                | V_COS_F16
                | V_COS_F32
        )
    )
}

/// Whether an instruction writes a part of its destination that its modifiers select (LLVM, `getDstSelForwardingOperand`).
pub(super) fn writes_part(inst: &Inst) -> bool {
    let row = inst.row();
    let selected = match inst.form {
        Form::Sdwa => inst.mods.dst_sel != SdwaSel::Dword,
        Form::Vop3 if row.has(Features::OP_SEL_BYTE) => inst.mods.op_sel & 0b1100 != 0,
        Form::Vop3 => inst.mods.op_sel & 0b1000 != 0,
        _ => false,
    };
    // On gfx950 a conversion with a scale is late whatever it writes.
    selected || inst.chip == Chip::Gfx950 && converts_with_scale(inst)
}

fn converts_with_scale(inst: &Inst) -> bool {
    let name = inst.row().name(inst.chip).unwrap_or_default();
    name.starts_with("v_cvt_scalef32_")
}

/// Whether an instruction is a fused multiply-add of doubles.
pub(super) fn is_fma_f64(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Vop3(Vop3::V_FMA_F64) | Op::Vop2(Vop2::V_FMAC_F64)
    )
}

/// Whether an instruction exchanges rows of two VGPRs.
pub(super) fn swaps_rows(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Vop1(Vop1::V_PERMLANE16_SWAP_B32 | Vop1::V_PERMLANE32_SWAP_B32)
    )
}

pub(super) fn reads_lane(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Vop3(Vop3::V_READLANE_B32) | Op::Vop1(Vop1::V_READFIRSTLANE_B32)
    )
}
