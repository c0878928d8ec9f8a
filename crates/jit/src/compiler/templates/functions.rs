//! Templates of 2^x, log2, sine and cosine of single precision, with the interpreter's algorithm: reduction in single precision,
//! a polynomial in double, rounding back. Also 1 / sqrt(x), correctly rounded.

use iced_x86::{Code, Register};
use wavetank_ir::{Elem, Un};
use wavetank_lane_ops::polynomials::{EXP2, LOG2, SIN};
use wavetank_lower::TooMany;

use super::format::Format;
use super::parts::lower;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

const ADD_DWORDS: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SUB_DWORDS: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const COMPARE_DWORDS: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;

/// Registers for doubles, eight lanes each, and for results computed from them.
const WIDE: [Register; 2] = [SCRATCH[0], SCRATCH[1]];
const RESULT: [Register; 2] = [SCRATCH[2], SCRATCH[3]];

/// The templates of functions with one operand.
pub(super) fn un(un: Un, elem: Elem) -> Option<Template> {
    match (un, elem) {
        (Un::FExp2, Elem::F32) => Some(exp2),
        (Un::FLog2, Elem::F32) => Some(log2),
        (Un::FSin, Elem::F32) => Some(sin),
        (Un::FCos, Elem::F32) => Some(cos),
        _ => None,
    }
}

fn single() -> &'static Format {
    Format::of(Elem::F32)
}

fn double() -> &'static Format {
    Format::of(Elem::F64)
}

impl Tile<'_, '_> {
    /// The operand, flushed if the environment flushes inputs.
    fn operand(&mut self) -> Result<Register, TooMany> {
        let a = self.args()[0];
        let (a, flushed) = (self.reg(a)?, self.spare(false)?);
        Ok(self.flushed_into(single(), flushed, a))
    }

    /// A single-precision number in all lanes, as a constant.
    pub(super) fn number_of(&mut self, number: f32) -> Arg {
        self.number(single(), number.to_bits().into())
    }

    fn double_of(&mut self, number: f64) -> Arg {
        self.number(double(), number.to_bits())
    }

    /// Converts single precision, or signed integers, to double.
    fn widen(&mut self, code: Code, to: [Register; 2], from: Register) {
        for (n, to) in to.into_iter().enumerate() {
            let eight = self.eight(from, n, to);
            self.asm.op(code, &[to.into(), eight.into()]);
        }
    }

    /// Rounds the computed doubles to single precision, in the first register of results.
    fn narrow_result(&mut self) -> Register {
        for wide in RESULT {
            let code = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
            self.asm.op(code, &[lower(wide).into(), wide.into()]);
        }
        self.join(RESULT[0], RESULT);
        RESULT[0]
    }

    /// Emits an instruction on two registers of doubles each.
    fn doubles(&mut self, code: Code, to: [Register; 2], a: [Register; 2], b: [Register; 2]) {
        for n in 0..2 {
            self.asm.op(code, &[to[n].into(), a[n].into(), b[n].into()]);
        }
    }

    /// Evaluates a polynomial, with the constant coefficient first.
    fn polynomial(&mut self, x: [Register; 2], coefficients: &[f64]) {
        let (last, others) = coefficients.split_last().expect("there are coefficients");
        for to in RESULT {
            self.fill(double(), to, last.to_bits());
        }
        let step = Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
        for c in others.iter().rev() {
            let c = self.double_of(*c);
            for (to, x) in RESULT.into_iter().zip(x) {
                self.asm.op(step, &[to.into(), x.into(), c]);
            }
        }
    }

    /// 1 / sqrt(a), correctly rounded, in the first register of results: in single precision where that decides the rounding in
    /// all lanes that matter, else in double.
    pub(super) fn reciprocal_root(&mut self, a: Register) -> Result<Register, TooMany> {
        let (lanes, k) = (self.written_lanes()?, SCRATCH_MASK);
        let decided = self.asm.label();
        let root = self.reciprocal_root_in_single(a, lanes);
        self.asm.op(single().is_empty, &[k.into(), k.into()]);
        self.asm.jump(Code::Je_rel32_64, decided);
        let same = self.reciprocal_root_in_double(a);
        debug_assert_eq!(root, same);
        self.asm.place(decided);
        Ok(root)
    }

    /// 1 / sqrt(a), and in the template's mask those of the lanes in which it may be rounded wrongly: one in 2^11, and those of
    /// zeros, infinities, negative numbers and NaNs.
    ///
    /// The host's estimate y differs between processors, but is within 2^-14. With e = 1 - a·y·y, the root is
    /// y·(1 + e·(1/2 + 3/8·e)), within 2^-40.6 of y. The product a·y is taken with its rounding error, so e is rounded twice, by
    /// 2^-37 each, of which half counts; the sum in parentheses is rounded by 2^-25, times 2^-13, and its product with e by
    /// 2^-38. So the root is between y·(1 + e·(…) ± 1.05·2^-36), and right if both limits round to the same number.
    fn reciprocal_root_in_single(&mut self, a: Register, lanes: Under) -> Register {
        const ESTIMATE: Code = Code::EVEX_Vrsqrt14ps_zmm_k1z_zmmm512b32;
        const MINUS_PRODUCT: Code = Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er;
        const PRODUCT_FROM: Code = Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er;
        const PRODUCT_AND: Code = Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er;
        const DIFFER: u8 = 4;
        // 1.25 · 2^-36
        let error = 1.25 * f32::EPSILON / 8192.0;
        let (f, k, [y, e, root, other]) = (single(), SCRATCH_MASK, SCRATCH);
        self.asm.op(ESTIMATE, &[y.into(), a.into()]);
        self.asm.op(f.mul, &[e.into(), a.into(), y.into()]);
        self.asm.op(f.copy, &[other.into(), e.into()]);
        let args = [other.into(), a.into(), y.into()];
        self.asm.op(MINUS_PRODUCT, &args);
        let one = self.number_of(1.0);
        self.asm.op(PRODUCT_FROM, &[e.into(), y.into(), one]);
        self.asm.op(f.fma, &[e.into(), other.into(), y.into()]);
        self.fill(f, root, 0.375f32.to_bits().into());
        let half = self.number_of(0.5);
        self.asm.op(PRODUCT_AND, &[root.into(), e.into(), half]);
        self.asm.op(f.copy, &[other.into(), root.into()]);
        for (limit, error) in [(root, error), (other, -error)] {
            let error = self.number_of(error);
            self.asm.op(PRODUCT_AND, &[limit.into(), e.into(), error]);
            self.asm
                .op(PRODUCT_AND, &[limit.into(), y.into(), y.into()]);
        }
        let args = [k.into(), root.into(), other.into(), DIFFER.into()];
        self.asm.under(f.compare, lanes, &args);
        root
    }

    /// 1 / sqrt(a), correctly rounded, in the first register of results. The host's estimate y differs between processors, but is
    /// within 2^-14. With e = 1 - a·y·y, the sum y + y·e·(1/2 + 3/8·e + 5/16·e·e) is within 2^-51.9. No root of a number of
    /// single precision is closer than 2^-51.7 to the middle between two numbers. Where e is a NaN (for zeros, infinities and
    /// negative numbers), the estimate is the correct result.
    fn reciprocal_root_in_double(&mut self, a: Register) -> Register {
        const ESTIMATE: Code = Code::EVEX_Vrsqrt14pd_zmm_k1z_zmmm512b64;
        const PRODUCT_FROM: Code = Code::EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
        const PRODUCT_AND: Code = Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
        const ORDERED: u8 = 7;
        let (f, k, [x, c]) = (double(), SCRATCH_MASK, WIDE);
        for (n, y) in RESULT.into_iter().enumerate() {
            let eight = self.eight(a, n, x);
            let widen = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
            self.asm.op(widen, &[x.into(), eight.into()]);
            self.asm.op(ESTIMATE, &[y.into(), x.into()]);
            self.asm.op(f.mul, &[x.into(), x.into(), y.into()]);
            let one = self.double_of(1.0);
            self.asm.op(PRODUCT_FROM, &[x.into(), y.into(), one]);
            self.fill(f, c, 0.3125f64.to_bits());
            for term in [0.375, 0.5] {
                let term = self.double_of(term);
                self.asm.op(PRODUCT_AND, &[c.into(), x.into(), term]);
            }
            let args = [k.into(), x.into(), x.into(), ORDERED.into()];
            self.asm.op(f.compare, &args);
            self.asm.op(f.mul, &[x.into(), x.into(), y.into()]);
            let args = [y.into(), x.into(), c.into()];
            self.asm.under(f.fma, Under::Merge(k), &args);
        }
        self.narrow_result()
    }

    /// Replaces the result by a, made quiet, where a is a NaN.
    pub(super) fn keep_nan(&mut self, to: Register, a: Register) {
        let (f, k) = (single(), SCRATCH_MASK);
        let args = [k.into(), a.into(), a.into(), 3.into()];
        self.asm.op(f.compare, &args);
        let args = [to.into(), a.into(), a.into()];
        self.asm.under(f.add, Under::Merge(k), &args);
    }

    fn finish_single(&mut self, raw: Register) -> Done {
        let result = self.result(0)?;
        self.finish(single(), raw, result);
        Ok(())
    }
}

/// 1.5 · 2^23: a sum with it has the integer part in the low bits.
pub(super) const ROUNDER: f32 = 12_582_912.0;

fn exp2(t: &mut Tile) -> Done {
    let f = single();
    let a = t.operand()?;
    let (x, exponent) = (t.spare(false)?, t.spare(false)?);
    // Far past both ends of the range; a NaN gives any number.
    for (code, bound, from) in [(f.min, 200.0, a), (f.max, -200.0, x)] {
        let bound = t.number_of(bound);
        t.asm.op(code, &[x.into(), from.into(), bound]);
    }
    let rounder = t.number_of(ROUNDER);
    t.asm.op(f.add, &[exponent.into(), x.into(), rounder]);
    let whole = WIDE[0];
    t.asm.op(f.sub, &[whole.into(), exponent.into(), rounder]);
    t.asm.op(f.sub, &[x.into(), x.into(), whole.into()]);
    t.widen(Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, WIDE, x);
    t.polynomial(WIDE, &EXP2);
    t.widen(Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256, WIDE, exponent);
    for (to, exponent) in RESULT.into_iter().zip(WIDE) {
        let args = [exponent.into(), exponent.into(), 52.into()];
        t.asm.op(Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, &args);
        let add = Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
        t.asm.op(add, &[to.into(), to.into(), exponent.into()]);
    }
    let r = t.narrow_result();
    t.keep_nan(r, a);
    t.finish_single(r)
}

fn log2(t: &mut Tile) -> Done {
    let (f, k) = (single(), SCRATCH_MASK);
    let a = t.operand()?;
    let [m, rough, e] = [t.spare(false)?, t.spare(false)?, t.spare(false)?];
    // Denormals are scaled up by 2^23, and their exponent is reduced.
    let smallest = Arg::Each(t.asm.constant(0x80_0000));
    t.asm.op(f.copy, &[m.into(), a.into()]);
    let args = [k.into(), a.into(), smallest, 1.into()];
    t.asm.op(COMPARE_DWORDS, &args);
    let up = t.number_of(8_388_608.0);
    t.asm
        .under(f.mul, Under::Merge(k), &[m.into(), a.into(), up]);
    // The exponent e, and m from √½ to √2.
    let root = Arg::Each(t.asm.constant(std::f32::consts::FRAC_1_SQRT_2.to_bits()));
    t.asm.op(SUB_DWORDS, &[e.into(), m.into(), root]);
    let args = [e.into(), e.into(), 23.into()];
    t.asm.op(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, &args);
    let args = [rough.into(), e.into(), 23.into()];
    t.asm.op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &args);
    t.asm.op(SUB_DWORDS, &[m.into(), m.into(), rough.into()]);
    let down = Arg::Each(t.asm.constant(-23i32 as u32));
    t.asm
        .under(ADD_DWORDS, Under::Merge(k), &[e.into(), e.into(), down]);
    // An approximation of 1 / (m + 1).
    let one = t.number_of(1.0);
    t.asm.op(f.add, &[rough.into(), m.into(), one]);
    t.fill(f, WIDE[0], f.one());
    t.asm
        .op(f.div, &[rough.into(), WIDE[0].into(), rough.into()]);
    t.log2_of_parts([m, rough, e])?;
    let r = t.narrow_result();
    let infinity = Arg::Each(t.asm.constant(0x7f80_0000));
    let magnitude = Arg::Each(t.asm.constant(0x7fff_ffff));
    let test = Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;
    // The special cases: infinity for infinity, a NaN for negative numbers, −∞ for zeros.
    let special: [(Code, Vec<Arg>, u32); 3] = [
        (COMPARE_DWORDS, vec![infinity, 0.into()], 0x7f80_0000),
        (COMPARE_DWORDS, vec![infinity, 6.into()], 0xffc0_0000),
        (test, vec![magnitude], 0xff80_0000),
    ];
    for (code, with, value) in special {
        let args = [vec![k.into(), a.into()], with].concat();
        t.asm.op(code, &args);
        let value = t.asm.constant(value);
        let broadcast = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
        t.asm
            .under(broadcast, Under::Merge(k), &[r.into(), value.into()]);
    }
    t.keep_nan(r, a);
    t.finish_single(r)
}

impl Tile<'_, '_> {
    /// s · P(s²) + e in double precision, with s = (m − 1) / (m + 1), by a Newton step for the reciprocal.
    fn log2_of_parts(&mut self, [m, rough, e]: [Register; 3]) -> Done {
        let f = double();
        let widen = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
        let (s, error) = (WIDE, [self.spare(false)?, self.spare(false)?]);
        let square = [self.spare(false)?, self.spare(false)?];
        let near = square;
        self.widen(widen, near, rough);
        for (error, near) in error.into_iter().zip(near) {
            self.fill(f, error, f.one());
            self.asm
                .op(f.sub, &[error.into(), error.into(), near.into()]);
        }
        self.widen(widen, s, m);
        self.doubles(
            Code::EVEX_Vfnmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
            error,
            s,
            near,
        );
        self.doubles(
            Code::EVEX_Vfmsub213pd_zmm_k1z_zmm_zmmm512b64_er,
            s,
            near,
            near,
        );
        self.doubles(
            Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
            error,
            s,
            s,
        );
        self.doubles(f.mul, square, error, error);
        self.polynomial(square, &LOG2);
        self.widen(Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er, WIDE, e);
        self.doubles(
            Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
            RESULT,
            error,
            WIDE,
        );
        Ok(())
    }

    /// x minus the nearest integer, −0 for −0, and a NaN for infinities.
    pub(super) fn part_of_turn(&mut self, to: Register, a: Register) {
        let f = single();
        // Rounds to nearest, with exceptions suppressed.
        self.asm.op(f.whole, &[to.into(), a.into(), 8.into()]);
        let zero = self.number_of(0.0);
        self.asm.op(f.add, &[to.into(), to.into(), zero]);
        self.asm.op(f.sub, &[to.into(), a.into(), to.into()]);
    }

    /// Folds parts of a turn: in the first or the last quarter, the difference from half a turn has the same sine.
    pub(super) fn fold(&mut self, fold: Register, part: Register, other: Register) {
        let (f, k) = (single(), SCRATCH_MASK);
        let [magnitude, sign] = [!0 >> 1, 1 << 31].map(|c| Arg::Each(self.asm.constant(c)));
        let args = [other.into(), part.into(), magnitude];
        self.asm.op(f.and, &args);
        let quarter = self.number_of(0.25);
        let args = [k.into(), other.into(), quarter, 0x1e.into()];
        self.asm.op(f.compare, &args);
        self.asm.op(f.and, &[other.into(), part.into(), sign]);
        let half = self.number_of(0.5);
        self.asm.op(f.or, &[other.into(), other.into(), half]);
        self.asm.op(f.copy, &[fold.into(), part.into()]);
        let args = [fold.into(), other.into(), part.into()];
        self.asm.under(f.sub, Under::Merge(k), &args);
    }

    /// Computes sin(2πr) in doubles.
    fn sine(&mut self, r: [Register; 2]) -> Result<Register, TooMany> {
        let square = [self.spare(false)?, self.spare(false)?];
        let f = double();
        self.doubles(f.mul, square, r, r);
        self.polynomial(square, &SIN);
        self.doubles(f.mul, RESULT, r, RESULT);
        Ok(self.narrow_result())
    }
}

fn sin(t: &mut Tile) -> Done {
    let a = t.operand()?;
    let [part, fold] = [t.spare(false)?, t.spare(false)?];
    t.part_of_turn(part, a);
    t.fold(fold, part, WIDE[0]);
    t.widen(Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, WIDE, fold);
    let r = t.sine(WIDE)?;
    t.keep_nan(r, part);
    t.finish_single(r)
}

/// The cosine, as the sine of a quarter minus the part of a turn.
fn cos(t: &mut Tile) -> Done {
    let a = t.operand()?;
    let (part, quarter) = (t.spare(false)?, t.spare(false)?);
    t.part_of_turn(part, a);
    t.widen(Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, WIDE, part);
    let f = double();
    t.fill(f, quarter, 0.25f64.to_bits());
    let magnitude = t.number(f, f.sign() - 1);
    for r in WIDE {
        t.asm.op(f.and, &[r.into(), r.into(), magnitude]);
        t.asm.op(f.sub, &[r.into(), quarter.into(), r.into()]);
    }
    let r = t.sine(WIDE)?;
    t.keep_nan(r, part);
    t.finish_single(r)
}
