//! Blocks of 16×16 and 32×32 of f16 or bf16 by the rule of gfx90a: products added in pairs, denormals flushed.
//!
//! Factors are converted to singles, B's into registers, A's onto the stack. Products of halves are exact then, and so are those of
//! bf16 that are neither small nor large: a pair of them is summed by a fused multiply-add, and no result is denormal. Products of
//! other bf16 take the slow path. (`wavetank_matrix` has the reasons, in its kernel of this rule.)

use iced_x86::{Code, Register};
use wavetank_matrix::ElementType;

use super::common::{
    EACH, FMA, LOAD, MOST_OF_B, OF_B, ON_STACK, Product, REGISTER, ROW_OF_D, STACK, STORE, Step,
    TILE, XOR, note_nans, widen, zmm,
};
use super::range::{self, Width};
use super::rows::Factors;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under};

/// A tile of dwords to convert, and its absolute values.
const PAIRS: Register = Register::ZMM0;
const ABSOLUTE: Register = Register::ZMM1;
/// Constants in each word: 0x7fff, 1, and the number of denormals of a sign.
const MAGNITUDE: Register = Register::ZMM2;
const ONE: Register = Register::ZMM3;
const DENORMALS: Register = Register::ZMM4;
const RESULT: Register = Register::ZMM7;
const MASK: Register = Register::K5;

/// Sums of products, and factors of A in every lane.
const SUMS: [Register; 2] = [Register::ZMM0, Register::ZMM1];
const FACTORS: u32 = 2;

/// The absolute values of bf16 between which products are exact, and sums no denormals: 2^-40 and 2^41.
const LIMITS: [u32; 2] = [(127 - 40) << 7, (127 + 41) << 7];
const WORDS: u32 = 0x0001_0001;

const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const COMPARE: Code = Code::EVEX_Vpcmpuw_kr_k1_zmm_zmmm512_imm8;

impl Product<'_> {
    pub(super) fn halves(&self, asm: &mut Asm, group: usize, slow: Label) {
        if self.may_leave() {
            self.look_at_exponents(asm, slow);
        }
        self.widen_a(asm);
        for block in 0..self.shape().blocks.into() {
            let factors = self.factors(block, 1);
            self.widen_b(asm, &factors);
            let stack = Mem::at(Register::RSP, STACK);
            asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
            self.rounds(asm, block, &[(ON_STACK, Step::Row(4))], |asm, i, row| {
                self.row_of_halves(asm, i, group, &factors, row);
            });
        }
    }

    /// Whether factors are bf16.
    fn is_bf16(&self) -> bool {
        self.shape().a == ElementType::Bf16
    }

    fn set_constants(&self, asm: &mut Asm) {
        let denormals = if self.is_bf16() { 0x7f } else { 0x3ff };
        let constants = [(MAGNITUDE, 0x7fff), (ONE, 1), (DENORMALS, denormals)];
        for (to, word) in constants {
            let word = asm.constant(word * WORDS);
            asm.op(EACH, &[to.into(), word.into()]);
        }
    }

    /// Loads a tile of pairs with denormals as positive zeros.
    fn load_pairs(&self, asm: &mut Asm, from: Mem) {
        asm.op(LOAD, &[PAIRS.into(), from.into()]);
        self.flush_pairs(asm);
    }

    /// Makes denormals zeros: their absolute value, less one, is below their number; that of zero is not.
    fn flush_pairs(&self, asm: &mut Asm) {
        asm.op(AND, &[ABSOLUTE.into(), PAIRS.into(), MAGNITUDE.into()]);
        let less = Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512;
        asm.op(less, &[ABSOLUTE.into(), ABSOLUTE.into(), ONE.into()]);
        const NOT_LESS: u8 = 5;
        let args = [
            MASK.into(),
            ABSOLUTE.into(),
            DENORMALS.into(),
            NOT_LESS.into(),
        ];
        asm.op(COMPARE, &args);
        let copy = Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512;
        asm.under(copy, Under::Zero(MASK), &[PAIRS.into(), PAIRS.into()]);
    }

    /// Converts A: the lower halves of its first register are the first 64 singles on the stack, and so on.
    fn widen_a(&self, asm: &mut Asm) {
        self.set_constants(asm);
        for register in 0..self.shape().a_registers() as u32 {
            for tile in 0..4 {
                let from = self.at(self.op.a, REGISTER * register + TILE * tile);
                self.load_pairs(asm, from);
                for n in 0..2 {
                    widen(asm, self.shape().a, PAIRS, n, RESULT);
                    let plane = REGISTER * (2 * register + n as u32);
                    let to = Mem::at(Register::RSP, STACK + plane + TILE * tile);
                    asm.op(STORE, &[to.into(), RESULT.into()]);
                }
            }
        }
    }

    /// Converts rows of B: pairs of them.
    fn widen_b(&self, asm: &mut Asm, factors: &[Factors]) {
        self.set_constants(asm);
        let tiles = factors[0].b.len();
        debug_assert!(factors.len() * tiles <= MOST_OF_B, "there are registers");
        for (k, factors) in factors.iter().enumerate().step_by(2) {
            for (tile, at) in factors.b.iter().enumerate() {
                self.load_pairs(asm, self.at(self.op.b, *at));
                for upper in 0..2 {
                    let to = zmm(OF_B + ((k + upper) * tiles + tile) as u32);
                    widen(asm, self.shape().b, PAIRS, upper, to);
                }
            }
        }
    }

    /// Leaves if a factor is too small or too large, infinite, or a NaN.
    fn look_at_exponents(&self, asm: &mut Asm, slow: Label) {
        self.set_constants(asm);
        let tiles = self.tiles_of_factors();
        let flush = |asm: &mut Asm, _| self.flush_pairs(asm);
        range::leave_outside(asm, Width::Words, tiles, flush, LIMITS, slow);
    }

    /// A row of D: the registers of its tiles and their distances from [`ROW_OF_D`].
    fn row_of_halves(
        &self,
        asm: &mut Asm,
        i: usize,
        group: usize,
        factors: &[Factors],
        row: &[(Register, u32)],
    ) {
        for (d, at) in row {
            self.load_c(asm, *d, *at);
            const DENORMAL: u8 = 0x20;
            let class = Code::EVEX_Vfpclassps_kr_k1_zmmm512b32_imm8;
            asm.op(class, &[MASK.into(), (*d).into(), Arg::I(DENORMAL)]);
            asm.under(XOR, Under::Merge(MASK), &[(*d).into(); 3]);
        }
        for (n, factors) in factors.chunks(group).enumerate() {
            let at = |e: usize| {
                // Elements of a lane are in planes, of 64 lanes each.
                let lane = factors[0].a % REGISTER + 4 * i as u32;
                Mem::at(
                    ON_STACK,
                    REGISTER * (n * group + e) as u32 % self.planes() + lane,
                )
            };
            let each: Vec<Arg> = (0..group)
                .map(|e| {
                    if row.len() == 1 {
                        return Arg::Each(at(e));
                    }
                    let factor = zmm(FACTORS + e as u32);
                    asm.op(EACH, &[factor.into(), at(e).into()]);
                    factor.into()
                })
                .collect();
            for (tile, (d, _)) in row.iter().enumerate() {
                let b = |e: usize| zmm(OF_B + ((n * group + e) * row.len() + tile) as u32);
                for (pair, sum) in (0..group / 2).zip(SUMS) {
                    let [first, second] = [2 * pair, 2 * pair + 1];
                    let product = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
                    asm.op(product, &[sum.into(), b(first).into(), each[first]]);
                    asm.op(FMA, &[sum.into(), b(second).into(), each[second]]);
                }
                let add = Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
                if group == 4 {
                    asm.op(add, &[SUMS[0].into(), SUMS[0].into(), SUMS[1].into()]);
                }
                asm.op(add, &[(*d).into(), (*d).into(), SUMS[0].into()]);
            }
        }
        for (d, at) in row {
            asm.op(STORE, &[Mem::at(ROW_OF_D, *at).into(), (*d).into()]);
        }
        note_nans(asm, i, row[0].0, row[row.len() - 1].0);
    }

    /// The bytes of all planes of A.
    fn planes(&self) -> u32 {
        2 * REGISTER * self.shape().a_registers() as u32
    }
}
