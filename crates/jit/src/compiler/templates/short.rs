//! Templates of 16-bit integers and pairs of them. The host's instructions on words apply to both halves of a dword; for a single
//! number, the upper half is unused, and becomes 0 at the end.

use iced_x86::Code;
use wavetank_ir::{Bin, Elem, Tern, Un};
use wavetank_lower::TooMany;

use super::format::RAW;
use crate::compiler::asm::Arg;
use crate::compiler::tile::{SCRATCH, Template, Tile};

type Done = Result<(), TooMany>;

/// The templates of functions with one operand.
pub(super) fn un(un: Un, elem: Elem) -> Option<Template> {
    (un == Un::Not && elem == Elem::I16).then_some(not)
}

/// The templates of functions with two operands.
pub(super) fn bin(bin: Bin, elem: Elem) -> Option<Template> {
    if !matches!(elem, Elem::I16 | Elem::I16x2) {
        return None;
    }
    Some(match bin {
        Bin::Add => |t| t.words_of(Code::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512),
        Bin::Sub => |t| t.words_of(Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512),
        Bin::Mul => |t| t.words_of(Code::EVEX_Vpmullw_zmm_k1z_zmm_zmmm512),
        Bin::MulHiU => |t| t.words_of(Code::EVEX_Vpmulhuw_zmm_k1z_zmm_zmmm512),
        Bin::MulHiS => |t| t.words_of(Code::EVEX_Vpmulhw_zmm_k1z_zmm_zmmm512),
        Bin::And => |t| t.words_of(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32),
        Bin::Or => |t| t.words_of(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32),
        Bin::Xor => |t| t.words_of(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32),
        Bin::MinU => |t| t.words_of(Code::EVEX_Vpminuw_zmm_k1z_zmm_zmmm512),
        Bin::MaxU => |t| t.words_of(Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512),
        Bin::MinS => |t| t.words_of(Code::EVEX_Vpminsw_zmm_k1z_zmm_zmmm512),
        Bin::MaxS => |t| t.words_of(Code::EVEX_Vpmaxsw_zmm_k1z_zmm_zmmm512),
        Bin::AddSatU => |t| t.words_of(Code::EVEX_Vpaddusw_zmm_k1z_zmm_zmmm512),
        Bin::SubSatU => |t| t.words_of(Code::EVEX_Vpsubusw_zmm_k1z_zmm_zmmm512),
        Bin::AddSatS => |t| t.words_of(Code::EVEX_Vpaddsw_zmm_k1z_zmm_zmmm512),
        Bin::SubSatS => |t| t.words_of(Code::EVEX_Vpsubsw_zmm_k1z_zmm_zmmm512),
        Bin::Shl => |t| t.shift_words(Code::EVEX_Vpsllvw_zmm_k1z_zmm_zmmm512),
        Bin::Shr => |t| t.shift_words(Code::EVEX_Vpsrlvw_zmm_k1z_zmm_zmmm512),
        Bin::Sar => |t| t.shift_words(Code::EVEX_Vpsravw_zmm_k1z_zmm_zmmm512),
        Bin::Pack if elem == Elem::I16 => pack,
        _ => return None,
    })
}

/// The templates of functions with three operands.
pub(super) fn tern(tern: Tern, elem: Elem) -> Option<Template> {
    if elem != Elem::I16 {
        return None;
    }
    match tern {
        Tern::Med3U => Some(|t| {
            t.median(
                Code::EVEX_Vpminuw_zmm_k1z_zmm_zmmm512,
                Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512,
            )
        }),
        Tern::Med3S => Some(|t| {
            t.median(
                Code::EVEX_Vpminsw_zmm_k1z_zmm_zmmm512,
                Code::EVEX_Vpmaxsw_zmm_k1z_zmm_zmmm512,
            )
        }),
        _ => None,
    }
}

impl Tile<'_, '_> {
    /// Writes the result from a scratch register.
    pub(crate) fn finish_words(&mut self) -> Done {
        let result = self.result(0)?;
        self.write_words(RAW, result);
        Ok(())
    }

    fn words_of(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.reg(b)?);
        self.asm.op(code, &[RAW.into(), a.into(), b.into()]);
        self.finish_words()
    }

    /// A shift of words whose counts are taken modulo 16.
    fn shift_words(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.reg(b)?);
        let (count, modulo) = (SCRATCH[0], Arg::Each(self.asm.constant(0x000f_000f)));
        let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        self.asm.op(and, &[count.into(), b.into(), modulo]);
        self.asm.op(code, &[RAW.into(), a.into(), count.into()]);
        self.finish_words()
    }

    /// max(min(a, b), min(max(a, b), c)), of words or of dwords.
    pub(crate) fn median(&mut self, min: Code, max: Code) -> Done {
        let [a, b, c] = self.args();
        let (a, b, c) = (self.reg(a)?, self.reg(b)?, self.reg(c)?);
        let [less, more, ..] = SCRATCH;
        self.asm.op(min, &[less.into(), a.into(), b.into()]);
        self.asm.op(max, &[more.into(), a.into(), b.into()]);
        self.asm.op(min, &[more.into(), more.into(), c.into()]);
        self.asm.op(max, &[RAW.into(), less.into(), more.into()]);
        self.finish_words()
    }
}

fn not(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let ones = Arg::Each(t.asm.constant(!0));
    t.asm.op(
        Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        &[RAW.into(), a.into(), ones],
    );
    t.finish_words()
}

/// Packs the low halves of two dwords.
fn pack(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a, b) = (t.reg(a)?, t.reg(b)?);
    let [low, high, ..] = SCRATCH;
    let half = Arg::Each(t.asm.constant(0xffff));
    let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(and, &[low.into(), a.into(), half]);
    let args = [high.into(), b.into(), 16.into()];
    t.asm.op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &args);
    let (to, under) = t.result(0)?;
    let args = [to.into(), low.into(), high.into()];
    t.asm
        .under(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}
