//! Counters of instructions, and of their active lanes.

use std::mem::offset_of;

use iced_x86::{Code, Register};
use wavetank_ir::{Block, Op, Span};
use wavetank_memory::{Uniform as State, sreg};

use crate::compiler::asm::{Arg, Asm, Mem, fixed};

/// A run of instructions with the same EXEC.
#[derive(Clone, Default, Debug)]
pub(super) struct Counters {
    families: [u32; 8],
    all: u32,
}

/// The counters of a block: at its first instruction, and at each one after a write of EXEC.
pub(super) fn counters(block: &Block, count: bool) -> Vec<Option<Counters>> {
    let mut all: Vec<Option<Counters>> = vec![None; block.nodes.len()];
    if !count {
        return all;
    }
    let mut open: Option<usize> = None;
    for (n, node) in block.nodes.iter().enumerate() {
        if let Op::Inst { family, .. } = node.op {
            let counts = all[*open.get_or_insert(n)].get_or_insert_default();
            counts.families[family as usize] += 1;
            counts.all += 1;
        } else if node.op.effects().writes.overlap(Span::EXEC) {
            open = None;
        }
    }
    all
}

impl Counters {
    /// Emits the additions to the wave's counters.
    pub(super) fn add(&self, asm: &mut Asm) {
        let at = |offset: usize| Arg::M(Mem::at(fixed::UNIFORM, offset as u32));
        for (n, count) in self.families.iter().enumerate().filter(|(_, c)| **c > 0) {
            let to = at(offset_of!(State, counts) + 8 * n);
            asm.with_constant(Code::Add_rm64_imm32, to, *count as i32, true);
        }
        let (rax, exec) = (Register::RAX, at(4 * usize::from(sreg::EXEC)));
        asm.op(Code::Popcnt_r64_rm64, &[rax.into(), exec]);
        asm.set(Register::RCX, self.all.into());
        asm.op(Code::Imul_r64_rm64, &[rax.into(), Register::RCX.into()]);
        let to = at(offset_of!(State, compiled_count));
        asm.with_constant(Code::Add_rm64_imm32, to, self.all as i32, true);
        let to = at(offset_of!(State, lane_count));
        asm.op(Code::Add_rm64_r64, &[to, rax.into()]);
    }
}
