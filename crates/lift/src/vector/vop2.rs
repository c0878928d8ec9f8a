//! VOP2: vector instructions with two sources (Vega ISA, 12.7).

use wavetank_gcn::tables::Vop2::{self, *};
use wavetank_ir::{Bin, Rel};

use super::operand::Vector;
use super::vop3p::{dot, dot2, dot2_f32};
use crate::block::{Flow, LATER};
use crate::lane_fn;
use crate::value::{Cond, Float, Int};

pub(super) fn lift(v: &Vector, op: Vop2) -> Flow {
    match op {
        V_CNDMASK_B32 => v.int(|[a, b]| v.mask_in().select(b, a)),

        V_ADD_F16 | V_ADD_F32 => v.float(|[a, b]| a + b),
        V_SUB_F16 | V_SUB_F32 => v.float(|[a, b]| a - b),
        V_SUBREV_F16 | V_SUBREV_F32 => v.float(|[a, b]| b - a),
        V_MUL_F16 | V_MUL_F32 => v.float(|[a, b]| a * b),
        V_MUL_LEGACY_F32 => v.float(|[a, b]| v.mul_legacy(a, b)),
        V_MIN_F16 | V_MIN_F32 => v.choice(|[a, b]| a.min(b)),
        V_MAX_F16 | V_MAX_F32 => v.choice(|[a, b]| a.max(b)),
        V_MIN_LEGACY_F32 => v.float(|[a, b]| a.cmp(Rel::Lt, b).select_float(a, b)),
        V_MAX_LEGACY_F32 => v.float(|[a, b]| b.cmp(Rel::Le, a).select_float(a, b)),
        // Rounded twice, denormals flushed; the destination or K is the addend.
        V_MAC_F16 | V_MAC_F32 | V_MADAK_F16 | V_MADAK_F32 => {
            v.float(|[a, b, c]| a.flushing().mad(b, c))
        }
        V_MADMK_F16 | V_MADMK_F32 => v.float(|[a, k, b]| a.flushing().mad(k, b)),
        V_FMAC_F32 | V_FMAC_F64 | V_FMAAK_F32 => v.float(|[a, b, c]| a.fma(b, c)),
        V_FMAMK_F32 => v.float(|[a, k, b]| a.fma(k, b)),
        V_LDEXP_F16 => v.float(|[a, n]| a.ldexp(n.v)),
        V_PK_FMAC_F16 => v.pairs(|[a, b, c]: [Float; 3]| a.fma(b, c)),
        V_DOT2C_F32_F16 => dot2_f32(v),
        V_DOT2C_I32_I16 => v.int(|[a, b, c]| dot2(v, true, a, b, c)),
        V_DOT4C_I32_I8 => v.int(|[a, b, c]| v.add_s(dot(v, &lane_fn::DOT4_I8, a, b), c)),
        V_DOT8C_I32_I4 => v.int(|[a, b, c]| v.add_s(dot(v, &lane_fn::DOT8_I4, a, b), c)),
        // NotYet: only gfx950 has it.
        V_DOT2C_F32_BF16 => Flow::unsupported(v.l.inst, LATER),

        V_MUL_I32_I24 => v.int(|[a, b]| v.mul_24(true, a, b)),
        V_MUL_U32_U24 => v.int(|[a, b]| v.mul_24(false, a, b)),
        V_MUL_HI_I32_I24 => v.int(|[a, b]| a.apply(Bin::MulHiS24, b)),
        V_MUL_HI_U32_U24 => v.int(|[a, b]| a.apply(Bin::MulHiU24, b)),
        V_MUL_LO_U16 => v.int(|[a, b]| a * b),
        V_MIN_I16 | V_MIN_I32 => v.int(|[a, b]| a.min_s(b)),
        V_MAX_I16 | V_MAX_I32 => v.int(|[a, b]| a.max_s(b)),
        V_MIN_U16 | V_MIN_U32 => v.int(|[a, b]| a.min_u(b)),
        V_MAX_U16 | V_MAX_U32 => v.int(|[a, b]| a.max_u(b)),
        V_LSHLREV_B16 | V_LSHLREV_B32 => v.int(|[n, a]| a << n),
        V_LSHRREV_B16 | V_LSHRREV_B32 => v.int(|[n, a]| a >> n),
        V_ASHRREV_I16 | V_ASHRREV_I32 => v.int(|[n, a]| a.sar(n)),
        V_LSHL_B32 => v.int(|[a, n]| a << n),
        V_LSHR_B32 => v.int(|[a, n]| a >> n),
        V_ASHR_I32 => v.int(|[a, n]| a.sar(n)),
        V_AND_B32 => v.int(|[a, b]| a & b),
        V_OR_B32 => v.int(|[a, b]| a | b),
        V_XOR_B32 => v.int(|[a, b]| a ^ b),
        V_XNOR_B32 => v.int(|[a, b]| !(a ^ b)),
        V_ADD_U16 | V_ADD_U32 => v.int(|[a, b]| v.add_u(a, b)),
        V_SUB_U16 | V_SUB_U32 => v.int(|[a, b]| v.sub_u(a, b)),
        V_SUBREV_U16 | V_SUBREV_U32 => v.int(|[a, b]| v.sub_u(b, a)),

        V_ADD_CO_U32 => v.carry(|[a, b]| sum(v, a.add_carry(b, None))),
        V_ADDC_CO_U32 => v.carry(|[a, b]| sum(v, a.add_carry(b, Some(v.mask_in())))),
        V_SUB_CO_U32 => v.carry(|[a, b]| difference(v, a.sub_borrow(b, None))),
        V_SUBB_CO_U32 => v.carry(|[a, b]| difference(v, a.sub_borrow(b, Some(v.mask_in())))),
        V_SUBREV_CO_U32 => v.carry(|[a, b]| difference(v, b.sub_borrow(a, None))),
        V_SUBBREV_CO_U32 => v.carry(|[a, b]| difference(v, b.sub_borrow(a, Some(v.mask_in())))),
    }
}

/// With CLAMP, a sum with a carry is all ones.
fn sum<'a>(v: &Vector, (sum, carry): (Int<'a>, Cond<'a>)) -> (Int<'a>, Cond<'a>) {
    let clamped = || carry.select(sum.constant(u64::MAX), sum);
    (if v.clamp() { clamped() } else { sum }, carry)
}

/// With CLAMP, a difference with a borrow is zero.
fn difference<'a>(v: &Vector, (diff, borrow): (Int<'a>, Cond<'a>)) -> (Int<'a>, Cond<'a>) {
    let clamped = || borrow.select(diff.constant(0), diff);
    (if v.clamp() { clamped() } else { diff }, borrow)
}
