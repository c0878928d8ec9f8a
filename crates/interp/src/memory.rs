//! Steps of memory operations: a space and an operation each.

use std::marker::PhantomData;

use wavetank_ir::{Access, Elements, MemKind, MemOp, RegFile, Space as Where};

use crate::drive::{Custom, Level};
use crate::step::{Ctx, Next, Step, StepFn};
use crate::store::Store as Lanes;
use wavetank_machine::{Fault, Stop};
use wavetank_memory::image::{self, Refused};
use wavetank_memory::operation::{Load, LoadPart, Operation, ReadModifyWrite, Store, StorePart};
use wavetank_memory::rows::Rows;
use wavetank_memory::space::buffer::Buffer;
use wavetank_memory::space::flat::{Flat, Global};
use wavetank_memory::space::gds::Shared;
use wavetank_memory::space::lds::{self, Local};
use wavetank_memory::space::scratch::Private;
use wavetank_memory::space::{Space, scalar};
use wavetank_memory::{Denied, Request, VGPRS, format};

/// The step of a memory operation. Its `imm[0]` is the address of a
/// [`Request`] that outlives it.
///
/// An operation that would return to vector registers that do not exist does
/// nothing (Vega ISA, 3.6.2).
pub fn mem_step<L: Level>(op: &MemOp) -> StepFn {
    if !returns_in_file(op) {
        return nothing;
    }
    match op.space {
        Where::Global { .. } => lanes::<L, Global>(op),
        Where::Flat { .. } => lanes::<L, Flat>(op),
        Where::Scratch { .. } => lanes::<L, Private>(op),
        Where::Lds { .. } => lanes::<L, Local>(op),
        Where::Buffer {
            format: Elements::Plain,
            ..
        } => lanes::<L, Buffer>(op),
        Where::Buffer { .. } => L::custom::<Formatted<L::Rows>>(),
        Where::Gds { .. } => lanes::<L, Shared>(op),
        Where::LdsPair { .. } => pair,
        Where::Image(_) => L::custom::<Images<L::Rows>>(),
        Where::Scalar { .. } => direct,
        Where::ScalarBuffer { .. } => buffer,
    }
}

fn returns_in_file(op: &MemOp) -> bool {
    let writes = op.effects().writes;
    writes
        .iter()
        .all(|span| span.file != RegFile::Vector || span.end() as usize <= VGPRS)
}

/// The step of an operation in a space of lanes.
fn lanes<L: Level, S: Space>(op: &MemOp) -> StepFn {
    match (op.kind, op.access) {
        (MemKind::Load, Access::Dwords(1)) => step::<L, S, Load<1, L::Rows>>(),
        (MemKind::Load, Access::Dwords(2)) => step::<L, S, Load<2, L::Rows>>(),
        (MemKind::Load, Access::Dwords(3)) => step::<L, S, Load<3, L::Rows>>(),
        (MemKind::Load, Access::Dwords(_)) => step::<L, S, Load<4, L::Rows>>(),
        (MemKind::Load, _) => step::<L, S, LoadPart<L::Rows>>(),
        (MemKind::Store, Access::Dwords(1)) => step::<L, S, Store<1, L::Rows>>(),
        (MemKind::Store, Access::Dwords(2)) => step::<L, S, Store<2, L::Rows>>(),
        (MemKind::Store, Access::Dwords(3)) => step::<L, S, Store<3, L::Rows>>(),
        (MemKind::Store, Access::Dwords(_)) => step::<L, S, Store<4, L::Rows>>(),
        (MemKind::Store, _) => step::<L, S, StorePart<L::Rows>>(),
        (MemKind::Atomic(_), _) => step::<L, S, ReadModifyWrite<L::Rows>>(),
    }
}

fn step<L: Level, S: Space, O: Operation>() -> StepFn {
    L::custom::<ByLanes<S, O>>()
}

/// An operation in a space, as a step with a body of its own.
struct ByLanes<S, O>(PhantomData<(S, O)>);

impl<S: Space, O: Operation> Custom for ByLanes<S, O> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: that of `StepFn`; lowering keeps the memory step.
        unsafe {
            let mem = mem(s);
            let mask = ctx.u::<u64>(mem.mask).read_unaligned();
            if mask == 0 {
                return Next::Step;
            }
            let op = O::new(ctx, mem);
            match S::access(ctx, mem, mask, op) {
                Ok(()) => Next::Step,
                Err(denied) => stop(ctx, mem, denied),
            }
        }
    }
}

/// A step that does nothing.
///
/// # Safety
/// None is needed.
unsafe fn nothing(_: &mut Ctx<'_, '_>, _: &Step) -> Next {
    Next::Step
}

/// A buffer access with format conversion.
struct Formatted<R>(PhantomData<R>);

impl<R: Rows> Custom for Formatted<R> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: that of `StepFn`; lowering keeps the memory step.
        unsafe {
            let mem = mem(s);
            let mask = ctx.u::<u64>(mem.mask).read_unaligned();
            if mask == 0 {
                return Next::Step;
            }
            match format::access::<R>(ctx, mem, mask) {
                Ok(()) => Next::Step,
                Err(denied) => stop(ctx, mem, denied),
            }
        }
    }
}

/// An access to an image.
struct Images<R>(PhantomData<R>);

impl<R: Rows> Custom for Images<R> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: that of `StepFn`; lowering keeps the memory step.
        unsafe {
            let mem = mem(s);
            let mask = ctx.u::<u64>(mem.mask).read_unaligned();
            if mask == 0 {
                return Next::Step;
            }
            match image::access::<R>(ctx, mem, mask) {
                Ok(()) => Next::Step,
                Err(Refused::Denied(denied)) => stop(ctx, mem, denied),
                Err(Refused::Unsupported(what)) => {
                    let pc = mem.pc;
                    (*ctx.uniform).pc = pc;
                    ctx.stop = Some(Stop::Fault(Fault::Unsupported { pc, what }));
                    Next::Stop
                }
            }
        }
    }
}

/// An atomic whose operand stands in LDS.
///
/// # Safety
/// That of [`StepFn`].
unsafe fn pair(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: that of `StepFn`; lowering keeps the memory step.
    unsafe {
        let mem = mem(s);
        let mask = ctx.u::<u64>(mem.mask).read_unaligned();
        match lds::pair(ctx, mem, mask) {
            Ok(()) => Next::Step,
            Err(denied) => stop(ctx, mem, denied),
        }
    }
}

/// # Safety
/// That of [`StepFn`].
unsafe fn direct(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: that of `StepFn`; lowering keeps the memory step.
    unsafe {
        let mem = mem(s);
        match scalar::direct(ctx, mem) {
            Ok(()) => Next::Step,
            Err(denied) => stop(ctx, mem, denied),
        }
    }
}

/// # Safety
/// That of [`StepFn`].
unsafe fn buffer(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: that of `StepFn`; lowering keeps the memory step.
    unsafe {
        let mem = mem(s);
        match scalar::buffer(ctx, mem) {
            Ok(()) => Next::Step,
            Err(denied) => stop(ctx, mem, denied),
        }
    }
}

/// The memory step of a step.
///
/// # Safety
/// `imm[0]` is its address, and it is alive.
#[inline(always)]
unsafe fn mem(s: &Step) -> &Request {
    // SAFETY: that of `StepFn`.
    unsafe { &*std::ptr::with_exposed_provenance(s.imm[0] as usize) }
}

/// Stops the wave at the instruction whose access was denied.
#[cold]
#[inline(never)]
unsafe fn stop(ctx: &mut Ctx<'_, '_>, mem: &Request, denied: Denied) -> Next {
    let fault = ctx.memory.fault(mem.pc, mem.op.kind, denied);
    // SAFETY: the caller's context is that of a live wave.
    unsafe { (*ctx.uniform).pc = mem.pc };
    ctx.stop = Some(Stop::Fault(Fault::Memory(Box::new(fault))));
    Next::Stop
}
