//! 16×16 in double precision.

use iced_x86::{Code, Register};
use wavetank_ir::Addend;
use wavetank_matrix::NAN_F64;

use super::common::{
    FACTOR, LOAD, NO_NAN, OF_B, OF_D, ON_STACK, Product, REGISTER, ROW_OF_D, SIGNS, STACK, STORE,
    TILE, advance, begin, repeat, zmm,
};
use crate::compiler::asm::{Arg, Asm, Mem, Under};

impl Product<'_> {
    pub(super) fn doubles(&self, asm: &mut Asm) {
        let nan = asm.wide_constant(NAN_F64);
        let each = Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64;
        asm.op(each, &[SIGNS.into(), nan.into()]);
        for k in 0..4 {
            // Interleaved, the low half has columns 0, 1, 4, 5, 8, … of the row, and the high half the others.
            let b = [0, 1].map(|half| zmm(OF_B + 2 * k + half));
            interleave(
                asm,
                b,
                self.at(self.op.b, TILE * k),
                self.at(self.op.b + 1, TILE * k),
            );
            let a = [zmm(OF_D), zmm(OF_D + 1)];
            interleave(
                asm,
                a,
                self.at(self.op.a, TILE * k),
                self.at(self.op.a + 1, TILE * k),
            );
            for (half, a) in (0..).zip(a) {
                let to = Mem::at(Register::RSP, STACK + TILE * (2 * k + half));
                asm.op(STORE, &[to.into(), a.into()]);
            }
        }
        let stack = Mem::at(Register::RSP, STACK);
        asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
        asm.op(
            Code::Lea_r64_m,
            &[ROW_OF_D.into(), self.at(self.op.d, 0).into()],
        );
        let again = begin(asm, 4);
        for i in 0..4 {
            self.row_of_doubles(asm, i);
        }
        // Two doubles of each half.
        advance(asm, ON_STACK, 16);
        advance(asm, ROW_OF_D, 2 * REGISTER);
        repeat(asm, again);
    }

    /// A row of 16 doubles: `i` of four.
    fn row_of_doubles(&self, asm: &mut Asm, i: u32) {
        let halves = [0, REGISTER].map(|of| TILE * i + of);
        let [first, second] = [0, 1].map(|n| zmm(OF_D + 2 * i + n));
        match self.op.c {
            Addend::Registers(_) => {
                let [low, high] = [FACTOR, zmm(2)];
                self.load_c(asm, low, halves[0]);
                self.load_c(asm, high, halves[1]);
                for (code, to) in [(INTERLEAVE[0], first), (INTERLEAVE[1], second)] {
                    asm.op(code, &[to.into(), low.into(), high.into()]);
                }
            }
            Addend::Every(bits) => {
                let bits = asm.wide_constant(bits);
                let each = Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64;
                for to in [first, second] {
                    asm.op(each, &[to.into(), bits.into()]);
                }
            }
        }
        for k in 0..4 {
            let a = Arg::Each(Mem::at(ON_STACK, 2 * TILE * k + i / 2 * TILE + i % 2 * 8));
            for (half, d) in (0..).zip([first, second]) {
                let b = zmm(OF_B + 2 * k + half);
                let fma = Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er;
                asm.op(fma, &[d.into(), b.into(), a]);
            }
        }
        for d in [first, second] {
            let (mask, unordered) = (NO_NAN[0], 3u8.into());
            let compare = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
            asm.op(compare, &[mask.into(), d.into(), d.into(), unordered]);
            let copy = Code::EVEX_Vmovapd_zmm_k1z_zmmm512;
            asm.under(copy, Under::Merge(mask), &[d.into(), SIGNS.into()]);
        }
        for (order, at) in [(0x88, halves[0]), (0xdd, halves[1])] {
            let part = Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8;
            asm.op(
                part,
                &[FACTOR.into(), first.into(), second.into(), Arg::I(order)],
            );
            asm.op(STORE, &[Mem::at(ROW_OF_D, at).into(), FACTOR.into()]);
        }
    }
}

/// Makes doubles of low and high dwords: of two in each four, and of the other two.
const INTERLEAVE: [Code; 2] = [
    Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32,
];

fn interleave(asm: &mut Asm, to: [Register; 2], low: Mem, high: Mem) {
    asm.op(LOAD, &[FACTOR.into(), low.into()]);
    for (code, to) in INTERLEAVE.into_iter().zip(to) {
        asm.op(code, &[to.into(), FACTOR.into(), high.into()]);
    }
}
