//! The operations of the wave IR.
//!
//! An operation whose result is a lane vector takes uniform operands as well:
//! they are read as the same value in every lane. An operation all of whose
//! operands are uniform yields a uniform result. What functions of numbers do
//! to their operands stands in `functions.rs`, what operations do besides in
//! `effects.rs`.

use crate::export::Export;
use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::lane_fn::LaneFn;
use crate::mem::{Clock, GlobalSync, MemOp, WaitCnt};
use crate::types::{Elem, Fp, Reg, Ty, Value};

/// What a node of a block does.
#[derive(Clone, Debug)]
pub enum Op {
    /// Opens a guest instruction at this address. Its index counts the guest
    /// instructions of the block.
    Inst {
        /// The guest address.
        pc: u64,
        /// What kind of instruction it is, for counters.
        family: crate::mem::Family,
    },
    /// A constant.
    Const(u64),
    /// Reads a register.
    Read(Reg),
    /// Reads vector register `base + index`, a sum of 32 bits that wraps; one
    /// that is out of range reads v0.
    ReadIndexed {
        /// The first register.
        base: u16,
        /// A `U32` that is added.
        index: Value,
    },
    /// Reads uniform register `base + index`, like `ReadIndexed`. What is in
    /// range is the engine's: for GCN s0 to s103. Out of range it reads s0.
    ReadIndexedS {
        /// The first register.
        base: u8,
        /// A `U32` that is added.
        index: Value,
    },
    /// Writes a register in the lanes of `mask` (uniform registers have none).
    /// Bit n of `bytes` says whether byte n of each 32-bit lane is written.
    Write {
        /// The destination.
        reg: Reg,
        /// What is written. A uniform value is written to every lane.
        value: Value,
        /// The lanes; `None` only for uniform registers.
        mask: Option<Value>,
        /// The bytes, 0b1111 for all.
        bytes: u8,
    },
    /// Writes vector register `base + index`, where `ReadIndexed` would read;
    /// out of range nothing.
    WriteIndexed {
        /// The first register.
        base: u16,
        /// A `U32` that is added.
        index: Value,
        /// What is written.
        value: Value,
        /// The lanes.
        mask: Value,
    },
    /// Writes uniform register `base + index`, where `ReadIndexedS` would read;
    /// out of range nothing.
    WriteIndexedS {
        /// The first register.
        base: u8,
        /// A `U32` that is added.
        index: Value,
        /// What is written.
        value: Value,
    },
    /// One operand.
    Un(Un, Elem, Fp, Value),
    /// Two operands.
    Bin(Bin, Elem, Fp, Value, Value),
    /// Three operands.
    Tern(Tern, Elem, Fp, Value, Value, Value),
    /// Compare: a mask of vectors, 0 or 1 of uniforms.
    Cmp(Rel, Elem, Fp, Value, Value),
    /// The mask of lanes where `bits[n]` of the second operand is set for the
    /// IEEE class n of the first; 0 or 1 of uniforms. From bit 0 on: signaling
    /// NaN, quiet NaN, −∞, −normal, −denormal, −0, +0, +denormal, +normal, +∞.
    /// Denormals are never flushed.
    Class(Elem, Value, Value),
    /// Conversion from one element to another.
    Cvt(Cvt, Elem, Elem, Fp, Value),
    /// `mask ? a : b` in each lane; with a `U32` condition (nonzero) and
    /// uniform a, b: a uniform.
    Select(Value, Value, Value),
    /// a + b + carry-in (a `Mask` or a `U32`), and as second result the carry.
    AddCarry(Value, Value, Option<Value>),
    /// a − b − borrow-in, and as second result the borrow.
    SubBorrow(Value, Value, Option<Value>),
    /// 32 × 32 + 64 bits; second result: carry out of bit 63 (signed: overflow
    /// is not reported, the mask is 0).
    MadWide {
        /// Signed factors.
        signed: bool,
        /// The factors and the addend.
        args: [Value; 3],
    },
    /// The second result of the operation that defines the value.
    Second(Value),
    /// The same 64 bits seen as `Mask` or as `U64`.
    Cast(Ty, Value),
    /// The mask of lanes with a nonzero (`V32`) value.
    NonZero(Value),
    /// For each lane the mask of the lanes below it, low or high half (`V32`).
    LanesBelow {
        /// The high half.
        high: bool,
    },
    /// The number of each lane (`V32`).
    LaneId,
    /// The value of lane `index` (modulo 64), as a uniform.
    ReadLane(Value, Value),
    /// The value of the lowest lane of the mask (lane 0 when it is empty).
    ReadFirstLane(Value, Value),
    /// Lane n takes lane `table[n]`; a table entry of 64 or more gives 0.
    Shuffle(Value, Box<[u8; 64]>),
    /// The same selection applied to a mask; missing sources give 0.
    ShuffleMask(Value, Box<[u8; 64]>),
    /// Lane n takes lane `(index[n] / 4) mod 64` of the value if that lane is
    /// in the mask, else 0 (`ds_bpermute_b32`).
    Permute {
        /// The data.
        value: Value,
        /// Four times the source lane.
        index: Value,
        /// Lanes whose data exist.
        mask: Value,
    },
    /// Lane n of the mask sends its value to lane `(index[n] / 4) mod 64`; the
    /// highest sender wins; lanes without a sender get 0 (`ds_permute_b32`).
    Scatter {
        /// The data.
        value: Value,
        /// Four times the destination lane.
        index: Value,
        /// Sending lanes.
        mask: Value,
    },
    /// A pure function applied to each lane.
    LaneFn(&'static LaneFn, Vec<Value>),
    /// An access to memory. A load may have a result (`V32`): see [`MemOp`].
    Mem(Box<MemOp>),
    /// Reads a clock (`U64`).
    Clock(Clock),
    /// Waits for counters; no effect on the state, kept for checkers.
    WaitCnt(WaitCnt),
    /// Ends the block.
    End(Terminator),
}

/// How a block ends. `next` is the guest address of the instruction after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// Goes on at a fixed address.
    Branch(u64),
    /// Goes to `taken` when the `U32` is nonzero.
    CondBranch {
        /// The condition.
        cond: Value,
        /// Address if nonzero.
        taken: u64,
        /// Address if zero.
        next: u64,
    },
    /// Goes to a computed address (`U64`).
    Jump(Value),
    /// Waits until every wave of the work-group is here.
    Barrier {
        /// Where it goes on.
        next: u64,
    },
    /// Lets others run.
    Sleep {
        /// Where it goes on.
        next: u64,
    },
    /// Meets waves of other work-groups.
    GlobalSync {
        /// How.
        op: GlobalSync,
        /// The number of the counter (`U32`).
        resource: Value,
        /// What is set or added, or counted to (`U32`).
        value: Value,
        /// Where it goes on.
        next: u64,
    },
    /// Sends values out of the wave.
    Export {
        /// What and where to.
        export: Export,
        /// Where it goes on.
        next: u64,
    },
    /// Sends a message to the host.
    Message {
        /// The message number and its operation bits.
        message: u16,
        /// Where it goes on.
        next: u64,
    },
    /// Calls the trap handler.
    Trap {
        /// The trap number.
        id: u8,
        /// Where it would go on.
        next: u64,
    },
    /// The wave is done.
    EndProgram,
    /// An instruction that is not supported: stops the kernel.
    Unsupported {
        /// The sentence that says what and why.
        what: Box<str>,
    },
}

/// One node of a block: an operation and the type of its result.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// The type of its (first) result; `None` when it has none.
    pub ty: Option<Ty>,
}

/// A basic block of the guest, lifted.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The guest address of its first instruction.
    pub pc: u64,
    /// The operations in the order of execution; the last is `Op::End`.
    pub nodes: Vec<Node>,
}

impl Block {
    /// The node that defines a value.
    pub fn node(&self, v: Value) -> &Node {
        &self.nodes[v.index()]
    }

    /// The type of a value.
    ///
    /// # Panics
    /// If the node has no result, which the verifier excludes.
    pub fn ty(&self, v: Value) -> Ty {
        self.node(v).ty.expect("the node has a result")
    }
}
