//! Templates of division in single and double precision: scaling before, and the last step. The templates compute the functions of
//! the same names in the crate `lift`.

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::{DivisionStep, Elem};
use wavetank_lower::TooMany;

use super::format::{Format, RAW};
use super::parts::lower;
use super::whole::{EQUAL, LESS, LESS_OR_EQUAL, MORE, NOT_LESS, Whole};
use crate::compiler::asm::{Arg, Label, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

/// The template of a division step.
pub(super) fn step((step, elem): (DivisionStep, Elem)) -> Option<Template> {
    let single = match elem {
        Elem::F32 => true,
        Elem::F64 => false,
        _ => return None,
    };
    Some(match (step, single) {
        (DivisionStep::Scale, true) => |t| t.div_scale(Format::of(Elem::F32)),
        (DivisionStep::Scale, false) => |t| t.div_scale(Format::of(Elem::F64)),
        (DivisionStep::ScaledFma, true) => fmas_single,
        (DivisionStep::ScaledFma, false) => fmas_double,
        (DivisionStep::Fixup { flushes: false }, true) => {
            |t| t.div_fixup(Format::of(Elem::F32), false)
        }
        (DivisionStep::Fixup { flushes: true }, true) => {
            |t| t.div_fixup(Format::of(Elem::F32), true)
        }
        (DivisionStep::Fixup { flushes: false }, false) => {
            |t| t.div_fixup(Format::of(Elem::F64), false)
        }
        (DivisionStep::Fixup { flushes: true }, false) => {
            |t| t.div_fixup(Format::of(Elem::F64), true)
        }
    })
}

/// Predicates of VCMPPS, numbered as in Intel's manual.
const NOT_EQUAL: u8 = 0x04;
const ORDERED_LESS: u8 = 0x11;
const ORDERED_NOT_LESS: u8 = 0x1d;
const ORDERED_MORE: u8 = 0x1e;

/// The bits of classes in the immediate of VFPCLASSPS.
const ZERO: u8 = 0x06;
const DENORMAL: u8 = 0x20;

/// The limits of scaling: powers of 2, and exponents.
struct Limits {
    bias: i64,
    /// The exponent from which quotients are near the largest number.
    near_max: i64,
    /// The exponent field of numerators that are almost denormal.
    tiny: i64,
    /// The power of 2 to scale by.
    power: u64,
}

impl Limits {
    fn of(f: &Format) -> Limits {
        match f.bits {
            64 => Limits {
                bias: 1023,
                near_max: 768,
                tiny: 53,
                power: 128,
            },
            _ => Limits {
                bias: 127,
                near_max: 96,
                tiny: 23,
                power: 64,
            },
        }
    }
}

/// The state of scaling one piece of the operands; the number to scale comes first.
#[derive(Clone, Copy)]
struct Scaling {
    s: [Register; 3],
    /// The exponents of the denominator and the numerator, and their difference.
    exponents: [Register; 3],
    factor: Register,
    /// Ones where the quotient must be scaled back.
    post: Register,
}

impl Tile<'_, '_> {
    /// Scales a number, and computes whether the quotient must be scaled back.
    fn div_scale(&mut self, f: &'static Format) -> Done {
        let mut s = Vec::new();
        for v in self.args() {
            s.push(self.pieces(f, v)?);
        }
        let (factor, posts) = (self.spare(false)?, [self.spare(false)?, self.spare(false)?]);
        let results = self.result_pieces(f)?;
        for (n, result) in results.iter().enumerate() {
            let piece = Scaling {
                s: [s[0][n], s[1][n], s[2][n]],
                exponents: [SCRATCH[0], SCRATCH[1], SCRATCH[2]],
                factor,
                post: posts[n],
            };
            self.scale_piece(f, piece);
            let (to, under) = *result;
            self.asm.under(f.copy, under, &[to.into(), RAW.into()]);
        }
        let Some(second) = self.second() else {
            return Ok(());
        };
        let (to, _) = self.result_mask(second)?;
        let w = Whole::of(f);
        self.asm.op(w.signs, &[to.into(), posts[0].into()]);
        if f.bits == 64 {
            let k = SCRATCH_MASK;
            self.asm.op(w.signs, &[k.into(), posts[1].into()]);
            self.join_masks(to, k);
        }
        Ok(())
    }

    fn scale_piece(&mut self, f: &'static Format, p: Scaling) {
        let (w, k) = (Whole::of(f), SCRATCH_MASK);
        let [e1, e2, distance] = p.exponents;
        self.asm.op(f.copy, &[RAW.into(), p.s[0].into()]);
        self.asm.op(f.xor, &[p.post.into(); 3]);
        // Mostly one test shows that nothing needs scaling.
        let usual = self.asm.label();
        let near = f.exponent_bits() - 2;
        self.mark_near_one(f, [p.s[1], p.s[2]], [e1, e2], near);
        self.asm.op(w.are_all, &[k.into(), k.into()]);
        self.asm.jump(Code::Jb_rel32_64, usual);
        for (e, s) in [(e1, p.s[1]), (e2, p.s[2])] {
            self.asm.op(w.up, &[e.into(), s.into(), 1.into()]);
            let down = Arg::I(f.fraction as u8 + 1);
            self.asm.op(w.down, &[e.into(), e.into(), down]);
        }
        self.asm.op(w.sub, &[distance.into(), e2.into(), e1.into()]);
        self.mark_usual(f, p);
        self.asm.op(w.are_all, &[k.into(), k.into()]);
        self.asm.jump(Code::Jb_rel32_64, usual);
        self.find_factor(f, p);
        let args = [RAW.into(), p.s[0].into(), p.factor.into()];
        self.asm.op(f.mul, &args);
        // A NaN if either is zero; the number itself if all are usual.
        let nan = f.sign() | f.infinity() | f.quiet();
        for zero in [p.s[1], p.s[2]] {
            let args = [k.into(), zero.into(), ZERO.into()];
            self.asm.op(f.class, &args);
            self.fill_marked(f, RAW, nan);
            self.fill_marked(f, p.post, 0);
        }
        self.mark_usual(f, p);
        self.replace(f, RAW, p.s[0]);
        self.fill_marked(f, p.post, 0);
        self.asm.place(usual);
    }

    /// Marks the lanes in which nothing needs scaling.
    fn mark_usual(&mut self, f: &'static Format, p: Scaling) {
        let (w, limits, k) = (Whole::of(f), Limits::of(f), SCRATCH_MASK);
        let [e1, e2, distance] = p.exponents;
        let tests = [
            (e1, MORE, 0),
            (e1, LESS, 2 * limits.bias - 1),
            (e2, MORE, limits.tiny),
            (distance, MORE, 2 - limits.bias),
            (distance, LESS, limits.near_max),
        ];
        for (n, (register, predicate, than)) in tests.into_iter().enumerate() {
            let than = self.number(f, than as u64);
            let under = if n == 0 { Under::All } else { Under::Merge(k) };
            let args = [k.into(), register.into(), than, predicate.into()];
            self.asm.under(w.signed, under, &args);
        }
    }

    /// Computes the factor of each lane, and whether it must be undone. The rule of highest priority comes last.
    fn find_factor(&mut self, f: &'static Format, p: Scaling) {
        let (w, limits, k) = (Whole::of(f), Limits::of(f), SCRATCH_MASK);
        let step = limits.power << f.fraction;
        let (up, down) = (f.one() + step, f.one() - step);
        let [_, e2, distance] = p.exponents;
        let [_, s1, s2] = p.s;
        self.fill(f, p.factor, f.one());
        // The case of a tiny numerator.
        let tiny = self.number(f, limits.tiny as u64);
        let args = [k.into(), e2.into(), tiny, LESS_OR_EQUAL.into()];
        self.asm.op(w.signed, &args);
        self.factor(f, p, up, None);
        // The case of a denormal quotient.
        self.asm.op(f.div, &[RAW.into(), s2.into(), s1.into()]);
        self.mark_class(f, RAW, DENORMAL, Under::All);
        self.factor(f, p, up, Some(s2));
        // The case of a denormal reciprocal, and of both.
        self.mark_denormal_reciprocals(f, s1);
        self.factor(f, p, down, None);
        self.mark_denormal_reciprocals(f, s1);
        self.asm.op(f.div, &[RAW.into(), s2.into(), s1.into()]);
        self.mark_class(f, RAW, DENORMAL, Under::Merge(k));
        self.factor(f, p, down, Some(s1));
        // The case of a denormal denominator.
        self.mark_class(f, s1, DENORMAL, Under::All);
        self.factor(f, p, up, None);
        // The case of a quotient near the largest number.
        let near = self.number(f, limits.near_max as u64);
        let args = [k.into(), distance.into(), near, NOT_LESS.into()];
        self.asm.op(w.signed, &args);
        self.factor(f, p, up, Some(s1));
    }

    fn mark_class(&mut self, f: &Format, a: Register, class: u8, under: Under) {
        let args = [SCRATCH_MASK.into(), a.into(), class.into()];
        self.asm.under(f.class, under, &args);
    }

    /// Marks finite numbers above 2 to the power of the bias less 1.
    fn mark_denormal_reciprocals(&mut self, f: &Format, a: Register) {
        let k = SCRATCH_MASK;
        let magnitude = self.number(f, f.sign() - 1);
        self.asm.op(f.and, &[RAW.into(), a.into(), magnitude]);
        let limit = f.one() + (((f.one() >> f.fraction) - 1) << f.fraction);
        for (under, predicate, than) in [
            (Under::All, ORDERED_MORE, limit),
            (Under::Merge(k), ORDERED_LESS, f.infinity()),
        ] {
            let than = self.number(f, than);
            let args = [k.into(), RAW.into(), than, Arg::I(predicate)];
            self.asm.under(f.compare, under, &args);
        }
    }

    /// Sets the factor of the marked lanes, which is not undone. With `only`, it applies where the number to scale is that one;
    /// elsewhere the factor is 1, and is undone.
    fn factor(&mut self, f: &Format, p: Scaling, factor: u64, only: Option<Register>) {
        let k = SCRATCH_MASK;
        let post = if only.is_some() { f.sign() } else { 0 };
        self.fill_marked(f, p.post, post);
        if let Some(only) = only {
            self.fill_marked(f, p.factor, f.one());
            let args = [k.into(), p.s[0].into(), only.into(), EQUAL.into()];
            self.asm.under(f.compare, Under::Merge(k), &args);
        }
        self.fill_marked(f, p.factor, factor);
    }
}

/// a · b + c times a power of 2, rounded once: up if the quotient so far is large. In double precision, the product and the
/// scaling are exact, and a sum that is rounded to odd may be rounded again.
fn fmas_single(t: &mut Tile) -> Done {
    let (f, wide, k) = (Format::of(Elem::F32), Format::of(Elem::F64), SCRATCH_MASK);
    let mut s = [Register::None; 3];
    for (s, v) in s.iter_mut().zip(t.args()) {
        *s = t.reg(v)?;
    }
    let [sum, up, down, product] = SCRATCH;
    let (c, halves) = (t.spare(false)?, [t.spare(false)?, t.spare(false)?]);
    let (to, under) = t.result(0)?;
    let none = t.unless_none_is_selected()?;
    for (n, half) in halves.into_iter().enumerate() {
        for (to, from) in [(product, s[0]), (sum, s[1]), (c, s[2])] {
            let eight = t.eight(from, n, to);
            let widen = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
            t.asm.op(widen, &[to.into(), eight.into()]);
        }
        let args = [product.into(), product.into(), sum.into()];
        t.asm.op(wide.mul, &args);
        for (to, round) in [
            (sum, RoundingControl::RoundTowardZero),
            (up, RoundingControl::RoundUp),
            (down, RoundingControl::RoundDown),
        ] {
            let args = [to.into(), product.into(), c.into()];
            t.asm.rounded(wide.add, round, Under::All, &args);
        }
        let args = [k.into(), up.into(), down.into(), NOT_EQUAL.into()];
        t.asm.op(wide.compare, &args);
        let odd = t.number(wide, 1);
        t.asm
            .under(wide.or, Under::Merge(k), &[sum.into(), sum.into(), odd]);
        t.scale_back(wide, sum, c, 64);
        let narrow = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
        t.asm.op(narrow, &[lower(half).into(), sum.into()]);
    }
    t.join(RAW, halves);
    t.addend_that_is_nan(f, RAW, s);
    t.asm.under(f.copy, under, &[to.into(), RAW.into()]);
    t.asm.place(none);
    Ok(())
}

impl Tile<'_, '_> {
    /// Jumps to the returned label if the result is used in no lane: its only user is a selection, which takes the other value in
    /// all lanes. All registers must have been allocated.
    fn unless_none_is_selected(&mut self) -> Result<Label, TooMany> {
        let none = self.asm.label();
        if let Some(lanes) = self.selected_by() {
            let k = self.reg(lanes)?;
            self.asm.op(Code::VEX_Kortestw_kr_kr, &[k.into(), k.into()]);
            self.asm.jump(Code::Je_rel32_64, none);
        }
        Ok(none)
    }

    /// Marks where |c| ≥ 2. Multiplies by 2 to the power n there, elsewhere by its reciprocal. Changes c and a scratch register.
    fn scale_back(&mut self, f: &Format, to: Register, c: Register, n: u64) {
        let (k, factor) = (SCRATCH_MASK, SCRATCH[1]);
        let magnitude = self.number(f, f.sign() - 1);
        self.asm.op(f.and, &[c.into(), c.into(), magnitude]);
        let two = self.number(f, f.one() + (1 << f.fraction));
        let args = [k.into(), c.into(), two, ORDERED_NOT_LESS.into()];
        self.asm.op(f.compare, &args);
        self.fill(f, factor, f.one() - (n << f.fraction));
        self.fill_marked(f, factor, f.one() + (n << f.fraction));
        self.asm.op(f.mul, &[to.into(), to.into(), factor.into()]);
    }

    /// If only c is a NaN, it is the result, even if the product is invalid.
    fn addend_that_is_nan(&mut self, f: &Format, to: Register, [a, b, c]: [Register; 3]) {
        let k = SCRATCH_MASK;
        let args = [k.into(), a.into(), b.into(), 7.into()];
        self.asm.op(f.compare, &args);
        let args = [k.into(), c.into(), c.into(), 3.into()];
        self.asm.under(f.compare, Under::Merge(k), &args);
        let args = [to.into(), c.into(), c.into()];
        self.asm.under(f.add, Under::Merge(k), &args);
    }
}

fn fmas_double(t: &mut Tile) -> Done {
    let f = Format::of(Elem::F64);
    let [a, b, c] = t.args();
    let [a, b, c] = [t.packed(a)?, t.packed(b)?, t.packed(c)?];
    let spares = [t.spare(false)?, t.spare(false)?, t.spare(false)?];
    let results = t.result_packed()?;
    let none = t.unless_none_is_selected()?;
    for (n, (to, under)) in results.into_iter().enumerate() {
        t.fmas_piece(f, [a[n], b[n], c[n]], spares);
        t.asm.under(f.copy, under, &[to.into(), RAW.into()]);
    }
    t.asm.place(none);
    Ok(())
}

impl Tile<'_, '_> {
    /// The scaled sum in double precision. If the sum is scaled down and that loses half of the last place, the rounding error of
    /// the sum decides.
    fn fmas_piece(&mut self, f: &Format, s: [Register; 3], spares: [Register; 3]) {
        let k = SCRATCH_MASK;
        let [sum, _, lost, _] = SCRATCH;
        let copy = spares[0];
        let [a, b, c] = s;
        self.asm.op(f.copy, &[sum.into(), c.into()]);
        self.asm.op(f.fma, &[sum.into(), a.into(), b.into()]);
        self.asm.op(f.copy, &[RAW.into(), sum.into()]);
        self.asm.op(f.copy, &[copy.into(), c.into()]);
        self.scale_back(f, RAW, copy, 128);
        // Lanes that are scaled up need no correction.
        self.asm.op(Code::VEX_Knotw_kr_kr, &[k.into(), k.into()]);
        let up = self.number(f, f.one() + (128 << f.fraction));
        self.asm.op(f.mul, &[lost.into(), RAW.into(), up]);
        self.asm.op(f.sub, &[lost.into(), sum.into(), lost.into()]);
        let magnitude = self.number(f, f.sign() - 1);
        self.asm.op(f.and, &[copy.into(), lost.into(), magnitude]);
        // Half of the last place, scaled up.
        let half = self.number(f, f.one() + (128 << f.fraction) - (1075 << f.fraction));
        let args = [k.into(), copy.into(), half, EQUAL.into()];
        self.asm.under(f.compare, Under::Merge(k), &args);
        let usual = self.asm.label();
        self.asm.op(Code::VEX_Kortestb_kr_kr, &[k.into(), k.into()]);
        self.asm.jump(Code::Je_rel32_64, usual);
        self.decide_halves(f, s, spares);
        self.asm.place(usual);
    }

    /// In the lanes of the template's mask: moves the result by one place if the rounding error of the sum has the sign of the
    /// error of its scaling.
    fn decide_halves(&mut self, f: &Format, [a, b, c]: [Register; 3], spares: [Register; 3]) {
        let k = SCRATCH_MASK;
        let [sum, product, lost, _] = SCRATCH;
        let [error, total, part] = spares;
        self.asm.op(f.mul, &[product.into(), a.into(), b.into()]);
        // (total − sum) + (rest of the sum of product and c) + (rest of the product)
        self.asm
            .op(f.add, &[total.into(), product.into(), c.into()]);
        self.asm
            .op(f.sub, &[part.into(), total.into(), product.into()]);
        self.asm.op(f.sub, &[error.into(), c.into(), part.into()]);
        self.asm
            .op(f.sub, &[part.into(), total.into(), part.into()]);
        self.asm
            .op(f.sub, &[part.into(), product.into(), part.into()]);
        self.asm
            .op(f.add, &[part.into(), part.into(), error.into()]);
        self.asm
            .op(f.sub, &[error.into(), total.into(), sum.into()]);
        self.asm
            .op(f.add, &[error.into(), error.into(), part.into()]);
        let rest = Code::EVEX_Vfmsub231pd_zmm_k1z_zmm_zmmm512b64_er;
        self.asm.op(rest, &[product.into(), a.into(), b.into()]);
        self.asm
            .op(f.add, &[error.into(), error.into(), product.into()]);
        // The error is not zero, and has the sign of the lost part.
        let nothing = self.number(f, 0);
        let args = [k.into(), error.into(), nothing, NOT_EQUAL.into()];
        self.asm.under(f.compare, Under::Merge(k), &args);
        self.asm
            .op(f.xor, &[error.into(), error.into(), lost.into()]);
        let sign = self.number(f, f.sign());
        let args = [k.into(), error.into(), sign];
        let same = Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64;
        self.asm.under(same, Under::Merge(k), &args);
        // The smallest denormal with that sign.
        self.asm.op(f.and, &[error.into(), lost.into(), sign]);
        let least = self.number(f, 1);
        self.asm.op(f.or, &[error.into(), error.into(), least]);
        let args = [RAW.into(), RAW.into(), error.into()];
        self.asm.under(f.add, Under::Merge(k), &args);
    }
}
