//! Register allocation for uniform values: the general registers that hold them while a block is compiled.
//!
//! A computed value stays in its register, so that its next user does not load it. The value is stored at once only if other
//! code than that of the wave as a whole needs it; otherwise it is spilled when its register is needed for another value.

use iced_x86::Register;
use wavetank_ir::{Block, Value};

use crate::compiler::segments::{Segments, operands};

/// Registers for values. Loops over tiles preserve the first ones, and gather masks in the other ones.
const REGISTERS: [Register; 6] = [
    Register::RSI,
    Register::RDI,
    Register::RBP,
    Register::R8,
    Register::R9,
    Register::R10,
];

/// Registers in which the tiles of a segment gather masks.
pub(super) const MASKS: [Register; 3] = [Register::R8, Register::R9, Register::R10];

/// The state of the register allocation.
pub(super) struct GprAlloc {
    /// The values in each register, and the time of its last use.
    registers: [(Vec<Value>, u32); REGISTERS.len()],
    /// For each value: the last position in the order of the code where the wave as a whole needs it.
    last_use: Vec<u32>,
    /// For each value: whether it is in memory, or must be.
    stored: Vec<bool>,
    /// The number of the current node in the order of the code.
    at: u32,
    /// Counts uses, to find the least recent one.
    clock: u32,
}

impl GprAlloc {
    /// An allocation with empty registers. `takes_registers` returns whether the code of a node can take operands from general
    /// registers.
    pub(super) fn new(
        block: &Block,
        segments: &Segments,
        takes_registers: impl Fn(Value) -> bool,
    ) -> GprAlloc {
        let n = block.nodes.len();
        let (mut last_use, mut stored) = (vec![0; n], vec![false; n]);
        let mut at = 0;
        for segment in &segments.list {
            let uniform = segment.uniform.iter().map(|v| (*v, true));
            let tile = segment.tile.iter().map(|v| (*v, false));
            for (user, uniform) in uniform.chain(tile) {
                at += 1;
                let here = uniform && takes_registers(user);
                operands(block, user, &mut |v| {
                    if here {
                        last_use[v.index()] = at;
                    } else {
                        stored[v.index()] = true;
                    };
                });
            }
        }
        GprAlloc {
            registers: Default::default(),
            last_use,
            stored,
            at: 0,
            clock: 0,
        }
    }

    /// Advances to the next node of the wave as a whole.
    pub(super) fn next(&mut self) {
        self.at += 1;
    }

    /// Advances past the nodes that the tiles of the segment compute.
    pub(super) fn tiles(&mut self, nodes: usize) {
        self.at += nodes as u32;
    }

    /// Whether a value is in memory, or must be.
    pub(super) fn is_stored(&self, v: Value) -> bool {
        self.stored[v.index()]
    }

    /// Whether the wave as a whole needs a value after this node.
    pub(super) fn is_needed(&self, v: Value) -> bool {
        self.last_use[v.index()] > self.at
    }

    /// The register that holds a value, if any.
    pub(super) fn find(&mut self, v: Value) -> Option<Register> {
        let at = self.registers.iter().position(|(vs, _)| vs.contains(&v))?;
        self.clock += 1;
        self.registers[at].1 = self.clock;
        Some(REGISTERS[at])
    }

    /// A register for another value, and its present values that are live and not spilled yet. A register without live values is
    /// preferred, then the least recently used one.
    pub(super) fn take(&mut self) -> (Register, Vec<Value>) {
        let needed = |vs: &[Value]| vs.iter().any(|v| self.is_needed(*v));
        let at = (0..REGISTERS.len()).min_by_key(|at| {
            let (values, used) = &self.registers[*at];
            (needed(values), *used)
        });
        let at = at.expect("there are registers");
        (REGISTERS[at], self.clear(at))
    }

    fn clear(&mut self, at: usize) -> Vec<Value> {
        let values = std::mem::take(&mut self.registers[at].0);
        let unspilled = |v: &Value| !self.stored[v.index()] && self.is_needed(*v);
        values.into_iter().filter(unspilled).collect()
    }

    /// Binds a register to values.
    pub(super) fn put(&mut self, register: Register, values: Vec<Value>) {
        let at = REGISTERS.iter().position(|r| *r == register);
        self.clock += 1;
        self.registers[at.expect("it is one of them")] = (values, self.clock);
    }

    /// Records that a value is in memory.
    pub(super) fn has_slot(&mut self, v: Value) {
        self.stored[v.index()] = true;
    }

    /// Clears all registers, or those of masks alone. Returns the live values that have not been spilled yet.
    pub(super) fn forget(&mut self, all: bool) -> Vec<(Register, Value)> {
        let mut unspilled = Vec::new();
        for (at, register) in REGISTERS.into_iter().enumerate() {
            if all || MASKS.contains(&register) {
                let values = self.clear(at);
                unspilled.extend(values.into_iter().map(|v| (register, v)));
            }
        }
        unspilled
    }
}
