//! Entry and exit of compiled code: the entry from the engine, the links to other blocks, the returns.

use std::mem::offset_of;
use std::sync::atomic::{AtomicPtr, Ordering};

use iced_x86::{Code, Register};
use wavetank_lane_ops::Next;
use wavetank_lower::Steps;
use wavetank_machine::BlockCost;
use wavetank_memory::{SpinState, Uniform as State};

use crate::compiler::asm::{Arg, Asm, Label, Mem, fixed};
use crate::compiler::avx2::{FRAME, finish};

/// The data that the code of a block refers to, at a stable address.
pub(super) struct Head {
    /// The cost of the block, charged to the wave's budget.
    pub block_cost: BlockCost,
    /// The code of the successors: after the end, after a taken branch.
    pub links: [AtomicPtr<u8>; 2],
    /// Whether its successors may be linked: they are the same at every execution.
    pub may_link: bool,
    /// The steps of helpers that the code calls.
    pub helpers: Vec<Steps>,
    /// The guest address of the last instruction.
    pub end: u64,
}

impl Head {
    /// Lets an edge go to a block directly from now on, if its successor is the same every time.
    pub(super) fn link(&self, edge: usize, to: *const u8) {
        if self.may_link {
            self.links[edge].store(to.cast_mut(), Ordering::Release);
        }
    }
}

/// The reason for which compiled code returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum Exit {
    /// The block ended; its cost has yet to be charged.
    End = Next::Block as u32,
    /// The block ended with its branch taken; its cost has yet to be charged.
    Taken = Next::Taken as u32,
    /// A step leaves; the context says why.
    Leave = Next::Leave as u32,
    /// The block ended and has been charged; its link has no target yet.
    Unlinked = 4,
    /// The block ended with its branch taken and has been charged; the link has no target yet.
    UnlinkedTaken = 5,
    /// The wave executed its end.
    Ended = 6,
    /// The wave waits at a barrier.
    Barrier = 7,
}

/// The code after a guard.
#[derive(Clone, Copy)]
pub(super) struct GuardTargets {
    /// The budget must be larger than this for several iterations; else the time slice would end inside them.
    pub least: i64,
    /// The code of one iteration.
    pub one: *const u8,
    /// The code of several iterations.
    pub several: *const u8,
}

/// The entry code, which jumps to compiled code: a C function of the context, the wave's files and the code.
pub(super) fn entry() -> Vec<u8> {
    let mut asm = Asm::new();
    for register in SAVED {
        asm.op(Code::Push_r64, &[register.into()]);
    }
    // Allocates the frame of blocks, aligned to 64 bytes, and keeps the old stack pointer.
    let (rsp, rax) = (Register::RSP, Register::RAX);
    asm.op(Code::Mov_r64_rm64, &[rax.into(), rsp.into()]);
    asm.with_constant(Code::Sub_rm64_imm32, rsp.into(), FRAME as i32, true);
    asm.with_constant(Code::And_rm64_imm32, rsp.into(), -64, true);
    asm.op(Code::Mov_rm64_r64, &[STACK.into(), rax.into()]);
    let moves = [
        (fixed::CTX, Register::RDI),
        (fixed::UNIFORM, Register::RSI),
        (fixed::VECTOR, Register::RDX),
    ];
    for (to, from) in moves {
        asm.op(Code::Mov_r64_rm64, &[to.into(), from.into()]);
    }
    asm.op(Code::Jmp_rm64, &[Register::RCX.into()]);
    finish(asm).bytes
}

/// The spill slot of the caller's stack pointer.
const STACK: Mem = Mem {
    base: Register::RSP,
    index: Register::None,
    offset: 8,
};

const SAVED: [Register; 6] = [
    Register::RBP,
    Register::RBX,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// The exits of a block.
pub(super) struct Exits {
    pub head: Box<Head>,
    /// The targets of a guard.
    pub targets: Option<GuardTargets>,
    /// The initial target of each link.
    pub stubs: [Option<Label>; 2],
    /// The label at which the block returns, with the reason in the first register.
    pub out: Label,
}

impl Exits {
    /// Ends the program of the wave.
    pub(super) fn end_program(&self, asm: &mut Asm) {
        set_pc(asm, self.head.end);
        self.exit(asm, Exit::Ended);
    }

    /// Waits at a barrier; the wave continues at a guest address.
    pub(super) fn wait_at_barrier(&self, asm: &mut Asm, next: u64) {
        set_pc(asm, next);
        self.exit(asm, Exit::Barrier);
    }

    /// In a guard: continues with one iteration if the budget is too small for several.
    pub(super) fn look_at_budget(&self, asm: &mut Asm) {
        let Some(targets) = self.targets else {
            return;
        };
        let enough = asm.label();
        let least = targets.least as i32;
        asm.with_constant(Code::Cmp_rm64_imm32, budget().into(), least, true);
        asm.jump(Code::Jg_rel32_64, enough);
        go_to(asm, targets.one);
        asm.place(enough);
    }

    /// Charges the block, and continues at a guest address.
    pub(super) fn leave(&mut self, asm: &mut Asm, way: usize, to: u64) {
        if let Some(targets) = self.targets {
            return go_to(asm, [targets.one, targets.several][way]);
        }
        let budget = budget();
        let block_cost = &self.head.block_cost;
        let (cost, may_end) = (block_cost.cost() as i32, block_cost.may_end(way));
        let (spins, forgets) = (block_cost.may_spin(way), block_cost.resets_spin_state());
        if forgets {
            let known = offset_of!(State, spin) + offset_of!(SpinState, known);
            let known = Mem::at(fixed::UNIFORM, known as u32);
            asm.with_constant(Code::Mov_rm64_imm32, known.into(), 0, true);
        }
        let [ending, taken] = [Exit::End, Exit::Taken];
        let unpaid = if way == 0 { ending } else { taken };
        if spins {
            set_pc(asm, to);
            return self.exit(asm, unpaid);
        }
        let rax = Register::RAX;
        let slow = asm.label();
        if may_end {
            asm.op(Code::Mov_r64_rm64, &[rax.into(), budget.into()]);
            asm.with_constant(Code::Sub_rm64_imm32, rax.into(), cost, true);
            asm.jump(Code::Jle_rel32_64, slow);
            asm.op(Code::Mov_rm64_r64, &[budget.into(), rax.into()]);
        } else {
            asm.with_constant(Code::Sub_rm64_imm32, budget.into(), cost, true);
        }
        let link = (&raw const self.head.links[way]).expose_provenance() as u64;
        asm.set(rax, link);
        asm.op(Code::Jmp_rm64, &[Arg::M(Mem::at(Register::RAX, 0))]);
        let stub = asm.label();
        asm.place(stub);
        self.stubs[way] = Some(stub);
        set_pc(asm, to);
        let [end, taken] = [Exit::Unlinked, Exit::UnlinkedTaken];
        self.exit(asm, if way == 0 { end } else { taken });
        if may_end {
            asm.place(slow);
            set_pc(asm, to);
            self.exit(asm, unpaid);
        }
    }

    fn exit(&self, asm: &mut Asm, exit: Exit) {
        asm.set(Register::RAX, exit as u64);
        asm.jump(Code::Jmp_rel32_64, self.out);
    }

    /// Returns the reason in the first register, and the head.
    pub(super) fn leave_to_caller(&self, asm: &mut Asm) {
        let head = (&raw const *self.head).expose_provenance() as u64;
        asm.set(Register::RDX, head);
        asm.op(Code::VEX_Vzeroupper, &[]);
        let rsp = Register::RSP;
        asm.op(Code::Mov_r64_rm64, &[rsp.into(), STACK.into()]);
        for register in SAVED.into_iter().rev() {
            asm.op(Code::Pop_r64, &[register.into()]);
        }
        asm.op(Code::Retnq, &[]);
    }
}

fn go_to(asm: &mut Asm, code: *const u8) {
    let rax = Register::RAX;
    asm.set(rax, code.expose_provenance() as u64);
    asm.op(Code::Jmp_rm64, &[rax.into()]);
}

fn set_pc(asm: &mut Asm, pc: u64) {
    let to = Mem::at(fixed::UNIFORM, offset_of!(State, pc) as u32);
    asm.set(Register::RAX, pc);
    asm.op(Code::Mov_rm64_r64, &[to.into(), Register::RAX.into()]);
}

/// The place of the wave's budget.
fn budget() -> Mem {
    Mem::at(fixed::UNIFORM, offset_of!(State, budget) as u32)
}
