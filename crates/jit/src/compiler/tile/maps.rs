//! Fast maps of a tile, indexed by small numbers: values of the block, and registers of the host. The maps are ordered by number,
//! so that the same block is always compiled to the same code.

use iced_x86::Register;
use wavetank_ir::{Block, Value};

use super::vars::VarId;
use crate::compiler::segments::operands;

/// The positions in a segment at which each value is used.
pub(super) struct Uses {
    /// For each value the start of its positions; one more at the end.
    starts: Vec<u32>,
    places: Vec<usize>,
}

impl Uses {
    /// The uses by some nodes of a block.
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

    /// The positions of a value's uses, ascending.
    pub(super) fn of(&self, v: Value) -> &[usize] {
        // A `map` of an array would stay a chain of calls, which took a fifth of the compile time.
        let (start, end) = (self.starts[v.index()], self.starts[v.index() + 1]);
        &self.places[start as usize..end as usize]
    }

    /// The values that are used.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        let values = (0..self.starts.len() as u32 - 1).map(Value);
        values.filter(|v| !self.of(*v).is_empty())
    }
}

/// The parts of values, which have numbers below five.
pub(super) struct Parts(Vec<[Option<VarId>; 5]>);

impl Parts {
    /// A map for `values` values, without parts.
    pub(super) fn new(values: usize) -> Parts {
        Parts(vec![[None; 5]; values])
    }

    /// A part of a value.
    pub(super) fn get(&self, v: Value, part: u8) -> Option<VarId> {
        self.0[v.index()][usize::from(part)]
    }

    /// Records a part of a value.
    pub(super) fn insert(&mut self, v: Value, part: u8, var: VarId) {
        self.0[v.index()][usize::from(part)] = Some(var);
    }
}

/// The contents of the registers for values: vectors, then masks.
pub(super) struct Used([Option<VarId>; 40]);

fn number(register: Register) -> usize {
    if register.is_k() {
        32 + (register as usize - Register::K0 as usize)
    } else {
        register as usize - Register::ZMM0 as usize
    }
}

impl Used {
    /// A map of empty registers.
    pub(super) fn new() -> Used {
        Used([None; 40])
    }

    /// The content of a register.
    pub(super) fn get(&self, register: Register) -> Option<VarId> {
        self.0[number(register)]
    }

    /// Sets the content of a register, or clears it.
    pub(super) fn set(&mut self, register: Register, var: Option<VarId>) {
        self.0[number(register)] = var;
    }

    /// All contents of registers.
    pub(super) fn vars(&self) -> impl Iterator<Item = VarId> {
        self.0.iter().flatten().copied()
    }
}
