//! Integers of 32 bits.

use iced_x86::Code;
use wavetank_interp::single::TooMany;
use wavetank_ir::{Bin, Elem, LANES, Tern, Un};

use super::Template;
use crate::asm::{Arg, Mem, Under, fixed};
use crate::tile::{SCRATCH, SCRATCH_MASK, Tile};

type Done = Result<(), TooMany>;

/// Templates of one operand.
pub fn un(un: Un, elem: Elem) -> Option<Template> {
    Some(match (un, elem) {
        (Un::Not, Elem::I32) => |t| t.with_constant(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, !0),
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

/// Templates of two operands.
pub fn bin(bin: Bin, elem: Elem) -> Option<Template> {
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
        Bin::MulHiU => mul_hi_u,
        Bin::Pack => super::wide::pack,
        _ => return None,
    })
}

/// Templates of three operands.
pub fn tern(tern: Tern, elem: Elem) -> Option<Template> {
    match (tern, elem) {
        (Tern::BitSelect, Elem::I32) => Some(bit_select),
        (Tern::BfeU, Elem::I32) => Some(bfe_u),
        (Tern::AlignBit, _) => Some(align_bit),
        _ => None,
    }
}

impl Tile<'_, '_> {
    /// An instruction with two sources.
    pub fn two(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.arg(b, 0)?);
        let (to, under) = self.result(0)?;
        self.asm.under(code, under, &[to.into(), a.into(), b]);
        Ok(())
    }

    /// An instruction whose second source is a constant.
    fn with_constant(&mut self, code: Code, c: u32) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        let c = Arg::Each(self.asm.constant(c));
        let (to, under) = self.result(0)?;
        self.asm.under(code, under, &[to.into(), a.into(), c]);
        Ok(())
    }

    /// The low bits, with their sign above: there and back by so many bits.
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

    /// A shift whose count is taken modulo 32.
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

    /// The lowest five bits, in a scratch register.
    fn modulo_32(&mut self, count: iced_x86::Register, scratch: usize) -> iced_x86::Register {
        let c = Arg::Each(self.asm.constant(31));
        let to = SCRATCH[scratch];
        let args = [to.into(), count.into(), c];
        self.asm
            .op(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &args);
        to
    }
}

/// The low 24 bits of both.
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

/// The low 24 bits of both, with their signs.
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

/// Of the first two scratch registers.
fn product(t: &mut Tile) -> Done {
    let (to, under) = t.result(0)?;
    let args = [to.into(), SCRATCH[0].into(), SCRATCH[1].into()];
    t.asm
        .under(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}

/// Products of even and of odd lanes have 64 bits.
fn mul_hi_u(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let factors = [t.reg(a)?, t.reg(b)?];
    t.high_products(factors);
    let (to, under) = t.result(0)?;
    let args = [to.into(), SCRATCH[0].into()];
    t.asm
        .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
    Ok(())
}

impl Tile<'_, '_> {
    /// The high halves of unsigned products, in the first scratch register; the first three are used.
    pub fn high_products(&mut self, [a, b]: [iced_x86::Register; 2]) {
        let [even, odd, other, _] = SCRATCH;
        let mul = Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64;
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
}

/// (a & b) | (!a & c)
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

/// Bits [b, b + c) of a, both modulo 32.
fn bfe_u(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let from = t.reg(a)?;
    let down = SCRATCH[0];
    match t.constant(b) {
        Some(offset) => {
            let args = [down.into(), from.into(), (offset as u8 & 31).into()];
            t.asm.op(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, &args);
        }
        None => {
            let offset = t.reg(b)?;
            let offset = t.modulo_32(offset, 1);
            let args = [down.into(), from.into(), offset.into()];
            t.asm.op(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, &args);
        }
    }
    let field = match t.constant(c) {
        Some(width) => Arg::Each(t.asm.constant((1u32 << (width & 31)) - 1)),
        None => {
            let width = t.reg(c)?;
            let width = t.modulo_32(width, 1);
            let (ones, one) = (SCRATCH[2], Arg::Each(t.asm.constant(1)));
            let broadcast = match one {
                Arg::Each(mem) => Arg::M(mem),
                other => other,
            };
            t.asm.op(
                Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
                &[ones.into(), broadcast],
            );
            let args = [ones.into(), ones.into(), width.into()];
            t.asm.op(Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, &args);
            let args = [ones.into(), ones.into(), one];
            t.asm.op(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, &args);
            Arg::R(ones)
        }
    };
    let (to, under) = t.result(0)?;
    let args = [to.into(), down.into(), field];
    t.asm
        .under(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}

/// ({a, b} >> (c & 31)), the low 32 bits.
fn align_bit(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (high, low) = (t.reg(a)?, t.reg(b)?);
    let [down, up, count, _] = SCRATCH;
    if let Some(c) = t.constant(c) {
        let c = c as u8 & 31;
        let args = [down.into(), low.into(), c.into()];
        t.asm.op(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, &args);
        // A shift by 32 gives 0.
        let args = [up.into(), high.into(), (32 - c).into()];
        t.asm.op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &args);
    } else {
        let c = t.reg(c)?;
        let modulo = t.modulo_32(c, 3);
        let all = t.asm.constant(32);
        t.asm.op(
            Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
            &[count.into(), all.into()],
        );
        let args = [count.into(), count.into(), modulo.into()];
        t.asm.op(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, &args);
        let args = [down.into(), low.into(), modulo.into()];
        t.asm.op(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, &args);
        let args = [up.into(), high.into(), count.into()];
        t.asm.op(Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, &args);
    }
    let (to, under) = t.result(0)?;
    let args = [to.into(), down.into(), up.into()];
    t.asm
        .under(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}

/// The numbers of the lanes are among the constants.
pub fn lane_id(t: &mut Tile) -> Done {
    let numbers: [u32; LANES] = std::array::from_fn(|lane| lane as u32);
    let at = t.asm.constant_row(&numbers);
    let (to, under) = t.result(0)?;
    let from = Mem::sum(fixed::CONSTANTS, fixed::TILE, at);
    t.asm.under(
        Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        under,
        &[to.into(), from.into()],
    );
    Ok(())
}
