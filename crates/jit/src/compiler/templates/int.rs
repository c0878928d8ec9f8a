//! Templates of 32-bit integers.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Elem, Tern, Un};
use wavetank_lower::TooMany;

use super::wide::{SIGNED, UNSIGNED};
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

/// The templates of functions with one operand.
pub(super) fn un(un: Un, elem: Elem) -> Option<Template> {
    Some(match (un, elem) {
        (Un::Not, Elem::I32) => |t| t.with_constant(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, !0),
        (Un::Not, Elem::I64) => super::wide::not,
        (Un::Low, _) => |t| t.result_is(&[(t.args()[0], 0)]),
        (Un::High, _) => |t| t.result_is(&[(t.args()[0], 1)]),
        (Un::SignExtend(8), _) => |t| t.sign_extend(24),
        (Un::SignExtend(16), _) => |t| t.sign_extend(16),
        (Un::SignExtend(24), _) => |t| t.sign_extend(8),
        (Un::Widen, _) => super::wide::widen,
        (Un::WidenSigned, _) => super::wide::widen_signed,
        _ => return None,
    })
}

/// The templates of functions with two operands.
pub(super) fn bin(bin: Bin, elem: Elem) -> Option<Template> {
    if elem != Elem::I32 {
        return None;
    }
    Some(match bin {
        Bin::Add => |t| t.two(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32),
        Bin::Sub => |t| t.two(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32),
        Bin::Mul => |t| t.two(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32),
        Bin::And => |t| t.two(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32),
        Bin::Or => |t| t.two(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32),
        Bin::Xor => |t| t.two(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32),
        Bin::MinU => |t| t.two(Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32),
        Bin::MaxU => |t| t.two(Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32),
        Bin::MinS => |t| t.two(Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32),
        Bin::MaxS => |t| t.two(Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32),
        Bin::Shl => |t| {
            t.shift(
                Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
                Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
            )
        },
        Bin::Shr => |t| {
            t.shift(
                Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
                Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
            )
        },
        Bin::Sar => |t| {
            t.shift(
                Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
                Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
            )
        },
        Bin::MulU24 => mul_u24,
        Bin::MulS24 => mul_s24,
        Bin::MulHiU24 => |t| t.mul_hi_24(UNSIGNED, Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8),
        Bin::MulHiS24 => |t| t.mul_hi_24(SIGNED, Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8),
        Bin::MulHiU => |t| t.mul_hi(UNSIGNED),
        Bin::MulHiS => |t| t.mul_hi(SIGNED),
        Bin::AddSatU => add_sat_u,
        Bin::SubSatU => sub_sat_u,
        Bin::AddSatS => |t| t.saturating(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32),
        Bin::SubSatS => |t| t.saturating(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32),
        Bin::Pack => super::wide::pack,
        _ => return None,
    })
}

/// The templates of functions with three operands.
pub(super) fn tern(tern: Tern, elem: Elem) -> Option<Template> {
    match (tern, elem) {
        (Tern::BitSelect, Elem::I32) => Some(bit_select),
        (Tern::Med3U, Elem::I32) => Some(|t| {
            t.median(
                Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
            )
        }),
        (Tern::Med3S, Elem::I32) => Some(|t| {
            t.median(
                Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
            )
        }),
        _ => None,
    }
}

impl Tile<'_, '_> {
    /// Emits an instruction with two sources.
    pub(crate) fn two(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.arg(b, 0)?);
        let (to, under) = self.result(0)?;
        self.asm.under(code, under, &[to.into(), a.into(), b]);
        Ok(())
    }

    /// Emits an instruction whose second source is a constant.
    fn with_constant(&mut self, code: Code, c: u32) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        let c = Arg::Each(self.asm.constant(c));
        let (to, under) = self.result(0)?;
        self.asm.under(code, under, &[to.into(), a.into(), c]);
        Ok(())
    }

    /// Sign-extends the low bits, by a shift up and down again.
    fn sign_extend(&mut self, bits: u8) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        let up = SCRATCH[0];
        let args = [up.into(), a.into(), bits.into()];
        self.asm
            .op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &args);
        let (to, under) = self.result(0)?;
        let args = [to.into(), up.into(), bits.into()];
        self.asm
            .under(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, under, &args);
        Ok(())
    }

    /// Emits a shift whose count is taken modulo 32.
    fn shift(&mut self, constant: Code, variable: Code) -> Done {
        let [a, b, _] = self.args();
        let from = self.reg(a)?;
        if let Some(count) = self.constant(b) {
            let (to, under) = self.result(0)?;
            let args = [to.into(), from.into(), (count as u8 & 31).into()];
            self.asm.under(constant, under, &args);
            return Ok(());
        }
        let count = self.reg(b)?;
        let modulo = self.modulo_32(count, 0);
        let (to, under) = self.result(0)?;
        let args = [to.into(), from.into(), modulo.into()];
        self.asm.under(variable, under, &args);
        Ok(())
    }

    /// The lowest five bits of a count, in a scratch register.
    pub(crate) fn modulo_32(&mut self, count: Register, scratch: usize) -> Register {
        let c = Arg::Each(self.asm.constant(31));
        let to = SCRATCH[scratch];
        let args = [to.into(), count.into(), c];
        self.asm.op(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &args);
        to
    }
}

/// The product of the low 24 bits of both.
fn mul_u24(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let factors = [t.reg(a)?, t.reg(b)?];
    let c = Arg::Each(t.asm.constant(0xff_ffff));
    for (to, from) in SCRATCH.into_iter().zip(factors) {
        t.asm.op(
            Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
            &[to.into(), from.into(), c],
        );
    }
    product(t)
}

/// The product of the low 24 bits of both, with their signs.
fn mul_s24(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let factors = [t.reg(a)?, t.reg(b)?];
    for (to, from) in SCRATCH.into_iter().zip(factors) {
        let up = [to.into(), from.into(), 8.into()];
        t.asm.op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &up);
        let down = [to.into(), to.into(), 8.into()];
        t.asm.op(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, &down);
    }
    product(t)
}

/// The product of the first two scratch registers.
fn product(t: &mut Tile) -> Done {
    let (to, under) = t.result(0)?;
    let args = [to.into(), SCRATCH[0].into(), SCRATCH[1].into()];
    t.asm
        .under(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}

impl Tile<'_, '_> {
    fn mul_hi(&mut self, mul: Code) -> Done {
        let [a, b, _] = self.args();
        let factors = [self.reg(a)?, self.reg(b)?];
        self.high_products(mul, factors);
        let (to, under) = self.result(0)?;
        let args = [to.into(), SCRATCH[0].into()];
        self.asm
            .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
        Ok(())
    }

    /// The high half of a product of the low 24 bits, which a shift down extends.
    fn mul_hi_24(&mut self, mul: Code, down: Code) -> Done {
        let [a, b, _] = self.args();
        let mut factors = [self.reg(a)?, self.reg(b)?];
        for factor in &mut factors {
            let to = self.spare(false)?;
            let args = [to.into(), (*factor).into(), 8.into()];
            self.asm
                .op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &args);
            self.asm.op(down, &[to.into(), to.into(), 8.into()]);
            *factor = to;
        }
        self.high_products(mul, factors);
        let (to, under) = self.result(0)?;
        let args = [to.into(), SCRATCH[0].into()];
        self.asm
            .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
        Ok(())
    }

    /// The high halves of products, in the first scratch register; the first three are used. Products of even and odd dwords have
    /// 64 bits.
    pub(crate) fn high_products(&mut self, mul: Code, [a, b]: [Register; 2]) {
        let [even, odd, other, _] = SCRATCH;
        let shift = Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
        self.asm.op(mul, &[even.into(), a.into(), b.into()]);
        self.asm.op(shift, &[even.into(), even.into(), 32.into()]);
        self.asm.op(shift, &[odd.into(), a.into(), 32.into()]);
        self.asm.op(shift, &[other.into(), b.into(), 32.into()]);
        self.asm.op(mul, &[odd.into(), odd.into(), other.into()]);
        let odd_lanes = self.asm.constant(0xaaaa);
        let k = SCRATCH_MASK;
        self.asm
            .op(Code::VEX_Kmovw_kr_km16, &[k.into(), odd_lanes.into()]);
        let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
        self.asm
            .under(copy, Under::Merge(k), &[even.into(), odd.into()]);
    }

    /// A signed sum or difference, saturated: if it overflows, its sign differs from that of a, which selects the bound.
    fn saturating(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.reg(b)?);
        let [result, wrong, limit, _] = SCRATCH;
        let k = SCRATCH_MASK;
        self.asm.op(code, &[result.into(), a.into(), b.into()]);
        // The bits of the constants are the results for a, b and the sum from 000 on: overflow if a and b (for differences, the
        // complement of b) have the same sign, and the result the other.
        let subtracts = code == Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
        let table = if subtracts { 0b0001_1000 } else { 0b0100_0010 };
        let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
        self.asm.op(copy, &[wrong.into(), a.into()]);
        let args = [wrong.into(), b.into(), result.into(), Arg::I(table)];
        self.asm
            .op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &args);
        self.asm
            .op(Code::EVEX_Vpmovd2m_kr_zmm, &[k.into(), wrong.into()]);
        let args = [limit.into(), a.into(), 31.into()];
        self.asm
            .op(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, &args);
        let largest = Arg::Each(self.asm.constant(0x7fff_ffff));
        let args = [result.into(), limit.into(), largest];
        let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
        self.asm.under(xor, Under::Merge(k), &args);
        let (to, under) = self.result(0)?;
        self.asm.under(copy, under, &[to.into(), result.into()]);
        Ok(())
    }
}

/// The unsigned sum, saturated: b is limited to the complement of a.
fn add_sat_u(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a, b) = (t.reg(a)?, t.reg(b)?);
    let fits = SCRATCH[0];
    let ones = Arg::Each(t.asm.constant(!0));
    let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(xor, &[fits.into(), a.into(), ones]);
    let min = Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(min, &[fits.into(), fits.into(), b.into()]);
    let (to, under) = t.result(0)?;
    let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    t.asm.under(add, under, &[to.into(), a.into(), fits.into()]);
    Ok(())
}

/// The unsigned difference, saturated: the larger of both, minus b.
fn sub_sat_u(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a, b) = (t.reg(a)?, t.reg(b)?);
    let larger = SCRATCH[0];
    let max = Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(max, &[larger.into(), a.into(), b.into()]);
    let (to, under) = t.result(0)?;
    let sub = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
    t.asm
        .under(sub, under, &[to.into(), larger.into(), b.into()]);
    Ok(())
}

/// The bits (a & b) | (!a & c).
fn bit_select(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.arg(c, 0)?);
    let chosen = SCRATCH[0];
    let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
    t.asm.op(copy, &[chosen.into(), a.into()]);
    // The bits of the constant are the results for a, b, c from 000 on.
    let args = [chosen.into(), b.into(), c, 0xca.into()];
    t.asm
        .op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &args);
    let (to, under) = t.result(0)?;
    t.asm.under(copy, under, &[to.into(), chosen.into()]);
    Ok(())
}
