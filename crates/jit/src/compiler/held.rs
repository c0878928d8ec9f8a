//! Which general registers hold uniform values, while code for a block is made.
//!
//! A value that was just computed stays in a register as well, so that who needs it next does not wait for memory. What only
//! compiled code for the wave as a whole needs is not stored at all, unless its register is wanted for another.

use iced_x86::Register;
use wavetank_ir::{Block, Value};

use crate::compiler::stages::{Stages, operands};

/// Registers that hold values. Loops over tiles leave the first ones alone, and gather masks in the other ones.
const REGISTERS: [Register; 6] = [
    Register::RSI,
    Register::RDI,
    Register::RBP,
    Register::R8,
    Register::R9,
    Register::R10,
];

/// Registers in which the tiles of a stage gather masks.
pub const MASKS: [Register; 3] = [Register::R8, Register::R9, Register::R10];

/// The registers.
pub struct Held {
    /// The values that each has, and when it was used last.
    registers: [(Vec<Value>, u32); REGISTERS.len()],
    /// For each value: where in the order of the code the wave as a whole needs it last.
    last_use: Vec<u32>,
    /// For each value: somebody needs it in memory.
    stored: Vec<bool>,
    /// The node that is done, in the order of the code.
    at: u32,
    /// Counts uses.
    clock: u32,
}

impl Held {
    /// No register holds anything. `takes_registers`: whether compiled code for a node takes its operands from general registers
    /// where they are there.
    pub fn new(block: &Block, stages: &Stages, takes_registers: impl Fn(Value) -> bool) -> Held {
        let n = block.nodes.len();
        let (mut last_use, mut stored) = (vec![0; n], vec![false; n]);
        let mut at = 0;
        for stage in &stages.list {
            let uniform = stage.uniform.iter().map(|v| (*v, true));
            let tile = stage.tile.iter().map(|v| (*v, false));
            for (user, uniform) in uniform.chain(tile) {
                at += 1;
                let here = uniform && takes_registers(user);
                operands(block, user, &mut |v| {
                    match here {
                        true => last_use[v.index()] = at,
                        false => stored[v.index()] = true,
                    };
                });
            }
        }
        Held {
            registers: Default::default(),
            last_use,
            stored,
            at: 0,
            clock: 0,
        }
    }

    /// The next node of the wave as a whole is done.
    pub fn next(&mut self) {
        self.at += 1;
    }

    /// So many nodes were done by tiles.
    pub fn tiles(&mut self, nodes: usize) {
        self.at += nodes as u32;
    }

    /// Whether somebody needs a value in memory.
    pub fn is_stored(&self, v: Value) -> bool {
        self.stored[v.index()]
    }

    /// Whether the wave as a whole needs a value behind this node.
    pub fn is_needed(&self, v: Value) -> bool {
        self.last_use[v.index()] > self.at
    }

    /// The register that holds a value.
    pub fn find(&mut self, v: Value) -> Option<Register> {
        let at = self.registers.iter().position(|(vs, _)| vs.contains(&v))?;
        self.clock += 1;
        self.registers[at].1 = self.clock;
        Some(REGISTERS[at])
    }

    /// A register for another value, and those that have no place yet which it held and somebody needs.
    pub fn take(&mut self) -> (Register, Vec<Value>) {
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
        let homeless = |v: &Value| !self.stored[v.index()] && self.is_needed(*v);
        values.into_iter().filter(homeless).collect()
    }

    /// A register has values now.
    pub fn put(&mut self, register: Register, values: Vec<Value>) {
        let at = REGISTERS.iter().position(|r| *r == register);
        self.clock += 1;
        self.registers[at.expect("it is one of them")] = (values, self.clock);
    }

    /// A value has a place in memory from now on.
    pub fn has_place(&mut self, v: Value) {
        self.stored[v.index()] = true;
    }

    /// Forgets what registers hold, all or those of masks alone. Gives the values which somebody needs that have no place.
    pub fn forget(&mut self, all: bool) -> Vec<(Register, Value)> {
        let mut homeless = Vec::new();
        for (at, register) in REGISTERS.into_iter().enumerate() {
            if all || MASKS.contains(&register) {
                let values = self.clear(at);
                homeless.extend(values.into_iter().map(|v| (register, v)));
            }
        }
        homeless
    }
}
