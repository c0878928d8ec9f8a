//! Steps of memory operations: a function for each space and operation.

use std::marker::PhantomData;

use wavetank_ir::{Access, Elements, MemKind, MemOp, RegFile, Space as Where};

use crate::drive::{Baseline, Custom, Level};
use crate::file::is_in_file;
use crate::step::{Ctx, Next, Step, StepFn};
use crate::store::Store as Lanes;
use wavetank_images::Refused;
use wavetank_machine::Fault;
use wavetank_memory::any_width::{AnyLoad, AnyStore};
use wavetank_memory::instrument::Instrumented;
use wavetank_memory::lane_moves::LaneMoves;
use wavetank_memory::operation::{Load, LoadPart, Operation, ReadModifyWrite, Store, StorePart};
use wavetank_memory::shadow::Shadowed;
use wavetank_memory::space::buffer::Buffer;
use wavetank_memory::space::flat::{Flat, Global};
use wavetank_memory::space::gds::Shared;
use wavetank_memory::space::lds::{self, Local};
use wavetank_memory::space::scratch::Private;
use wavetank_memory::space::{Space, formatted, scalar};
use wavetank_memory::surface;
use wavetank_memory::{Denied, Request};

/// Returns the step of a memory operation, whose `imm[0]` is the address of a [`Request`] that outlives the step.
///
/// An operation that would return to vector registers that do not exist has no effect (Vega ISA, 3.6.2). An instrumented step
/// records its accesses; it is the same at every level, and so is a step that accesses shadows.
pub(crate) fn mem_step<L: Level>(op: &MemOp, instrumented: bool) -> StepFn {
    match (returns_in_file(op), op.shadow, instrumented) {
        (false, ..) => nothing,
        (true, true, _) => of_shadows(op),
        (true, false, false) => by_space::<L, Plain, false>(op),
        (true, false, true) => by_space::<Baseline, Watched, true>(op),
    }
}

/// Returns the step of an access to shadows, which never stops the wave: a denied access is reported by the access itself.
fn of_shadows(op: &MemOp) -> StepFn {
    match op.space {
        Where::Scalar { .. } | Where::ScalarBuffer { .. } => shadow_of_scalar,
        Where::Global { .. } => Shadows::lanes::<Baseline, Global>(op),
        Where::Flat { .. } => Shadows::lanes::<Baseline, Flat>(op),
        Where::Scratch { .. } => Shadows::lanes::<Baseline, Private>(op),
        Where::Lds { .. } => Shadows::lanes::<Baseline, Local>(op),
        Where::Gds { .. } => Shadows::lanes::<Baseline, Shared>(op),
        Where::Buffer {
            format: Elements::Plain,
            ..
        } => Shadows::lanes::<Baseline, Buffer>(op),
        _ if op.kind == MemKind::Store => define,
        _ => nothing,
    }
}

/// Marks the elements of a converting store as defined, by making the access once more with its accesses recorded.
///
/// # Safety
/// The contract of [`StepFn`].
unsafe fn define(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`; lowering keeps the request.
    unsafe {
        let before = ctx.memory.drain_access_runs();
        by_space::<Baseline, Watched, true>(&mem(s).op)(ctx, s);
        ctx.leave = None;
        ctx.memory.define_accessed(before);
    }
    Next::Step
}

/// # Safety
/// The contract of [`StepFn`].
unsafe fn shadow_of_scalar(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`; lowering keeps the request.
    unsafe { scalar::shadow(ctx, mem(s)) };
    Next::Step
}

fn by_space<L: Level, K: Kind, const INSTRUMENTED: bool>(op: &MemOp) -> StepFn {
    match op.space {
        Where::Global { .. } => K::lanes::<L, Global>(op),
        Where::Flat { .. } => K::lanes::<L, Flat>(op),
        Where::Scratch { .. } => K::lanes::<L, Private>(op),
        Where::Lds { .. } => K::lanes::<L, Local>(op),
        Where::Buffer {
            format: Elements::Plain,
            ..
        } => K::lanes::<L, Buffer>(op),
        Where::Buffer { .. } => L::custom::<Formatted<L::Moves, INSTRUMENTED>>(),
        Where::Gds { .. } => K::lanes::<L, Shared>(op),
        Where::LdsPair { .. } => pair::<INSTRUMENTED>,
        Where::Image(_) => L::custom::<Images<L::Moves, INSTRUMENTED>>(),
        Where::Surface(_) => surfaces::<INSTRUMENTED>,
        Where::Scalar { .. } => direct::<INSTRUMENTED>,
        Where::ScalarBuffer { .. } => buffer::<INSTRUMENTED>,
    }
}

/// The kind of an access: plain, recorded, or made to shadows.
trait Kind: Sized {
    type Of<O: Operation>: Operation;
    /// Whether a denied access stops the wave.
    const STOPS: bool = true;

    /// Returns the step of an operation in a space of lanes. One step serves all widths, except those of plain accesses at levels
    /// with [`Level::WIDTHS`].
    fn lanes<L: Level, S: Space>(op: &MemOp) -> StepFn {
        any_width::<L, S, Self>(op)
    }
}

/// Returns the step of an operation of any width.
fn any_width<L: Level, S: Space, K: Kind>(op: &MemOp) -> StepFn {
    match op.kind {
        MemKind::Load => step::<L, S, K, AnyLoad<L::Moves>>(),
        MemKind::Store => step::<L, S, K, AnyStore<L::Moves>>(),
        MemKind::Atomic(_) => step::<L, S, K, ReadModifyWrite<L::Moves>>(),
    }
}

/// An access without side effects.
struct Plain;

/// An access that is recorded.
struct Watched;

/// An access to shadows.
struct Shadows;

impl Kind for Shadows {
    type Of<O: Operation> = Shadowed<O>;
    const STOPS: bool = false;
}

impl Kind for Plain {
    type Of<O: Operation> = O;

    fn lanes<L: Level, S: Space>(op: &MemOp) -> StepFn {
        if !L::WIDTHS {
            return any_width::<L, S, Self>(op);
        }
        match (op.kind, op.access) {
            (MemKind::Load, Access::Dwords(1)) => step::<L, S, Self, Load<1, L::Moves>>(),
            (MemKind::Load, Access::Dwords(2)) => step::<L, S, Self, Load<2, L::Moves>>(),
            (MemKind::Load, Access::Dwords(3)) => step::<L, S, Self, Load<3, L::Moves>>(),
            (MemKind::Load, Access::Dwords(_)) => step::<L, S, Self, Load<4, L::Moves>>(),
            (MemKind::Load, _) => step::<L, S, Self, LoadPart<L::Moves>>(),
            (MemKind::Store, Access::Dwords(1)) => step::<L, S, Self, Store<1, L::Moves>>(),
            (MemKind::Store, Access::Dwords(2)) => step::<L, S, Self, Store<2, L::Moves>>(),
            (MemKind::Store, Access::Dwords(3)) => step::<L, S, Self, Store<3, L::Moves>>(),
            (MemKind::Store, Access::Dwords(_)) => step::<L, S, Self, Store<4, L::Moves>>(),
            (MemKind::Store, _) => step::<L, S, Self, StorePart<L::Moves>>(),
            (MemKind::Atomic(_), _) => step::<L, S, Self, ReadModifyWrite<L::Moves>>(),
        }
    }
}

impl Kind for Watched {
    type Of<O: Operation> = Instrumented<O>;
}

fn returns_in_file(op: &MemOp) -> bool {
    let writes = op.effects().writes;
    writes.iter().all(|span| {
        span.file != RegFile::Vector || is_in_file(span.first as usize, span.count as usize)
    })
}

fn step<L: Level, S: Space, K: Kind, O: Operation>() -> StepFn {
    L::custom::<ByLanes<S, K, O>>()
}

/// An operation in a space, as a custom step.
struct ByLanes<S, K, O>(PhantomData<(S, K, O)>);

impl<S: Space, K: Kind, O: Operation> Custom for ByLanes<S, K, O> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: the contract of `StepFn`; lowering keeps the request.
        unsafe {
            let mem = mem(s);
            let mask = ctx.u::<u64>(mem.mask).read_unaligned();
            if mask == 0 {
                return Next::Step;
            }
            let op = K::Of::<O>::new(ctx, mem);
            match S::access(ctx, mem, mask, op) {
                Err(denied) if K::STOPS => stop(ctx, mem, denied),
                _ => Next::Step,
            }
        }
    }
}

/// Runs a step without effect.
///
/// # Safety
/// No condition: only the signature requires `unsafe`.
unsafe fn nothing(_: &mut Ctx<'_, '_>, _: &Step) -> Next {
    Next::Step
}

/// A buffer access with format conversion.
struct Formatted<R, const INSTRUMENTED: bool>(PhantomData<R>);

impl<R: LaneMoves, const INSTRUMENTED: bool> Custom for Formatted<R, INSTRUMENTED> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: the contract of `StepFn`; lowering keeps the request.
        unsafe {
            let mem = mem(s);
            let mask = ctx.u::<u64>(mem.mask).read_unaligned();
            if mask == 0 {
                return Next::Step;
            }
            match formatted::access::<R, INSTRUMENTED>(ctx, mem, mask) {
                Ok(()) => Next::Step,
                Err(denied) => stop(ctx, mem, denied),
            }
        }
    }
}

/// An access to an image.
struct Images<R, const INSTRUMENTED: bool>(PhantomData<R>);

impl<R: LaneMoves, const INSTRUMENTED: bool> Custom for Images<R, INSTRUMENTED> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: the contract of `StepFn`; lowering keeps the request.
        unsafe {
            let mem = mem(s);
            let mask = ctx.u::<u64>(mem.mask).read_unaligned();
            if mask == 0 {
                return Next::Step;
            }
            match wavetank_images::access::<R, INSTRUMENTED>(ctx, mem, mask) {
                Ok(()) => Next::Step,
                Err(Refused::Denied(denied)) => stop(ctx, mem, denied),
                Err(Refused::Unsupported(what)) => {
                    let pc = mem.pc;
                    (*ctx.uniform).pc = pc;
                    ctx.leave = Some(Fault::Unsupported { pc, what }.into());
                    Next::Leave
                }
            }
        }
    }
}

/// Runs an atomic whose operand is in LDS.
///
/// # Safety
/// The contract of [`StepFn`].
unsafe fn pair<const INSTRUMENTED: bool>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`; lowering keeps the request.
    unsafe {
        let mem = mem(s);
        let mask = ctx.u::<u64>(mem.mask).read_unaligned();
        match lds::pair::<INSTRUMENTED>(ctx, mem, mask) {
            Ok(()) => Next::Step,
            Err(denied) => stop(ctx, mem, denied),
        }
    }
}

/// Runs an access to elements of surfaces, the same at every level.
///
/// # Safety
/// The contract of [`StepFn`].
unsafe fn surfaces<const INSTRUMENTED: bool>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`; lowering keeps the request.
    unsafe {
        let mem = mem(s);
        let mask = ctx.u::<u64>(mem.mask).read_unaligned();
        match surface::access::access::<INSTRUMENTED>(ctx, mem, mask) {
            Ok(()) => Next::Step,
            Err(denied) => stop(ctx, mem, denied),
        }
    }
}

/// # Safety
/// The contract of [`StepFn`].
unsafe fn direct<const INSTRUMENTED: bool>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`; lowering keeps the request.
    unsafe {
        let mem = mem(s);
        match scalar::direct::<INSTRUMENTED>(ctx, mem) {
            Ok(()) => Next::Step,
            Err(denied) => stop(ctx, mem, denied),
        }
    }
}

/// # Safety
/// The contract of [`StepFn`].
unsafe fn buffer<const INSTRUMENTED: bool>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`; lowering keeps the request.
    unsafe {
        let mem = mem(s);
        match scalar::buffer::<INSTRUMENTED>(ctx, mem) {
            Ok(()) => Next::Step,
            Err(denied) => stop(ctx, mem, denied),
        }
    }
}

/// Returns the request of a step.
///
/// # Safety
/// `imm[0]` is its address, and it is alive.
#[inline(always)]
unsafe fn mem(s: &Step) -> &Request {
    // SAFETY: the contract of `StepFn`.
    unsafe { &*std::ptr::with_exposed_provenance(s.imm[0] as usize) }
}

/// Stops the wave at the instruction whose access was denied.
#[cold]
#[inline(never)]
unsafe fn stop(ctx: &mut Ctx<'_, '_>, mem: &Request, denied: Denied) -> Next {
    let fault = ctx.memory.fault(mem.pc, mem.op.kind, denied);
    // SAFETY: the caller's context is that of a live wave.
    unsafe { (*ctx.uniform).pc = mem.pc };
    ctx.leave = Some(Fault::Memory(Box::new(fault)).into());
    Next::Leave
}
