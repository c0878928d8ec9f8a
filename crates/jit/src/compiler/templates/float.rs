//! Templates of float operations, for all formats.
//!
//! NaNs need no extra code except where it is mentioned. The host's instructions return the first NaN operand, made quiet, and
//! without one the default NaN that [`Fp`](wavetank_ir::Fp) specifies.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Elem, Fp, Round, Tern, Un};
use wavetank_lower::TooMany;

use super::format::{Format, RAW, is_known};
use super::parts::lower;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

/// Predicates of float comparisons, numbered as in Intel's manual.
const EQUAL: u8 = 0;
const UNORDERED: u8 = 3;
const ORDERED: u8 = 7;

/// The templates of functions with one operand.
pub(super) fn un(un: Un, elem: Elem) -> Option<Template> {
    if !is_known(elem) {
        // The sign is a bit, and the reciprocal root is computed in single precision.
        let is_sign = matches!(un, Un::FNeg | Un::FAbs) && Format::of(elem).is_half();
        if !is_sign && (un, elem) != (Un::FRsq, Elem::F16) {
            return None;
        }
    }
    Some(match un {
        Un::FNeg => |t| t.sign(|f| (f.xor, f.sign())),
        Un::FAbs => |t| t.sign(|f| (f.and, f.sign() - 1)),
        Un::FSqrt => |t| {
            t.operate(true, |t, f, to, under, [a]| {
                t.asm.under(f.sqrt, under, &[to.into(), a.into()]);
            })
        },
        Un::FRcp => |t| t.operate(true, reciprocal),
        Un::FRsq if elem == Elem::F32 => reciprocal_root,
        Un::FRsq if elem == Elem::F16 => half_reciprocal_root,
        Un::FRsq if elem == Elem::F64 => |t| t.operate(true, wide_reciprocal_root),
        Un::FClamp => |t| t.operate(true, clamp),
        Un::FClampKeepNan => |t| t.operate(false, clamp_keeping_nans),
        // The immediate of VRNDSCALEPS: the rounding, with exceptions suppressed.
        Un::FRoundEven => |t| t.operate(true, whole::<0x8>),
        Un::FFloor => |t| t.operate(true, whole::<0x9>),
        Un::FCeil => |t| t.operate(true, whole::<0xa>),
        Un::FTrunc => |t| t.operate(true, whole::<0xb>),
        Un::FFract => |t| t.operate(true, fraction),
        Un::FCanonicalize => |t| {
            t.operate(true, |t, f, to, under, [a]| {
                let one = t.number(f, f.one());
                t.asm.under(f.mul, under, &[to.into(), a.into(), one]);
            })
        },
        Un::FMantissa => |t| t.operate(false, mantissa),
        Un::FExponent => exponent,
        _ => return None,
    })
}

/// The templates of functions with two operands.
pub(super) fn bin(bin: Bin, elem: Elem, fp: Fp) -> Option<Template> {
    if !is_known(elem) {
        return None;
    }
    let usual = elem == Elem::F32 && is_usual(fp);
    Some(match bin {
        // One of the operands may be in memory.
        Bin::FAdd if usual => |t| t.two(t.format().add),
        Bin::FSub if usual => |t| t.two(t.format().sub),
        Bin::FMul if usual => |t| t.two(t.format().mul),
        Bin::FAdd => |t| t.rounded(|f| f.add),
        Bin::FSub => |t| t.rounded(|f| f.sub),
        Bin::FMul => |t| t.rounded(|f| f.mul),
        Bin::FMin => |t| t.operate(false, |t, f, to, _, args| t.extreme(f, to, args, false)),
        Bin::FMax => |t| t.operate(false, |t, f, to, _, args| t.extreme(f, to, args, true)),
        Bin::FLdexp => ldexp,
        _ => return None,
    })
}

/// The templates of functions with three operands.
pub(super) fn tern(tern: Tern, elem: Elem, fp: Fp) -> Option<Template> {
    if !is_known(elem) {
        return None;
    }
    match tern {
        Tern::Fma if elem == Elem::F32 && is_usual(fp) => Some(|t| t.overwriting(2, fma_of_memory)),
        Tern::Fma => Some(|t| t.overwriting(2, |t| t.operate(true, fma))),
        Tern::FMad => Some(|t| t.operate(false, mad)),
        Tern::FMed3 => Some(|t| t.operate(false, median)),
        _ => None,
    }
}

/// Whether an environment rounds to nearest and keeps denormals.
fn is_usual(fp: Fp) -> bool {
    fp.round == Round::Nearest && !fp.flush_in && !fp.flush_out
}

impl Tile<'_, '_> {
    /// Changes the sign bit, of any number or NaN.
    fn sign(&mut self, of: fn(&Format) -> (Code, u64)) -> Done {
        let f = self.format();
        let (code, bits) = of(f);
        let a = self.args()[0];
        let a = self.pieces(f, a)?;
        for (a, (to, under)) in a.into_iter().zip(self.result_pieces(f)?) {
            let bits = self.number(f, bits);
            if self.elem() == Elem::F16 {
                self.asm.op(code, &[RAW.into(), a.into(), bits]);
                let low = Arg::Each(self.asm.constant(0xffff));
                self.asm.under(f.and, under, &[to.into(), RAW.into(), low]);
            } else {
                self.asm.under(code, under, &[to.into(), a.into(), bits]);
            }
        }
        Ok(())
    }

    /// Emits an instruction with two operands that rounds by the environment.
    fn rounded(&mut self, code: fn(&Format) -> Code) -> Done {
        self.operate(true, |t, f, to, under, [a, b]| {
            t.round(code(f), to, under, &[a, b]);
        })
    }

    /// Marks the lanes of a comparison in the template's mask.
    fn compare_in(&mut self, f: &Format, a: Register, b: Register, predicate: u8) {
        let args = [SCRATCH_MASK.into(), a.into(), b.into(), predicate.into()];
        self.asm.op(f.compare, &args);
    }

    /// Copies the lanes of the template's mask.
    pub(crate) fn replace(&mut self, f: &Format, to: Register, from: Register) {
        let under = Under::Merge(SCRATCH_MASK);
        self.asm.under(f.copy, under, &[to.into(), from.into()]);
    }

    /// Marks the lanes in which one of two is a NaN, and skips the code after it if there are none.
    fn unless_unordered(
        &mut self,
        f: &Format,
        a: Register,
        b: Register,
        then: impl FnOnce(&mut Self),
    ) {
        let k = SCRATCH_MASK;
        let usual = self.asm.label();
        self.compare_in(f, a, b, UNORDERED);
        self.asm.op(f.is_empty, &[k.into(), k.into()]);
        self.asm.jump(Code::Je_rel32_64, usual);
        then(self);
        self.asm.place(usual);
    }

    /// Minimum or maximum of numbers, with −0 below +0.
    fn extreme_of_numbers(&mut self, f: &Format, to: Register, [a, b]: [Register; 2], max: bool) {
        if let Some(range) = f.range {
            // The immediate of VRANGEPS: which of both, with the sign unchanged.
            let which = 0b0100 | u8::from(max);
            let args = [to.into(), a.into(), b.into(), which.into()];
            return self.asm.op(range, &args);
        }
        // Equal numbers have equal bits, except zeros.
        let (code, zero) = if max { (f.max, f.and) } else { (f.min, f.or) };
        let equal = SCRATCH[2];
        self.asm.op(code, &[to.into(), a.into(), b.into()]);
        self.asm.op(zero, &[equal.into(), a.into(), b.into()]);
        self.compare_in(f, a, b, EQUAL);
        self.replace(f, to, equal);
    }

    /// Minimum or maximum of any operands; changes the third scratch register.
    pub(crate) fn extreme(&mut self, f: &Format, to: Register, [a, b]: [Register; 2], max: bool) {
        self.extreme_of_numbers(f, to, [a, b], max);
        let ieee = self.fp().ieee;
        // b if a is a NaN, else a if b is one.
        self.unless_unordered(f, a, b, |t| {
            let (k, quieted) = (SCRATCH_MASK, SCRATCH[2]);
            t.replace(f, to, a);
            t.compare_in(f, a, a, UNORDERED);
            t.replace(f, to, b);
            // Signaling NaNs, made quiet: a before b.
            for from in [b, a].into_iter().filter(|_| ieee) {
                let quiet = t.number(f, f.quiet());
                let args = [k.into(), from.into(), SIGNALING.into()];
                t.asm.op(f.class, &args);
                t.asm.op(f.or, &[quieted.into(), from.into(), quiet]);
                t.replace(f, to, quieted);
            }
        });
    }
}

/// The bit of a class in the immediate of VFPCLASSPS.
const SIGNALING: u8 = 0x80;
/// NaNs, zeros and infinities.
pub(super) const NO_EXPONENT: u8 = 0x9f;

/// Rounds to an integer in the mode `HOW`.
pub(super) fn whole<const HOW: u8>(
    t: &mut Tile,
    f: &Format,
    to: Register,
    under: Under,
    [a]: [Register; 1],
) {
    t.asm
        .under(f.whole, under, &[to.into(), a.into(), HOW.into()]);
}

/// The reciprocal 1 / x.
pub(super) fn reciprocal(t: &mut Tile, f: &Format, to: Register, under: Under, [a]: [Register; 1]) {
    let one = SCRATCH[1];
    t.fill(f, one, f.one());
    t.asm
        .under(f.div, under, &[to.into(), one.into(), a.into()]);
}

/// The reciprocal root 1 / sqrt(x), rounded twice.
fn wide_reciprocal_root(t: &mut Tile, f: &Format, to: Register, under: Under, [a]: [Register; 1]) {
    let (one, root) = (SCRATCH[1], SCRATCH[2]);
    t.fill(f, one, f.one());
    t.asm.op(f.sqrt, &[root.into(), a.into()]);
    t.asm
        .under(f.div, under, &[to.into(), one.into(), root.into()]);
}

fn fraction(t: &mut Tile, f: &Format, to: Register, under: Under, a: [Register; 1]) {
    fraction_below(t, f, to, under, a, f.one() - 1);
}

/// x − floor(x), at most the number below 1: the minimum is the second operand if that is a NaN.
pub(super) fn fraction_below(
    t: &mut Tile,
    f: &Format,
    to: Register,
    under: Under,
    [a]: [Register; 1],
    largest: u64,
) {
    let (rest, below) = (SCRATCH[1], SCRATCH[2]);
    whole::<0x9>(t, f, rest, Under::All, [a]);
    t.asm.op(f.sub, &[rest.into(), a.into(), rest.into()]);
    t.fill(f, below, largest);
    t.asm
        .under(f.min, under, &[to.into(), below.into(), rest.into()]);
}

/// The mantissa with ½ ≤ |m| < 1; zeros, infinities and quiet NaNs are unchanged.
pub(super) fn mantissa(t: &mut Tile, f: &Format, to: Register, _: Under, [a]: [Register; 1]) {
    let (same, k) = (SCRATCH[1], SCRATCH_MASK);
    let one = t.number(f, f.one());
    t.asm.op(f.mul, &[same.into(), a.into(), one]);
    // The immediate of VGETMANTPS: the interval from ½ to 1, with the sign unchanged.
    t.asm.op(f.mantissa, &[to.into(), a.into(), 2.into()]);
    t.asm.op(f.class, &[k.into(), a.into(), NO_EXPONENT.into()]);
    t.replace(f, to, same);
}

/// The exponent for a mantissa from ½ to 1, an integer.
fn exponent(t: &mut Tile) -> Done {
    let f = t.format();
    let (k, one) = (SCRATCH_MASK, t.asm.constant(1));
    let a = t.args()[0];
    let a = t.pieces(f, a)?;
    let wholes = [SCRATCH[1], SCRATCH[2]];
    for (a, whole) in a.iter().zip(wholes) {
        let x = t.flushed(f, *a, 0);
        // Numbers without an exponent give 0, computed as −1 here.
        t.fill(f, whole, f.one() | f.sign());
        t.asm.op(f.class, &[k.into(), x.into(), NO_EXPONENT.into()]);
        t.asm.op(Code::VEX_Knotd_kr_kr, &[k.into(), k.into()]);
        let args = [whole.into(), x.into()];
        t.asm.under(f.exponent, Under::Merge(k), &args);
        let (code, narrow) = match f.bits {
            64 => (Code::EVEX_Vcvtpd2dq_ymm_k1z_zmmm512b64_er, lower(whole)),
            32 => (Code::EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er, whole),
            _ => (Code::EVEX_Vcvtph2w_zmm_k1z_zmmm512b16_er, whole),
        };
        t.asm.op(code, &[narrow.into(), whole.into()]);
    }
    match f.bits {
        64 => t.join(wholes[0], wholes),
        32 => {}
        _ => {
            let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
            t.asm
                .op(add, &[RAW.into(), wholes[0].into(), Arg::Each(one)]);
            return t.finish_words();
        }
    }
    let (to, under) = t.result(0)?;
    let args = [to.into(), wholes[0].into(), Arg::Each(one)];
    t.asm
        .under(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}

/// The reciprocal root of single precision.
fn reciprocal_root(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.flushed_pieces(t.format(), a)?[0];
    let root = t.reciprocal_root(a)?;
    let (to, under) = t.result(0)?;
    let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
    t.asm.under(copy, under, &[to.into(), root.into()]);
    Ok(())
}

/// The reciprocal root of halves, in single precision.
fn half_reciprocal_root(t: &mut Tile) -> Done {
    let (f, a) = (t.format(), t.args()[0]);
    let (a, wide) = (t.reg(a)?, t.spare(false)?);
    let a = t.flushed(f, a, 0);
    t.widen_words(wide, a);
    let (words, root) = (lower(wide), t.reciprocal_root(wide)?);
    let narrow = [words.into(), root.into(), 0.into()];
    t.asm
        .op(Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, &narrow);
    // The result is never denormal.
    let (to, under) = t.result(0)?;
    let zeros_above = Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256;
    t.asm.under(zeros_above, under, &[to.into(), words.into()]);
    Ok(())
}

/// Clamps to 0 and 1. The host takes the second operand if one is a NaN, or both are zeros.
pub(super) fn clamp(t: &mut Tile, f: &Format, to: Register, under: Under, [a]: [Register; 1]) {
    let positive = SCRATCH[1];
    let (zero, one) = (t.number(f, 0), t.number(f, f.one()));
    t.asm.op(f.max, &[positive.into(), a.into(), zero]);
    t.asm
        .under(f.min, under, &[to.into(), positive.into(), one]);
}

fn clamp_keeping_nans(t: &mut Tile, f: &Format, to: Register, under: Under, [a]: [Register; 1]) {
    clamp(t, f, to, under, [a]);
    t.compare_in(f, a, a, UNORDERED);
    t.replace(f, to, a);
}

/// a · 2^b. Exponents that a float cannot represent exactly give zeros and infinities anyway.
fn ldexp(t: &mut Tile) -> Done {
    let f = t.format();
    let [a, b, _] = t.args();
    let (a, b) = (t.pieces(f, a)?, t.reg(b)?);
    let exponent = SCRATCH[1];
    for (n, result) in t.result_pieces(f)?.into_iter().enumerate() {
        let (code, from) = match f.bits {
            64 => (
                Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
                t.eight(b, n, exponent),
            ),
            32 => (Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, b),
            _ => (Code::EVEX_Vcvtw2ph_zmm_k1z_zmmm512b16_er, b),
        };
        t.asm.op(code, &[exponent.into(), from.into()]);
        let x = t.flushed(f, a[n], 0);
        t.round(f.scale, RAW, Under::All, &[x, exponent]);
        t.finish(f, RAW, result);
    }
    Ok(())
}

/// a · b + c, rounded once. The instructions overwrite an addend or a factor; among NaNs, the factors come first, in their order.
fn fma(t: &mut Tile, f: &Format, to: Register, under: Under, [a, b, c]: [Register; 3]) {
    if to == c {
        t.round(f.fma, to, under, &[a, b]);
    } else if to == a {
        t.round(f.times, to, under, &[c, b]);
    } else if under == Under::All {
        t.asm.op(f.copy, &[to.into(), c.into()]);
        t.round(f.fma, to, under, &[a, b]);
    } else {
        t.asm.op(f.copy, &[RAW.into(), c.into()]);
        // Inactive lanes may contain denormals, on which the host is slow.
        t.round(f.fma, RAW, under, &[a, b]);
        t.asm.under(f.copy, under, &[to.into(), RAW.into()]);
    }
}

/// The usual multiply-add, whose second factor may be in memory.
fn fma_of_memory(t: &mut Tile) -> Done {
    let f = t.format();
    let [a, b, c] = t.args();
    let (a, c) = (t.reg(a)?, t.reg(c)?);
    let b = t.arg(b, 0)?;
    let (to, under) = t.result(0)?;
    if let Arg::R(b) = b {
        fma(t, f, to, under, [a, b, c]);
    } else if to == c {
        t.asm.under(f.fma, under, &[to.into(), a.into(), b]);
    } else if to == a {
        t.asm.under(f.times, under, &[to.into(), c.into(), b]);
    } else {
        t.asm.op(f.copy, &[RAW.into(), c.into()]);
        t.asm.under(f.fma, under, &[RAW.into(), a.into(), b]);
        t.asm.under(f.copy, under, &[to.into(), RAW.into()]);
    }
    Ok(())
}

/// a · b rounded, plus c rounded.
fn mad(t: &mut Tile, f: &Format, sum: Register, _: Under, args: [Register; 3]) {
    product_and_sum(t, f, sum, args, |t| t.flush_product(f, sum));
}

/// a · b rounded, plus c rounded, with a function applied to the product.
pub(super) fn product_and_sum(
    t: &mut Tile,
    f: &Format,
    sum: Register,
    [a, b, c]: [Register; 3],
    round_product: impl FnOnce(&mut Tile),
) {
    t.round(f.mul, sum, Under::All, &[a, b]);
    round_product(t);
    t.round(f.add, sum, Under::All, &[sum, c]);
    // If only c is a NaN, it is the result, even if the product is invalid.
    t.unless_unordered(f, sum, sum, |t| {
        let (k, quieted) = (SCRATCH_MASK, SCRATCH[0]);
        t.compare_in(f, a, b, ORDERED);
        let args = [k.into(), c.into(), c.into(), UNORDERED.into()];
        t.asm.under(f.compare, Under::Merge(k), &args);
        let quiet = t.number(f, f.quiet());
        t.asm.op(f.or, &[quieted.into(), c.into(), quiet]);
        t.replace(f, sum, quieted);
    });
}

/// The median: for numbers the larger of the two that remain without the largest, with zeros of both signs equal; else the
/// minimum.
pub(super) fn median(t: &mut Tile, f: &Format, to: Register, _: Under, [a, b, c]: [Register; 3]) {
    let (largest, other) = (SCRATCH[0], SCRATCH[1]);
    t.extreme_of_numbers(f, to, [a, b], true);
    t.extreme_of_numbers(f, largest, [to, c], true);
    for (equal, rest) in [(b, [a, c]), (a, [b, c])] {
        t.extreme_of_numbers(f, other, rest, true);
        t.compare_in(f, largest, equal, EQUAL);
        t.replace(f, to, other);
    }
    // The sum is a NaN if one of them is; it is also a NaN for infinities of both signs, which is harmless.
    let (sum, smallest) = (SCRATCH[0], SCRATCH[1]);
    t.asm.op(f.add, &[sum.into(), a.into(), b.into()]);
    t.unless_unordered(f, sum, c, |t| {
        t.extreme(f, smallest, [a, b], false);
        t.asm.op(f.copy, &[sum.into(), smallest.into()]);
        t.extreme(f, smallest, [sum, c], false);
        for nan in [a, b, c] {
            t.compare_in(f, nan, nan, UNORDERED);
            t.replace(f, to, smallest);
        }
    });
}
