//! Templates of 2^x, log2, sine and cosine of halves, with the interpreter's algorithm: polynomials in single precision, rounded
//! back.

use iced_x86::{Code, Register};
use wavetank_ir::Un;
use wavetank_lane_ops::polynomials::half::{EXP2, LOG2, SIN};

use super::format::{Format, RAW};
use super::functions::ROUNDER;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

const ADD_DWORDS: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SUB_DWORDS: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const UP_BY: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const BROADCAST: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
/// A multiply-add that multiplies its first operand, and adds the last one.
const STEP: Code = Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er;

/// The lowest bit of the exponent in single precision.
const FRACTION: u8 = 23;

/// The templates of functions with one operand.
pub(super) fn un(un: Un) -> Option<Template> {
    Some(match un {
        Un::FExp2 => |t| t.through_one(|t, f, _, _, [a]| exp2(t, f, a)),
        Un::FLog2 => |t| t.through_one(|t, f, _, _, [a]| log2(t, f, a)),
        Un::FSin => |t| t.through_one(|t, f, _, _, [a]| sin(t, f, a)),
        Un::FCos => |t| t.through_one(|t, f, _, _, [a]| cos(t, f, a)),
        _ => return None,
    })
}

impl Tile<'_, '_> {
    /// Evaluates a polynomial in `RAW`, with the constant coefficient first.
    fn single_polynomial(&mut self, f: &Format, x: Register, coefficients: &[f32]) {
        let (last, others) = coefficients.split_last().expect("there are coefficients");
        self.fill(f, RAW, last.to_bits().into());
        for c in others.iter().rev() {
            let c = self.number_of(*c);
            self.asm.op(STEP, &[RAW.into(), x.into(), c]);
        }
    }

    /// Sets the lanes of the template's mask to a number.
    fn replace_by(&mut self, number: f32) {
        let number = self.asm.constant(number.to_bits());
        let under = Under::Merge(SCRATCH_MASK);
        self.asm
            .under(BROADCAST, under, &[RAW.into(), number.into()]);
    }
}

fn exp2(t: &mut Tile, f: &Format, a: Register) {
    let [x, whole, rounded, _] = SCRATCH;
    // Far past both ends of the range; a NaN gives any number.
    for (code, bound, from) in [(f.min, 40.0, a), (f.max, -40.0, x)] {
        let bound = t.number_of(bound);
        t.asm.op(code, &[x.into(), from.into(), bound]);
    }
    let rounder = t.number_of(ROUNDER);
    t.asm.op(f.add, &[rounded.into(), x.into(), rounder]);
    t.asm.op(f.sub, &[whole.into(), rounded.into(), rounder]);
    t.asm.op(f.sub, &[x.into(), x.into(), whole.into()]);
    t.single_polynomial(f, x, &EXP2);
    let args = [rounded.into(), rounded.into(), FRACTION.into()];
    t.asm.op(UP_BY, &args);
    t.asm
        .op(ADD_DWORDS, &[RAW.into(), RAW.into(), rounded.into()]);
    t.keep_nan(RAW, a);
}

fn log2(t: &mut Tile, f: &Format, a: Register) {
    let ([e, m, ..], k) = (SCRATCH, SCRATCH_MASK);
    // The exponent e, and m from √½ to √2: halves are never denormal in single precision.
    let root = Arg::Each(t.asm.constant(std::f32::consts::FRAC_1_SQRT_2.to_bits()));
    t.asm.op(SUB_DWORDS, &[e.into(), a.into(), root]);
    let down = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
    t.asm.op(down, &[e.into(), e.into(), FRACTION.into()]);
    t.asm.op(UP_BY, &[m.into(), e.into(), FRACTION.into()]);
    t.asm.op(SUB_DWORDS, &[m.into(), a.into(), m.into()]);
    let one = t.number_of(1.0);
    t.asm.op(f.sub, &[m.into(), m.into(), one]);
    let convert = Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
    t.asm.op(convert, &[e.into(), e.into()]);
    t.single_polynomial(f, m, &LOG2);
    t.asm.op(STEP, &[RAW.into(), m.into(), e.into()]);
    // The special cases: infinity for infinity, −∞ for zeros, a NaN for negative numbers.
    const EQUAL: u8 = 0;
    const NOT_AT_LEAST: u8 = 0x19;
    for (than, predicate, result) in [
        (f32::INFINITY, EQUAL, f32::INFINITY),
        (0.0, EQUAL, f32::NEG_INFINITY),
        (0.0, NOT_AT_LEAST, f32::from_bits(0xffc0_0000)),
    ] {
        let than = t.number_of(than);
        let args = [k.into(), a.into(), than, predicate.into()];
        t.asm.op(f.compare, &args);
        t.replace_by(result);
    }
    t.keep_nan(RAW, a);
}

/// r times the polynomial of its square.
fn sine(t: &mut Tile, f: &Format, r: Register, square: Register) {
    t.asm.op(f.mul, &[square.into(), r.into(), r.into()]);
    t.single_polynomial(f, square, &SIN);
    t.asm.op(f.mul, &[RAW.into(), r.into(), RAW.into()]);
}

fn sin(t: &mut Tile, f: &Format, a: Register) {
    let [part, fold, other, _] = SCRATCH;
    t.part_of_turn(part, a);
    t.fold(fold, part, other);
    sine(t, f, fold, other);
    t.keep_nan(RAW, a);
}

/// The cosine, as the sine of a quarter minus the part of a turn; a NaN for infinities, since that part is one.
fn cos(t: &mut Tile, f: &Format, a: Register) {
    let [part, r, square, _] = SCRATCH;
    t.part_of_turn(part, a);
    let magnitude = t.number(f, f.sign() - 1);
    t.asm.op(f.and, &[r.into(), part.into(), magnitude]);
    t.fill(f, square, 0.25f32.to_bits().into());
    t.asm.op(f.sub, &[r.into(), square.into(), r.into()]);
    sine(t, f, r, square);
    t.keep_nan(RAW, part);
}
