//! The meaning of SUATOM: one atomic on surface elements in the wave IR.
//!
//! The registers of a warp are mapped to those of a wave:
//!
//! | of the warp | in the wave |
//! |---|---|
//! | R0 to R254, a value for each of 32 threads | the vector registers of the same numbers, lanes 0 to 31 |
//! | P0 to P6 | lane masks in uniform registers: P0 in 0 and 1, P1 in 2 and 3, … ([`predicate`]) |
//! | the constant bank that bundles state | its address in uniform registers 14 and 15 ([`CONSTANTS`]) |
//! | threads that run: neither helper pixels nor killed | EXEC |
//!
//! Surfaces are those of the device's table, selected by the header pointer.

use wavetank_ir::{
    Access, Bin, Block, Builder, Counter, DataReg, Dimensions, Elem, Fp, Half, MemKind, MemOp,
    Outside, Reg as Place, Rmw, Space, SurfaceAtomic, Un, Value,
};

use crate::lift_block::lift_block;
use crate::maxwell::inst::{Clamp, Dim, Handle, Inst, Mode, Op, Pred, Reg, Size};
use crate::maxwell::operand_constraints::{self, Broken};

/// The first of the two uniform registers with the address of the constant bank.
pub const CONSTANTS: u8 = 14;
/// The register that holds a handle between its load and its use.
const LOADED_HANDLE: u8 = 16;
/// The bits of a handle that select the header: `headerPtr[19:0]`.
const HEADER: u32 = 0xf_ffff;
/// The bits of an array index that are used.
const INDEX: u32 = 0xffff;
/// Bytes from an instruction to the next in [`block`].
pub const STEP: u64 = 8;

/// Returns the first of the two uniform registers with a predicate's lane mask; `None` for PT, which is always true.
pub fn predicate(pred: Pred) -> Option<u8> {
    (pred != Pred::PT).then_some(2 * pred.number())
}

/// Returns the block of instructions that begins at an address, with at most `most` instructions. The first instruction is at
/// address 0, each is [`STEP`] bytes long, and after the last one the program ends. An instruction that breaks a rule stops the
/// program when it runs.
pub fn block(code: &[Inst], pc: u64, most: usize) -> Block {
    lift_block(code, STEP, pc, most, |inst, b| {
        lift(inst, b).map_err(|broken| format!("`{inst}` is not executed: {broken}"))
    })
}

/// Appends the operations of an instruction to a block, in which it has been opened.
///
/// # Errors
/// The rule that the instruction breaks: its effect is not documented.
pub fn lift(inst: &Inst, b: &Builder) -> Result<(), Broken> {
    operand_constraints::check(inst)?;
    let count = inst.size.registers();
    // The handle is loaded before everything else.
    let number = number(inst, b);
    let element = SurfaceAtomic {
        dimensions: Some(dimensions(inst.dim)),
        bytes: inst.mode == Mode::Raw { bytes: true },
        typed: inst.mode == Mode::Formatted,
        outside: match inst.clamp {
            Clamp::Ign => Outside::Drop,
            Clamp::Near => Outside::Nearest,
            Clamp::Trap => Outside::Stop,
        },
        absent: inst.sparse.and_then(predicate).map(DataReg::S),
        ..SurfaceAtomic::new(number, coordinates(inst, b))
    };
    let operand = |n: u8| (n * count..(n + 1) * count).map(|n| register(b, inst.rb, n));
    let data: Vec<Value> = match inst.op {
        // Rb has the value to compare with, then the one to write; the IR takes the new one first.
        Op::Cas => operand(1).chain(operand(0)).collect(),
        _ => operand(0).collect(),
    };
    b.mem(MemOp {
        kind: MemKind::Atomic(change(inst.op, inst.size)),
        space: Space::Surface(element),
        access: Access::Dwords(count),
        counter: Counter::Vm,
        offset: 0,
        half: Half::Whole,
        data,
        ret: (inst.rd != Reg::RZ).then_some(DataReg::V(inst.rd.0.into())),
        mask: Some(threads(inst, b)),
        glc: true,
        slc: false,
        shadow: false,
    });
    Ok(())
}

/// Returns the operation of the IR, by operation and size (table "Reduction Operations"). The rules allow only these sizes.
fn change(op: Op, size: Size) -> Rmw {
    use Size::{F16x2, F32, S32, S64, Sd32, Sd64};
    match (op, size) {
        (Op::Add, F32) => Rmw::FAddFlush,
        (Op::Add, F16x2) => Rmw::PkFAddFlush,
        (Op::Add, Sd32 | Sd64) => Rmw::AddSatS,
        (Op::Add, _) => Rmw::Add,
        (Op::Min, F16x2) => Rmw::PkFMinFlush,
        (Op::Max, F16x2) => Rmw::PkFMaxFlush,
        (Op::Min, S32 | S64 | Sd32 | Sd64) => Rmw::MinS,
        (Op::Max, S32 | S64 | Sd32 | Sd64) => Rmw::MaxS,
        (Op::Min, _) => Rmw::MinU,
        (Op::Max, _) => Rmw::MaxU,
        (Op::Inc, _) => Rmw::Inc,
        (Op::Dec, _) => Rmw::Dec,
        (Op::And, _) => Rmw::And,
        (Op::Or, _) => Rmw::Or,
        (Op::Xor, _) => Rmw::Xor,
        (Op::Exch, _) => Rmw::Swap,
        (Op::Cas, _) => Rmw::CmpSwap,
    }
}

fn dimensions(dim: Dim) -> Dimensions {
    match dim {
        Dim::D1 => Dimensions::D1,
        Dim::Buffer => Dimensions::Buffer,
        Dim::D1Array => Dimensions::D1Array,
        Dim::D2 => Dimensions::D2,
        Dim::D2Array => Dimensions::D2Array,
        Dim::D3 => Dimensions::D3,
    }
}

/// Returns register `n` of a group. All registers of a group that is RZ are 0.
fn register(b: &Builder, first: Reg, n: u8) -> Value {
    match first {
        Reg::RZ => b.u32(0),
        Reg(first) => b.read(Place::V(u16::from(first) + u16::from(n))),
    }
}

fn masked(b: &Builder, value: Value, bits: u32) -> Value {
    b.bin(Bin::And, Elem::I32, Fp::default(), value, b.u32(bits))
}

/// Returns the coordinates; an array index is reduced to its lowest 16 bits.
fn coordinates(inst: &Inst, b: &Builder) -> Vec<Value> {
    let count = inst.dim.coordinates();
    let coordinate = |n| match register(b, inst.ra, n) {
        index if inst.dim.is_array() && n + 1 == count => masked(b, index, INDEX),
        other => other,
    };
    (0..count).map(coordinate).collect()
}

/// Returns the number of the surface.
fn number(inst: &Inst, b: &Builder) -> Value {
    let handle = match inst.handle {
        Handle::Register(rc) => register(b, rc, 0),
        Handle::Immediate(index) => {
            b.mem(MemOp {
                kind: MemKind::Load,
                space: Space::Scalar {
                    address: b.read(Place::S64(CONSTANTS)),
                    index: None,
                },
                access: Access::Dwords(1),
                counter: Counter::Lgkm,
                offset: 4 * i64::from(index),
                half: Half::Whole,
                data: vec![],
                ret: Some(DataReg::S(LOADED_HANDLE)),
                mask: None,
                glc: false,
                slc: false,
                shadow: false,
            });
            b.read(Place::S(LOADED_HANDLE))
        }
    };
    masked(b, handle, HEADER)
}

/// Returns the mask of the threads that execute the instruction: the active ones for which the guard holds.
fn threads(inst: &Inst, b: &Builder) -> Value {
    let running = b.read(Place::EXEC);
    let guard = match predicate(inst.guard.pred) {
        None => b.mask(u64::MAX),
        Some(first) => b.read(Place::Mask(first)),
    };
    let fp = Fp::default();
    let guard = if !inst.guard.negated {
        guard
    } else {
        b.un(Un::Not, Elem::I64, fp, guard)
    };
    b.bin(Bin::And, Elem::I64, fp, running, guard)
}
