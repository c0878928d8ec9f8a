//! Blocks of 16×16 and 32×32 by the rule of gfx942: products are truncated at a common place, summed and added in fixed point.
//!
//! Factors are converted to singles, A's onto the stack. Their exponents are bytes: those of four rows and a tile of columns fill a
//! register, in which the largest exponents of a group of products are found. A group of products for a tile of D is then: exact
//! products, multiplied by the power of two that gives the largest exponent 24, truncated to integers, and their sum. `settle` adds
//! it to the accumulator, `fixed_point` that of fp8 and bf8.
//!
//! This is right for factors whose products are normal singles, and for accumulators that are no NaNs, or of fp8 and bf8 not extreme.
//! Other numbers take the slow path, before anything is written.

use std::array::from_fn;

use iced_x86::{Code, Register};
use wavetank_ir::Addend;
use wavetank_matrix::{ElementType, Rule};

use super::common::{
    ADD, AND, EACH, LEFT, LESS, LOAD, MULTIPLY, NO_NAN, ON_STACK, Product, REGISTER, RIGHT,
    ROW_OF_A, ROW_OF_D, STACK, STORE, Step, TILE, each, leave_if_nan, note_nans, op, set, zmm,
};
use super::factors::{self, XF32, convert};
use super::range::{self, Width, leave_if_any};
use super::rows::Factors;
use super::{fixed_point, settle};
use crate::compiler::asm::fixed::CONSTANTS;
use crate::compiler::asm::{Arg, Asm, Label, Mem};

/// Rows whose exponents are in a register.
const ROWS: usize = 4;

/// Registers of products, which go through as many stages at once.
const PRODUCTS: u32 = 8;
const PRODUCT_REGISTERS: u32 = STAGES as u32;
const STAGES: usize = 4;
/// What the largest exponents of products in four rows are below [`BIAS`]: of all k or even k, and of odd k.
const DISTANCES: [Register; 2] = [Register::ZMM14, Register::ZMM15];
const OF_B: u32 = 16;
const SPARE: Register = Register::ZMM1;
const MASK: Register = Register::K5;

/// Magnitudes between which products are normal singles: 2^-46 and 2^46, in the formats of 16 and of 32 bits.
const LIMITS: [u32; 2] = [(127 - 46) << 7, (127 + 46) << 7];
/// Those of the accumulator of fp8 and bf8: 2^-100 and 2^120.
const LIMITS_OF_C: [u32; 2] = [(127 - 100) << 23, (127 + 120) << 23];

/// The sum of both biases: less an exponent, it is the biased exponent of 2^24 over its power.
const BIAS: u32 = 127 + 24;
/// The biases of A's and B's exponents, which are biased as those of singles. With them, no byte overflows but those of zeros.
const BIAS_OF_A: u32 = 127 + 75;
const BIAS_OF_B: u32 = 127 + 76;
/// The distance of the least exponent that matters for fp8 and bf8 within the limits: 2^-100.
const MOST_DISTANT: u32 = BIAS + 100;

impl Product<'_> {
    pub(super) fn fused(&self, asm: &mut Asm, group: usize, slow: Label) {
        self.look_at_factors(asm, slow);
        self.look_at_c(asm, slow);
        self.convert_a(asm);
        if !self.is_in_halves() {
            settle::prepare(asm);
        }
        let tiles = usize::from(self.shape().n) / 16;
        for block in 0..self.shape().blocks.into() {
            let all = self.factors(block, 1);
            for (n, factors) in all.chunks(group).enumerate() {
                for tile in 0..tiles {
                    self.convert_b(asm, n * group, factors, tile);
                    for (pointer, at) in [(ON_STACK, STACK), (ROW_OF_A, self.distances_of_a())] {
                        let at = Mem::at(Register::RSP, at);
                        asm.op(Code::Lea_r64_m, &[pointer.into(), at.into()]);
                    }
                    let pointers = [(ON_STACK, Step::Row(4)), (ROW_OF_A, Step::Row(1))];
                    let group = Group {
                        product: self,
                        first: n * group,
                        factors,
                    };
                    self.rounds_by(ROWS, asm, block, &pointers, |asm, i, rows| {
                        group.rows(asm, i, from_fn(|n| rows[n * tiles + tile].1));
                    });
                }
            }
        }
    }

    /// Whether the accumulator is not a constant that the code does not support.
    pub(super) fn suits_fused(&self) -> bool {
        let [low, high] = LIMITS_OF_C;
        match self.op.c {
            Addend::Registers(_) => true,
            Addend::Every(bits) if self.is_in_halves() => {
                // Small integers are denormals.
                let magnitude = bits as u32 & 0x7fff_ffff;
                magnitude == 0 || (low..high).contains(&magnitude)
            }
            Addend::Every(bits) => !f32::from_bits(bits as u32).is_nan(),
        }
    }

    /// Whether products of even and of odd k are summed apart.
    fn is_in_halves(&self) -> bool {
        matches!(self.op.instruction.rule(), Rule::FusedHalves { .. })
    }

    /// Elements of A in a lane: planes of values on the stack.
    fn planes_of_a(&self) -> u32 {
        self.shape().a_elements() as u32
    }

    /// The part of the stack for bytes of A: as many planes of them.
    fn distances_of_a(&self) -> u32 {
        STACK + REGISTER * self.planes_of_a()
    }

    /// The part of the stack for bytes of B: each of them four times.
    fn distances_of_b(&self) -> u32 {
        self.distances_of_a() + REGISTER / 4 * self.planes_of_a()
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
                set(asm, SPARE, 0x8080_8080);
                asm.op(Code::VEX_Kxorq_kr_kr_kr, &[MASK.into(); 3]);
                for tile in tiles {
                    let (other, equal) = (Register::K6, Code::EVEX_Vpcmpeqb_kr_k1_zmm_zmmm512);
                    asm.op(equal, &[other.into(), SPARE.into(), tile.into()]);
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
        let mut tiles = (0..4 * self.shape().d_registers() as u32).map(|n| self.at(c, TILE * n));
        if self.is_in_halves() {
            range::leave_outside(asm, Width::Dwords, tiles, |_, _| {}, LIMITS_OF_C, slow);
            return;
        }
        for mask in NO_NAN {
            asm.op(Code::VEX_Kxnorw_kr_kr_kr, &[mask.into(); 3]);
        }
        for n in 0.. {
            let Some([first, second]) = tiles.next().zip(tiles.next()).map(<[Mem; 2]>::from) else {
                break;
            };
            let value = zmm(PRODUCTS + n % PRODUCT_REGISTERS);
            asm.op(LOAD, &[value.into(), first.into()]);
            note_nans(asm, n as usize, value, second);
        }
        leave_if_nan(asm, slow);
    }

    /// Converts A to planes of 64 lanes.
    fn convert_a(&self, asm: &mut Asm) {
        let element = self.shape().a;
        let in_dword = 32 / element.bits();
        for register in 0..self.shape().a_registers() as u32 {
            for tile in 0..4 {
                let from = self.at(self.op.a, REGISTER * register + TILE * tile);
                factors::load(asm, element, BIAS_OF_A, from);
                for n in 0..in_dword {
                    let [value, distance] = [zmm(PRODUCTS), zmm(PRODUCTS + 1)];
                    convert(asm, (element, n), BIAS_OF_A, value, distance);
                    let at = REGISTER * (in_dword * register + n) + TILE * tile;
                    let to = Mem::at(Register::RSP, STACK + at);
                    asm.op(STORE, &[to.into(), value.into()]);
                    let to = Mem::at(Register::RSP, self.distances_of_a() + at / 4);
                    let narrow = Code::EVEX_Vpmovdb_xmmm128_k1z_zmm;
                    asm.op(narrow, &[to.into(), distance.into()]);
                }
            }
        }
    }

    /// Converts a tile of rows of B from row `first` on: values to registers, bytes to the stack.
    fn convert_b(&self, asm: &mut Asm, first: usize, factors: &[Factors], tile: usize) {
        let element = self.shape().b;
        let in_dword = 32 / element.bits();
        let each_four = [0, 4, 8, 12].map(|lane| lane * 0x0101_0101);
        let each_four = asm.constant_row(&[each_four; 4].concat());
        for (k, factors) in (0..).zip(factors) {
            let (value, distance) = (zmm(OF_B + k), zmm(PRODUCTS));
            let n = (first as u32 + k) % self.shape().b_elements() as u32 % in_dword;
            if n == 0 {
                let from = self.at(self.op.b, factors.b[tile]);
                factors::load(asm, element, BIAS_OF_B, from);
            }
            convert(asm, (element, n), BIAS_OF_B, value, distance);
            let copy = Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;
            op(asm, copy, distance, distance, Mem::at(CONSTANTS, each_four));
            let to = Mem::at(Register::RSP, self.distances_of_b() + TILE * k);
            asm.op(STORE, &[to.into(), distance.into()]);
        }
    }
}

/// A group of products that are added at once.
struct Group<'p> {
    product: &'p Product<'p>,
    /// The k of the first.
    first: usize,
    factors: &'p [Factors],
}

impl Group<'_> {
    /// Adds the group to a tile of each of four rows from `i` on, which are `at` these places.
    fn rows(&self, asm: &mut Asm, i: usize, at: [u32; ROWS]) {
        let in_halves = self.product.is_in_halves();
        for (parity, to) in (0..=u32::from(in_halves)).zip(DISTANCES) {
            self.least_distances(asm, i, parity, to);
        }
        if in_halves {
            for (n, at) in at.into_iter().enumerate() {
                self.add_in_halves(asm, i + n, at);
            }
            return;
        }
        for (n, row) in settle::ROWS.iter().enumerate() {
            scale_of_row(asm, DISTANCES[0], i + n, row.scale);
            self.truncated(asm, i + n, 0, row.scale, row.sum);
        }
        for (pair, at) in settle::ROWS.as_chunks().0.iter().zip(at.chunks(2)) {
            for (row, at) in pair.iter().zip(at) {
                self.load(asm, row.accumulator, *at);
            }
            settle::add(asm, pair);
            for (row, at) in pair.iter().zip(at) {
                let to = Mem::at(ROW_OF_D, *at);
                asm.op(STORE, &[to.into(), row.accumulator.into()]);
            }
        }
    }

    /// Adds products of even and of odd k to a tile of a row.
    fn add_in_halves(&self, asm: &mut Asm, i: usize, at: u32) {
        self.load(asm, fixed_point::ACCUMULATOR, at);
        for (parity, [exponent, sum]) in (0..).zip([fixed_point::EVEN, fixed_point::ODD]) {
            scale_of_row(asm, DISTANCES[parity as usize], i, SPARE);
            set(asm, exponent, (BIAS + 127) << 23);
            op(asm, LESS, exponent, exponent, SPARE);
            op(asm, RIGHT, exponent, exponent, 23);
            self.truncated(asm, i, parity, SPARE, sum);
        }
        fixed_point::join_halves(asm);
        fixed_point::add(asm);
        let to = Mem::at(ROW_OF_D, at);
        asm.op(STORE, &[to.into(), fixed_point::HIGH.into()]);
    }

    /// Loads a tile of the accumulator: of C, or of the sum so far.
    fn load(&self, asm: &mut Asm, to: Register, at: u32) {
        if self.first == 0 {
            return self.product.load_c(asm, to, at);
        }
        let d = Mem::at(ROW_OF_D, at);
        asm.op(LOAD, &[to.into(), d.into()]);
    }

    /// The k of products that are summed: all, or those of a parity.
    fn every(&self, parity: u32) -> impl Iterator<Item = u32> {
        let step = if self.product.is_in_halves() { 2 } else { 1 };
        (parity..self.factors.len() as u32).step_by(step)
    }

    /// The distance of A's factor `k` in row 0. Elements of a lane are in planes; a lane may hold fewer than a group has, or more.
    fn of_a(&self, k: u32) -> u32 {
        let plane = (self.first as u32 + k) % self.product.planes_of_a();
        REGISTER * plane + self.factors[k as usize].a % REGISTER
    }

    /// Computes what the largest exponents of some products are below the bias, in four rows and a tile of columns.
    fn least_distances(&self, asm: &mut Asm, i: usize, parity: u32, least: Register) {
        let minimum = Code::EVEX_Vpminub_zmm_k1z_zmm_zmmm512;
        for (n, k) in (0..).zip(self.every(parity)) {
            let sum = zmm(PRODUCTS + n % PRODUCT_REGISTERS);
            let to = if n == 0 { least } else { sum };
            let of_a = Mem::at(ROW_OF_A, self.of_a(k) / 4 + i as u32);
            let of_b = Mem::at(Register::RSP, self.product.distances_of_b() + TILE * k);
            asm.op(EACH, &[to.into(), of_a.into()]);
            op(asm, Code::EVEX_Vpaddusb_zmm_k1z_zmm_zmmm512, to, to, of_b);
            if n > 0 {
                op(asm, minimum, least, least, sum);
            }
        }
        if self.product.is_in_halves() {
            let most = asm.constant_row(&[MOST_DISTANT * 0x0101_0101; 16]);
            op(asm, minimum, least, least, Mem::at(CONSTANTS, most));
        }
    }

    /// Computes the sum of some products, after truncation, in row `i`. If all are zeros, the scale is infinite: products become NaNs,
    /// integers of 2^31, and their sum zero, as their number is even.
    fn truncated(&self, asm: &mut Asm, i: usize, parity: u32, scale: Register, sum: Register) {
        let ks: Vec<u32> = self.every(parity).collect();
        debug_assert!(ks.len().is_multiple_of(2), "sums of zeros are zero");
        let product = |n: usize| zmm(PRODUCTS + n as u32 % PRODUCT_REGISTERS);
        let stage = |asm: &mut Asm, stage: usize, n: usize| {
            let product = product(n);
            match stage {
                0 => {
                    let at = self.of_a(ks[n]) + 4 * i as u32;
                    let value = Arg::Each(Mem::at(ON_STACK, at));
                    op(asm, MULTIPLY, product, zmm(OF_B + ks[n]), value);
                }
                1 => op(asm, MULTIPLY, product, product, scale),
                2 => {
                    let truncate = Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
                    let to = if n == 0 { sum } else { product };
                    asm.op(truncate, &[to.into(), product.into()]);
                }
                _ if n > 0 => op(asm, ADD, sum, sum, product),
                _ => {}
            }
        };
        // Each instruction waits for another product's before the next of its own.
        for step in 0..ks.len() + STAGES - 1 {
            for (n, at) in (0..STAGES).filter_map(|at| step.checked_sub(at).map(|n| (n, at))) {
                if n < ks.len() {
                    stage(asm, at, n);
                }
            }
        }
    }
}

/// The power of two that gives the largest exponent in row `i` of four 24.
fn scale_of_row(asm: &mut Asm, distances: Register, i: usize, to: Register) {
    match i % 4 {
        3 => op(asm, RIGHT, to, distances, 1),
        i => op(asm, LEFT, to, distances, 23 - 8 * i as u8),
    }
    let exponent = each(asm, 0x7f80_0000);
    op(asm, AND, to, to, exponent);
}
