//! Lowering of float instructions that AVX2 lacks. Each result is rounded once, in the mode of MXCSR.

use iced_x86::{Code, Register};

use super::compare::more;
use super::lowering::Lowering;
use super::per_half::BLEND;
use super::row::Row;
use super::state::{AND, AND_NOT, Form, LOAD, OR, low};
use crate::compiler::asm::Arg;
use crate::compiler::asm::inst_list::Wide;

/// The instructions and constants of a format.
#[derive(Clone, Copy)]
struct Format {
    form: Form,
    add: Code,
    sub: Code,
    mul: Code,
    min: Code,
    max: Code,
    equal: Code,
    add_whole: Code,
    sub_whole: Code,
    up: Code,
    down: Code,
    fraction: u32,
    bias: u64,
    sign: u64,
}

const SINGLE: Format = Format {
    form: Form::Dwords,
    add: Code::VEX_Vaddps_ymm_ymm_ymmm256,
    sub: Code::VEX_Vsubps_ymm_ymm_ymmm256,
    mul: Code::VEX_Vmulps_ymm_ymm_ymmm256,
    min: Code::VEX_Vminps_ymm_ymm_ymmm256,
    max: Code::VEX_Vmaxps_ymm_ymm_ymmm256,
    equal: Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8,
    add_whole: Code::VEX_Vpaddd_ymm_ymm_ymmm256,
    sub_whole: Code::VEX_Vpsubd_ymm_ymm_ymmm256,
    up: Code::VEX_Vpslld_ymm_ymm_imm8,
    down: Code::VEX_Vpsrld_ymm_ymm_imm8,
    fraction: 23,
    bias: 127,
    sign: 1 << 31,
};

const DOUBLE: Format = Format {
    form: Form::Qwords,
    add: Code::VEX_Vaddpd_ymm_ymm_ymmm256,
    sub: Code::VEX_Vsubpd_ymm_ymm_ymmm256,
    mul: Code::VEX_Vmulpd_ymm_ymm_ymmm256,
    min: Code::VEX_Vminpd_ymm_ymm_ymmm256,
    max: Code::VEX_Vmaxpd_ymm_ymm_ymmm256,
    equal: Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8,
    add_whole: Code::VEX_Vpaddq_ymm_ymm_ymmm256,
    sub_whole: Code::VEX_Vpsubq_ymm_ymm_ymmm256,
    up: Code::VEX_Vpsllq_ymm_ymm_imm8,
    down: Code::VEX_Vpsrlq_ymm_ymm_imm8,
    fraction: 52,
    bias: 1023,
    sign: 1 << 63,
};

impl Format {
    fn of(form: Form) -> Format {
        if form == Form::Qwords { DOUBLE } else { SINGLE }
    }

    /// The bits of 2 to a power.
    fn power(self, exponent: i64) -> u64 {
        ((self.bias as i64 + exponent) as u64) << self.fraction
    }

    fn infinity(self) -> u64 {
        self.sign - (1 << self.fraction)
    }

    /// The power of 2 that makes denormal numbers normal.
    fn room(self) -> i64 {
        i64::from(self.fraction) + 1
    }
}

impl Lowering<'_> {
    /// Minimum or maximum of numbers, with −0 below +0: equal numbers have equal bits, except zeros.
    fn ordered(&mut self, wide: &Wide, f: Format, max: bool) {
        let args = wide.args();
        self.halves(wide, f.form, |l, half| {
            let [a, b] = [1, 2].map(|n| l.half_register(args[n], f.form, half));
            let (code, join) = if max { (f.max, AND) } else { (f.min, OR) };
            let to = l.two(code, a, b);
            let zero = l.two(join, a, b);
            let equal = l.temp();
            let test = [equal.into(), a.into(), b.into(), 0.into()];
            l.asm.op(f.equal, &test);
            let args = [to.into(), to.into(), zero.into(), equal.into()];
            l.asm.op(BLEND, &args);
            to
        });
    }

    /// The numbers with denormals scaled up, and a mask of the scaled lanes.
    fn scaled_up(&mut self, f: Format, x: Register) -> [Register; 2] {
        let magnitude = self.number(f.form, f.sign - 1);
        let magnitude = self.two(AND, x, magnitude);
        let denormal = self.number_in(f.form, 1 << f.fraction);
        self.onto(more(f.form), denormal, magnitude);
        let factor = self.number(f.form, f.power(f.room()));
        let scaled = self.two(f.mul, x, factor);
        let args = [magnitude.into(), x.into(), scaled.into(), denormal.into()];
        self.asm.op(BLEND, &args);
        self.drop_temp(scaled);
        [magnitude, denormal]
    }

    /// The exponents of numbers that are neither 0 nor infinite, as integers, and the numbers scaled up.
    fn exponent(&mut self, f: Format, x: Register) -> [Register; 2] {
        let [scaled, denormal] = self.scaled_up(f, x);
        let magnitude = self.number(f.form, f.sign - 1);
        let exponent = self.two(AND, scaled, magnitude);
        self.onto(f.down, exponent, Arg::I(f.fraction as u8));
        let bias = self.number(f.form, f.bias);
        self.onto(f.sub_whole, exponent, bias);
        let less = self.number(f.form, f.room() as u64);
        self.onto(AND, denormal, less);
        self.onto(f.sub_whole, exponent, denormal);
        self.drop_temp(denormal);
        [exponent, scaled]
    }

    /// Replaces the exponents of numbers.
    fn with_exponent(&mut self, f: Format, x: Register, exponent: i64) {
        let others = self.number(f.form, f.sign | ((1 << f.fraction) - 1));
        self.onto(AND, x, others);
        let exponent = self.number(f.form, f.power(exponent));
        self.onto(OR, x, exponent);
    }
}

/// VRANGEPS as templates use it: for numbers, with the sign unchanged.
pub(super) fn range(l: &mut Lowering, wide: &Wide, row: Row) {
    match wide.args()[3] {
        Arg::I(which @ (4 | 5)) => l.ordered(wide, Format::of(row.form), which == 5),
        _ => l.refuse(),
    }
}

/// VGETMANTPS with the interval from ½ to 1, for numbers with an exponent.
pub(super) fn mantissa(l: &mut Lowering, wide: &Wide, row: Row) {
    let f = Format::of(row.form);
    if wide.args()[2] != Arg::I(2) {
        return l.refuse();
    }
    l.halves(wide, f.form, |l, half| {
        let x = l.half_register(wide.args()[1], f.form, half);
        let [scaled, _] = l.scaled_up(f, x);
        l.with_exponent(f, scaled, -1);
        scaled
    });
}

/// VGETEXPPS, for numbers with an exponent.
pub(super) fn exponent(l: &mut Lowering, wide: &Wide, row: Row) {
    let f = Format::of(row.form);
    l.halves(wide, f.form, |l, half| {
        let x = l.half_register(wide.args()[1], f.form, half);
        let [exponent, _] = l.exponent(f, x);
        match f.form {
            Form::Qwords => {
                // The sum with a large number whose last bit is 1.
                let large = l.qwords(WHOLE);
                l.onto(f.add_whole, exponent, large);
                l.onto(f.sub, exponent, large);
            }
            _ => {
                let args = [exponent.into(), exponent.into()];
                l.asm.op(Code::VEX_Vcvtdq2ps_ymm_ymmm256, &args);
            }
        }
        exponent
    });
}

/// 1.5 · 2^52: a sum with it has the integer part in the low bits.
const WHOLE: u64 = 0x4338_0000_0000_0000;

/// VSCALEFPS by integers, not NaNs: an exact product in double precision, rounded once.
pub(super) fn scale(l: &mut Lowering, wide: &Wide, row: Row) {
    // Beyond these limits, any scaled number is zero or infinite.
    let limits = [600f32, -600f32].map(|limit| u64::from(limit.to_bits()));
    l.halves(wide, row.form, |l, half| {
        let [x, by] = [1, 2].map(|n| l.half_register(wide.args()[n], row.form, half));
        let by = clamped(l, SINGLE, by, limits);
        to_whole(l, SINGLE, by);
        let parts = [0, 1].map(|part| {
            let number = l.part(x, part, 16);
            let power = l.part(by, part, 16);
            let (scaled, factor) = (l.temp(), l.temp());
            let args = [scaled.into(), number.into()];
            l.asm.op(Code::VEX_Vcvtps2pd_ymm_xmmm128, &args);
            let args = [factor.into(), power.into()];
            l.asm.op(Code::VEX_Vpmovsxdq_ymm_xmmm128, &args);
            let bias = l.qwords(DOUBLE.bias);
            l.onto(DOUBLE.add_whole, factor, bias);
            l.onto(DOUBLE.up, factor, Arg::I(52));
            l.onto(DOUBLE.mul, scaled, factor);
            let args = [low(scaled).into(), scaled.into()];
            l.asm.op(Code::VEX_Vcvtpd2ps_xmm_ymmm256, &args);
            l.drop_temp(factor);
            scaled
        });
        l.joined(parts)
    });
}

/// Clamps numbers to limits, the larger one first.
fn clamped(l: &mut Lowering, f: Format, x: Register, limits: [u64; 2]) -> Register {
    let limit = l.number(f.form, limits[0]);
    let x = l.two(f.min, x, limit);
    let limit = l.number(f.form, limits[1]);
    l.onto(f.max, x, limit);
    x
}

/// VSCALEFPD. The mantissa times a power of 2 that keeps it normal is exact. The product with the rest of the power is rounded
/// once.
pub(super) fn scale_wide(l: &mut Lowering, wide: &Wide, row: Row) {
    let f = DOUBLE;
    let limits = [4096f64, -4096f64].map(f64::to_bits);
    l.halves(wide, row.form, |l, half| {
        let [x, by] = [1, 2].map(|n| l.half_register(wide.args()[n], f.form, half));
        let by = clamped(l, f, by, limits);
        to_whole(l, f, by);
        let [exponent, m] = l.exponent(f, x);
        let special = is_special(l, f, x);
        l.with_exponent(f, m, 0);
        let args = [m.into(), m.into(), x.into(), special.into()];
        l.asm.op(BLEND, &args);
        // Zeros, infinities and NaNs are scaled by the whole power.
        l.onto(AND_NOT, special, exponent);
        l.drop_temp(exponent);
        l.onto(f.add_whole, by, special);
        let rest = l.zero();
        for part in [special, rest] {
            part_of_power(l, f, part, by);
            l.onto(f.mul, m, part);
        }
        m
    });
}

/// Converts floats with integer values to integers.
fn to_whole(l: &mut Lowering, f: Format, x: Register) {
    match f.form {
        Form::Qwords => {
            let large = l.qwords(WHOLE);
            l.onto(f.add, x, large);
            l.onto(f.sub_whole, x, large);
        }
        _ => l
            .asm
            .op(Code::VEX_Vcvtps2dq_ymm_ymmm256, &[x.into(), x.into()]),
    }
}

/// The lanes with zeros, infinities or NaNs.
fn is_special(l: &mut Lowering, f: Format, x: Register) -> Register {
    let magnitude = l.number(f.form, f.sign - 1);
    let magnitude = l.two(AND, x, magnitude);
    let below = l.number(f.form, f.infinity() - 1);
    let special = l.two(more(f.form), magnitude, below);
    let zero = l.zero();
    l.onto(super::compare::equal(f.form), zero, magnitude);
    l.onto(OR, special, zero);
    l.drop_temp(zero);
    l.drop_temp(magnitude);
    special
}

/// Splits off the part of a power that a normal factor can represent.
fn part_of_power(l: &mut Lowering, f: Format, part: Register, power: Register) {
    let bias = f.bias as i64;
    let mut clamped = power;
    for (limit, is_upper) in [(bias, true), (1 - bias, false)] {
        let limit = l.number_in(f.form, limit as u64);
        let beyond = if is_upper {
            l.two(more(f.form), clamped, limit)
        } else {
            l.two(more(f.form), limit, clamped)
        };
        let args = [part.into(), clamped.into(), limit.into(), beyond.into()];
        l.asm.op(BLEND, &args);
        l.drop_temp(limit);
        l.drop_temp(beyond);
        clamped = part;
    }
    l.onto(f.sub_whole, power, part);
    let bias = l.number(f.form, f.bias);
    l.onto(f.add_whole, part, bias);
    l.onto(f.up, part, Arg::I(f.fraction as u8));
}

/// VRSQRT14PD. For positive numbers, an estimate with half the exponent negated and two Newton steps is within 2^-17. If there
/// are other numbers, the quotient by the root is computed.
pub(super) fn reciprocal_root(l: &mut Lowering, wide: &Wide, row: Row) {
    l.halves(wide, row.form, |l, half| {
        let x = l.half_register(wide.args()[1], row.form, half);
        let [y, other, half_of_x] = [l.temp(), l.temp(), l.temp()];
        let (special, done) = (l.asm.label(), l.asm.label());
        are_positive(l, x, [y, other]);
        l.asm.jump(Code::Jae_rel32_64, special);
        newton(l, x, half_of_x, [y, other]);
        l.asm.jump(Code::Jmp_rel32_64, done);
        l.asm.place(special);
        let one = l.qwords(1.0f64.to_bits());
        let load = LOAD;
        l.asm.op(load, &[other.into(), one.into()]);
        l.asm
            .op(Code::VEX_Vsqrtpd_ymm_ymmm256, &[y.into(), x.into()]);
        let args = [y.into(), other.into(), y.into()];
        l.asm.op(Code::VEX_Vdivpd_ymm_ymm_ymmm256, &args);
        l.asm.place(done);
        y
    });
}

/// VRSQRT14PS, by VRSQRTPS and a Newton step: y + y/2 · (1 - x·y·y). That is within 2^-21 for normal numbers, and a NaN
/// for denormals, zeros, infinities and negative numbers.
pub(super) fn root_estimate(l: &mut Lowering, wide: &Wide, row: Row) {
    l.halves(wide, row.form, |l, half| {
        let x = l.half_register(wide.args()[1], row.form, half);
        let y = l.temp();
        l.asm
            .op(Code::VEX_Vrsqrtps_ymm_ymmm256, &[y.into(), x.into()]);
        let rest = l.two(SINGLE.mul, x, y);
        let one = l.dwords(1f32.to_bits());
        let args = [rest.into(), y.into(), one.into()];
        l.asm.op(Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256, &args);
        let half = l.dwords(0.5f32.to_bits());
        l.onto(SINGLE.mul, rest, half);
        let args = [y.into(), rest.into(), y.into()];
        l.asm.op(Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256, &args);
        y
    });
}

/// Sets the carry flag if all numbers are above 0 and finite.
fn are_positive(l: &mut Lowering, x: Register, [above, below]: [Register; 2]) {
    const MORE: u8 = 0x1e;
    const LESS: u8 = 0x11;
    let limits = [(above, 0, MORE), (below, DOUBLE.infinity(), LESS)];
    for (to, limit, predicate) in limits {
        let limit = l.qwords(limit);
        let args = [to.into(), x.into(), limit.into(), Arg::I(predicate)];
        l.asm.op(Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8, &args);
    }
    l.onto(AND, above, below);
    let ones = l.dwords(!0);
    l.asm
        .op(Code::VEX_Vptest_ymm_ymmm256, &[above.into(), ones.into()]);
}

fn newton(l: &mut Lowering, x: Register, half_of_x: Register, [y, square]: [Register; 2]) {
    let [guess, half, more] = [0x5fe6_eb50_c7b5_37a9, 0.5f64.to_bits(), 1.5f64.to_bits()];
    let guess = l.qwords(guess);
    l.asm.op(LOAD, &[y.into(), guess.into()]);
    let down = [square.into(), x.into(), Arg::I(1)];
    l.asm.op(Code::VEX_Vpsrlq_ymm_ymm_imm8, &down);
    l.onto(DOUBLE.sub_whole, y, square);
    let half = l.qwords(half);
    let args = [half_of_x.into(), x.into(), half.into()];
    l.asm.op(DOUBLE.mul, &args);
    let more = l.qwords(more);
    for _ in 0..2 {
        l.asm.op(DOUBLE.mul, &[square.into(), y.into(), y.into()]);
        let args = [square.into(), half_of_x.into(), more.into()];
        l.asm.op(Code::VEX_Vfnmadd213pd_ymm_ymm_ymmm256, &args);
        l.onto(DOUBLE.mul, y, square);
    }
}

/// VCVTUDQ2PS: the sum of both halves of a number, which is rounded once.
pub(super) fn from_unsigned(l: &mut Lowering, wide: &Wide, _: Row) {
    const CONVERT: Code = Code::VEX_Vcvtdq2ps_ymm_ymmm256;
    l.halves(wide, Form::Dwords, |l, half| {
        let x = l.half_register(wide.args()[1], Form::Dwords, half);
        let upper = l.two(SINGLE.down, x, Arg::I(16));
        let lower = l.dwords(0xffff);
        let lower = l.two(AND, x, lower);
        for part in [upper, lower] {
            l.asm.op(CONVERT, &[part.into(), part.into()]);
        }
        let factor = l.dwords(65536f32.to_bits());
        let args = [upper.into(), lower.into(), factor.into()];
        l.asm.op(Code::VEX_Vfmadd132ps_ymm_ymm_ymmm256, &args);
        upper
    });
}

/// VCVTUDQ2PD: the bits below 2^52, minus that.
pub(super) fn wide_from_unsigned(l: &mut Lowering, wide: &Wide, _: Row) {
    l.halves_of_one(wide, Form::Qwords, |l, half| {
        let to = l.extended(wide.args()[1], half, Code::VEX_Vpmovzxdq_ymm_xmmm128, 16);
        let large = l.qwords(0x4330_0000_0000_0000);
        l.onto(OR, to, large);
        l.onto(DOUBLE.sub, to, large);
        // A difference of 0 is negative when rounding down.
        let magnitude = l.qwords(DOUBLE.sign - 1);
        l.onto(AND, to, magnitude);
        to
    });
}

/// VCVTTPS2UDQ for numbers that are not negative: as signed, and if out of range, the signed difference from 2^31.
pub(super) fn to_unsigned(l: &mut Lowering, wide: &Wide, _: Row) {
    l.halves(wide, Form::Dwords, |l, half| {
        let x = l.half_register(wide.args()[1], Form::Dwords, half);
        let limit = l.dwords(0x4f00_0000);
        let above = l.two(SINGLE.sub, x, limit);
        let below = l.temp();
        for (to, from) in [(below, x), (above, above)] {
            let convert = Code::VEX_Vcvttps2dq_ymm_ymmm256;
            l.asm.op(convert, &[to.into(), from.into()]);
        }
        join_unsigned(l, below, above);
        below
    });
}

/// Conversion of doubles to unsigned dwords, which are the lower half.
pub(super) fn wide_to_unsigned(l: &mut Lowering, wide: &Wide, _: Row) {
    let halves = [0, 1].map(|half| {
        let x = l.half_register(wide.args()[1], Form::Qwords, half);
        let limit = l.qwords(2_147_483_648f64.to_bits());
        let above = l.two(DOUBLE.sub, x, limit);
        let below = l.temp();
        for (to, from) in [(below, x), (above, above)] {
            let convert = Code::VEX_Vcvttpd2dq_xmm_ymmm256;
            l.asm.op(convert, &[low(to).into(), from.into()]);
        }
        join_unsigned(l, below, above);
        below
    });
    let to = l.joined(halves);
    l.write_low(wide, to);
}

/// Joins both conversions: where the first is out of range, the bits of the second are added, or all ones if both are.
fn join_unsigned(l: &mut Lowering, below: Register, above: Register) {
    const SIGNS: Code = Code::VEX_Vpsrad_ymm_ymm_imm8;
    let out = l.two(SIGNS, below, Arg::I(31));
    let too_large = l.two(SIGNS, above, Arg::I(31));
    l.onto(OR, above, too_large);
    l.onto(AND, above, out);
    l.onto(OR, below, above);
}
