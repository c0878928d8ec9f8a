//! Conversions.

use iced_x86::{Code, RoundingControl};
use wavetank_interp::single::TooMany;
use wavetank_ir::{Cvt, Elem, Fp, Round};

use super::Template;
use crate::asm::{Arg, Under};
use crate::tile::{SCRATCH, SCRATCH_MASK, Tile};

type Done = Result<(), TooMany>;

/// The templates of conversions.
pub fn cvt(cvt: Cvt, from: Elem, to: Elem, fp: Fp) -> Option<Template> {
    let nearest = fp.round == Round::Nearest;
    Some(match (cvt, from, to) {
        (Cvt::SToF, Elem::I32, Elem::F32) if nearest => {
            |t| t.one(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er)
        }
        (Cvt::UToF, Elem::I32, Elem::F32) if nearest => {
            |t| t.one(Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er)
        }
        (Cvt::FToU, Elem::F32, Elem::I32) => f_to_u,
        (Cvt::FToS, Elem::F32, Elem::I32) => f_to_s,
        _ => return None,
    })
}

impl Tile<'_, '_> {
    /// An instruction with one source.
    pub fn one(&mut self, code: Code) -> Done {
        let a = self.args()[0];
        let a = self.arg(a, 0)?;
        let (to, under) = self.result(0)?;
        self.asm.under(code, under, &[to.into(), a]);
        Ok(())
    }
}

/// Negative numbers and NaNs become zero first; what is too large becomes the largest by itself.
fn f_to_u(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let (zero, positive) = (SCRATCH[0], SCRATCH[1]);
    let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(xor, &[zero.into(); 3]);
    // The maximum is the second source if one is a NaN.
    let args = [positive.into(), a.into(), zero.into()];
    t.asm
        .op(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &args);
    let (to, under) = t.result(0)?;
    let args = [to.into(), positive.into()];
    t.asm
        .under(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, under, &args);
    Ok(())
}

/// What is out of range becomes 0x8000_0000 by itself: right for what is too small.
fn f_to_s(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let (whole, k) = (SCRATCH[0], SCRATCH_MASK);
    let compare = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
    // The lanes with a number.
    t.asm.op(compare, &[k.into(), a.into(), a.into(), 7.into()]);
    t.asm.under(
        Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
        Under::Zero(k),
        &[whole.into(), a.into()],
    );
    // Those from 2 to the power 31 on.
    let limit = Arg::Each(t.asm.constant(0x4f00_0000));
    t.asm
        .op(compare, &[k.into(), a.into(), limit, 0x1d.into()]);
    let largest = t.asm.constant(0x7fff_ffff);
    t.asm.under(
        Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        Under::Merge(k),
        &[whole.into(), largest.into()],
    );
    let (to, under) = t.result(0)?;
    t.asm.under(copy, under, &[to.into(), whole.into()]);
    Ok(())
}

/// The rounding of an instruction.
pub fn rounding(round: Round) -> RoundingControl {
    match round {
        Round::Nearest => RoundingControl::RoundToNearest,
        Round::Up => RoundingControl::RoundUp,
        Round::Down => RoundingControl::RoundDown,
        Round::Zero => RoundingControl::RoundTowardZero,
    }
}
