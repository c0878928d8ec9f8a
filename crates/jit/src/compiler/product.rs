//! Products of matrices: loops over rows of D, from memory to memory.
//!
//! A row of D is one or two tiles of 16 lanes, and so is a row of B, which stays in registers. The factor of A is broadcast from
//! its register in the file. What is multiplied at once is a dword of A and a dword of each lane of B: a single, or four bytes.
//! Doubles are two registers, low and high halves, and are interleaved first.

use iced_x86::{Code, Register};
use wavetank_ir::{Addend, MatrixOp, Span};
use wavetank_lane_ops::Simd;
use wavetank_matrix::{Matrix, NAN_F32, NAN_F64, Rule, Shape};
use wavetank_memory::VECTOR_REGISTERS;

use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed};

/// The bytes of a register of the file, and of a tile of it.
const REGISTER: u32 = 256;
const TILE: u32 = 64;

/// The present row of A, and that of D.
const ROW_OF_A: Register = Register::RAX;
const ROW_OF_D: Register = Register::RCX;
/// The factors of A on the stack, or what bytes have to be corrected by.
const ON_STACK: Register = fixed::TILE;
const ROUNDS_LEFT: Register = Register::EDX;
/// The part of the frame that [`ON_STACK`] points to.
const STACK: u32 = 64;

/// Vector registers: rows of B, and rows of D one after the other.
const OF_B: u32 = 16;
const OF_D: u32 = 24;
const MOST_OF_B: usize = 8;

const LOAD: Code = Code::EVEX_Vmovups_zmm_k1z_zmmm512;
const STORE: Code = Code::EVEX_Vmovups_zmmm512_k1z_zmm;
const EACH: Code = Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32;
const FMA: Code = Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er;
/// Adds products of unsigned bytes and signed bytes to dwords.
const DOT: Code = Code::EVEX_Vpdpbusd_zmm_k1z_zmm_zmmm512b32;
const XOR: Code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;

fn zmm(n: u32) -> Register {
    Register::ZMM0 + n
}

/// The numbers that are multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    Singles,
    Bytes,
    Doubles,
}

impl Numbers {
    /// The numbers of an instruction, if this file has code for its arithmetic on this processor.
    fn of(instruction: &Matrix) -> Option<Numbers> {
        match instruction.rule() {
            Rule::Chain if instruction.shape().d.bits() == 64 => Some(Numbers::Doubles),
            Rule::Chain => Some(Numbers::Singles),
            Rule::Integer => is_x86_feature_detected!("avx512vnni").then_some(Numbers::Bytes),
            _ => None,
        }
    }
}

/// An operation that there is code for.
pub(super) struct Product<'o> {
    op: &'o MatrixOp,
    numbers: Numbers,
}

impl<'o> Product<'o> {
    /// The product, if there is code for it: for chains of single and double precision and for bytes, where D shares no register
    /// with A or B.
    pub(super) fn of(op: &'o MatrixOp, simd: Simd) -> Option<Product<'o>> {
        let numbers = Numbers::of(&op.instruction)?;
        let shape = op.instruction.shape();
        let d = op.written();
        let is_far = |span: Span| !span.overlaps(d);
        let c_fits = |span: Span| span == d || is_far(span);
        let mut read = op.read();
        let apart = read.by_ref().take(2).all(is_far) && read.all(c_fits);
        let in_file = |span: Span| span.end() as usize <= VECTOR_REGISTERS;
        let plain = match (numbers, shape.m) {
            (Numbers::Doubles, 16) => op.instruction.negations() == [false; 3],
            (Numbers::Singles | Numbers::Bytes, 16 | 32) => true,
            (Numbers::Singles | Numbers::Bytes, 4) => !op.instruction.broadcasts(),
            _ => false,
        };
        let fits = !shape.sparse && apart && in_file(d) && op.read().all(in_file);
        (simd == Simd::Avx512 && plain && fits).then_some(Product { op, numbers })
    }

    pub(super) fn emit(&self, asm: &mut Asm) {
        asm.use_constants();
        if self.numbers == Numbers::Singles {
            for mask in NO_NAN {
                asm.op(Code::VEX_Kxnorw_kr_kr_kr, &[mask.into(); 3]);
            }
        }
        let shape = self.shape();
        match (self.numbers, shape.m) {
            (Numbers::Doubles, _) => self.doubles(asm),
            (_, 4) => self.quads(asm),
            _ => (0..shape.blocks.into()).for_each(|block| self.block(asm, block)),
        }
        if self.numbers == Numbers::Singles {
            self.replace_nans(asm);
        }
    }

    fn shape(&self) -> &'o Shape {
        self.op.instruction.shape()
    }

    /// Loads a tile of C, `at` bytes from a register that points into D.
    fn load_c(&self, asm: &mut Asm, to: Register, base: Register, at: u32) {
        match self.op.c {
            Addend::Registers(c) => {
                let distance = u32::from(c).wrapping_sub(self.op.d.into());
                let at = at.wrapping_add(distance.wrapping_mul(REGISTER));
                asm.op(LOAD, &[to.into(), Mem::at(base, at).into()]);
            }
            Addend::Every(0) => asm.op(XOR, &[to.into(); 3]),
            Addend::Every(bits) => {
                let each = asm.constant(bits as u32);
                asm.op(EACH, &[to.into(), each.into()]);
            }
        }
    }
}

/// Blocks of 16×16 and 32×32.
impl Product<'_> {
    /// For each dword of a row of A: its distance from the first register of A in row 0, and those of the tiles of B's row.
    fn factors(&self, block: usize) -> Vec<(u32, Vec<u32>)> {
        let (shape, instruction) = (self.shape(), &self.op.instruction);
        let in_dword = (32 / shape.a.bits().min(32)) as usize;
        let of = |k: usize| {
            let a = shape.place_of_a(instruction.block_of_a(block), 0, k);
            let tile = |j: usize| {
                let b = shape.place_of_b(block, k, j);
                REGISTER * b.register as u32 + 4 * instruction.lane_of_b(b.lane) as u32
            };
            let tiles = (0..shape.n.into()).step_by(16).map(tile);
            let a = REGISTER * a.register as u32 + 4 * a.lane as u32;
            (a, tiles.collect())
        };
        (0..shape.k.into()).step_by(in_dword).map(of).collect()
    }

    fn block(&self, asm: &mut Asm, block: usize) {
        let shape = self.shape();
        let factors = self.factors(block);
        let tiles = usize::from(shape.n) / 16;
        debug_assert!(
            factors.len() * tiles <= MOST_OF_B,
            "there are registers for B"
        );
        if self.numbers == Numbers::Bytes {
            self.correct(asm, &factors);
        }
        let from = REGISTER * u32::from(self.op.b);
        for (n, at) in factors.iter().flat_map(|(_, tiles)| tiles).enumerate() {
            let (to, from) = (zmm(OF_B + n as u32), Mem::at(fixed::VECTOR, from + at));
            match self.numbers {
                Numbers::Bytes => asm.op(XOR, &[to.into(), SIGNS.into(), from.into()]),
                _ => asm.op(LOAD, &[to.into(), from.into()]),
            }
        }
        let first = shape.place_of_d(block, 0, 0).register as u32;
        let d = Mem::at(fixed::VECTOR, REGISTER * (u32::from(self.op.d) + first));
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), d.into()]);
        let a = Mem::at(fixed::VECTOR, REGISTER * u32::from(self.op.a));
        asm.op(Code::Lea_r64_m, &[ROW_OF_A.into(), a.into()]);
        // Rows of D that follow each other in rounds at the same distances.
        let rows = if shape.m == 32 { 8 } else { 4 };
        let next = distance(shape, block, rows, 0);
        let again = begin(asm, u32::from(shape.m) / rows as u32);
        let mut n = 0;
        for i in 0..rows {
            let row: Vec<_> = (0..tiles)
                .map(|tile| {
                    (
                        zmm(OF_D + (n + tile as u32) % 8),
                        distance(shape, block, i, 16 * tile),
                    )
                })
                .collect();
            n += tiles as u32;
            self.row(asm, i as u32, &factors, &row);
        }
        advance(asm, ROW_OF_A, 4 * rows as u32);
        advance(asm, ROW_OF_D, next);
        if self.numbers == Numbers::Bytes {
            advance(asm, ON_STACK, 4 * rows as u32);
        }
        repeat(asm, again);
    }

    /// A row of D: the registers of its tiles and their distances from [`ROW_OF_D`].
    fn row(&self, asm: &mut Asm, i: u32, factors: &[(u32, Vec<u32>)], row: &[(Register, u32)]) {
        for (d, at) in row {
            self.load_c(asm, *d, ROW_OF_D, *at);
            if self.numbers == Numbers::Bytes {
                let excess = Arg::Each(Mem::at(ON_STACK, 4 * i));
                asm.op(
                    Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
                    &[(*d).into(), (*d).into(), excess],
                );
            }
        }
        let sum = if self.numbers == Numbers::Bytes {
            DOT
        } else {
            FMA
        };
        for (k, (a, _)) in factors.iter().enumerate() {
            let a = Mem::at(ROW_OF_A, a + 4 * i);
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
            let (a, b) = (row[0].0, row[row.len() - 1].0);
            note_nans(asm, i as usize, a, b);
        }
    }

    /// Computes by how much the sums of rows are too large if bytes of B are taken as unsigned, with 128 more: 128 times the sum of
    /// A's bytes.
    fn correct(&self, asm: &mut Asm, factors: &[(u32, Vec<u32>)]) {
        let signs = asm.constant(0x8080_8080);
        asm.op(EACH, &[SIGNS.into(), signs.into()]);
        let from = REGISTER * u32::from(self.op.a);
        for tile in 0..u32::from(self.shape().m) / 16 {
            asm.op(XOR, &[FACTOR.into(); 3]);
            for (a, _) in factors {
                let a = Mem::at(fixed::VECTOR, from + a + TILE * tile);
                asm.op(DOT, &[FACTOR.into(), SIGNS.into(), a.into()]);
            }
            let to = Mem::at(Register::RSP, STACK + TILE * tile);
            asm.op(STORE, &[to.into(), FACTOR.into()]);
        }
        let stack = Mem::at(Register::RSP, STACK);
        asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
    }
}

/// The distance in bytes from row 0 of a block to the lanes of row `i` from column `j` on.
fn distance(shape: &Shape, block: usize, i: usize, j: usize) -> u32 {
    let [first, place] = [(0, 0), (i, j)].map(|(i, j)| {
        let place = shape.place_of_d(block, i, j);
        REGISTER * place.register as u32 + 4 * place.lane as u32
    });
    place - first
}

/// A factor of A in every lane.
const FACTOR: Register = Register::ZMM0;
/// The sign bits of four bytes.
const SIGNS: Register = Register::ZMM1;
/// The lanes that are no NaN in all rows so far: several, so that no comparison waits for the one before.
const NO_NAN: [Register; 4] = [Register::K1, Register::K2, Register::K3, Register::K4];

/// Compares two tiles of singles with themselves.
fn note_nans(asm: &mut Asm, n: usize, a: Register, b: Register) {
    const ORDERED: u8 = 7;
    let mask = NO_NAN[n % NO_NAN.len()];
    let args = [mask.into(), a.into(), b.into(), ORDERED.into()];
    let compare = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    asm.under(compare, Under::Merge(mask), &args);
}

/// Begins a loop.
fn begin(asm: &mut Asm, rounds: u32) -> Label {
    let again = asm.label();
    asm.set(Register::RDX, rounds.into());
    asm.place(again);
    again
}

fn advance(asm: &mut Asm, pointer: Register, by: u32) {
    asm.with_constant(Code::Add_rm64_imm32, pointer.into(), by as i32, true);
}

fn repeat(asm: &mut Asm, again: Label) {
    asm.op(Code::Dec_rm32, &[ROUNDS_LEFT.into()]);
    asm.jump(Code::Jne_rel32_64, again);
}

/// 16 blocks of 4×4, NaNs.
impl Product<'_> {
    /// A row of each of four blocks is a tile, in which A's factor is that of the lane's quad.
    fn quads(&self, asm: &mut Asm) {
        let at = |register: u16, bytes: u32| {
            Mem::at(fixed::VECTOR, REGISTER * u32::from(register) + bytes)
        };
        if self.numbers == Numbers::Bytes {
            let signs = asm.constant(0x8080_8080);
            asm.op(EACH, &[SIGNS.into(), signs.into()]);
        }
        let d = at(self.op.d, 0);
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), d.into()]);
        for tile in 0..4 {
            let b = zmm(OF_B);
            let lane = self.op.instruction.lane_of_b(16 * tile as usize) as u32;
            let from = at(self.op.b, 4 * lane).into();
            match self.numbers {
                Numbers::Bytes => asm.op(XOR, &[b.into(), SIGNS.into(), from]),
                _ => asm.op(LOAD, &[b.into(), from]),
            }
            for i in 0..4 {
                let (d, to) = (zmm(OF_D + i), REGISTER * i + TILE * tile);
                self.load_c(asm, d, ROW_OF_D, to);
                let of_quads = Code::EVEX_Vpermilps_zmm_k1z_zmmm512b32_imm8;
                let a = at(self.op.a, TILE * tile).into();
                asm.op(of_quads, &[FACTOR.into(), a, Arg::I(i as u8 * 0x55)]);
                if self.numbers == Numbers::Bytes {
                    let excess = zmm(OF_B + 1);
                    asm.op(XOR, &[excess.into(); 3]);
                    asm.op(DOT, &[excess.into(), SIGNS.into(), FACTOR.into()]);
                    let less = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
                    asm.op(less, &[d.into(), d.into(), excess.into()]);
                    asm.op(DOT, &[d.into(), b.into(), FACTOR.into()]);
                } else {
                    asm.op(FMA, &[d.into(), b.into(), FACTOR.into()]);
                    note_nans(asm, i as usize, d, d);
                }
                asm.op(STORE, &[Mem::at(ROW_OF_D, to).into(), d.into()]);
            }
        }
    }

    /// Gives all NaNs of D the same bits, if there is one.
    fn replace_nans(&self, asm: &mut Asm) {
        let done = asm.label();
        let [all, others @ ..] = NO_NAN;
        for mask in others {
            asm.op(
                Code::VEX_Kandw_kr_kr_kr,
                &[all.into(), all.into(), mask.into()],
            );
        }
        asm.op(Code::VEX_Kortestw_kr_kr, &[all.into(), all.into()]);
        // Carry: the mask is all ones.
        asm.jump(Code::Jb_rel32_64, done);
        let nan = asm.constant(NAN_F32);
        asm.op(EACH, &[FACTOR.into(), nan.into()]);
        let d = Mem::at(fixed::VECTOR, REGISTER * u32::from(self.op.d));
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), d.into()]);
        let again = begin(asm, 4 * self.shape().d_registers() as u32);
        let (d, to) = (zmm(OF_D), Mem::at(ROW_OF_D, 0));
        asm.op(LOAD, &[d.into(), to.into()]);
        const UNORDERED: u8 = 3;
        let compare = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        asm.op(compare, &[all.into(), d.into(), d.into(), UNORDERED.into()]);
        asm.under(STORE, Under::Merge(all), &[to.into(), FACTOR.into()]);
        advance(asm, ROW_OF_D, TILE);
        repeat(asm, again);
        asm.place(done);
    }
}

/// 16×16 in double precision.
impl Product<'_> {
    fn doubles(&self, asm: &mut Asm) {
        let at = |register: u16, bytes: u32| {
            Mem::at(fixed::VECTOR, REGISTER * u32::from(register) + bytes)
        };
        let nan = asm.wide_constant(NAN_F64);
        let each = Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64;
        asm.op(each, &[SIGNS.into(), nan.into()]);
        for k in 0..4 {
            // Interleaved, the low half has columns 0, 1, 4, 5, 8, … of the row, and the high half the others.
            let b = [0, 1].map(|half| zmm(OF_B + 2 * k + half));
            interleave(asm, b, at(self.op.b, TILE * k), at(self.op.b + 1, TILE * k));
            let a = [zmm(OF_D), zmm(OF_D + 1)];
            interleave(asm, a, at(self.op.a, TILE * k), at(self.op.a + 1, TILE * k));
            for (half, a) in (0..).zip(a) {
                let to = Mem::at(Register::RSP, STACK + TILE * (2 * k + half));
                asm.op(STORE, &[to.into(), a.into()]);
            }
        }
        let stack = Mem::at(Register::RSP, STACK);
        asm.op(Code::Lea_r64_m, &[ON_STACK.into(), stack.into()]);
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), at(self.op.d, 0).into()]);
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
                self.load_c(asm, low, ROW_OF_D, halves[0]);
                self.load_c(asm, high, ROW_OF_D, halves[1]);
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
