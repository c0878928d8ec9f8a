//! Templates of halves on processors without instructions for them: computed in single precision, and rounded again.
//!
//! Double rounding is correct for these reasons. The sum, product, quotient and root of halves, rounded to 24 bits and then to
//! 11, are the same as if rounded once, since 24 ≥ 2 · 11 + 2 (Figueroa, "When is double rounding innocuous?"). A product of two
//! halves is exact. A sum with such a product is rounded to odd first, after which any narrower rounding is correct.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Cvt, Elem, Fp, Round, Tern, Un, Value};
use wavetank_lower::TooMany;

use super::float::{
    NO_EXPONENT, clamp, fraction_below, mantissa, product_and_sum, reciprocal, whole,
};
use super::format::{Format, RAW, is_known};
use super::half_forms::Way;
use super::half_functions;
use super::parts::lower;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

const SHIFT_UP: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const SHIFT_DOWN: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const SIGN_DOWN: Code = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
const FROM_INTEGER: Code = Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
const ZEROS_ABOVE: Code = Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256;

/// Predicates of float comparisons, numbered as in Intel's manual.
const LESS_OR_GREATER: u8 = 0x0c;

/// The largest half below 1, in single precision.
const BELOW_ONE: u32 = 0x3f7f_e000;

/// The largest half, in single precision.
const LARGEST: u32 = 0x477f_e000;

/// Whether these templates apply to an element of halves.
pub(super) fn is_ours(elem: Elem) -> bool {
    matches!(elem, Elem::F16 | Elem::F16x2) && !is_known(elem)
}

/// The templates of functions with one operand. All round to nearest in every environment.
pub(super) fn un(un: Un, elem: Elem) -> Option<Template> {
    if !is_ours(elem) {
        return None;
    }
    Some(match un {
        Un::FSqrt => |t| {
            t.through(Round::Nearest, false, |t, f, [a]| {
                t.asm.op(f.sqrt, &[RAW.into(), a.into()]);
            })
        },
        Un::FRcp => |t| t.through_one(reciprocal),
        Un::FClamp => |t| t.through_one(clamp),
        Un::FRoundEven => |t| t.through_one(whole::<0x8>),
        Un::FFloor => |t| t.through_one(whole::<0x9>),
        Un::FCeil => |t| t.through_one(whole::<0xa>),
        Un::FTrunc => |t| t.through_one(whole::<0xb>),
        Un::FFract => |t| {
            t.through_one(|t, f, to, _, a| {
                fraction_below(t, f, to, Under::All, a, BELOW_ONE.into());
            })
        },
        // Halves are normal numbers in single precision, and their NaNs have been made quiet.
        Un::FCanonicalize => |t| {
            t.through(Round::Nearest, false, |t, f, [a]| {
                t.asm.op(f.copy, &[RAW.into(), a.into()]);
            })
        },
        Un::FMantissa => |t| t.through_one(mantissa),
        Un::FExponent if elem == Elem::F16 => exponent,
        _ if elem == Elem::F16 => return half_functions::un(un),
        _ => return None,
    })
}

/// The templates of functions with two operands.
pub(super) fn bin(bin: Bin, elem: Elem, fp: Fp) -> Option<Template> {
    if !is_ours(elem) {
        return None;
    }
    Some(match bin {
        Bin::FAdd => |t| t.rounded_twice(|f| f.add),
        Bin::FSub => |t| t.rounded_twice(|f| f.sub),
        Bin::FMul => |t| t.rounded_twice(|f| f.mul),
        // Without IEEE rules, a signaling NaN may be the result, and a conversion would change it.
        Bin::FMin if fp.ieee => |t| t.through_extreme(false),
        Bin::FMax if fp.ieee => |t| t.through_extreme(true),
        Bin::FLdexp if elem == Elem::F16 => ldexp,
        _ => return None,
    })
}

/// The templates of functions with three operands.
pub(super) fn tern(tern: Tern, elem: Elem, fp: Fp) -> Option<Template> {
    if !is_ours(elem) {
        return None;
    }
    match tern {
        Tern::Fma => Some(|t| match t.fp().round {
            Round::Nearest => t.through_rounded(false, fma, |t, words, form, args| {
                let odd = |t: &mut Tile<'_, '_>| fma_by_its_error(t, Format::of(Elem::F32), args);
                t.round_to_half(words, form, Round::Nearest, Way::Once(&odd));
            }),
            round => t.through(round, false, fma),
        }),
        Tern::FMad => Some(|t| match t.fp().round {
            Round::Nearest => t.through_rounded(false, mad, |t, words, form, _| {
                t.round_to_half(words, form, Round::Nearest, Way::Soon);
            }),
            round => t.through(round, false, mad),
        }),
        Tern::FMed3 if fp.ieee => Some(|t| {
            t.through(Round::Nearest, true, |t, f, args| {
                super::float::median(t, f, RAW, Under::All, args);
            })
        }),
        _ => None,
    }
}

/// The templates of conversions between halves and 16-bit integers.
pub(super) fn cvt(cvt: Cvt, from: Elem, to: Elem) -> Option<Template> {
    if !is_ours(Elem::F16) {
        return None;
    }
    match (cvt, from, to) {
        (Cvt::SToF, Elem::I16, Elem::F16) => Some(|t| t.convert_short(SIGN_DOWN)),
        (Cvt::UToF, Elem::I16, Elem::F16) => Some(|t| t.convert_short(SHIFT_DOWN)),
        (Cvt::FToS, Elem::F16, Elem::I16) => Some(to_signed),
        (Cvt::FToU, Elem::F16, Elem::I16) => Some(to_unsigned),
        _ => None,
    }
}

impl Tile<'_, '_> {
    /// An operation on N halves, or on pairs of them. `emit` computes in `RAW` from operands of single precision, which it does
    /// not change. On request, signaling NaN operands are marked for it.
    fn through<const N: usize>(
        &mut self,
        round: Round,
        signaling: bool,
        emit: impl Fn(&mut Self, &Format, [Register; N]),
    ) -> Done {
        self.through_rounded(signaling, emit, |t, words, form, _| {
            t.round_to_half(words, form, round, Way::Twice);
        })
    }

    /// The same, with a rounding of its own: of `RAW` to words, and on request to another register.
    fn through_rounded<const N: usize>(
        &mut self,
        signaling: bool,
        emit: impl Fn(&mut Self, &Format, [Register; N]),
        round: impl Fn(&mut Self, Register, Option<Register>, [Register; N]),
    ) -> Done {
        let (args, f) = (self.args(), Format::of(Elem::F32));
        let pair = self.elem() == Elem::F16x2;
        let wanted = self.halves_are_wanted();
        let words = [SCRATCH[0], if pair { self.spare(false)? } else { RAW }];
        let mut forms = [None; 2];
        for high in [false, true].into_iter().take(1 + usize::from(pair)) {
            let mut wide = [Register::None; N];
            for (to, v) in wide.iter_mut().zip(args) {
                *to = self.widened_as(v, high, signaling)?;
            }
            let at = usize::from(high);
            if wanted[at] {
                forms[at] = Some(self.spare(false)?);
            }
            emit(self, f, wide);
            let words = words[usize::from(pair && !high)];
            round(self, words, forms[at], wide);
        }
        self.write_halves(pair, words)?;
        self.keep_forms(forms);
        Ok(())
    }

    /// Writes the result from words: of the higher half of a pair and the lower one, or of single halves.
    fn write_halves(&mut self, pair: bool, [words, low]: [Register; 2]) -> Done {
        let (to, under) = self.result(0)?;
        if !pair {
            let args = [to.into(), lower(words).into()];
            self.asm.under(ZEROS_ABOVE, under, &args);
            return Ok(());
        }
        for register in [words, low] {
            let args = [register.into(), lower(register).into()];
            self.asm.op(ZEROS_ABOVE, &args);
        }
        let args = [words.into(), words.into(), 16.into()];
        self.asm.op(SHIFT_UP, &args);
        let or = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
        let args = [to.into(), words.into(), low.into()];
        self.asm.under(or, under, &args);
        Ok(())
    }

    /// A template of one operand, computed in single precision.
    pub(super) fn through_one(
        &mut self,
        emit: impl Fn(&mut Self, &Format, Register, Under, [Register; 1]),
    ) -> Done {
        self.through(Round::Nearest, false, |t, f, a| {
            emit(t, f, RAW, Under::All, a);
        })
    }

    /// An instruction with two operands that rounds by the environment, both times.
    fn rounded_twice(&mut self, code: fn(&Format) -> Code) -> Done {
        self.through(self.fp().round, false, |t, f, [a, b]| {
            t.round(code(f), RAW, Under::All, &[a, b]);
        })
    }

    fn through_extreme(&mut self, max: bool) -> Done {
        self.through(Round::Nearest, true, |t, f, args| {
            t.extreme(f, RAW, args, max);
        })
    }

    /// Extends an operand of 16 bits by a shift down.
    fn extended(&mut self, to: Register, v: Value, down: Code) -> Done {
        let from = self.reg(v)?;
        self.asm.op(SHIFT_UP, &[to.into(), from.into(), 16.into()]);
        self.asm.op(down, &[to.into(), to.into(), 16.into()]);
        Ok(())
    }

    fn convert_short(&mut self, down: Code) -> Done {
        let (a, round) = (self.args()[0], self.fp().round);
        self.extended(RAW, a, down)?;
        self.asm.op(FROM_INTEGER, &[RAW.into(), RAW.into()]);
        self.narrow(lower(RAW), RAW, round);
        self.finish_extended()
    }

    /// Writes the result from words in the lower half of `RAW`.
    fn finish_extended(&mut self) -> Done {
        let (to, under) = self.result(0)?;
        let args = [to.into(), lower(RAW).into()];
        self.asm.under(ZEROS_ABOVE, under, &args);
        Ok(())
    }
}

/// a · b + c, rounded once to single precision.
fn fma(t: &mut Tile, f: &Format, [a, b, c]: [Register; 3]) {
    t.asm.op(f.copy, &[RAW.into(), c.into()]);
    t.round(f.fma, RAW, Under::All, &[a, b]);
}

/// a · b + c rounded to odd, from the sum rounded to nearest. The product is exact, and so is the rounding error of the sum, by
/// two differences. If there is an error and the last bit is 0, the adjacent number on the side of the error is odd.
fn fma_by_its_error(t: &mut Tile, f: &Format, [a, b, c]: [Register; 3]) {
    let ([product, part, error, sum], k) = (SCRATCH, SCRATCH_MASK);
    t.asm.op(f.copy, &[sum.into(), c.into()]);
    let operations = [
        (f.fma, sum, a, b),
        (f.mul, product, a, b),
        (f.sub, part, sum, product),
        (f.sub, error, sum, part),
        (f.sub, error, product, error),
        (f.sub, part, c, part),
        (f.add, error, error, part),
    ];
    for (code, to, a, b) in operations {
        t.asm.op(code, &[to.into(), a.into(), b.into()]);
    }
    let (zero, one) = (t.number(f, 0), Arg::Each(t.asm.constant(1)));
    let inexact = [k.into(), error.into(), zero, LESS_OR_GREATER.into()];
    t.asm.op(f.compare, &inexact);
    let is_even = Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;
    let args = [k.into(), sum.into(), one];
    t.asm.under(is_even, Under::Merge(k), &args);
    // 1 if the error is away from zero, else −1.
    t.asm.op(f.xor, &[error.into(), error.into(), sum.into()]);
    let signs = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
    t.asm.op(signs, &[error.into(), error.into(), 31.into()]);
    t.asm.op(f.or, &[error.into(), error.into(), one]);
    let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    let args = [sum.into(), sum.into(), error.into()];
    t.asm.under(add, Under::Merge(k), &args);
}

/// a · b rounded to a half, plus c.
fn mad(t: &mut Tile, f: &Format, args: [Register; 3]) {
    product_and_sum(t, f, RAW, args, |t| {
        let words = lower(SCRATCH[0]);
        t.narrow(words, RAW, t.fp().round);
        t.widen_to(RAW, words);
        if t.fp().flush_out {
            t.flush_widened(RAW);
        }
    });
}

/// The product a · 2^b.
fn ldexp(t: &mut Tile) -> Done {
    let (b, exponent) = (t.args()[1], t.spare(false)?);
    t.extended(exponent, b, SIGN_DOWN)?;
    t.asm.op(FROM_INTEGER, &[exponent.into(), exponent.into()]);
    t.through(t.fp().round, false, |t, f, [a]| {
        t.round(f.scale, RAW, Under::All, &[a, exponent]);
    })
}

/// The exponent for a mantissa from ½ to 1, an integer; 0 for zeros, infinities and NaNs.
fn exponent(t: &mut Tile) -> Done {
    let (f, k) = (Format::of(Elem::F32), SCRATCH_MASK);
    let wide = t.widened(t.args()[0], false)?;
    t.fill(f, RAW, f.one() | f.sign());
    let class = [k.into(), wide.into(), NO_EXPONENT.into()];
    t.asm.op(f.class, &class);
    t.asm.op(Code::VEX_Knotw_kr_kr, &[k.into(), k.into()]);
    t.asm
        .under(f.exponent, Under::Merge(k), &[RAW.into(), wide.into()]);
    let to_integer = Code::EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er;
    t.asm.op(to_integer, &[RAW.into(), RAW.into()]);
    let one = Arg::Each(t.asm.constant(1));
    let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(add, &[RAW.into(), RAW.into(), one]);
    let words = t.words(RAW, RAW);
    let (to, under) = t.result(0)?;
    t.asm.under(ZEROS_ABOVE, under, &[to.into(), words.into()]);
    Ok(())
}

/// Converts to signed, truncated; NaNs become zero, and numbers out of range the nearest.
fn to_signed(t: &mut Tile) -> Done {
    let (f, k) = (Format::of(Elem::F32), SCRATCH_MASK);
    let a = t.widened(t.args()[0], false)?;
    let ordered = [k.into(), a.into(), a.into(), 7.into()];
    t.asm.op(f.compare, &ordered);
    // An infinity of either sign would become the smallest dword.
    let largest = t.number(f, LARGEST.into());
    t.asm.op(f.min, &[RAW.into(), a.into(), largest]);
    let truncate = Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
    let args = [RAW.into(), RAW.into()];
    t.asm.under(truncate, Under::Zero(k), &args);
    let words = [lower(RAW).into(), RAW.into()];
    t.asm.op(Code::EVEX_Vpmovsdw_ymmm256_k1z_zmm, &words);
    t.finish_extended()
}

/// Converts to unsigned; negative numbers and NaNs become zero, and too large ones the largest.
fn to_unsigned(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F32);
    let a = t.widened(t.args()[0], false)?;
    // The maximum is the second source if one is a NaN.
    let zero = t.number(f, 0);
    t.asm.op(f.max, &[RAW.into(), a.into(), zero]);
    let truncate = Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae;
    t.asm.op(truncate, &[RAW.into(), RAW.into()]);
    let words = [lower(RAW).into(), RAW.into()];
    t.asm.op(Code::EVEX_Vpmovusdw_ymmm256_k1z_zmm, &words);
    t.finish_extended()
}
