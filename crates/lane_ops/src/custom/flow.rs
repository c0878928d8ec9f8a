//! Control flow: steps for ends of blocks, stops, clocks and counters.

use wavetank_ir::{Clock, Export, GlobalSync, LANES};

use crate::step::{Ctx, Next, Step};
use wavetank_machine::{Event, Fault, Leave, Sent, SyncRequest, clock};

/// Sets the address at which the wave continues after a step at the end of a block, and that of the step's instruction.
pub fn set_next(step: &mut Step, pc: u64, next: u64) {
    step.imm[2] = next;
    step.dst2 = next.wrapping_sub(pc) as u32;
}

/// Sets the target of a conditional branch, whose only source is the condition.
pub fn set_target(step: &mut Step, target: u64) {
    step.imm[1] = target;
}

/// Sets the clock that [`read_clock`] reads.
pub fn set_clock(step: &mut Step, clock: Clock) {
    step.flags = u32::from(clock == Clock::RealTime);
}

/// Continues at `imm[2]` ([`set_next`]).
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn), as for all functions here.
pub unsafe fn branch(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the wave is alive.
    unsafe { (*ctx.uniform).pc = s.imm[2] };
    Next::Block
}

/// Branches to `imm[1]` ([`set_target`]) if source 0 is not 0, else to `imm[2]`.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn cond_branch(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the wave is alive; lowering proved the offset.
    unsafe {
        let taken = ctx.uniform32(s, 0) != 0;
        (*ctx.uniform).pc = if taken { s.imm[1] } else { s.imm[2] };
        if taken { Next::Taken } else { Next::Block }
    }
}

/// Jumps to the address in source 0.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn jump(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the wave is alive; lowering proved the offset.
    unsafe { (*ctx.uniform).pc = ctx.uniform64(s, 0) };
    Next::Block
}

/// Returns the address of the instruction that a step stops at: `dst2` bytes before `imm[2]`.
fn pc(s: &Step) -> u64 {
    s.imm[2].wrapping_sub(s.dst2.into())
}

/// Leaves the engine; the wave continues at `imm[2]`.
unsafe fn leave(ctx: &mut Ctx<'_, '_>, s: &Step, why: impl Into<Leave>) -> Next {
    // SAFETY: the wave is alive.
    unsafe { (*ctx.uniform).pc = s.imm[2] };
    ctx.leave = Some(why.into());
    Next::Leave
}

/// Waits at a barrier; the wave continues at `imm[2]`.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn barrier(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`.
    unsafe { leave(ctx, s, Leave::Barrier(pc(s))) }
}

/// Ends the time slice, so that other waves run; the wave continues at `imm[2]`.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn sleep(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`.
    unsafe { leave(ctx, s, Leave::Sleep(pc(s))) }
}

/// Stops for global synchronization of kind `flags`, with the resource and the value in the sources; the wave continues at
/// `imm[2]`.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn global_sync(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the wave is alive; lowering proved the offsets.
    unsafe {
        let request = SyncRequest {
            op: GlobalSync::ALL[s.flags as usize],
            resource: ctx.uniform32(s, 0) as u8,
            value: ctx.uniform32(s, 1),
        };
        let pc = pc(s);
        leave(ctx, s, Event::GlobalSync { pc, request })
    }
}

/// An export with the offsets of the lane vectors that it sends.
pub struct Send {
    /// The export: its target and flags.
    pub export: Export,
    /// The offsets of its data.
    pub data: [Option<u32>; 4],
}

/// Exports data; the wave continues at `imm[2]`. `imm[0]` is the address of the [`Send`], which is stored with the block.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn export(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: lowering keeps the `Send` as long as the step, and proved the offsets.
    unsafe {
        let send: &Send = &*std::ptr::with_exposed_provenance(s.imm[0] as usize);
        let lanes = |at| Box::new(ctx.v(at).cast::<[u32; LANES]>().read());
        let data = send.data.map(|at| at.map(lanes));
        let sent = Sent::new(&send.export, ctx.mask(s), data);
        let pc = pc(s);
        leave(ctx, s, Event::Export { pc, sent })
    }
}

/// Sends message `flags`; the wave continues at `imm[2]`.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn message(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    let (pc, message) = (pc(s), s.flags as u16);
    // SAFETY: the contract of `StepFn`.
    unsafe { leave(ctx, s, Event::Message { pc, message }) }
}

/// Leaves for an observer, before the instruction at `imm[2]`; `imm[1]` is the address of the block that was divided there.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn breakpoint(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    let (pc, block) = (pc(s), s.imm[1]);
    // SAFETY: the contract of `StepFn`.
    unsafe { leave(ctx, s, Event::Breakpoint { pc, block }) }
}

/// Stops the wave with trap `flags` and the guest address of the instruction.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn trap(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    let (pc, id) = (pc(s), s.flags as u8);
    // SAFETY: the contract of `StepFn`.
    unsafe { leave(ctx, s, Fault::Trap { pc, id }) }
}

/// Ends the program of the wave.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn end_program(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: the contract of `StepFn`.
    unsafe { leave(ctx, s, Leave::End(pc(s))) }
}

/// Stops the wave because the instruction is not supported; `imm[0]` is the address of the message, which is stored with the
/// block.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn unsupported(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: lowering keeps the message as long as the step.
    unsafe {
        let what: &String = &*std::ptr::with_exposed_provenance(s.imm[0] as usize);
        let (pc, what) = (pc(s), what.clone());
        leave(ctx, s, Fault::Unsupported { pc, what })
    }
}

/// Reads a clock ([`set_clock`]).
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn read_clock(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    let which = if s.flags == 0 {
        Clock::Cycles
    } else {
        Clock::RealTime
    };
    // SAFETY: lowering proved the offset.
    unsafe { ctx.u::<u64>(s.dst).write_unaligned(clock::now(which)) };
    Next::Step
}

/// The number of instructions in a run of code in which EXEC does not change.
#[derive(Clone, Default)]
pub struct Counts {
    /// The number for each family.
    pub families: [u64; 8],
    /// The number for all families.
    pub all: u64,
}

/// Adds the counts at address `imm[0]`, which are stored with the block.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
pub unsafe fn count(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    // SAFETY: lowering keeps the counts as long as the step; EXEC is a pair of
    // uniform registers.
    unsafe {
        let counts: &Counts = &*std::ptr::with_exposed_provenance(s.imm[0] as usize);
        let lanes = ctx.mask(s).count_ones() as usize;
        debug_assert!(lanes <= LANES);
        let state = &mut *ctx.uniform;
        for (sum, n) in state.counts.iter_mut().zip(counts.families) {
            *sum += n;
        }
        state.lane_count += lanes as u64 * counts.all;
    }
    Next::Step
}
