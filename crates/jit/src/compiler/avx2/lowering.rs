//! The state of lowering a list to AVX2, which all recipes work on.

use iced_x86::Register;
use wavetank_ir::Value;

use super::constants::Constants;
use super::liveness::Liveness;
use super::state::{LabelStates, State};
use crate::compiler::asm::inst_list::Item;
use crate::compiler::asm::{Arg, Asm, CONSTANTS, Mem};

/// A list that becomes AVX2.
pub struct Lowering<'l> {
    pub list: &'l [Item],
    /// The item that is done.
    pub at: usize,
    pub liveness: Liveness,
    pub asm: &'l mut Asm,
    pub state: State,
    pub labels: LabelStates,
    pub constants: Constants,
    /// Whether what is done now runs after what was done last.
    pub is_reached: bool,
    pub node: Option<Value>,
    pub refused: Vec<Value>,
}

impl Lowering<'_> {
    /// The node that is done has no code after all.
    pub fn refuse(&mut self) {
        let node = self.node.expect("code of vectors is that of a node");
        if !self.refused.contains(&node) {
            self.refused.push(node);
        }
    }

    /// A row of constants in memory.
    pub fn row(&mut self, dwords: &[u32]) -> Mem {
        Mem::at(CONSTANTS, self.asm.constant_row(dwords))
    }

    /// A dword in every lane of half a register.
    pub fn dwords(&mut self, dword: u32) -> Mem {
        self.row(&[dword; 8])
    }

    /// A qword in every lane of half a register.
    pub fn qwords(&mut self, qword: u64) -> Mem {
        let [low, high] = [qword as u32, (qword >> 32) as u32];
        self.row(&[low, high, low, high, low, high, low, high])
    }

    /// The dwords of a register that holds a row of constants.
    pub fn known_dwords(&self, arg: Arg) -> Option<[u32; 16]> {
        let Arg::R(register) = arg else { return None };
        let row = self.constants.row(register)?;
        Some(std::array::from_fn(|n| {
            self.asm.constant_at(row + 4 * n as u32)
        }))
    }

    /// The lanes of half of a mask that holds a constant.
    pub fn known_lanes(&self, k: Register, half: usize) -> Option<u8> {
        let at = self.constants.row(k)?;
        let bits = self.asm.constant_at(at & !3) >> (8 * (at & 3));
        Some((bits >> (8 * half)) as u8)
    }
}
