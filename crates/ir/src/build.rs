//! The builder: appends nodes to a block and infers their types.

use std::cell::{Ref, RefCell};

use crate::LaneFn;
use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::matrix::MatrixOp;
use crate::mem::{Clock, Family, MemOp, WaitCnt};
use crate::op::{Block, Node};
use crate::operations::{Op, Terminator};
use crate::types::{Elem, Fp, Reg, Ty, Value};

/// Builds one [`Block`]. All methods take `&self`, so that several values can be combined in one expression.
///
/// ```
/// use wavetank_ir::{Bin, Builder, Elem, Family, Fp, Reg, Terminator};
/// let b = Builder::new(0x100);
/// b.inst(0x100, Family::Valu);
/// let (x, y) = (b.read(Reg::V(1)), b.read(Reg::V(2)));
/// let sum = b.bin(Bin::Add, Elem::I32, Fp::default(), x, y);
/// b.write(Reg::V(0), sum, Some(b.read(Reg::EXEC)));
/// b.end(Terminator::EndProgram);
/// assert_eq!(b.finish().nodes.len(), 7);
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    block: RefCell<Block>,
}

impl Builder {
    /// A builder of a block at a guest address.
    pub fn new(pc: u64) -> Self {
        Builder {
            block: RefCell::new(Block {
                pc,
                nodes: Vec::new(),
            }),
        }
    }

    /// The block of all appended operations.
    pub fn finish(self) -> Block {
        self.block.into_inner()
    }

    /// Appends an operation with a given type of its result.
    pub fn node(&self, op: Op, ty: Option<Ty>) -> Value {
        self.push(op, ty)
    }

    /// The type of a value of this block.
    pub fn ty(&self, v: Value) -> Ty {
        self.block.borrow().ty(v)
    }

    /// The constant that a value is, if it is one.
    pub fn as_const(&self, v: Value) -> Option<u64> {
        match self.block.borrow().node(v).op {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The block as built so far.
    pub fn so_far(&self) -> Ref<'_, Block> {
        self.block.borrow()
    }

    /// Removes all operations from the one with number `first` on.
    pub fn truncate(&self, first: usize) {
        self.block.borrow_mut().nodes.truncate(first);
    }

    fn push(&self, op: Op, ty: Option<Ty>) -> Value {
        let mut block = self.block.borrow_mut();
        block.nodes.push(Node { op, ty });
        Value(block.nodes.len() as u32 - 1)
    }

    /// The vector type if any operand is a vector, else the uniform one.
    fn join(&self, bits: u32, args: &[Value]) -> Ty {
        if args.iter().any(|&a| self.ty(a).is_vector()) {
            Ty::vector(bits)
        } else {
            Ty::uniform(bits)
        }
    }

    /// Opens a guest instruction.
    pub fn inst(&self, pc: u64, family: Family) {
        self.push(Op::Inst { pc, family }, None);
    }

    /// A constant of type `U32`.
    pub fn u32(&self, c: u32) -> Value {
        self.push(Op::Const(c.into()), Some(Ty::U32))
    }

    /// A constant of type `U64`.
    pub fn u64(&self, c: u64) -> Value {
        self.push(Op::Const(c), Some(Ty::U64))
    }

    /// A constant lane mask.
    pub fn mask(&self, c: u64) -> Value {
        self.push(Op::Const(c), Some(Ty::Mask))
    }

    /// Reads a register of any file.
    pub fn read(&self, reg: Reg) -> Value {
        self.push(Op::Read(reg), Some(reg.ty()))
    }

    /// Reads a vector register chosen at run time.
    pub fn read_indexed(&self, base: u16, index: Value) -> Value {
        self.push(Op::ReadIndexed { base, index }, Some(Ty::V32))
    }

    /// Reads a uniform register chosen at run time.
    pub fn read_indexed_s(&self, base: u8, index: Value) -> Value {
        self.push(Op::ReadIndexedS { base, index }, Some(Ty::U32))
    }

    /// Writes a register: vector registers in the lanes of a mask.
    pub fn write(&self, reg: Reg, value: Value, mask: Option<Value>) {
        self.write_bytes(reg, value, mask, 0b1111);
    }

    /// Writes some bytes of each lane of a 32-bit vector register.
    pub fn write_bytes(&self, reg: Reg, value: Value, mask: Option<Value>, bytes: u8) {
        self.push(
            Op::Write {
                reg,
                value,
                mask,
                bytes,
            },
            None,
        );
    }

    /// Writes a vector register chosen at run time.
    pub fn write_indexed(&self, base: u16, index: Value, value: Value, mask: Value) {
        self.push(
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            },
            None,
        );
    }

    /// Writes a uniform register chosen at run time.
    pub fn write_indexed_s(&self, base: u8, index: Value, value: Value) {
        self.push(Op::WriteIndexedS { base, index, value }, None);
    }

    /// An operation with one operand.
    pub fn un(&self, op: Un, elem: Elem, fp: Fp, a: Value) -> Value {
        let ty = op.shape().result(elem, &[self.ty(a)]);
        self.push(Op::Un(op, elem, fp, a), Some(ty))
    }

    /// An operation with two operands.
    pub fn bin(&self, op: Bin, elem: Elem, fp: Fp, a: Value, b: Value) -> Value {
        let ty = op.shape().result(elem, &[self.ty(a), self.ty(b)]);
        self.push(Op::Bin(op, elem, fp, a, b), Some(ty))
    }

    /// An operation with three operands.
    pub fn tern(&self, op: Tern, elem: Elem, fp: Fp, a: Value, b: Value, c: Value) -> Value {
        let ty = op.shape().result(elem, &[a, b, c].map(|v| self.ty(v)));
        self.push(Op::Tern(op, elem, fp, a, b, c), Some(ty))
    }

    /// Compares: the result is a mask for vectors, 0 or 1 for uniforms.
    pub fn cmp(&self, rel: Rel, elem: Elem, fp: Fp, a: Value, b: Value) -> Value {
        let ty = rel.shape().result(elem, &[self.ty(a), self.ty(b)]);
        self.push(Op::Cmp(rel, elem, fp, a, b), Some(ty))
    }

    /// The lanes whose float belongs to the classes of `bits`; 0 or 1 if both are uniform.
    pub fn class(&self, elem: Elem, a: Value, bits: Value) -> Value {
        let vector = self.ty(a).is_vector() || self.ty(bits).is_vector();
        let ty = if vector { Ty::Mask } else { Ty::U32 };
        self.push(Op::Class(elem, a, bits), Some(ty))
    }

    /// Converts a number from one element type to another.
    pub fn cvt(&self, cvt: Cvt, from: Elem, to: Elem, fp: Fp, a: Value) -> Value {
        let ty = self.join(to.carrier_bits(), &[a]);
        self.push(Op::Cvt(cvt, from, to, fp, a), Some(ty))
    }

    /// `cond ? a : b`.
    pub fn select(&self, cond: Value, a: Value, b: Value) -> Value {
        let bits = self.ty(a).bits();
        let ty = match (self.ty(cond), self.ty(a)) {
            (Ty::Mask, _) => Ty::vector(bits),
            (_, Ty::Mask) => Ty::Mask,
            _ => self.join(bits, &[a, b]),
        };
        self.push(Op::Select(cond, a, b), Some(ty))
    }

    /// The sum of 32 bits, and the carry.
    pub fn add_carry(&self, a: Value, b: Value, carry: Option<Value>) -> (Value, Value) {
        let ty = self.carry_ty(a, b, carry);
        let sum = self.push(Op::AddCarry(a, b, carry), Some(ty));
        (sum, self.second(sum))
    }

    /// The difference of 32 bits, and the borrow.
    pub fn sub_borrow(&self, a: Value, b: Value, borrow: Option<Value>) -> (Value, Value) {
        let ty = self.carry_ty(a, b, borrow);
        let diff = self.push(Op::SubBorrow(a, b, borrow), Some(ty));
        (diff, self.second(diff))
    }

    /// The type of a sum. A carry mask makes the sum of two uniforms differ from lane to lane.
    fn carry_ty(&self, a: Value, b: Value, carry: Option<Value>) -> Ty {
        match carry.map(|c| self.ty(c)) {
            Some(Ty::Mask) => Ty::V32,
            _ => self.join(32, &[a, b]),
        }
    }

    /// a · b + c in 64 bits, and the carry.
    pub fn mad_wide(&self, signed: bool, a: Value, b: Value, c: Value) -> (Value, Value) {
        let ty = self.join(64, &[a, b, c]);
        let r = self.push(
            Op::MadWide {
                signed,
                args: [a, b, c],
            },
            Some(ty),
        );
        (r, self.second(r))
    }

    fn second(&self, v: Value) -> Value {
        let ty = if self.ty(v).is_vector() {
            Ty::Mask
        } else {
            Ty::U32
        };
        self.push(Op::Second(v), Some(ty))
    }

    /// The 64 bits of a value as `Mask` or `U64`.
    pub fn cast(&self, ty: Ty, v: Value) -> Value {
        if self.ty(v) == ty {
            v
        } else {
            self.push(Op::Cast(ty, v), Some(ty))
        }
    }

    /// The lanes with a nonzero value.
    pub fn non_zero(&self, v: Value) -> Value {
        self.push(Op::NonZero(v), Some(Ty::Mask))
    }

    /// For each lane, the mask of the lanes below it.
    pub fn lanes_below(&self, high: bool) -> Value {
        self.push(Op::LanesBelow { high }, Some(Ty::V32))
    }

    /// The number of each lane.
    pub fn lane_id(&self) -> Value {
        self.push(Op::LaneId, Some(Ty::V32))
    }

    /// The value of one lane.
    pub fn read_lane(&self, v: Value, lane: Value) -> Value {
        self.push(Op::ReadLane(v, lane), Some(Ty::U32))
    }

    /// The value of the lowest lane of the mask.
    pub fn read_first_lane(&self, v: Value, mask: Value) -> Value {
        self.push(Op::ReadFirstLane(v, mask), Some(Ty::U32))
    }

    /// Selects lanes by a fixed table.
    pub fn shuffle(&self, v: Value, table: Box<[u8; 64]>) -> Value {
        self.push(Op::Shuffle(v, table), Some(Ty::V32))
    }

    /// Selects the bits of a mask by a fixed table.
    pub fn shuffle_mask(&self, v: Value, table: Box<[u8; 64]>) -> Value {
        self.push(Op::ShuffleMask(v, table), Some(Ty::Mask))
    }

    /// Fetches the value of another lane, chosen by an index (`ds_bpermute_b32`).
    pub fn permute(&self, value: Value, index: Value, mask: Value) -> Value {
        self.push(Op::Permute { value, index, mask }, Some(Ty::V32))
    }

    /// Sends the value to another lane, chosen by an index (`ds_permute_b32`).
    pub fn scatter(&self, value: Value, index: Value, mask: Value) -> Value {
        self.push(Op::Scatter { value, index, mask }, Some(Ty::V32))
    }

    /// A product of matrices, from registers to registers.
    pub fn matrix(&self, product: MatrixOp) {
        self.push(Op::Matrix(Box::new(product)), None);
    }

    /// Applies a pure function in each lane.
    pub fn lane_fn(&self, f: &'static LaneFn, args: &[Value]) -> Value {
        self.push(
            Op::LaneFn(f, args.to_vec()),
            Some(Ty::vector(f.result_bits)),
        )
    }

    /// Applies a pure function with a mask as second result.
    pub fn lane_fn2(&self, f: &'static LaneFn, args: &[Value]) -> (Value, Value) {
        let v = self.lane_fn(f, args);
        (v, self.second(v))
    }

    /// A load of one register in each lane, whose result is a value.
    pub fn load(&self, op: MemOp) -> Value {
        self.push(Op::Mem(Box::new(op)), Some(Ty::V32))
    }

    /// An access to memory whose results, if any, go to registers.
    pub fn mem(&self, op: MemOp) {
        self.push(Op::Mem(Box::new(op)), None);
    }

    /// Reads a clock, a `U64`.
    pub fn clock(&self, clock: Clock) -> Value {
        self.push(Op::Clock(clock), Some(Ty::U64))
    }

    /// Waits for wait counters.
    pub fn waitcnt(&self, counters: WaitCnt) {
        self.push(Op::WaitCnt(counters), None);
    }

    /// Reports the lanes in which a value is not 0, with further values to show, for the instruction at an address.
    pub fn probe(&self, pc: u64, about: u8, of: Value, lanes: Value, shows: Vec<Value>) {
        let probe = Op::Probe {
            pc,
            about,
            of,
            lanes,
            shows,
        };
        self.push(probe, None);
    }

    /// Counts an execution of a site with its active lanes, and those that were active before.
    pub fn tally(&self, site: u32, lanes: Value, before: Value) {
        let tally = Op::Tally {
            site,
            lanes,
            before,
        };
        self.push(tally, None);
    }

    /// Ends the block with a terminator.
    pub fn end(&self, t: Terminator) {
        self.push(Op::End(t), None);
    }
}
