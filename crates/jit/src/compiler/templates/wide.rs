//! Templates of 64-bit values, whose halves are separate vectors, and of operations that produce such values.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Elem, Op};
use wavetank_lower::TooMany;

use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

/// The instruction for 64-bit products of even dwords.
pub(super) const UNSIGNED: Code = Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64;
pub(super) const SIGNED: Code = Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64;

const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const LESS: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
const COPY: Code = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
/// The instruction that finds the lanes that are 0.
const ZERO: Code = Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;

/// The templates of functions with two operands; `count` is the second one if it is constant.
pub(super) fn bin(bin: Bin, elem: Elem, count: Option<u64>) -> Option<Template> {
    if elem != Elem::I64 {
        return None;
    }
    Some(match bin {
        Bin::Add => add,
        Bin::Sub => sub,
        Bin::And => |t| t.halves(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32),
        Bin::Or => |t| t.halves(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32),
        Bin::Xor => |t| t.halves(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32),
        Bin::Shl if count.is_some() => shl,
        Bin::Shr if count.is_some() => shr,
        Bin::Shl => |t| t.shift_long(Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64),
        Bin::Shr => |t| t.shift_long(Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64),
        Bin::Sar => |t| t.shift_long(Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64),
        Bin::Mul => |t| t.two_packed(Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64),
        Bin::MinU => |t| t.two_packed(Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64),
        Bin::MaxU => |t| t.two_packed(Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64),
        Bin::MinS => |t| t.two_packed(Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64),
        Bin::MaxS => |t| t.two_packed(Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64),
        _ => return None,
    })
}

/// Inverts all 64 bits, half by half.
pub(super) fn not(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let ones = Arg::Each(t.asm.constant(!0));
    for part in 0..2 {
        let from = t.part(a, part)?;
        let args = [SCRATCH[usize::from(part)].into(), from.into(), ones];
        t.asm.op(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, &args);
    }
    t.result_halves([SCRATCH[0], SCRATCH[1]])
}

/// Packs the first operand as the low half, and the second as the high half.
pub(super) fn pack(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    t.result_is(&[(a, 0), (b, 0)])
}

/// Extends with zeros above.
pub(super) fn widen(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let zero = SCRATCH[1];
    t.asm
        .op(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, &[zero.into(); 3]);
    t.result_halves([a, zero])
}

/// Extends with the sign above.
pub(super) fn widen_signed(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let sign = SCRATCH[1];
    let args = [sign.into(), a.into(), 31.into()];
    t.asm.op(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, &args);
    t.result_halves([a, sign])
}

impl Tile<'_, '_> {
    /// Applies an instruction to both halves.
    fn halves(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        for part in 0..2 {
            let (a, b) = (self.part(a, part)?, self.arg(b, part)?);
            let to = SCRATCH[usize::from(part)];
            self.asm.op(code, &[to.into(), a.into(), b]);
        }
        self.result_halves([SCRATCH[0], SCRATCH[1]])
    }

    /// Emits an instruction on qwords with two sources.
    fn two_packed(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.packed(a)?, self.packed(b)?);
        for (n, (to, under)) in self.result_packed()?.into_iter().enumerate() {
            self.asm
                .under(code, under, &[to.into(), a[n].into(), b[n].into()]);
        }
        Ok(())
    }

    /// A shift by counts of the lanes, modulo 64; for a count of 64 bits, the low half is used.
    fn shift_long(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.packed(a)?, self.part(b, 0)?);
        let count = SCRATCH[0];
        for (n, (to, under)) in self.result_packed()?.into_iter().enumerate() {
            let dwords = self.eight(b, n, count);
            let widen = Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256;
            self.asm.op(widen, &[count.into(), dwords.into()]);
            let modulo = Arg::Each(self.asm.wide_constant(63));
            let and = Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64;
            self.asm.op(and, &[count.into(), count.into(), modulo]);
            self.asm
                .under(code, under, &[to.into(), a[n].into(), count.into()]);
        }
        Ok(())
    }

    /// Adds `by` in the lanes of a mask.
    fn add_in(&mut self, to: Register, mask: Register, by: i32) {
        let by = Arg::Each(self.asm.constant(by as u32));
        self.asm
            .under(ADD, Under::Merge(mask), &[to.into(), to.into(), by]);
    }

    fn less(&mut self, mask: Register, a: Register, b: Register) {
        let args = [mask.into(), a.into(), b.into(), 1.into()];
        self.asm.op(LESS, &args);
    }

    /// Writes the result from the first scratch register.
    fn result_of_scratch(&mut self) -> Done {
        let (to, under) = self.result(0)?;
        let args = [to.into(), SCRATCH[0].into()];
        self.asm.under(COPY, under, &args);
        Ok(())
    }
}

fn add(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a0, b0, a1, b1) = (t.part(a, 0)?, t.part(b, 0)?, t.part(a, 1)?, t.part(b, 1)?);
    let [low, high, ..] = SCRATCH;
    t.asm.op(ADD, &[low.into(), a0.into(), b0.into()]);
    t.asm.op(ADD, &[high.into(), a1.into(), b1.into()]);
    // The sum of the halves carries if it is less than either.
    t.less(SCRATCH_MASK, low, a0);
    t.add_in(high, SCRATCH_MASK, 1);
    t.result_halves([low, high])
}

fn sub(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a0, b0, a1, b1) = (t.part(a, 0)?, t.part(b, 0)?, t.part(a, 1)?, t.part(b, 1)?);
    let [low, high, ..] = SCRATCH;
    t.asm.op(SUB, &[low.into(), a0.into(), b0.into()]);
    t.asm.op(SUB, &[high.into(), a1.into(), b1.into()]);
    t.less(SCRATCH_MASK, a0, b0);
    t.add_in(high, SCRATCH_MASK, -1);
    t.result_halves([low, high])
}

/// A shift left by a constant, modulo 64. Shifts of halves by 32 and more give 0.
fn shl(t: &mut Tile) -> Done {
    shift(
        t,
        [0, 1],
        [
            Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
            Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
        ],
    )
}

fn shr(t: &mut Tile) -> Done {
    shift(
        t,
        [1, 0],
        [
            Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
            Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
        ],
    )
}

/// A shift across the halves, with the instructions for both directions.
fn shift(t: &mut Tile, [from, into]: [u8; 2], [there, back]: [Code; 2]) -> Done {
    let [a, count, _] = t.args();
    let count = t.constant(count).expect("the count is constant") as u8 & 63;
    let (near, far) = (t.part(a, from)?, t.part(a, into)?);
    let [r0, r1, other, _] = SCRATCH;
    let results = [r0, r1];
    let (near_result, far_result) = (results[usize::from(from)], results[usize::from(into)]);
    let far_count = count.wrapping_sub(32);
    if count >= 32 {
        let args = [far_result.into(), near.into(), far_count.into()];
        t.asm.op(there, &args);
        t.asm.op(
            Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            &[near_result.into(); 3],
        );
    } else {
        t.asm
            .op(there, &[far_result.into(), far.into(), count.into()]);
        t.asm
            .op(back, &[other.into(), near.into(), (32 - count).into()]);
        let args = [far_result.into(), far_result.into(), other.into()];
        t.asm.op(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, &args);
        t.asm
            .op(there, &[near_result.into(), near.into(), count.into()]);
    }
    t.result_halves(results)
}

/// The mask of the incoming carry, if there is one.
fn carry_in(t: &mut Tile) -> Result<Option<Register>, TooMany> {
    let (Op::AddCarry(.., carry) | Op::SubBorrow(.., carry)) = t.block.node(t.this()).op else {
        return Ok(None);
    };
    carry.map(|carry| t.reg(carry)).transpose()
}

pub(super) fn add_carry(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a, b, carry) = (t.reg(a)?, t.reg(b)?, carry_in(t)?);
    let sum = SCRATCH[0];
    t.asm.op(ADD, &[sum.into(), a.into(), b.into()]);
    let second = t.second().map(|second| t.result_mask(second)).transpose()?;
    if let Some((out, _)) = second {
        t.less(out, sum, a);
    }
    if let Some(carry) = carry {
        t.add_in(sum, carry, 1);
        if let Some((out, _)) = second {
            // All ones plus one carries too.
            let k = SCRATCH_MASK;
            let args = [k.into(), sum.into(), sum.into()];
            t.asm.under(ZERO, Under::Merge(carry), &args);
            let args = [out.into(), out.into(), k.into()];
            t.asm.op(Code::VEX_Korw_kr_kr_kr, &args);
        }
    }
    t.result_of_scratch()
}

pub(super) fn sub_borrow(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a, b, borrow) = (t.reg(a)?, t.reg(b)?, carry_in(t)?);
    let difference = SCRATCH[0];
    t.asm.op(SUB, &[difference.into(), a.into(), b.into()]);
    let second = t.second().map(|second| t.result_mask(second)).transpose()?;
    if let Some((out, _)) = second {
        t.less(out, a, b);
    }
    if let Some(borrow) = borrow {
        if let Some((out, _)) = second {
            // Zero minus one borrows too.
            let k = SCRATCH_MASK;
            let args = [k.into(), difference.into(), difference.into()];
            t.asm.under(ZERO, Under::Merge(borrow), &args);
            let args = [out.into(), out.into(), k.into()];
            t.asm.op(Code::VEX_Korw_kr_kr_kr, &args);
        }
        t.add_in(difference, borrow, -1);
    }
    t.result_of_scratch()
}

/// 32 by 32 bits plus 64 bits. For signed factors, no carry is reported.
pub(super) fn mad_wide(signed: bool) -> Template {
    if !signed {
        |t| t.mad_wide(UNSIGNED, true)
    } else {
        |t| t.mad_wide(SIGNED, false)
    }
}

impl Tile<'_, '_> {
    fn mad_wide(&mut self, mul: Code, carries: bool) -> Done {
        let [a, b, c] = self.args();
        let (a, b, c0, c1) = (
            self.reg(a)?,
            self.reg(b)?,
            self.part(c, 0)?,
            self.part(c, 1)?,
        );
        self.high_products(mul, [a, b]);
        let [high, low, ..] = SCRATCH;
        let args = [low.into(), a.into(), b.into()];
        self.asm
            .op(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, &args);
        self.asm.op(ADD, &[low.into(), low.into(), c0.into()]);
        self.asm.op(ADD, &[high.into(), high.into(), c1.into()]);
        let second = self
            .second()
            .map(|second| self.result_mask(second))
            .transpose()?;
        if let Some((out, _)) = second {
            self.less(out, high, c1);
        }
        let k = SCRATCH_MASK;
        self.less(k, low, c0);
        self.add_in(high, k, 1);
        if let Some((out, _)) = second {
            let args = [k.into(), high.into(), high.into()];
            self.asm.under(ZERO, Under::Merge(k), &args);
            let (join, args) = if carries {
                (Code::VEX_Korw_kr_kr_kr, [out.into(), out.into(), k.into()])
            } else {
                (Code::VEX_Kxorw_kr_kr_kr, [out.into(); 3])
            };
            self.asm.op(join, &args);
        }
        self.result_halves([low, high])
    }
}
