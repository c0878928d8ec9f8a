//! Blocks of 16×16 and 32×32 of f16 or bf16 by the rule of gfx908: the exact sum of the accumulator and some products, rounded once.
//!
//! Doubles hold nearly all such sums, and the host says when they do not: an operation that rounds sets a flag. If it is set in the
//! end, the slow path computes the product. So accumulators that results overwrite are kept on the stack until then.

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::Addend;
use wavetank_matrix::ElementType;

use super::common::{
    LOAD, MOST_OF_B, OF_B, OF_D, ON_STACK, Product, REGISTER, ROW_OF_A, ROW_OF_D, STACK, STORE,
    Step, TILE, XOR, advance, begin, bytes, note_nans, repeat, widen, ymm, zmm,
};
use super::rows::Factors;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under};

/// MXCSR of programs, without flags; its slots on the stack, and its flag of inexact results.
const MXCSR: u32 = 0x1f80;
const OLD_MXCSR: u32 = 0;
const NEW_MXCSR: u32 = 16;
const INEXACT: u32 = 1 << 5;

/// A tile of dwords to convert.
const RAW: Register = Register::ZMM0;
const SINGLES: Register = Register::ZMM1;
const DOUBLES: Register = Register::ZMM2;
const ZERO: Register = Register::ZMM3;

/// Rows whose sums are computed at once, so that additions of one do not wait for each other.
const ROWS: usize = 4;
/// Half tiles of a row for which there are registers.
const MOST_HALVES: usize = 2;

const WIDEN: Code = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;

/// Eight columns of a block: half of a tile.
struct Half {
    tile: usize,
    upper: bool,
}

impl Half {
    /// The place of its columns, where `tile` is that of the tile.
    fn at(&self, tile: u32) -> u32 {
        tile + u32::from(self.upper) * TILE / 2
    }
}

/// Half of a tile of a row that is computed.
struct Sum {
    d: Register,
    /// The distance from [`ROW_OF_D`].
    at: u32,
    row: usize,
    /// The number of the first row of B, in the registers of B.
    first: usize,
}

impl Product<'_> {
    pub(super) fn exact(&self, asm: &mut Asm, group: usize, slow: Label) {
        let fresh = asm.constant(MXCSR);
        let old = Mem::at(Register::RSP, OLD_MXCSR);
        asm.op(Code::VEX_Vstmxcsr_m32, &[old.into()]);
        asm.op(Code::VEX_Vldmxcsr_m32, &[fresh.into()]);
        self.doubles_of_a(asm);
        asm.op(XOR, &[ZERO.into(); 3]);
        for block in 0..self.shape().blocks.into() {
            let factors = self.factors(block, 1);
            let tiles = factors[0].b.len();
            let halves: Vec<Half> = (0..2 * tiles)
                .map(|n| Half {
                    tile: n / 2,
                    upper: n % 2 == 1,
                })
                .collect();
            for halves in halves.chunks((MOST_OF_B / factors.len()).min(MOST_HALVES)) {
                for (n, half) in halves.iter().enumerate() {
                    self.doubles_of_b(asm, &factors, half, n * factors.len());
                }
                self.columns(asm, block, group, &factors, halves);
            }
        }
        let flags = Mem::at(Register::RSP, NEW_MXCSR);
        asm.op(Code::VEX_Vstmxcsr_m32, &[flags.into()]);
        asm.op(Code::VEX_Vldmxcsr_m32, &[old.into()]);
        let test = Code::Test_rm32_imm32;
        asm.with_constant(test, flags.into(), INEXACT as i32, false);
        if !self.overwrites_c() {
            return asm.jump(Code::Jne_rel32_64, slow);
        }
        let done = asm.label();
        asm.jump(Code::Je_rel32_64, done);
        self.restore_c(asm);
        asm.jump(Code::Jmp_rel32_64, slow);
        asm.place(done);
    }

    /// Whether C is in the registers of D.
    fn overwrites_c(&self) -> bool {
        matches!(self.op.c, Addend::Registers(c) if c == self.op.d)
    }

    /// The part of the stack for accumulators, which lie as in D.
    fn kept(&self) -> u32 {
        STACK + 2 * REGISTER * self.shape().a_elements() as u32
    }

    /// Converts eight of the singles to doubles.
    fn to_doubles(&self, asm: &mut Asm, to: Register, half: usize) {
        let mut from = ymm(SINGLES);
        if half == 1 {
            from = ymm(DOUBLES);
            let upper = Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8;
            asm.op(upper, &[from.into(), SINGLES.into(), Arg::I(1)]);
        }
        asm.op(WIDEN, &[to.into(), from.into()]);
    }

    /// Converts A to planes of 64 doubles on the stack.
    fn doubles_of_a(&self, asm: &mut Asm) {
        for register in 0..self.shape().a_registers() as u32 {
            for tile in 0..4 {
                let from = self.at(self.op.a, REGISTER * register + TILE * tile);
                asm.op(LOAD, &[RAW.into(), from.into()]);
                for n in 0..2 {
                    widen(asm, self.shape().a, RAW, n, SINGLES);
                    for half in 0..2 {
                        self.to_doubles(asm, DOUBLES, half);
                        let plane = 2 * REGISTER * (2 * register + n as u32);
                        let at = plane + TILE * (2 * tile + half as u32);
                        let to = Mem::at(Register::RSP, STACK + at);
                        asm.op(STORE, &[to.into(), DOUBLES.into()]);
                    }
                }
            }
        }
    }

    /// Converts eight columns of B, to registers from number `first` on.
    fn doubles_of_b(&self, asm: &mut Asm, factors: &[Factors], half: &Half, first: usize) {
        for (k, factors) in factors.iter().enumerate() {
            let from = self.at(self.op.b, half.at(factors.b[half.tile]));
            let load = Code::EVEX_Vmovups_ymm_k1z_ymmm256;
            asm.op(load, &[ymm(RAW).into(), from.into()]);
            widen(asm, self.shape().a, RAW, k % 2, SINGLES);
            let to = zmm(OF_B + (first + k) as u32);
            asm.op(WIDEN, &[to.into(), ymm(SINGLES).into()]);
        }
    }

    /// Computes columns of a block.
    fn columns(
        &self,
        asm: &mut Asm,
        block: usize,
        group: usize,
        factors: &[Factors],
        halves: &[Half],
    ) {
        let stack = Mem::at(Register::RSP, STACK);
        asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
        let block_of_d = bytes(self.shape().place_of_d(block, 0, 0));
        let kept = Mem::at(Register::RSP, self.kept() + block_of_d);
        asm.op(Code::Lea_r64_m, &[ROW_OF_A.into(), kept.into()]);
        let pointers = [(ON_STACK, Step::Row(8)), (ROW_OF_A, Step::WithD)];
        let tiles_of_row = factors[0].b.len();
        self.rounds_by(ROWS, asm, block, &pointers, |asm, i, tiles| {
            let mut sums = Vec::new();
            for (row, tiles) in (i..).zip(tiles.chunks(tiles_of_row)) {
                for (n, half) in halves.iter().enumerate() {
                    let d = zmm(OF_D + sums.len() as u32);
                    sums.push(Sum {
                        d,
                        at: half.at(tiles[half.tile].1),
                        row,
                        first: n * factors.len(),
                    });
                }
            }
            self.add_products(asm, &sums, group, factors);
        });
    }

    /// Computes some sums.
    fn add_products(&self, asm: &mut Asm, sums: &[Sum], group: usize, factors: &[Factors]) {
        for sum in sums {
            self.load_singles_of_c(asm, sum.d, sum.at);
        }
        for (n, ks) in factors.chunks(group).enumerate() {
            for sum in sums {
                self.widen_sum(asm, sum.d, n);
            }
            for (e, factors) in ks.iter().enumerate() {
                for sum in sums {
                    self.multiply(asm, sum, n * group + e, factors);
                }
            }
            for sum in sums {
                round_to_single(asm, sum.d);
            }
        }
        let store = Code::EVEX_Vmovups_ymmm256_k1z_ymm;
        for (n, pair) in sums.chunks(2).enumerate() {
            for sum in pair {
                let to = Mem::at(ROW_OF_D, sum.at);
                asm.op(store, &[to.into(), ymm(sum.d).into()]);
            }
            // The upper halves of the registers are zero.
            note_nans(asm, n, pair[0].d, pair[pair.len() - 1].d);
        }
    }

    fn multiply(&self, asm: &mut Asm, sum: &Sum, k: usize, factors: &Factors) {
        let lane = factors.a % REGISTER + 4 * sum.row as u32;
        let plane = (k % self.shape().a_elements()) as u32;
        let a = Arg::Each(Mem::at(ON_STACK, 2 * (REGISTER * plane + lane)));
        let b = zmm(OF_B + (sum.first + k) as u32);
        let fma = Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er;
        asm.op(fma, &[sum.d.into(), b.into(), a]);
    }

    /// Converts eight sums to doubles, those of group `n`. Negative zeros become positive: results are, if they are zero. Among
    /// sums of halves there are none after the first group, but a product of bf16 may be so small that its rounded sum is zero.
    fn widen_sum(&self, asm: &mut Asm, d: Register, n: usize) {
        if n == 0 || self.shape().a == ElementType::Bf16 {
            let add = Code::EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32;
            asm.op(add, &[ymm(d).into(), ymm(d).into(), ymm(ZERO).into()]);
        }
        asm.op(WIDEN, &[d.into(), ymm(d).into()]);
    }

    fn load_singles_of_c(&self, asm: &mut Asm, to: Register, at: u32) {
        let to = ymm(to);
        match self.op.c {
            Addend::Registers(c) => {
                let load = Code::EVEX_Vmovups_ymm_k1z_ymmm256;
                asm.op(load, &[to.into(), self.in_c(c, at).into()]);
                if self.overwrites_c() {
                    let store = Code::EVEX_Vmovups_ymmm256_k1z_ymm;
                    asm.op(store, &[Mem::at(ROW_OF_A, at).into(), to.into()]);
                }
            }
            Addend::Every(bits) => {
                let value = asm.constant(bits as u32);
                let each = Code::EVEX_Vbroadcastss_ymm_k1z_xmmm32;
                asm.op(each, &[to.into(), value.into()]);
            }
        }
    }

    /// Copies the accumulators back to D.
    fn restore_c(&self, asm: &mut Asm) {
        let from = Mem::at(Register::RSP, self.kept());
        let to = self.at(self.op.d, 0);
        for (pointer, at) in [(ROW_OF_A, from), (ROW_OF_D, to)] {
            asm.op(Code::Lea_r64_m, &[pointer.into(), at.into()]);
        }
        let again = begin(asm, 4 * self.shape().d_registers());
        let [from, to] = [ROW_OF_A, ROW_OF_D].map(|base| Mem::at(base, 0));
        asm.op(LOAD, &[RAW.into(), from.into()]);
        asm.op(STORE, &[to.into(), RAW.into()]);
        for pointer in [ROW_OF_A, ROW_OF_D] {
            advance(asm, pointer, TILE);
        }
        repeat(asm, again);
    }
}

/// Rounds eight sums, which sets no flag.
fn round_to_single(asm: &mut Asm, d: Register) {
    let narrow = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
    let nearest = RoundingControl::RoundToNearest;
    asm.rounded(narrow, nearest, Under::All, &[ymm(d).into(), d.into()]);
}
