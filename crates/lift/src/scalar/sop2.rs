//! Scalar operations with two sources (Vega ISA, 12.1 SOP2).

use wavetank_gcn::Field;
use wavetank_gcn::tables::Sop2;

use super::{keep_scc, non_zero, with_scc, write_back};
use crate::block::{Flow, Lift};
use crate::control;
use crate::traps;
use crate::value::{Cond, Int};

/// Lifts a SOP2 instruction.
pub(crate) fn sop2(l: &Lift, op: Sop2) -> Flow {
    use Sop2::*;
    let [a, b] = [l.scalar(Field::Src0), l.scalar(Field::Src1)];
    let result = match op {
        S_ADD_U32 => with_scc(a.add_carry(b, None)),
        S_SUB_U32 => with_scc(a.sub_borrow(b, None)),
        S_ADDC_U32 => with_scc(a.add_carry(b, Some(l.scc()))),
        S_SUBB_U32 => with_scc(a.sub_borrow(b, Some(l.scc()))),
        S_ADD_I32 => with_scc(add_signed(a, b)),
        S_SUB_I32 => {
            let d = a - b;
            with_scc((d, sign((a ^ b) & (a ^ d))))
        }
        S_MIN_I32 => with_scc((a.min_s(b), a.lt_s(b))),
        S_MIN_U32 => with_scc((a.min_u(b), a.lt_u(b))),
        S_MAX_I32 => with_scc((a.max_s(b), a.gt_s(b))),
        S_MAX_U32 => with_scc((a.max_u(b), a.gt_u(b))),
        S_CSELECT_B32 | S_CSELECT_B64 => keep_scc(l.scc().select(a, b)),

        S_AND_B32 | S_AND_B64 => non_zero(a & b),
        S_OR_B32 | S_OR_B64 => non_zero(a | b),
        S_XOR_B32 | S_XOR_B64 => non_zero(a ^ b),
        S_ANDN2_B32 | S_ANDN2_B64 => non_zero(a & !b),
        S_ORN2_B32 | S_ORN2_B64 => non_zero(a | !b),
        S_NAND_B32 | S_NAND_B64 => non_zero(!(a & b)),
        S_NOR_B32 | S_NOR_B64 => non_zero(!(a | b)),
        S_XNOR_B32 | S_XNOR_B64 => non_zero(!(a ^ b)),

        // The count of a shift is taken modulo the width of the shifted operand.
        S_LSHL_B32 | S_LSHL_B64 => non_zero(a << b),
        S_LSHR_B32 | S_LSHR_B64 => non_zero(a >> b),
        S_ASHR_I32 | S_ASHR_I64 => non_zero(a.sar(b)),
        S_BFM_B32 => keep_scc(((Int::const32(l.b, 1) << a) - 1) << b),
        S_BFM_B64 => keep_scc(((Int::const64(l.b, 1) << a) - 1) << b),
        S_BFE_U32 | S_BFE_U64 => non_zero(field(a >> b, b, |x, up| x >> up)),
        S_BFE_I32 | S_BFE_I64 => non_zero(field(a.sar(b), b, |x, up| x.sar(up))),

        S_MUL_I32 => keep_scc(a * b),
        S_MUL_HI_U32 => keep_scc(a.mul_hi_u(b)),
        S_MUL_HI_I32 => keep_scc(a.mul_hi_s(b)),
        S_ABSDIFF_I32 => {
            let d = a - b;
            non_zero(d.lt_s(0).select(-d, d))
        }
        S_LSHL1_ADD_U32 => with_scc(shift_add(a, 1, b)),
        S_LSHL2_ADD_U32 => with_scc(shift_add(a, 2, b)),
        S_LSHL3_ADD_U32 => with_scc(shift_add(a, 3, b)),
        S_LSHL4_ADD_U32 => with_scc(shift_add(a, 4, b)),

        S_PACK_LL_B32_B16 => keep_scc((a & 0xffff) | (b << 16)),
        S_PACK_LH_B32_B16 => keep_scc((a & 0xffff) | (b & 0xffff_0000)),
        S_PACK_HH_B32_B16 => keep_scc((a >> 16) | (b & 0xffff_0000)),

        S_CBRANCH_G_FORK => return control::fork(l, a, b),
        S_RFE_RESTORE_B64 => return traps::return_from_exception(l, a),
    };
    write_back(l, result)
}

/// The sign bit as a condition.
fn sign(x: Int<'_>) -> Cond<'_> {
    (x >> 31).as_cond()
}

/// The sum and its signed overflow: both addends have one sign and the sum the other.
pub(super) fn add_signed<'a>(a: Int<'a>, b: Int<'a>) -> (Int<'a>, Cond<'a>) {
    let d = a + b;
    (d, sign(!(a ^ b) & (a ^ d)))
}

/// (a << n) + b, and whether it exceeds 32 bits.
fn shift_add<'a>(a: Int<'a>, n: u64, b: Int<'a>) -> (Int<'a>, Cond<'a>) {
    let sum = (a.widen() << n) + b.widen();
    (sum.low(), sum.high().non_zero())
}

/// The low S1[22:16] bits of `x`, extended by shifting them up and then down. A width of 0 gives 0; the register's width or more
/// gives all bits.
fn field<'a>(x: Int<'a>, s1: Int<'a>, down: impl Fn(Int<'a>, Int<'a>) -> Int<'a>) -> Int<'a> {
    let bits = u64::from(x.bits());
    let width = ((s1 >> 16) & 0x7f).min_u(bits);
    let up = s1.constant(bits) - width;
    width.eq(0).select(x.constant(0), down(x << up, up))
}
