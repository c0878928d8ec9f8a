//! Templates of conversions between integers and floats, and between formats.

use iced_x86::{Code, Register};
use wavetank_ir::{Cvt, Elem, Fp, Round};
use wavetank_lower::TooMany;

use super::format::{Format, RAW, is_known};
use super::parts::lower;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

const COPY: Code = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;

/// The templates of conversions.
pub(super) fn cvt(cvt: Cvt, from: Elem, to: Elem, fp: Fp) -> Option<Template> {
    let nearest = fp.round == Round::Nearest;
    let has_halves = is_known(Elem::F16);
    Some(match (cvt, from, to) {
        (Cvt::SToF, Elem::I32, Elem::F32) if nearest => {
            |t| t.one(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er)
        }
        (Cvt::UToF, Elem::I32, Elem::F32) if nearest => {
            |t| t.one(Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er)
        }
        (Cvt::SToF, Elem::I32, Elem::F32) => {
            |t| t.rounded_one(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er)
        }
        (Cvt::UToF, Elem::I32, Elem::F32) => {
            |t| t.rounded_one(Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er)
        }
        (Cvt::SToF, Elem::I16, Elem::F16) if has_halves => {
            |t| t.words_to_f(Code::EVEX_Vcvtw2ph_zmm_k1z_zmmm512b16_er)
        }
        (Cvt::UToF, Elem::I16, Elem::F16) if has_halves => {
            |t| t.words_to_f(Code::EVEX_Vcvtuw2ph_zmm_k1z_zmmm512b16_er)
        }
        (Cvt::FToU, Elem::F16, Elem::I16) if has_halves => half_to_u,
        (Cvt::FToS, Elem::F16, Elem::I16) if has_halves => half_to_s,
        (Cvt::SToF, Elem::I32, Elem::F64) => {
            |t| t.doubled(Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er)
        }
        (Cvt::UToF, Elem::I32, Elem::F64) => {
            |t| t.doubled(Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er)
        }
        (Cvt::SToF, Elem::I16, Elem::F32) => {
            |t| t.short_to_f(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8)
        }
        (Cvt::UToF, Elem::I16, Elem::F32) => {
            |t| t.short_to_f(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8)
        }
        (Cvt::SToF, Elem::I64, Elem::F64) => {
            |t| t.long_to_f(Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er)
        }
        (Cvt::UToF, Elem::I64, Elem::F64) => {
            |t| t.long_to_f(Code::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er)
        }
        (Cvt::SToF, Elem::I64, Elem::F32) => {
            |t| t.halved(Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er)
        }
        (Cvt::UToF, Elem::I64, Elem::F32) => {
            |t| t.halved(Code::EVEX_Vcvtuqq2ps_ymm_k1z_zmmm512b64_er)
        }
        (Cvt::FToU, Elem::F32, Elem::I32) => f_to_u,
        (Cvt::FToS, Elem::F32, Elem::I32) => f_to_s,
        (Cvt::FToU, Elem::F64, Elem::I32) => double_to_u,
        (Cvt::FToS, Elem::F64, Elem::I32) => double_to_s,
        (Cvt::FToF, Elem::F32, Elem::F64) => widen,
        (Cvt::FToF, Elem::F64, Elem::F32) => narrow,
        (Cvt::FToF, Elem::F16, Elem::F32) if !fp.flush_in => from_half,
        (Cvt::FToF, Elem::F32, Elem::F16) if !fp.flush_out => to_half,
        _ => return None,
    })
}

impl Tile<'_, '_> {
    /// Converts by an instruction with one source.
    pub(crate) fn one(&mut self, code: Code) -> Done {
        let a = self.args()[0];
        let a = self.arg(a, 0)?;
        let (to, under) = self.result(0)?;
        self.asm.under(code, under, &[to.into(), a]);
        Ok(())
    }

    /// Converts by an instruction with one source, rounded by the environment.
    fn rounded_one(&mut self, code: Code) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        let (to, under) = self.result(0)?;
        self.round(code, to, under, &[a]);
        Ok(())
    }

    /// Converts from 32 to 64 bits, exactly.
    fn doubled(&mut self, code: Code) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        for (n, (to, under)) in self.result_packed()?.into_iter().enumerate() {
            let from = self.eight(a, n, SCRATCH[0]);
            self.asm.under(code, under, &[to.into(), from.into()]);
        }
        Ok(())
    }

    /// Converts from 64 to 32 bits.
    fn halved(&mut self, code: Code) -> Done {
        let a = self.args()[0];
        let a = self.packed(a)?;
        let [x, y, ..] = SCRATCH;
        for (to, from) in [x, y].into_iter().zip(a) {
            self.round(code, lower(to), Under::All, &[from]);
        }
        self.joined([x, y])
    }

    /// Writes the result from the lower halves of two registers.
    fn joined(&mut self, [low, high]: [Register; 2]) -> Done {
        let (to, under) = self.result(0)?;
        let args = [to.into(), low.into(), lower(high).into(), 1.into()];
        self.asm.under(
            Code::EVEX_Vinserti32x8_zmm_k1z_zmm_ymmm256_imm8,
            under,
            &args,
        );
        Ok(())
    }

    fn long_to_f(&mut self, code: Code) -> Done {
        let a = self.args()[0];
        let a = self.packed(a)?;
        for (from, (to, under)) in a.into_iter().zip(self.result_packed()?) {
            self.round(code, to, under, &[from]);
        }
        Ok(())
    }

    /// Converts 16-bit integers, extended by a shift down; all are exact.
    fn short_to_f(&mut self, down: Code) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        let x = SCRATCH[0];
        let args = [x.into(), a.into(), 16.into()];
        self.asm
            .op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &args);
        self.asm.op(down, &[x.into(), x.into(), 16.into()]);
        let (to, under) = self.result(0)?;
        let code = Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
        self.asm.under(code, under, &[to.into(), x.into()]);
        Ok(())
    }
}

/// Converts to unsigned. Negative numbers and NaNs become zero first; too large numbers become the largest by themselves.
fn f_to_u(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F32);
    let a = t.args()[0];
    let a = t.reg(a)?;
    let positive = SCRATCH[1];
    // The maximum is the second source if one is a NaN.
    let zero = t.number(f, 0);
    t.asm.op(f.max, &[positive.into(), a.into(), zero]);
    let (to, under) = t.result(0)?;
    let args = [to.into(), positive.into()];
    t.asm
        .under(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, under, &args);
    Ok(())
}

impl Tile<'_, '_> {
    /// Writes the result from the low halves of dwords.
    fn low_words(&mut self, from: Register) -> Done {
        let (to, under) = self.result(0)?;
        let low = Arg::Each(self.asm.constant(0xffff));
        let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        self.asm.under(and, under, &[to.into(), from.into(), low]);
        Ok(())
    }

    /// Converts 16-bit integers to halves.
    fn words_to_f(&mut self, code: Code) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        self.round(code, RAW, Under::All, &[a]);
        self.low_words(RAW)
    }
}

/// Converts halves to unsigned. Negative numbers and NaNs become zero first.
fn half_to_u(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F16);
    let a = t.args()[0];
    let a = t.reg(a)?;
    let zero = t.number(f, 0);
    t.asm.op(f.max, &[RAW.into(), a.into(), zero]);
    let code = Code::EVEX_Vcvttph2uw_zmm_k1z_zmmm512b16_sae;
    t.asm.op(code, &[RAW.into(), RAW.into()]);
    t.low_words(RAW)
}

/// Converts halves to signed. Out of range, the instruction gives 0x8000.
fn half_to_s(t: &mut Tile) -> Done {
    let (f, k) = (Format::of(Elem::F16), SCRATCH_MASK);
    let a = t.args()[0];
    let a = t.reg(a)?;
    let largest = SCRATCH[0];
    t.asm
        .op(f.compare, &[k.into(), a.into(), a.into(), 7.into()]);
    let code = Code::EVEX_Vcvttph2w_zmm_k1z_zmmm512b16_sae;
    t.asm.under(code, Under::Zero(k), &[RAW.into(), a.into()]);
    // The numbers from 2 to the power 15 on.
    let limit = t.number(f, 0x7800);
    t.asm
        .op(f.compare, &[k.into(), a.into(), limit, 0x1d.into()]);
    t.fill(f, largest, 0x7fff);
    t.asm
        .under(f.copy, Under::Merge(k), &[RAW.into(), largest.into()]);
    t.low_words(RAW)
}

/// Converts doubles to unsigned, in two pieces.
fn double_to_u(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F64);
    let a = t.args()[0];
    let a = t.packed(a)?;
    let [x, y, ..] = SCRATCH;
    for (whole, a) in [x, y].into_iter().zip(a) {
        let zero = t.number(f, 0);
        t.asm.op(f.max, &[whole.into(), a.into(), zero]);
        let args = [lower(whole).into(), whole.into()];
        t.asm
            .op(Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, &args);
    }
    t.joined([x, y])
}

/// Converts to signed. Out of range, the instruction gives 0x8000_0000, which is correct for too small numbers.
fn f_to_s(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F32);
    let a = t.args()[0];
    let a = t.reg(a)?;
    let (whole, k) = (SCRATCH[0], SCRATCH_MASK);
    // The mask of the lanes that are not NaNs.
    t.asm
        .op(f.compare, &[k.into(), a.into(), a.into(), 7.into()]);
    t.asm.under(
        Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
        Under::Zero(k),
        &[whole.into(), a.into()],
    );
    // The numbers from 2 to the power 31 on.
    let limit = t.number(f, 0x4f00_0000);
    t.asm
        .op(f.compare, &[k.into(), a.into(), limit, 0x1d.into()]);
    let largest = t.asm.constant(0x7fff_ffff);
    t.asm.under(
        Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        Under::Merge(k),
        &[whole.into(), largest.into()],
    );
    let (to, under) = t.result(0)?;
    t.asm.under(COPY, under, &[to.into(), whole.into()]);
    Ok(())
}

/// Converts doubles to signed. The largest integer is exact in double precision, so numbers are clamped first.
fn double_to_s(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F64);
    let a = t.args()[0];
    let a = t.packed(a)?;
    let [x, y, largest, _] = SCRATCH;
    t.fill(f, largest, f64::from(i32::MAX).to_bits());
    for (whole, a) in [x, y].into_iter().zip(a) {
        let k = SCRATCH_MASK;
        t.asm
            .op(f.compare, &[k.into(), a.into(), a.into(), 7.into()]);
        t.asm.op(f.min, &[whole.into(), largest.into(), a.into()]);
        t.asm.under(
            Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae,
            Under::Zero(k),
            &[lower(whole).into(), whole.into()],
        );
    }
    t.joined([x, y])
}

/// Single to double precision. Denormals become normal numbers.
fn widen(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F32);
    let a = t.args()[0];
    let a = t.reg(a)?;
    for (n, (to, under)) in t.result_packed()?.into_iter().enumerate() {
        let x = t.flushed(f, a, 0);
        let from = t.eight(x, n, SCRATCH[1]);
        let code = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
        t.asm.under(code, under, &[to.into(), from.into()]);
    }
    Ok(())
}

fn narrow(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F64);
    let a = t.args()[0];
    let a = t.packed(a)?;
    for (to, from) in [SCRATCH[1], SCRATCH[2]].into_iter().zip(a) {
        let x = t.flushed(f, from, 0);
        let code = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
        t.round(code, lower(to), Under::All, &[x]);
    }
    if !t.fp().flush_out {
        return t.joined([SCRATCH[1], SCRATCH[2]]);
    }
    t.join(RAW, [SCRATCH[1], SCRATCH[2]]);
    let result = t.result(0)?;
    t.finish(Format::of(Elem::F32), RAW, result);
    Ok(())
}

/// Half to single precision, by VCVTPH2PS.
fn from_half(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let words = t.words(a, SCRATCH[0]);
    let (to, under) = t.result(0)?;
    let code = Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae;
    t.asm.under(code, under, &[to.into(), words.into()]);
    Ok(())
}

/// Single to half precision. The immediate of VCVTPS2PH is the rounding, with the numbers of MXCSR.
fn to_half(t: &mut Tile) -> Done {
    let round = match t.fp().round {
        Round::Nearest => 0,
        Round::Down => 1,
        Round::Up => 2,
        Round::Zero => 3,
    };
    let a = t.args()[0];
    let a = t.reg(a)?;
    let a = t.flushed(Format::of(Elem::F32), a, 1);
    let words = lower(SCRATCH[0]);
    let args = [words.into(), a.into(), Arg::I(round)];
    t.asm
        .op(Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, &args);
    let (to, under) = t.result(0)?;
    let code = Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256;
    t.asm.under(code, under, &[to.into(), words.into()]);
    Ok(())
}
