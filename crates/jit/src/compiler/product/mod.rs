//! Products of matrices: loops over rows of D, from memory to memory.
//!
//! A row of D is one or two tiles of 16 lanes, and so is a row of B, which stays in registers. The factor of A is broadcast from
//! memory by the instruction that multiplies it.

mod doubles;
mod halves;
mod quads;
mod rows;

use iced_x86::{Code, Register};
use wavetank_ir::{Addend, MatrixOp, Span};
use wavetank_lane_ops::Simd;
use wavetank_matrix::{ElementType, Matrix, NAN_F32, Place, Rule, Shape};
use wavetank_memory::VECTOR_REGISTERS;

use crate::compiler::asm::{Asm, Label, Mem, Under, fixed};

/// The bytes of a register of the file, and of a tile of it.
const REGISTER: u32 = 256;
const TILE: u32 = 64;

/// The present row of A, and that of D.
const ROW_OF_A: Register = Register::RAX;
const ROW_OF_D: Register = Register::RCX;
/// The present row of converted factors of A on the stack, or of what sums of bytes have to be corrected by.
const ON_STACK: Register = fixed::TILE;
const ROUNDS_LEFT: Register = Register::EDX;
/// The part of the frame that [`ON_STACK`] points to.
const STACK: u32 = 64;

/// Vector registers: rows of B, and rows of D one after the other.
const OF_B: u32 = 8;
const OF_D: u32 = 24;
const MOST_OF_B: usize = 16;

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
    /// A dword of A is one factor.
    Singles,
    /// A dword is four factors.
    Bytes,
    /// Two registers hold the low and the high halves of factors.
    Doubles,
    /// A dword is two factors, f16 or bf16, which are converted to singles; so many products are added before the sum.
    Halves(usize),
}

impl Numbers {
    /// The numbers of an instruction, if this file has code for its arithmetic on this processor.
    fn of(instruction: &Matrix) -> Option<Numbers> {
        match instruction.rule() {
            Rule::Chain if instruction.shape().d.bits() == 64 => Some(Numbers::Doubles),
            Rule::Chain => Some(Numbers::Singles),
            Rule::Integer => is_x86_feature_detected!("avx512vnni").then_some(Numbers::Bytes),
            Rule::Pairwise { group } => Some(Numbers::Halves(group)),
            _ => None,
        }
    }

    /// Whether results may be NaNs that [`Product::replace_nans`] replaces.
    fn are_of_single_precision(self) -> bool {
        matches!(self, Numbers::Singles | Numbers::Halves(_))
    }
}

/// An operation that there is code for.
pub(super) struct Product<'o> {
    op: &'o MatrixOp,
    numbers: Numbers,
}

impl<'o> Product<'o> {
    /// The product, if there is code for its numbers and its shape, and D shares no register with A or B.
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
            (Numbers::Singles | Numbers::Bytes | Numbers::Halves(_), 16 | 32) => true,
            (Numbers::Singles | Numbers::Bytes, 4) => !op.instruction.broadcasts(),
            _ => false,
        };
        let fits = !shape.sparse && apart && in_file(d) && op.read().all(in_file);
        (simd == Simd::Avx512 && plain && fits).then_some(Product { op, numbers })
    }

    /// Emits the code, which jumps to `slow`, with nothing changed, if it does not support the numbers.
    pub(super) fn emit(&self, asm: &mut Asm, slow: Label) {
        asm.use_constants();
        if self.numbers.are_of_single_precision() {
            for mask in NO_NAN {
                asm.op(Code::VEX_Kxnorw_kr_kr_kr, &[mask.into(); 3]);
            }
        }
        match (self.numbers, self.shape().m) {
            (Numbers::Doubles, _) => self.doubles(asm),
            (Numbers::Halves(group), _) => self.halves(asm, group, slow),
            (_, 4) => self.quads(asm),
            _ => self.dwords(asm),
        }
        if self.numbers.are_of_single_precision() {
            self.replace_nans(asm);
        }
    }

    /// Whether the code may jump to the slow path.
    pub(super) fn may_leave(&self) -> bool {
        let is_bf16 = self.shape().a == ElementType::Bf16;
        is_bf16 && matches!(self.numbers, Numbers::Halves(_))
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

/// The rows of D of a block that a round of a loop computes. Those of the next round follow at the same distances.
struct Round {
    rows: usize,
    /// For each tile of a row, in the order of rows: its register and its distance from [`ROW_OF_D`].
    tiles: Vec<(Register, u32)>,
    /// The distance to the next round.
    next: u32,
}

impl Round {
    fn of(shape: &Shape, block: usize) -> Round {
        let rows = if shape.m == 32 { 8 } else { 4 };
        let columns = || (0..usize::from(shape.n)).step_by(16);
        let places = (0..rows).flat_map(|i| columns().map(move |j| (i, j)));
        let tile =
            |(n, (i, j)): (usize, _)| (zmm(OF_D + n as u32 % 8), distance(shape, block, i, j));
        Round {
            rows,
            tiles: places.enumerate().map(tile).collect(),
            next: distance(shape, block, rows, 0),
        }
    }
}

/// The distance in bytes from row 0 of a block to the lanes of row `i` from column `j` on.
fn distance(shape: &Shape, block: usize, i: usize, j: usize) -> u32 {
    let [first, place] = [(0, 0), (i, j)].map(|(i, j)| bytes(shape.place_of_d(block, i, j)));
    place - first
}

/// The distance of a place from the first register.
fn bytes(place: Place) -> u32 {
    REGISTER * place.register as u32 + 4 * place.lane as u32
}

impl Product<'_> {
    /// The address of lanes of a register.
    fn at(&self, register: u16, bytes: u32) -> Mem {
        Mem::at(fixed::VECTOR, REGISTER * u32::from(register) + bytes)
    }

    /// Emits a loop over the rows of a block. `row` gets their number in the round, and their tiles of D. `pointers` advance by a
    /// dword for each row.
    fn rounds(
        &self,
        asm: &mut Asm,
        block: usize,
        pointers: &[Register],
        row: impl Fn(&mut Asm, usize, &[(Register, u32)]),
    ) {
        let shape = self.shape();
        let first = bytes(shape.place_of_d(block, 0, 0));
        let d = self.at(self.op.d, first);
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), d.into()]);
        let round = Round::of(shape, block);
        let again = begin(asm, usize::from(shape.m) / round.rows);
        let tiles = round.tiles.len() / round.rows;
        for (i, tiles) in round.tiles.chunks(tiles).enumerate() {
            row(asm, i, tiles);
        }
        for pointer in pointers {
            advance(asm, *pointer, 4 * round.rows as u32);
        }
        advance(asm, ROW_OF_D, round.next);
        repeat(asm, again);
    }
}

/// A factor of A in every lane.
const FACTOR: Register = Register::ZMM0;
/// The sign bits of four bytes.
const SIGNS: Register = Register::ZMM1;
/// The lanes that are no NaN in all rows so far: several, so that no comparison waits for the one before.
const NO_NAN: [Register; 4] = [Register::K1, Register::K2, Register::K3, Register::K4];

/// Compares two tiles of singles with themselves. Comparisons `n` in a row do not wait for each other.
fn note_nans(asm: &mut Asm, n: usize, a: Register, b: Register) {
    const ORDERED: u8 = 7;
    let mask = NO_NAN[n % NO_NAN.len()];
    let args = [mask.into(), a.into(), b.into(), ORDERED.into()];
    let compare = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    asm.under(compare, Under::Merge(mask), &args);
}

/// Begins a loop.
fn begin(asm: &mut Asm, rounds: usize) -> Label {
    let again = asm.label();
    asm.set(Register::RDX, rounds as u64);
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

impl Product<'_> {
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
        let d = self.at(self.op.d, 0);
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), d.into()]);
        let again = begin(asm, 4 * self.shape().d_registers());
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
