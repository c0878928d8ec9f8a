//! The operations of the wave IR: a row for each, with its text, its operands and their types, and its effects. Walk, printer,
//! parser, verifier and effects are generated from the rows.
//!
//! An operation whose result is a lane vector accepts uniform operands as well: they are read as the same value in every lane. If
//! all operands of an operation are uniform, so is the result. The functions of numbers are described in `functions.rs`.
//!
//! # How to add an operation
//!
//! 1. A row for it, which is all that this file needs:
//!
//!    ```text
//!    /// The value of lane `index` (modulo 64), as a uniform.
//!    ReadLane(value: Value, index: Value) = "read_lane", (W32, U32) -> U32, CROSSES;
//!    ```
//!
//!    The columns are the text, the required types of the operands and the type of the
//!    result (or a method of the verifier's `Checker`, if type words are not enough), and
//!    the effects. `operations!` in `table.rs` has the grammar.
//! 2. A method of the `Builder`, if front ends are to use it.
//! 3. The meaning of the operation in each engine: their `match`es are exhaustive.
//!
//! A further field is a line in the row. The type of a field determines the values in it (`operands.rs`) and its text form
//! (`form.rs`); `as` names another form. Address spaces and the fields of accesses are rows of the same kind (`mem.rs`,
//! `image.rs`, `export.rs`).

use crate::effects::{Effects, Span};
use crate::export::Export;
use crate::form::{Arguments, Bytes, HalfOfMask, OneByOne, Sign, Uniform, Vector};
use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::lane_fn::LaneFn;
use crate::matrix::MatrixOp;
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
/// The effects of an end of a block: the next block may use any register.
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

/// The largest number of values that a probe shows.
pub const MAX_SHOWN: usize = 3;

operations! {
    /// The operation of a node.
    #[derive(Clone, Debug)]
    pub enum Op,
    /// The effects beside the result.
    pub effects: Effects {
        /// Opens a guest instruction at this address, with an index that counts the guest instructions of the block.
        Inst {
            /// The guest address of the instruction.
            pc: u64,
            /// The family of the instruction, for counters.
            family: Family,
        } = "inst", (), MARKS;
        /// A constant of 64 bits.
        Const(c: u64) = "const", constant(c), PURE;
        /// Reads a register of any file.
        Read(reg: Reg) = "read", register(reg), Effects::of_read(*reg);
        /// Reads vector register `base + index`, a sum that wraps at 32 bits; out of range it reads v0.
        ReadIndexed {
            /// The number of the register at index 0.
            base: u16 as Vector,
            /// A `U32` that is added to the number.
            index: Value,
        } = "read_indexed", (U32) -> V32, Effects::reading(Span::ALL_VECTOR);
        /// Reads uniform register `base + index`, like `ReadIndexed`. The engine defines the range: for GCN s0 to s103. Out of
        /// range it reads s0.
        ReadIndexedS {
            /// The number of the register at index 0.
            base: u8 as Uniform,
            /// A `U32` that is added to the number.
            index: Value,
        } = "read_indexed", (U32) -> U32, Effects::reading(Span::ALL_UNIFORM);
        /// Writes a register in the lanes of `mask` (uniform registers have none).
        /// Bit n of `bytes` says whether byte n of each 32-bit lane is written.
        Write {
            /// The register to write.
            reg: Reg,
            /// The value to write. A uniform value is written to every lane.
            value: Value,
            /// The lanes to write; `None` only for uniform registers.
            mask: Option<Value>,
            /// The bytes to write, 0b1111 for all.
            bytes: u8 as Bytes,
        } = "write", write(reg, value, mask, bytes), Effects::of_write(*reg);
        /// Writes vector register `base + index`, where `ReadIndexed` would read; out of range it writes nothing.
        WriteIndexed {
            /// The number of the register at index 0.
            base: u16 as Vector,
            /// A `U32` that is added to the number.
            index: Value,
            /// The value to write.
            value: Value,
            /// The lanes to write.
            mask: Value,
        } = "write_indexed", (U32, W32, Mask), Effects::writing(Span::ALL_VECTOR, false);
        /// Writes uniform register `base + index`, where `ReadIndexedS` would read; out of range it writes nothing.
        WriteIndexedS {
            /// The number of the register at index 0.
            base: u8 as Uniform,
            /// A `U32` that is added to the number.
            index: Value,
            /// The value to write.
            value: Value,
        } = "write_indexed", (U32, U32), Effects::writing(Span::ALL_UNIFORM, false);
        /// A function with one operand.
        Un(un: Un, elem: Elem, fp: Fp, a: Value) = "", un(un, elem, a), PURE;
        /// A function with two operands.
        Bin(bin: Bin, elem: Elem, fp: Fp, a: Value, b: Value) = "", bin(bin, elem, a, b), PURE;
        /// A function with three operands.
        Tern(tern: Tern, elem: Elem, fp: Fp, a: Value, b: Value, c: Value)
            = "", tern(tern, elem, a, b, c), PURE;
        /// Compares: a mask for vectors, 0 or 1 for uniforms.
        Cmp(rel: Rel, elem: Elem, fp: Fp, a: Value, b: Value)
            = "cmp.", cmp(rel, elem, a, b), PURE;
        /// The mask of lanes where `bits[n]` of the second operand is set for the IEEE class n of the first; 0 or 1 for uniforms.
        /// From bit 0 on: signaling NaN, quiet NaN, −∞, −normal, −denormal, −0, +0, +denormal, +normal, +∞. Denormals are never
        /// flushed.
        Class(elem: Elem, a: Value, bits: Value) = "class", class(elem, a, bits), PURE;
        /// Conversion from one element to another.
        Cvt(cvt: Cvt, from: Elem, to: Elem, fp: Fp, a: Value)
            = "", convert(cvt, from, to, a), PURE;
        /// `mask ? a : b` in each lane; with a `U32` condition (nonzero) and
        /// uniform a, b: a uniform.
        Select(cond: Value, a: Value, b: Value) = "select", select(cond, a, b), PURE;
        /// a + b + carry-in (a `Mask` or a `U32`), with the carry as second result.
        AddCarry(a: Value, b: Value, carry: Option<Value>)
            = "add_carry", carry(a, b, carry), PURE;
        /// a − b − borrow-in, with the borrow as second result.
        SubBorrow(a: Value, b: Value, borrow: Option<Value>)
            = "sub_borrow", carry(a, b, borrow), PURE;
        /// 32 × 32 + 64 bits, with the carry out of bit 63 as second result (signed: overflow is not reported, the mask is 0).
        MadWide {
            /// Whether the factors are signed.
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
        /// For each lane, the mask of the lanes below it, low or high half (`V32`).
        LanesBelow {
            /// Whether it is the high half.
            high: bool as HalfOfMask,
        } = "lanes_below", () -> V32, PURE;
        /// The number of each lane (`V32`).
        LaneId = "lane_id", () -> V32, PURE;
        /// The value of lane `index` (modulo 64), as a uniform.
        ReadLane(value: Value, index: Value) = "read_lane", (W32, U32) -> U32, CROSSES;
        /// The value of the lowest lane of the mask (lane 0 if the mask is empty).
        ReadFirstLane(value: Value, mask: Value) = "read_first_lane", (W32, Mask) -> U32, CROSSES;
        /// Lane n takes lane `table[n]`; a table entry of 64 or more gives 0.
        Shuffle(value: Value, table: Box<[u8; 64]>) = "shuffle", (W32) -> V32, CROSSES;
        /// A mask whose bit n is bit `table[n]`; a table entry of 64 or more gives 0.
        ShuffleMask(value: Value, table: Box<[u8; 64]>) = "shuffle_mask", (Mask) -> Mask, CROSSES;
        /// Lane n takes lane `(index[n] / 4) mod 64` of the value if that lane is
        /// in the mask, else 0 (`ds_bpermute_b32`).
        Permute {
            /// The data of all lanes.
            value: Value,
            /// Four times the source lane.
            index: Value,
            /// The lanes whose data can be fetched.
            mask: Value,
        } = "permute", (W32, W32, Mask) -> V32, CROSSES;
        /// Lane n of the mask sends its value to lane `(index[n] / 4) mod 64`; the
        /// highest sender wins; lanes without a sender get 0 (`ds_permute_b32`).
        Scatter {
            /// The data of all lanes.
            value: Value,
            /// Four times the destination lane.
            index: Value,
            /// The lanes that send a value.
            mask: Value,
        } = "scatter", (W32, W32, Mask) -> V32, CROSSES;
        /// Applies a pure function to each lane.
        LaneFn(function: &'static LaneFn, args: Vec<Value> as Arguments)
            = "lane_fn", lane_fn(function, args), PURE;
        /// An access to memory. A load may have a result (`V32`): see [`MemOp`].
        Mem(access: Box<MemOp>) = "", mem(access), access.effects();
        /// A product of matrices, from registers to registers, in all lanes whatever EXEC is: see [`MatrixOp`].
        Matrix(product: Box<MatrixOp> as MatrixOp) = "matrix", matrix(product), product.effects();
        /// Reads a clock (`U64`).
        Clock(clock: Clock) = "clock", () -> U64, VARIES;
        /// Waits for wait counters; without effect on the state, kept for checkers.
        WaitCnt(counters: WaitCnt) = "waitcnt", (), MARKS;
        /// A probe: reports to a checker the lanes in which a value is not 0, if there are any; all lanes for a uniform value. A
        /// probe changes no state.
        Probe {
            /// The guest address of the instruction that the probe belongs to.
            pc: u64,
            /// The meaning of the probe, a number that the checker defines.
            about: u8,
            /// The probed value, of any type.
            of: Value,
            /// The lanes to report, if the value is a lane vector.
            lanes: Value,
            /// Values shown with it, of the first of these lanes: at most [`MAX_SHOWN`].
            shows: Vec<Value> as Arguments,
        } = "probe", probe(of, lanes, shows), MARKS;
        /// Counts an execution of a site, a sequence of instructions with the same EXEC, for a profile. It changes no state.
        Tally {
            /// The number of the site, which the observer defines.
            site: u32,
            /// The active lanes.
            lanes: Value,
            /// The lanes that were active in the sequence before; the same value if EXEC has not changed.
            before: Value,
        } = "tally", (Mask, Mask), MARKS;
        /// Ends the block with a terminator.
        End(end: Terminator) = "", end(end), end.effects();
    }

    /// The end of a block. `next` is the guest address of the instruction after it.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub enum Terminator,
    /// The effects beside the result.
    pub effects: Effects {
        /// Continues at a fixed address.
        Branch(to: u64) = "branch", (), ENDS;
        /// Branches to `taken` if the `U32` is nonzero, else continues at `next`.
        CondBranch {
            /// The condition, a `U32`.
            cond: Value,
            /// The address if the condition is nonzero.
            taken: u64,
            /// The address if the condition is zero.
            next: u64,
        } = "cond_branch", (U32), ENDS;
        /// Jumps to a computed address (`U64`).
        Jump(to: Value) = "jump", (U64), ENDS;
        /// Waits until every wave of the work-group has reached a barrier.
        Barrier {
            /// The address to continue at.
            next: u64,
        } = "barrier", (), YIELDS;
        /// Yields to other waves.
        Sleep {
            /// The address to continue at.
            next: u64,
        } = "sleep", (), YIELDS;
        /// Synchronizes with waves of other work-groups.
        GlobalSync {
            /// The operation on the counter.
            op: GlobalSync,
            /// The number of the counter (`U32`).
            resource: Value,
            /// The value to set, to add or to count to (`U32`).
            value: Value,
            /// The address to continue at.
            next: u64,
        } = "global_sync", (U32, U32), YIELDS;
        /// Exports values from the wave.
        Export {
            /// The address to continue at.
            next: u64,
            /// The data and the target.
            export: Export,
        } = "export", export(export), STOPS;
        /// Sends a message to the host.
        Message {
            /// The message number and its operation bits.
            message: u16,
            /// The address to continue at.
            next: u64,
        } = "message", (), YIELDS;
        /// Leaves the engine before the instruction at an address, for an observer. The block was divided there.
        Breakpoint {
            /// The address of the instruction, at which the wave continues.
            pc: u64,
            /// The address of the block that was divided.
            block: u64,
        } = "breakpoint", (), YIELDS;
        /// Enters the trap handler.
        Trap {
            /// The number of the trap.
            id: u8,
            /// The address after the trap.
            next: u64,
        } = "trap", (), STOPS;
        /// Ends the program of the wave.
        EndProgram = "end_program", (), YIELDS;
        /// Stops the kernel at an instruction that is not supported.
        Unsupported {
            /// The message: the unsupported feature, and the reason.
            what: Box<str>,
        } = "unsupported", (), STOPS;
    }
}
