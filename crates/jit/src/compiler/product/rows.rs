//! Blocks of 16×16 and 32×32 of dwords. What is multiplied at once is a dword of A and a dword of each lane of B: a single, or four
//! bytes.

use iced_x86::{Code, Register};

use super::common::{
    DOT, EACH, FACTOR, FMA, LOAD, MOST_OF_B, Numbers, OF_B, ON_STACK, Product, ROW_OF_A, ROW_OF_D,
    SIGNS, STACK, STORE, Step, TILE, XOR, bytes, note_nans, zmm,
};
use crate::compiler::asm::{Arg, Asm, Mem};

/// The factors of a row of A and of rows of B that are multiplied at once: distances from the first register of A, in row 0, and
/// of B, for each tile of its row.
pub(super) struct Factors {
    pub(super) a: u32,
    pub(super) b: Vec<u32>,
}

impl Product<'_> {
    pub(super) fn dwords(&self, asm: &mut Asm) {
        for block in 0..self.shape().blocks.into() {
            self.block(asm, block);
        }
    }

    /// The factors of a block: of each `step`th k.
    pub(super) fn factors(&self, block: usize, step: usize) -> Vec<Factors> {
        let (shape, instruction) = (self.shape(), &self.op.instruction);
        let of = |k: usize| {
            let tile = |j: usize| {
                let mut b = shape.place_of_b(block, k, j);
                b.lane = instruction.lane_of_b(b.lane);
                bytes(b)
            };
            Factors {
                a: bytes(shape.place_of_a(instruction.block_of_a(block), 0, k)),
                b: (0..shape.n.into()).step_by(16).map(tile).collect(),
            }
        };
        (0..shape.k.into()).step_by(step).map(of).collect()
    }

    fn block(&self, asm: &mut Asm, block: usize) {
        let in_dword = (32 / self.shape().a.bits()) as usize;
        let factors = self.factors(block, in_dword);
        let of_b = factors.iter().flat_map(|factors| &factors.b);
        debug_assert!(of_b.clone().count() <= MOST_OF_B, "there are registers");
        let mut pointers = vec![(ROW_OF_A, Step::Row(4))];
        if self.numbers == Numbers::Bytes {
            self.correct(asm, &factors);
            pointers.push((ON_STACK, Step::Row(4)));
        }
        for (n, at) in of_b.enumerate() {
            let (to, from) = (zmm(OF_B + n as u32), self.at(self.op.b, *at));
            match self.numbers {
                Numbers::Bytes => asm.op(XOR, &[to.into(), SIGNS.into(), from.into()]),
                _ => asm.op(LOAD, &[to.into(), from.into()]),
            }
        }
        let a = self.at(self.op.a, 0);
        asm.op(Code::Lea_r64_m, &[ROW_OF_A.into(), a.into()]);
        self.rounds(asm, block, &pointers, |asm, i, row| {
            self.row(asm, i, &factors, row);
        });
    }

    /// A row of D: the registers of its tiles and their distances from [`ROW_OF_D`].
    fn row(&self, asm: &mut Asm, i: usize, factors: &[Factors], row: &[(Register, u32)]) {
        let of_row = 4 * i as u32;
        for (d, at) in row {
            self.load_c(asm, *d, *at);
            if self.numbers == Numbers::Bytes {
                let excess = Arg::Each(Mem::at(ON_STACK, of_row));
                let less = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
                asm.op(less, &[(*d).into(), (*d).into(), excess]);
            }
        }
        let sum = match self.numbers {
            Numbers::Bytes => DOT,
            _ => FMA,
        };
        for (k, factors) in factors.iter().enumerate() {
            let a = Mem::at(ROW_OF_A, factors.a + of_row);
            let factor = if row.len() == 1 {
                Arg::Each(a)
            } else {
                // For both tiles.
                asm.op(EACH, &[FACTOR.into(), a.into()]);
                FACTOR.into()
            };
            for (tile, (d, _)) in row.iter().enumerate() {
                let b = zmm(OF_B + (k * row.len() + tile) as u32);
                asm.op(sum, &[(*d).into(), b.into(), factor]);
            }
        }
        for (d, at) in row {
            asm.op(STORE, &[Mem::at(ROW_OF_D, *at).into(), (*d).into()]);
        }
        if self.numbers == Numbers::Singles {
            note_nans(asm, i, row[0].0, row[row.len() - 1].0);
        }
    }

    /// Computes by how much the sums of rows are too large if bytes of B are taken as unsigned, with 128 more: 128 times the sum of
    /// A's bytes.
    fn correct(&self, asm: &mut Asm, factors: &[Factors]) {
        let signs = asm.constant(0x8080_8080);
        asm.op(EACH, &[SIGNS.into(), signs.into()]);
        for tile in 0..u32::from(self.shape().m) / 16 {
            asm.op(XOR, &[FACTOR.into(); 3]);
            for factors in factors {
                let a = self.at(self.op.a, factors.a + TILE * tile);
                asm.op(DOT, &[FACTOR.into(), SIGNS.into(), a.into()]);
            }
            let to = Mem::at(Register::RSP, STACK + TILE * tile);
            asm.op(STORE, &[to.into(), FACTOR.into()]);
        }
        let stack = Mem::at(Register::RSP, STACK);
        asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
    }
}
