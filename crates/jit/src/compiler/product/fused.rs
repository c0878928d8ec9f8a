//! Blocks of 16×16 and 32×32 by the rule of gfx942: products are truncated at a common place, summed and added in fixed point.
//!
//! Factors are converted to singles, with their exponents beside them, on the stack. A group of products for a tile of D is then:
//! exact products, and the largest sum of exponents, e; the products as integers in units of 2^(e-24), truncated, and their sum.
//! What follows is the addition to the accumulator in 32-bit integers: in units of 2^(m-32), where m is the larger of e and the
//! accumulator's exponent, the total is 256 times a signed `high` plus a `low` below 256. Floors clear bits of `low`.
//!
//! This is right for factors whose products are normal singles, and for finite accumulators that are not extreme. Other numbers
//! take the slow path, before anything is written.

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::Addend;
use wavetank_matrix::{ElementType, Rule};

use super::common::{
    EACH, LOAD, ON_STACK, Product, REGISTER, ROW_OF_D, STACK, STORE, Step, TILE, XOR, widen, zmm,
};
use super::range::{self, Width, leave_if_any};
use super::rows::Factors;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under};

/// The largest exponent of products, with the bias of singles.
const LARGEST: Register = Register::ZMM0;
const SUM: Register = Register::ZMM2;
const ACCUMULATOR: Register = Register::ZMM3;
/// Those of products with odd k, where they are apart.
const ODD: [Register; 2] = [Register::ZMM6, Register::ZMM7];
const SPARE: [Register; 3] = [Register::ZMM1, Register::ZMM4, Register::ZMM5];
const PRODUCTS: u32 = 8;
const OF_B: u32 = 16;
const MASK: Register = Register::K5;

/// A tile of dwords to convert.
const RAW: Register = Register::ZMM0;

/// Magnitudes between which products are normal singles: 2^-46 and 2^46, in the formats of 16 and of 32 bits.
const LIMITS: [u32; 2] = [(127 - 46) << 7, (127 + 46) << 7];
/// Those of the accumulator: 2^-100 and 2^120.
const LIMITS_OF_C: [u32; 2] = [(127 - 100) << 23, (127 + 120) << 23];
/// The least exponent that matters for products and accumulators within these limits: 2^-100.
const LEAST_EXPONENT: u32 = 127 - 100;
/// The exponent of a zero, so that no sum with it is the largest.
const OF_ZERO: u32 = -2000i32 as u32;
/// 24 more than twice the bias: less a biased exponent, that of 2^24 over its power.
const SCALE: u32 = 127 + 127 + 24;

const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const LESS: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const MAX: Code = Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
const MULTIPLY: Code = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
const LEFT: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const RIGHT: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const RIGHT_BY: Code = Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32;
const LOGIC: Code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
const TO_FLOAT: Code = Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;

/// `to = of code by`, for readable sequences.
fn op(asm: &mut Asm, code: Code, to: Register, of: Register, by: impl Into<Arg>) {
    asm.op(code, &[to.into(), of.into(), by.into()]);
}

/// A constant in each lane, as an operand.
fn each(asm: &mut Asm, constant: u32) -> Arg {
    Arg::Each(asm.constant(constant))
}

/// A constant in each lane of a register.
fn set(asm: &mut Asm, to: Register, constant: u32) {
    let constant = asm.constant(constant);
    asm.op(EACH, &[to.into(), constant.into()]);
}

/// The element type of one factor: its values as singles.
struct Format {
    bits: u32,
    /// The exponent of its denormals, with the bias of singles.
    least: u32,
}

impl Format {
    fn of(element: ElementType) -> Format {
        let (bits, least) = match element {
            ElementType::F16 => (16, 127 - 14),
            ElementType::Bf16 => (16, 1),
            ElementType::Fp8 => (8, 127 - 7),
            ElementType::Bf8 => (8, 127 - 15),
            _ => (32, 1),
        };
        Format { bits, least }
    }
}

/// Whether the accumulator is not a constant beyond the limits: small integers are denormals.
pub(super) fn suits(c: Addend) -> bool {
    let [low, high] = LIMITS_OF_C;
    match c {
        Addend::Registers(_) => true,
        Addend::Every(bits) => {
            let magnitude = bits as u32 & 0x7fff_ffff;
            magnitude == 0 || (low..high).contains(&magnitude)
        }
    }
}

impl Product<'_> {
    pub(super) fn fused(&self, asm: &mut Asm, group: usize, slow: Label) {
        self.look_at_factors(asm, slow);
        self.look_at_c(asm, slow);
        self.convert_a(asm);
        let tiles = usize::from(self.shape().n) / 16;
        for block in 0..self.shape().blocks.into() {
            let all = self.factors(block, 1);
            for (n, factors) in all.chunks(group).enumerate() {
                for tile in 0..tiles {
                    self.convert_b(asm, n * group, factors, tile);
                    let stack = Mem::at(Register::RSP, STACK);
                    asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
                    self.rounds(asm, block, &[(ON_STACK, Step::Row(4))], |asm, i, row| {
                        self.fused_row(asm, i, n * group, factors, row[tile].1);
                    });
                }
            }
        }
    }

    /// Elements of A in a lane: planes of values on the stack, and as many of exponents after them.
    fn planes_of_a(&self) -> u32 {
        self.shape().a_elements() as u32
    }

    /// The part of the stack for exponents of B.
    fn exponents_of_b(&self) -> u32 {
        STACK + 2 * REGISTER * self.planes_of_a()
    }

    fn look_at_factors(&self, asm: &mut Asm, slow: Label) {
        let shape = self.shape();
        let tiles = self.tiles_of_factors();
        match shape.a {
            ElementType::F16 => {
                range::leave_outside(asm, Width::Words, tiles, |_, _| {}, [1, 0x7c00], slow);
            }
            ElementType::Bf16 => {
                range::leave_outside(asm, Width::Words, tiles, |_, _| {}, LIMITS, slow);
            }
            ElementType::Xf32 => {
                let limits = LIMITS.map(|limit| limit << 16);
                let cut = |asm: &mut Asm, value| {
                    let kept = each(asm, XF32);
                    op(asm, AND, value, value, kept);
                };
                range::leave_outside(asm, Width::Dwords, tiles, cut, limits, slow);
            }
            _ => {
                // The only byte that is no number.
                set(asm, SPARE[0], 0x8080_8080);
                asm.op(Code::VEX_Kxorq_kr_kr_kr, &[MASK.into(); 3]);
                for tile in tiles {
                    let (other, equal) = (Register::K6, Code::EVEX_Vpcmpeqb_kr_k1_zmm_zmmm512);
                    asm.op(equal, &[other.into(), SPARE[0].into(), tile.into()]);
                    let or = Code::VEX_Korq_kr_kr_kr;
                    asm.op(or, &[MASK.into(), MASK.into(), other.into()]);
                }
                leave_if_any(asm, MASK, slow);
            }
        }
    }

    fn look_at_c(&self, asm: &mut Asm, slow: Label) {
        let Addend::Registers(c) = self.op.c else {
            return;
        };
        let tiles = (0..4 * self.shape().d_registers() as u32).map(|tile| self.at(c, TILE * tile));
        range::leave_outside(asm, Width::Dwords, tiles, |_, _| {}, LIMITS_OF_C, slow);
    }

    /// Converts A to planes of 64 lanes.
    fn convert_a(&self, asm: &mut Asm) {
        let element = self.shape().a;
        let in_dword = 32 / Format::of(element).bits;
        for register in 0..self.shape().a_registers() as u32 {
            for tile in 0..4 {
                for n in 0..in_dword {
                    let from = self.at(self.op.a, REGISTER * register + TILE * tile);
                    let [value, exponent] = [zmm(PRODUCTS), zmm(PRODUCTS + 1)];
                    asm.op(LOAD, &[RAW.into(), from.into()]);
                    convert(asm, element, n, value, exponent);
                    let bias = each(asm, 127);
                    op(asm, LESS, exponent, exponent, bias);
                    let plane = REGISTER * (in_dword * register + n) + TILE * tile;
                    let exponents = plane + REGISTER * self.planes_of_a();
                    for (at, from) in [(plane, value), (exponents, exponent)] {
                        let to = Mem::at(Register::RSP, STACK + at);
                        asm.op(STORE, &[to.into(), from.into()]);
                    }
                }
            }
        }
    }

    /// Converts a tile of rows of B from row `first` on: values to registers, exponents to the stack.
    fn convert_b(&self, asm: &mut Asm, first: usize, factors: &[Factors], tile: usize) {
        let element = self.shape().b;
        let in_dword = 32 / Format::of(element).bits;
        for (k, factors) in (0..).zip(factors) {
            let from = self.at(self.op.b, factors.b[tile]);
            let (value, exponent) = (zmm(OF_B + k), zmm(PRODUCTS));
            asm.op(LOAD, &[RAW.into(), from.into()]);
            let n = (first as u32 + k) % self.shape().b_elements() as u32 % in_dword;
            convert(asm, element, n, value, exponent);
            let to = Mem::at(Register::RSP, self.exponents_of_b() + TILE * k);
            asm.op(STORE, &[to.into(), exponent.into()]);
        }
    }

    /// Adds a group of products from k = `first` on to a tile of row `i`.
    fn fused_row(&self, asm: &mut Asm, i: usize, first: usize, factors: &[Factors], at: u32) {
        let apart = matches!(self.op.instruction.rule(), Rule::FusedHalves { .. });
        let step = if apart { 2 } else { 1 };
        let every = |from: u32| (from..factors.len() as u32).step_by(step);
        // Elements of a lane are in planes; a lane may hold fewer than a group has, or more.
        let planes = self.planes_of_a();
        let of_a = |k: u32| {
            let lane = factors[k as usize].a % REGISTER + 4 * i as u32;
            let plane = (first as u32 + k) % planes;
            [plane, planes + plane].map(|plane| REGISTER * plane + lane)
        };
        if first == 0 {
            self.load_c(asm, ACCUMULATOR, at);
        } else {
            let d = Mem::at(ROW_OF_D, at);
            asm.op(LOAD, &[ACCUMULATOR.into(), d.into()]);
        }
        self.truncated(asm, every(0), &of_a, [LARGEST, SUM]);
        if apart {
            self.truncated(asm, every(1), &of_a, ODD);
            join_halves(asm);
        }
        add(asm, apart);
        let to = Mem::at(ROW_OF_D, at);
        asm.op(STORE, &[to.into(), HIGH.into()]);
    }

    /// Computes the largest exponent of some products, and their sum after truncation.
    fn truncated(
        &self,
        asm: &mut Asm,
        ks: impl Iterator<Item = u32> + Clone,
        of_a: &impl Fn(u32) -> [u32; 2],
        [largest, sum]: [Register; 2],
    ) {
        let [exponent, scale, _] = SPARE;
        for (n, k) in (0..).zip(ks.clone()) {
            let [value, power] = of_a(k).map(|at| Arg::Each(Mem::at(ON_STACK, at)));
            op(asm, MULTIPLY, zmm(PRODUCTS + n), zmm(OF_B + k), value);
            let of_b = Mem::at(Register::RSP, self.exponents_of_b() + TILE * k);
            let to = if n == 0 { largest } else { exponent };
            asm.op(LOAD, &[to.into(), of_b.into()]);
            op(asm, ADD, to, to, power);
            if n > 0 {
                op(asm, MAX, largest, largest, exponent);
            }
        }
        let least = each(asm, LEAST_EXPONENT);
        op(asm, MAX, largest, largest, least);
        scale_of(asm, scale, largest);
        for (n, _) in (0..).zip(ks) {
            let product = zmm(PRODUCTS + n);
            op(asm, MULTIPLY, product, product, scale);
            let truncate = Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
            let to = if n == 0 { sum } else { product };
            asm.op(truncate, &[to.into(), product.into()]);
            if n > 0 {
                op(asm, ADD, sum, sum, product);
            }
        }
    }
}

/// Keeps the upper bits of an xf32.
const XF32: u32 = 0xffff_e000;

/// Converts element `n` of dwords to a single and its biased exponent; that of denormals is that of the smallest normal number.
fn convert(asm: &mut Asm, element: ElementType, n: u32, value: Register, exponent: Register) {
    match element {
        ElementType::F16 | ElementType::Bf16 => widen(asm, element, RAW, n as usize, value),
        ElementType::Xf32 => {
            let kept = each(asm, XF32);
            op(asm, AND, value, RAW, kept);
        }
        _ => byte(asm, element, n, value),
    }
    let format = Format::of(element);
    op(asm, LEFT, exponent, value, 1);
    op(asm, RIGHT, exponent, exponent, 24);
    let least = each(asm, format.least);
    op(asm, MAX, exponent, exponent, least);
    let magnitude = each(asm, 0x7fff_ffff);
    let test = Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;
    asm.op(test, &[MASK.into(), value.into(), magnitude]);
    let zero = asm.constant(OF_ZERO);
    asm.under(EACH, Under::Merge(MASK), &[exponent.into(), zero.into()]);
}

/// Converts byte `n`. Exponent and fraction are those of a single of another bias: it is multiplied by a power of two.
fn byte(asm: &mut Asm, element: ElementType, n: u32, value: Register) {
    let (fraction, power) = match element {
        ElementType::Fp8 => (3, 127 + 127 - 8),
        _ => (2, 127 + 127 - 16),
    };
    let sign = SPARE[0];
    op(asm, LEFT, sign, RAW, (24 - 8 * n) as u8);
    let shift = 24 - 23 + fraction;
    op(asm, RIGHT, value, sign, shift as u8);
    let magnitude = each(asm, 0x7f << (23 - fraction));
    op(asm, AND, value, value, magnitude);
    let signs = each(asm, 0x8000_0000);
    // Value, or sign and the bit of signs.
    asm.op(LOGIC, &[value.into(), sign.into(), signs, Arg::I(0xf8)]);
    let power = each(asm, power << 23);
    op(asm, MULTIPLY, value, value, power);
}

/// The power of two that makes an exponent 24.
fn scale_of(asm: &mut Asm, to: Register, exponent: Register) {
    set(asm, to, SCALE);
    op(asm, LESS, to, to, exponent);
    op(asm, LEFT, to, to, 23);
}

/// Adds the sums of even and odd products, floored in units of the larger exponent.
fn join_halves(asm: &mut Asm) {
    let ([odd, odd_sum], [larger, by, _]) = (ODD, SPARE);
    op(asm, MAX, larger, LARGEST, odd);
    for (exponent, sum) in [(LARGEST, SUM), (odd, odd_sum)] {
        op(asm, LESS, by, larger, exponent);
        op(asm, RIGHT_BY, sum, sum, by);
    }
    op(asm, ADD, SUM, SUM, odd_sum);
    asm.op(LOAD, &[LARGEST.into(), larger.into()]);
}

/// The upper part of the total, and the result.
const HIGH: Register = Register::ZMM6;

/// Adds a sum of products to the accumulator.
fn add(asm: &mut Asm, drops_far: bool) {
    let (m, distance) = (Register::ZMM4, Register::ZMM5);
    let (exponent, kept, low, by) = (Register::ZMM1, Register::ZMM7, zmm(8), zmm(9));
    op(asm, LEFT, exponent, ACCUMULATOR, 1);
    op(asm, RIGHT, exponent, exponent, 24);
    op(asm, MAX, m, exponent, LARGEST);
    op(asm, LESS, distance, m, LARGEST);
    // The accumulator, floored, in units of 2^(m-24).
    scale_of(asm, kept, m);
    let down = RoundingControl::RoundDown;
    let args = [kept.into(), kept.into(), ACCUMULATOR.into()];
    asm.rounded(MULTIPLY, down, Under::All, &args);
    let to_int = Code::EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er;
    asm.rounded(to_int, down, Under::All, &[kept.into(), kept.into()]);
    if drops_far {
        let far = each(asm, 25);
        op(asm, ADD, exponent, exponent, far);
        const LESS_THAN: u8 = 1;
        let compare = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
        asm.op(
            compare,
            &[MASK.into(), exponent.into(), m.into(), LESS_THAN.into()],
        );
        asm.under(XOR, Under::Merge(MASK), &[kept.into(); 3]);
    }
    op(asm, RIGHT_BY, HIGH, SUM, distance);
    op(asm, ADD, HIGH, HIGH, kept);
    // The sum of products has 8 bits below that, if it is not far below the accumulator.
    set(asm, by, 8);
    op(asm, LESS, by, by, distance);
    op(asm, Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, low, SUM, by);
    let eight = each(asm, 8);
    let greater = Code::EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32;
    asm.op(greater, &[MASK.into(), distance.into(), eight]);
    op(asm, LESS, by, distance, eight);
    let args = [low.into(), SUM.into(), by.into()];
    asm.under(RIGHT_BY, Under::Merge(MASK), &args);
    let byte = each(asm, 0xff);
    op(asm, AND, low, low, byte);
    floor_to_32_bits(asm, low, by, kept);
    round(asm, low);
    // The total is in units of 2^(m-32).
    let unit = each(asm, 127 + 32);
    op(asm, LESS, m, m, unit);
    asm.op(TO_FLOAT, &[m.into(), m.into()]);
    let scale = Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er;
    op(asm, scale, HIGH, HIGH, m);
}

/// Clears bits of `low` that are more than 31 below the first bit of the total.
fn floor_to_32_bits(asm: &mut Asm, low: Register, by: Register, first: Register) {
    // The first bit of a number or of its complement. They differ for negative powers of two, which have no bits to clear.
    op(
        asm,
        Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
        first,
        HIGH,
        31,
    );
    op(asm, XOR, first, first, HIGH);
    asm.op(
        Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32,
        &[first.into(), first.into()],
    );
    set(asm, by, 8);
    op(asm, Code::EVEX_Vpsubusw_zmm_k1z_zmm_zmmm512, by, by, first);
    op(asm, Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, low, low, by);
    op(asm, Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, low, low, by);
}

/// Rounds 256 times `HIGH` plus `low` to a single: the sum of two singles that are exact.
fn round(asm: &mut Asm, low: Register) {
    let rest = Register::ZMM7;
    op(asm, LEFT, rest, HIGH, 8);
    let middle = each(asm, 0x00ff_ff00);
    // The bits of `rest` that are in `middle`, or those of `low`.
    asm.op(LOGIC, &[rest.into(), low.into(), middle, Arg::I(0xec)]);
    let upper = each(asm, 0xffff_0000);
    op(asm, AND, HIGH, HIGH, upper);
    for part in [HIGH, rest] {
        asm.op(TO_FLOAT, &[part.into(), part.into()]);
    }
    let factor = each(asm, 256f32.to_bits());
    let fma = Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er;
    op(asm, fma, HIGH, rest, factor);
}
