//! The operations of the wave IR: a row each, with its text, its operands and
//! their types, and what it does besides. Walk, printer, parser, verifier and
//! effects follow from the rows.
//!
//! An operation whose result is a lane vector takes uniform operands as well:
//! they are read as the same value in every lane. An operation all of whose
//! operands are uniform yields a uniform result. What functions of numbers do
//! to their operands stands in `functions.rs`.
//!
//! # How to add an operation
//!
//! 1. Its row, and that is all of it here:
//!
//!    ```text
//!    /// The value of lane `index` (modulo 64), as a uniform.
//!    ReadLane(value: Value, index: Value) = "read_lane", (W32, U32) -> U32, CROSSES;
//!    ```
//!
//!    The columns are the text, what the operands must be and what the result is
//!    (or, where words do not say it, a method of the verifier's `Checker`), and the
//!    effects. `operations!` in `table.rs` has the grammar.
//! 2. A method of the `Builder`, if front ends are to use it.
//! 3. Its meaning in each engine: their `match`es are exhaustive.
//!
//! A field more is a line in the row. Its type says which values are in it
//! (`operands.rs`) and how it is written (`form.rs`); `as` names another form.
//! Address spaces, and what accesses say of them, are rows of the same kind
//! (`mem.rs`, `image.rs`, `export.rs`).

use crate::effects::{Effects, Span};
use crate::export::Export;
use crate::form::{Arguments, Bytes, HalfOfMask, OneByOne, Sign, Uniform, Vector};
use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::lane_fn::LaneFn;
use crate::mem::{Clock, Family, GlobalSync, MemOp, WaitCnt};
use crate::table::operations;
use crate::types::{Elem, Fp, Reg, Ty, Value};

const PURE: Effects = Effects::PURE;
const MARKS: Effects = Effects {
    marks: true,
    ..PURE
};
const VARIES: Effects = Effects {
    varies: true,
    ..PURE
};
const CROSSES: Effects = Effects {
    crosses_lanes: true,
    ..PURE
};
/// The block after may look at any register.
const ENDS: Effects = Effects {
    observes_state: true,
    ends_block: true,
    ..PURE
};
const YIELDS: Effects = Effects {
    yields: true,
    ..ENDS
};
const STOPS: Effects = Effects {
    faults: true,
    ..YIELDS
};

/// So many numbers are shown with lanes at most.
pub const MAX_SHOWN: usize = 3;

operations! {
    /// What a node of a block does.
    #[derive(Clone, Debug)]
    pub enum Op,
    /// What it does beside computing its result.
    pub effects: Effects {
        /// Opens a guest instruction at this address. Its index counts the guest
        /// instructions of the block.
        Inst {
            /// The guest address.
            pc: u64,
            /// What kind of instruction it is, for counters.
            family: Family,
        } = "inst", (), MARKS;
        /// A constant.
        Const(c: u64) = "const", constant(c), PURE;
        /// Reads a register.
        Read(reg: Reg) = "read", register(reg), Effects::of_read(*reg);
        /// Reads vector register `base + index`, a sum of 32 bits that wraps; one
        /// that is out of range reads v0.
        ReadIndexed {
            /// The first register.
            base: u16 as Vector,
            /// A `U32` that is added.
            index: Value,
        } = "read_indexed", (U32) -> V32, Effects::reading(Span::ALL_VECTOR);
        /// Reads uniform register `base + index`, like `ReadIndexed`. What is in
        /// range is the engine's: for GCN s0 to s103. Out of range it reads s0.
        ReadIndexedS {
            /// The first register.
            base: u8 as Uniform,
            /// A `U32` that is added.
            index: Value,
        } = "read_indexed", (U32) -> U32, Effects::reading(Span::ALL_UNIFORM);
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
            bytes: u8 as Bytes,
        } = "write", write(reg, value, mask, bytes), Effects::of_write(*reg);
        /// Writes vector register `base + index`, where `ReadIndexed` would read;
        /// out of range nothing.
        WriteIndexed {
            /// The first register.
            base: u16 as Vector,
            /// A `U32` that is added.
            index: Value,
            /// What is written.
            value: Value,
            /// The lanes.
            mask: Value,
        } = "write_indexed", (U32, W32, Mask), Effects::writing(Span::ALL_VECTOR, false);
        /// Writes uniform register `base + index`, where `ReadIndexedS` would read;
        /// out of range nothing.
        WriteIndexedS {
            /// The first register.
            base: u8 as Uniform,
            /// A `U32` that is added.
            index: Value,
            /// What is written.
            value: Value,
        } = "write_indexed", (U32, U32), Effects::writing(Span::ALL_UNIFORM, false);
        /// One operand.
        Un(un: Un, elem: Elem, fp: Fp, a: Value) = "", un(un, elem, a), PURE;
        /// Two operands.
        Bin(bin: Bin, elem: Elem, fp: Fp, a: Value, b: Value) = "", bin(bin, elem, a, b), PURE;
        /// Three operands.
        Tern(tern: Tern, elem: Elem, fp: Fp, a: Value, b: Value, c: Value)
            = "", tern(tern, elem, a, b, c), PURE;
        /// Compare: a mask of vectors, 0 or 1 of uniforms.
        Cmp(rel: Rel, elem: Elem, fp: Fp, a: Value, b: Value)
            = "cmp.", cmp(rel, elem, a, b), PURE;
        /// The mask of lanes where `bits[n]` of the second operand is set for the
        /// IEEE class n of the first; 0 or 1 of uniforms. From bit 0 on: signaling
        /// NaN, quiet NaN, −∞, −normal, −denormal, −0, +0, +denormal, +normal, +∞.
        /// Denormals are never flushed.
        Class(elem: Elem, a: Value, bits: Value) = "class", class(elem, a, bits), PURE;
        /// Conversion from one element to another.
        Cvt(cvt: Cvt, from: Elem, to: Elem, fp: Fp, a: Value)
            = "", convert(cvt, from, to, a), PURE;
        /// `mask ? a : b` in each lane; with a `U32` condition (nonzero) and
        /// uniform a, b: a uniform.
        Select(cond: Value, a: Value, b: Value) = "select", select(cond, a, b), PURE;
        /// a + b + carry-in (a `Mask` or a `U32`), and as second result the carry.
        AddCarry(a: Value, b: Value, carry: Option<Value>)
            = "add_carry", carry(a, b, carry), PURE;
        /// a − b − borrow-in, and as second result the borrow.
        SubBorrow(a: Value, b: Value, borrow: Option<Value>)
            = "sub_borrow", carry(a, b, borrow), PURE;
        /// 32 × 32 + 64 bits; second result: carry out of bit 63 (signed: overflow
        /// is not reported, the mask is 0).
        MadWide {
            /// Signed factors.
            signed: bool as Sign,
            /// The factors and the addend.
            args: [Value; 3] as OneByOne,
        } = "mad_wide", (W32, W32, W64) -> W64, PURE;
        /// The second result of the operation that defines the value.
        Second(of: Value) = "second", second(of), PURE;
        /// The 64 bits of a value as `Mask` or as `U64`.
        Cast(to: Ty, a: Value)
            = "cast", cast(to, a), Effects { crosses_lanes: *to != Ty::Mask, ..PURE };
        /// The mask of lanes with a nonzero (`V32`) value.
        NonZero(a: Value) = "non_zero", (W32) -> Mask, PURE;
        /// For each lane the mask of the lanes below it, low or high half (`V32`).
        LanesBelow {
            /// The high half.
            high: bool as HalfOfMask,
        } = "lanes_below", () -> V32, PURE;
        /// The number of each lane (`V32`).
        LaneId = "lane_id", () -> V32, PURE;
        /// The value of lane `index` (modulo 64), as a uniform.
        ReadLane(value: Value, index: Value) = "read_lane", (W32, U32) -> U32, CROSSES;
        /// The value of the lowest lane of the mask (lane 0 when it is empty).
        ReadFirstLane(value: Value, mask: Value) = "read_first_lane", (W32, Mask) -> U32, CROSSES;
        /// Lane n takes lane `table[n]`; a table entry of 64 or more gives 0.
        Shuffle(value: Value, table: Box<[u8; 64]>) = "shuffle", (W32) -> V32, CROSSES;
        /// The selection applied to a mask; missing sources give 0.
        ShuffleMask(value: Value, table: Box<[u8; 64]>) = "shuffle_mask", (Mask) -> Mask, CROSSES;
        /// Lane n takes lane `(index[n] / 4) mod 64` of the value if that lane is
        /// in the mask, else 0 (`ds_bpermute_b32`).
        Permute {
            /// The data.
            value: Value,
            /// Four times the source lane.
            index: Value,
            /// Lanes whose data exist.
            mask: Value,
        } = "permute", (W32, W32, Mask) -> V32, CROSSES;
        /// Lane n of the mask sends its value to lane `(index[n] / 4) mod 64`; the
        /// highest sender wins; lanes without a sender get 0 (`ds_permute_b32`).
        Scatter {
            /// The data.
            value: Value,
            /// Four times the destination lane.
            index: Value,
            /// Sending lanes.
            mask: Value,
        } = "scatter", (W32, W32, Mask) -> V32, CROSSES;
        /// A pure function applied to each lane.
        LaneFn(function: &'static LaneFn, args: Vec<Value> as Arguments)
            = "lane_fn", lane_fn(function, args), PURE;
        /// An access to memory. A load may have a result (`V32`): see [`MemOp`].
        Mem(access: Box<MemOp>) = "", mem(access), access.effects();
        /// Reads a clock (`U64`).
        Clock(clock: Clock) = "clock", () -> U64, VARIES;
        /// Waits for counters; no effect on the state, kept for checkers.
        WaitCnt(counters: WaitCnt) = "waitcnt", (), MARKS;
        /// Reports the lanes in which a value is not 0, if there are any, to a checker; for a uniform value all lanes. It
        /// changes no state.
        Probe {
            /// The guest address of the instruction that it is about.
            pc: u64,
            /// What they are shown as: a number of theirs.
            about: u8,
            /// What is looked at, of any type.
            of: Value,
            /// Only in these lanes, if it is a lane vector.
            lanes: Value,
            /// Numbers that are shown with it, as the first of these lanes has them: at most [`MAX_SHOWN`].
            shows: Vec<Value> as Arguments,
        } = "probe", probe(of, lanes, shows), MARKS;
        /// Ends the block.
        End(end: Terminator) = "", end(end), end.effects();
    }

    /// How a block ends. `next` is the guest address of the instruction after.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub enum Terminator,
    /// What it does beside computing its result.
    pub effects: Effects {
        /// Goes on at a fixed address.
        Branch(to: u64) = "branch", (), ENDS;
        /// Goes to `taken` when the `U32` is nonzero.
        CondBranch {
            /// The condition.
            cond: Value,
            /// Address if nonzero.
            taken: u64,
            /// Address if zero.
            next: u64,
        } = "cond_branch", (U32), ENDS;
        /// Goes to a computed address (`U64`).
        Jump(to: Value) = "jump", (U64), ENDS;
        /// Waits until every wave of the work-group is here.
        Barrier {
            /// Where it goes on.
            next: u64,
        } = "barrier", (), YIELDS;
        /// Lets others run.
        Sleep {
            /// Where it goes on.
            next: u64,
        } = "sleep", (), YIELDS;
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
        } = "global_sync", (U32, U32), YIELDS;
        /// Sends values out of the wave.
        Export {
            /// Where it goes on.
            next: u64,
            /// What and where to.
            export: Export,
        } = "export", export(export), STOPS;
        /// Sends a message to the host.
        Message {
            /// The message number and its operation bits.
            message: u16,
            /// Where it goes on.
            next: u64,
        } = "message", (), YIELDS;
        /// Calls the trap handler.
        Trap {
            /// The trap number.
            id: u8,
            /// Where it would go on.
            next: u64,
        } = "trap", (), STOPS;
        /// The wave is done.
        EndProgram = "end_program", (), YIELDS;
        /// An instruction that is not supported: stops the kernel.
        Unsupported {
            /// The sentence that says what and why.
            what: Box<str>,
        } = "unsupported", (), STOPS;
    }
}
