//! Blocks of 16×16 and 32×32 of f16 or bf16 by the rule of gfx908: the exact sum of the accumulator and some products, rounded once.
//!
//! Doubles hold nearly all such sums, and the host says when they do not: an operation that rounds sets a flag. So results are
//! kept on the stack until the flag has been read; if it is set, the slow path computes the product.

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::Addend;

use super::common::{
    LOAD, OF_B, OF_D, ON_STACK, Product, REGISTER, ROW_OF_A, ROW_OF_D, STACK, STORE, Step, TILE,
    XOR, advance, begin, bytes, note_nans, repeat, widen, ymm, zmm,
};
use super::rows::Factors;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed};

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

const WIDEN: Code = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;

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
            for tile in 0..factors[0].b.len() {
                for half in 0..2 {
                    self.doubles_of_b(asm, &factors, tile, half);
                    self.columns(asm, block, group, &factors, tile, half);
                }
            }
        }
        let flags = Mem::at(Register::RSP, NEW_MXCSR);
        asm.op(Code::VEX_Vstmxcsr_m32, &[flags.into()]);
        asm.op(Code::VEX_Vldmxcsr_m32, &[old.into()]);
        let test = Code::Test_rm32_imm32;
        asm.with_constant(test, flags.into(), INEXACT as i32, false);
        asm.jump(Code::Jne_rel32_64, slow);
        self.take_results(asm);
    }

    /// The part of the stack for results, which lie as in D.
    fn results(&self) -> u32 {
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

    /// Converts eight columns of B.
    fn doubles_of_b(&self, asm: &mut Asm, factors: &[Factors], tile: usize, half: usize) {
        for (k, factors) in factors.iter().enumerate() {
            let from = self.at(self.op.b, factors.b[tile]);
            asm.op(LOAD, &[RAW.into(), from.into()]);
            widen(asm, self.shape().a, RAW, k % 2, SINGLES);
            self.to_doubles(asm, zmm(OF_B + k as u32), half);
        }
    }

    /// Computes eight columns of a block.
    fn columns(
        &self,
        asm: &mut Asm,
        block: usize,
        group: usize,
        factors: &[Factors],
        tile: usize,
        half: usize,
    ) {
        let stack = Mem::at(Register::RSP, STACK);
        asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
        let block_of_d = bytes(self.shape().place_of_d(block, 0, 0));
        let results = Mem::at(Register::RSP, self.results() + block_of_d);
        asm.op(Code::Lea_r64_m, &[ROW_OF_A.into(), results.into()]);
        let pointers = [(ON_STACK, Step::Row(8)), (ROW_OF_A, Step::WithD)];
        self.rounds(asm, block, &pointers, |asm, i, row| {
            let at = row[tile].1 + TILE / 2 * half as u32;
            let d = zmm(OF_D + i as u32);
            self.load_doubles_of_c(asm, d, at);
            for (n, ks) in factors.chunks(group).enumerate() {
                if n > 0 {
                    asm.op(WIDEN, &[d.into(), ymm(d).into()]);
                }
                for (e, factors) in ks.iter().enumerate() {
                    self.multiply(asm, d, i, n * group + e, factors);
                }
                self.round_to_single(asm, d);
            }
            let store = Code::EVEX_Vmovups_ymmm256_k1z_ymm;
            asm.op(store, &[Mem::at(ROW_OF_A, at).into(), ymm(d).into()]);
        });
    }

    fn multiply(&self, asm: &mut Asm, d: Register, i: usize, k: usize, factors: &Factors) {
        let lane = factors.a % REGISTER + 4 * i as u32;
        let plane = (k % self.shape().a_elements()) as u32;
        let a = Arg::Each(Mem::at(ON_STACK, 2 * (REGISTER * plane + lane)));
        let fma = Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er;
        asm.op(fma, &[d.into(), zmm(OF_B + k as u32).into(), a]);
    }

    /// Rounds a sum, which sets no flag. A sum of zeros is positive.
    fn round_to_single(&self, asm: &mut Asm, d: Register) {
        let add = Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
        asm.op(add, &[d.into(), d.into(), ZERO.into()]);
        let narrow = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
        let nearest = RoundingControl::RoundToNearest;
        asm.rounded(narrow, nearest, Under::All, &[ymm(d).into(), d.into()]);
    }

    fn load_doubles_of_c(&self, asm: &mut Asm, to: Register, at: u32) {
        match self.op.c {
            Addend::Registers(c) => asm.op(WIDEN, &[to.into(), self.in_c(c, at).into()]),
            Addend::Every(bits) => {
                let value = f64::from(f32::from_bits(bits as u32)).to_bits();
                let value = asm.wide_constant(value);
                let each = Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64;
                asm.op(each, &[to.into(), value.into()]);
            }
        }
    }

    /// Copies the results to D.
    fn take_results(&self, asm: &mut Asm) {
        let from = Mem::at(Register::RSP, self.results());
        let to = Mem::at(fixed::VECTOR, REGISTER * u32::from(self.op.d));
        for (pointer, at) in [(ROW_OF_A, from), (ROW_OF_D, to)] {
            asm.op(Code::Lea_r64_m, &[pointer.into(), at.into()]);
        }
        let again = begin(asm, self.shape().d_registers());
        for n in 0..4 {
            let d = zmm(OF_D + n);
            let [from, to] = [ROW_OF_A, ROW_OF_D].map(|base| Mem::at(base, TILE * n));
            asm.op(LOAD, &[d.into(), from.into()]);
            note_nans(asm, n as usize, d, d);
            asm.op(STORE, &[to.into(), d.into()]);
        }
        for pointer in [ROW_OF_A, ROW_OF_D] {
            advance(asm, pointer, REGISTER);
        }
        repeat(asm, again);
    }
}
