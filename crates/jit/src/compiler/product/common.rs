//! What all products share: registers, operands of an operation, and the loop over rows of D.

use iced_x86::{Code, Register};
use wavetank_ir::{Addend, MatrixOp};
use wavetank_matrix::{ElementType, Matrix, NAN_F32, Place, Rule, Shape};

use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed};

/// The bytes of a register of the file, and of a tile of it.
pub(super) const REGISTER: u32 = 256;
pub(super) const TILE: u32 = 64;

/// The present row of A, and that of D.
pub(super) const ROW_OF_A: Register = Register::RAX;
pub(super) const ROW_OF_D: Register = Register::RCX;
/// The present row of converted factors of A on the stack, or of what sums of bytes have to be corrected by.
pub(super) const ON_STACK: Register = fixed::TILE;
pub(super) const ROUNDS_LEFT: Register = Register::EDX;
/// The part of the frame that [`ON_STACK`] points to.
pub(super) const STACK: u32 = 64;

/// Vector registers: rows of B, and rows of D one after the other.
pub(super) const OF_B: u32 = 8;
pub(super) const OF_D: u32 = 24;
pub(super) const MOST_OF_B: usize = 16;

pub(super) const LOAD: Code = Code::EVEX_Vmovups_zmm_k1z_zmmm512;
pub(super) const STORE: Code = Code::EVEX_Vmovups_zmmm512_k1z_zmm;
pub(super) const EACH: Code = Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32;
pub(super) const FMA: Code = Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er;
/// Adds products of unsigned bytes and signed bytes to dwords.
pub(super) const DOT: Code = Code::EVEX_Vpdpbusd_zmm_k1z_zmm_zmmm512b32;
pub(super) const XOR: Code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;

pub(super) const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
pub(super) const LESS: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
pub(super) const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
pub(super) const MAX: Code = Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
pub(super) const LEFT: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
pub(super) const RIGHT: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
pub(super) const RIGHT_BY: Code = Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32;
pub(super) const LOGIC: Code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
pub(super) const MULTIPLY: Code = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
pub(super) const TO_FLOAT: Code = Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;

/// `to = of code by`, for readable sequences.
pub(super) fn op(asm: &mut Asm, code: Code, to: Register, of: Register, by: impl Into<Arg>) {
    asm.op(code, &[to.into(), of.into(), by.into()]);
}

/// A constant in each lane, as an operand.
pub(super) fn each(asm: &mut Asm, constant: u32) -> Arg {
    Arg::Each(asm.constant(constant))
}

/// A constant in each lane of a register.
pub(super) fn set(asm: &mut Asm, to: Register, constant: u32) {
    let constant = asm.constant(constant);
    asm.op(EACH, &[to.into(), constant.into()]);
}

pub(super) fn zmm(n: u32) -> Register {
    Register::ZMM0 + n
}

/// The lower half of a vector register.
pub(super) fn ymm(of: Register) -> Register {
    Register::YMM0 + (of as u32 - Register::ZMM0 as u32)
}

/// Converts the lower (`n` = 0) or the upper halves of a tile of dwords, f16 or bf16, to singles.
pub(super) fn widen(asm: &mut Asm, element: ElementType, pairs: Register, n: usize, to: Register) {
    let shift = |asm: &mut Asm, code| asm.op(code, &[to.into(), pairs.into(), Arg::I(16)]);
    let is_upper = n == 1;
    if element == ElementType::Bf16 && is_upper {
        let upper = Arg::Each(asm.constant(0xffff_0000));
        let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        asm.op(and, &[to.into(), pairs.into(), upper]);
    } else if element == ElementType::Bf16 {
        shift(asm, Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8);
    } else {
        if is_upper {
            shift(asm, Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8);
        }
        let from = if is_upper { to } else { pairs };
        let narrow = Code::EVEX_Vpmovdw_ymmm256_k1z_zmm;
        asm.op(narrow, &[ymm(to).into(), from.into()]);
        let convert = Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae;
        asm.op(convert, &[to.into(), ymm(to).into()]);
    }
}

/// The numbers that are multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbers {
    /// A dword of A is one factor.
    Singles,
    /// A dword is four factors.
    Bytes,
    /// Two registers hold the low and the high halves of factors.
    Doubles,
    /// A dword is two factors, f16 or bf16, which are converted to singles; so many products are added before the sum.
    Halves(usize),
    /// Factors are converted to doubles, which hold the sum of so many products and an accumulator.
    Exact(usize),
    /// Factors are converted to singles and exponents; so many products are truncated and summed.
    Fused(usize),
}

impl Numbers {
    /// The numbers of an instruction, if this file has code for its arithmetic on this processor.
    pub(super) fn of(instruction: &Matrix) -> Option<Numbers> {
        match instruction.rule() {
            Rule::Chain if instruction.shape().d.bits() == 64 => Some(Numbers::Doubles),
            Rule::Chain => Some(Numbers::Singles),
            Rule::Integer => is_x86_feature_detected!("avx512vnni").then_some(Numbers::Bytes),
            Rule::Exact { group } => Some(Numbers::Exact(group)),
            Rule::Pairwise { group } => Some(Numbers::Halves(group)),
            Rule::Fused { group } | Rule::FusedHalves { group } => Some(Numbers::Fused(group)),
        }
    }

    /// Whether results may be NaNs that [`Product::replace_nans`] replaces.
    pub(super) fn are_of_single_precision(self) -> bool {
        matches!(
            self,
            Numbers::Singles | Numbers::Halves(_) | Numbers::Exact(_)
        )
    }
}

/// An operation that there is code for.
pub(in crate::compiler) struct Product<'o> {
    pub(super) op: &'o MatrixOp,
    pub(super) numbers: Numbers,
}

impl<'o> Product<'o> {
    pub(super) fn shape(&self) -> &'o Shape {
        self.op.instruction.shape()
    }

    /// The address in C, whose first register is `c`, of what is `at` bytes from [`ROW_OF_D`] in D.
    pub(super) fn in_c(&self, c: u16, at: u32) -> Mem {
        let distance = u32::from(c).wrapping_sub(self.op.d.into());
        let at = at.wrapping_add(distance.wrapping_mul(REGISTER));
        Mem::at(ROW_OF_D, at)
    }

    /// Loads a tile of C, `at` bytes from [`ROW_OF_D`].
    pub(super) fn load_c(&self, asm: &mut Asm, to: Register, at: u32) {
        match self.op.c {
            Addend::Registers(c) => asm.op(LOAD, &[to.into(), self.in_c(c, at).into()]),
            Addend::Every(0) => asm.op(XOR, &[to.into(); 3]),
            Addend::Every(bits) => {
                let each = asm.constant(bits as u32);
                asm.op(EACH, &[to.into(), each.into()]);
            }
        }
    }
}

/// The rows of D of a block that a round of a loop computes. Those of the next round follow at the same distances.
pub(super) struct Round {
    rows: usize,
    /// For each tile of a row, in the order of rows: its register and its distance from [`ROW_OF_D`].
    tiles: Vec<(Register, u32)>,
    /// The distance to the next round.
    next: u32,
}

impl Round {
    pub(super) fn of(shape: &Shape, block: usize) -> Round {
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

/// How a pointer advances in the loop over rows.
pub(super) enum Step {
    /// By so many bytes for each row.
    Row(u32),
    /// As [`ROW_OF_D`].
    WithD,
}

/// The distance in bytes from row 0 of a block to the lanes of row `i` from column `j` on.
pub(super) fn distance(shape: &Shape, block: usize, i: usize, j: usize) -> u32 {
    let [first, place] = [(0, 0), (i, j)].map(|(i, j)| bytes(shape.place_of_d(block, i, j)));
    place - first
}

/// The distance of a place from the first register.
pub(super) fn bytes(place: Place) -> u32 {
    REGISTER * place.register as u32 + 4 * place.lane as u32
}

impl Product<'_> {
    /// The address of lanes of a register.
    pub(super) fn at(&self, register: u16, bytes: u32) -> Mem {
        Mem::at(fixed::VECTOR, REGISTER * u32::from(register) + bytes)
    }

    /// The tiles of all registers of A and of B.
    pub(super) fn tiles_of_factors(&self) -> impl Iterator<Item = Mem> + use<> {
        let shape = self.shape();
        let operands = [
            (self.op.a, shape.a_registers()),
            (self.op.b, shape.b_registers()),
        ];
        let tiles = |(first, registers): (u16, usize)| {
            let at = REGISTER * u32::from(first);
            (0..4 * registers as u32).map(move |tile| Mem::at(fixed::VECTOR, at + TILE * tile))
        };
        operands.into_iter().flat_map(tiles)
    }

    /// Emits a loop over the rows of a block. `row` gets their number in the round, and their tiles of D. `pointers` advance.
    pub(super) fn rounds(
        &self,
        asm: &mut Asm,
        block: usize,
        pointers: &[(Register, Step)],
        row: impl Fn(&mut Asm, usize, &[(Register, u32)]),
    ) {
        self.rounds_by(1, asm, block, pointers, row);
    }

    /// As [`rounds`](Product::rounds), by so many rows at once: `rows` gets the number of the first, and the tiles of all.
    pub(super) fn rounds_by(
        &self,
        count: usize,
        asm: &mut Asm,
        block: usize,
        pointers: &[(Register, Step)],
        rows: impl Fn(&mut Asm, usize, &[(Register, u32)]),
    ) {
        let shape = self.shape();
        let first = bytes(shape.place_of_d(block, 0, 0));
        let d = self.at(self.op.d, first);
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), d.into()]);
        let round = Round::of(shape, block);
        let again = begin(asm, usize::from(shape.m) / round.rows);
        let tiles = round.tiles.len() / round.rows;
        for (n, tiles) in round.tiles.chunks(tiles * count).enumerate() {
            rows(asm, n * count, tiles);
        }
        for (pointer, step) in pointers {
            let by = match step {
                Step::Row(bytes) => bytes * round.rows as u32,
                Step::WithD => round.next,
            };
            advance(asm, *pointer, by);
        }
        advance(asm, ROW_OF_D, round.next);
        repeat(asm, again);
    }
}

/// A factor of A in every lane.
pub(super) const FACTOR: Register = Register::ZMM0;
/// The sign bits of four bytes.
pub(super) const SIGNS: Register = Register::ZMM1;
/// The lanes that are no NaN in all rows so far: several, so that no comparison waits for the one before.
pub(super) const NO_NAN: [Register; 4] = [Register::K1, Register::K2, Register::K3, Register::K4];

/// Compares two tiles of singles with themselves or with each other. Comparisons `n` in a row do not wait for each other.
pub(super) fn note_nans(asm: &mut Asm, n: usize, a: Register, b: impl Into<Arg>) {
    const ORDERED: u8 = 7;
    let mask = NO_NAN[n % NO_NAN.len()];
    let args = [mask.into(), a.into(), b.into(), ORDERED.into()];
    let compare = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    asm.under(compare, Under::Merge(mask), &args);
}

/// Jumps, if a NaN was noted. The first mask changes.
pub(super) fn leave_if_nan(asm: &mut Asm, to: Label) {
    test_nans(asm);
    // No carry: the mask is not all ones.
    asm.jump(Code::Jae_rel32_64, to);
}

/// Sets the carry flag if no NaN was noted.
fn test_nans(asm: &mut Asm) {
    let [all, others @ ..] = NO_NAN;
    for mask in others {
        let args = [all.into(), all.into(), mask.into()];
        asm.op(Code::VEX_Kandw_kr_kr_kr, &args);
    }
    asm.op(Code::VEX_Kortestw_kr_kr, &[all.into(), all.into()]);
}

/// Begins a loop.
pub(super) fn begin(asm: &mut Asm, rounds: usize) -> Label {
    let again = asm.label();
    asm.set(Register::RDX, rounds as u64);
    asm.place(again);
    again
}

pub(super) fn advance(asm: &mut Asm, pointer: Register, by: u32) {
    asm.with_constant(Code::Add_rm64_imm32, pointer.into(), by as i32, true);
}

pub(super) fn repeat(asm: &mut Asm, again: Label) {
    asm.op(Code::Dec_rm32, &[ROUNDS_LEFT.into()]);
    asm.jump(Code::Jne_rel32_64, again);
}

impl Product<'_> {
    /// Gives all NaNs of D the same bits, if there is one.
    pub(super) fn replace_nans(&self, asm: &mut Asm) {
        let done = asm.label();
        let [all, ..] = NO_NAN;
        test_nans(asm);
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
