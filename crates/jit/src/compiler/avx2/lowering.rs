//! The state of lowering a list to AVX2, shared by all recipes.

use iced_x86::Register;
use wavetank_ir::Value;

use super::constants::Constants;
use super::liveness::Liveness;
use super::state::{LabelStates, State};
use crate::compiler::asm::inst_list::Item;
use crate::compiler::asm::{Arg, Asm, CONSTANTS, Mem};

/// The lowering of a list to AVX2.
pub(super) struct Lowering<'l> {
    pub list: &'l [Item],
    /// The index of the current item.
    pub at: usize,
    pub liveness: Liveness,
    pub asm: &'l mut Asm,
    pub state: State,
    pub labels: LabelStates,
    pub constants: Constants,
    /// Whether the present position can be reached from the previous one.
    pub is_reached: bool,
    pub node: Option<Value>,
    pub refused: Vec<Value>,
}

impl Lowering<'_> {
    /// Refuses the current node, whose code cannot be lowered.
    pub(super) fn refuse(&mut self) {
        let node = self.node.expect("code of vectors is that of a node");
        if !self.refused.contains(&node) {
            self.refused.push(node);
        }
    }

    /// A row of constants, as a memory operand.
    pub(super) fn row(&mut self, dwords: &[u32]) -> Mem {
        Mem::at(CONSTANTS, self.asm.constant_row(dwords))
    }

    /// A dword in every lane of half a register, as a constant.
    pub(super) fn dwords(&mut self, dword: u32) -> Mem {
        self.row(&[dword; 8])
    }

    /// A qword in every lane of half a register, as a constant.
    pub(super) fn qwords(&mut self, qword: u64) -> Mem {
        let [low, high] = [qword as u32, (qword >> 32) as u32];
        self.row(&[low, high, low, high, low, high, low, high])
    }

    /// The dwords of a register that contains a row of constants.
    pub(super) fn known_dwords(&self, arg: Arg) -> Option<[u32; 16]> {
        let Arg::R(register) = arg else { return None };
        let row = self.constants.row(register)?;
        Some(std::array::from_fn(|n| {
            self.asm.constant_at(row + 4 * n as u32)
        }))
    }

    /// The lanes of half of a mask that contains a constant.
    pub(super) fn known_lanes(&self, k: Register, half: usize) -> Option<u8> {
        let at = self.constants.row(k)?;
        let bits = self.asm.constant_at(at & !3) >> (8 * (at & 3));
        Some((bits >> (8 * half)) as u8)
    }
}
