//! What a tile looks up all the time, by small numbers: values of the block, and registers of the host. Their order is that of
//! the numbers, so that the same block becomes the same code.

use iced_x86::Register;
use wavetank_ir::{Block, Value};

use super::vars::VarId;
use crate::compiler::segments::operands;

/// Where in a segment each value is used.
pub(super) struct Uses {
    /// For each value where its places begin; one more at the end.
    starts: Vec<u32>,
    places: Vec<usize>,
}

impl Uses {
    /// The uses by nodes of a block.
    pub(super) fn new(block: &Block, nodes: &[Value]) -> Uses {
        let mut starts = vec![0; block.nodes.len() + 1];
        for v in nodes {
            operands(block, *v, &mut |a| starts[a.index() + 1] += 1);
        }
        for n in 1..starts.len() {
            starts[n] += starts[n - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![0; starts[starts.len() - 1] as usize];
        for (at, v) in nodes.iter().enumerate() {
            operands(block, *v, &mut |a| {
                let next = &mut next[a.index()];
                places[*next as usize] = at;
                *next += 1;
            });
        }
        Uses { starts, places }
    }

    /// The places of a value, ascending.
    pub(super) fn of(&self, v: Value) -> &[usize] {
        // No `map` of an array: it stays a call of calls, a fifth of the time that compiling took.
        let (start, end) = (self.starts[v.index()], self.starts[v.index() + 1]);
        &self.places[start as usize..end as usize]
    }

    /// The values that are used.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        let values = (0..self.starts.len() as u32 - 1).map(Value);
        values.filter(|v| !self.of(*v).is_empty())
    }
}

/// The parts that values have, which are numbers below four.
pub(super) struct Parts(Vec<[Option<VarId>; 4]>);

impl Parts {
    /// For so many values, none of which has a part.
    pub(super) fn new(values: usize) -> Parts {
        Parts(vec![[None; 4]; values])
    }

    /// A part of a value.
    pub(super) fn get(&self, v: Value, part: u8) -> Option<VarId> {
        self.0[v.index()][usize::from(part)]
    }

    /// A value has a part.
    pub(super) fn insert(&mut self, v: Value, part: u8, var: VarId) {
        self.0[v.index()][usize::from(part)] = Some(var);
    }
}

/// What is in the registers for values: vectors, then masks.
pub(super) struct Used([Option<VarId>; 40]);

fn number(register: Register) -> usize {
    match register.is_k() {
        true => 32 + (register as usize - Register::K0 as usize),
        false => register as usize - Register::ZMM0 as usize,
    }
}

impl Used {
    /// Nothing is in registers.
    pub(super) fn new() -> Used {
        Used([None; 40])
    }

    /// What is in a register.
    pub(super) fn get(&self, register: Register) -> Option<VarId> {
        self.0[number(register)]
    }

    /// A register has something, or nothing.
    pub(super) fn set(&mut self, register: Register, var: Option<VarId>) {
        self.0[number(register)] = var;
    }

    /// All that is in registers.
    pub(super) fn vars(&self) -> impl Iterator<Item = VarId> {
        self.0.iter().flatten().copied()
    }
}
