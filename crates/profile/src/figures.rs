//! The figures of a kernel: its counts in sum, and the quotients that reports show.

use std::collections::BTreeMap;

use crate::model::{Class, Instruction, Kernel, Kind, Memory, Space};

/// The lanes of a wave.
pub const LANES: u64 = 64;

/// The counts of a kernel in sum.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    /// Executions of instructions by waves.
    pub executions: u64,
    /// Those of each class.
    pub mix: BTreeMap<Class, u64>,
    /// Executions of instructions that lanes take part in, by the number of active lanes.
    pub lanes: BTreeMap<u8, u64>,
    /// Executions that part a wave.
    pub parts: u64,
    /// Operations on numbers, by their type.
    pub operations: BTreeMap<String, u64>,
    /// Accesses by the memory and their kind.
    pub memory: BTreeMap<(Space, Kind), Memory>,
}

impl Figures {
    /// Returns the figures of a kernel.
    pub fn of(kernel: &Kernel) -> Figures {
        Figures::of_instructions(&kernel.instructions)
    }

    /// Returns the figures of some instructions.
    pub fn of_instructions<'i>(instructions: impl IntoIterator<Item = &'i Instruction>) -> Figures {
        let mut figures = Figures::default();
        for instruction in instructions {
            figures.add(instruction);
        }
        figures
    }

    /// Adds the counts of an instruction.
    pub fn add(&mut self, instruction: &Instruction) {
        self.executions += instruction.executions;
        *self.mix.entry(instruction.class).or_default() += instruction.executions;
        self.parts += instruction.parts;
        if instruction.class.has_lanes() {
            for (lanes, times) in &instruction.lanes {
                *self.lanes.entry(*lanes).or_default() += times;
            }
            // Executions with no lane are left out in the list.
            let idle =
                instruction.executions - instruction.lanes.iter().map(|(_, n)| n).sum::<u64>();
            if idle > 0 {
                *self.lanes.entry(0).or_default() += idle;
            }
        }
        if instruction.operations > 0 {
            let operations = self.operations.entry(instruction.operands.clone());
            *operations.or_default() += instruction.operations;
        }
        for memory in &instruction.memory {
            let sum = self.memory.entry((memory.space, memory.kind));
            sum.or_insert_with(|| Memory::new(memory.space, memory.kind))
                .add(memory);
        }
    }

    /// Returns the share of the lanes that were active, from 0 to 1; `None` if no instruction has lanes.
    pub fn active_share(&self) -> Option<f64> {
        let executions: u64 = self.lanes.values().sum();
        let active = self.lanes.iter().map(|(lanes, n)| u64::from(*lanes) * n);
        share(active.sum(), executions * LANES)
    }

    /// Returns the accesses to a memory in sum.
    pub fn of_space(&self, space: Space) -> Memory {
        let mut sum = Memory::new(space, Kind::Load);
        let own = self.memory.values().filter(|memory| memory.space == space);
        own.for_each(|memory| sum.add(memory));
        sum
    }

    /// Returns the part of the touched lines of 64 bytes that lanes asked for, of global memory; `None` without such lines.
    pub fn lines_used(&self) -> Option<f64> {
        let global = self.of_space(Space::Global);
        share(global.different_bytes, global.lines_64 * 64)
    }

    /// Returns the part of the cycles of LDS that conflicts of banks take; `None` without such cycles.
    pub fn conflict_share(&self) -> Option<f64> {
        let lds = self.of_space(Space::Lds);
        share(lds.conflict_cycles(), lds.bank_cycles)
    }

    /// Returns the bytes that lanes and waves asked of the device's memory: global accesses and scalar ones, and scratch, which is
    /// there as well.
    pub fn device_bytes(&self) -> u64 {
        let spaces = [Space::Global, Space::Scalar, Space::Scratch];
        spaces.iter().map(|space| self.of_space(*space).bytes).sum()
    }

    /// Returns the operations on floats.
    pub fn float_operations(&self) -> u64 {
        let floats = self
            .operations
            .iter()
            .filter(|(operands, _)| is_float(operands));
        floats.map(|(_, n)| n).sum()
    }

    /// Returns the float operations for each byte that was asked of the device's memory; `None` without such bytes.
    pub fn intensity(&self) -> Option<f64> {
        share(self.float_operations(), self.device_bytes())
    }

    /// Returns the executions of the classes that lanes take part in.
    pub fn vector_executions(&self) -> u64 {
        self.lanes.values().sum()
    }
}

/// Whether numbers of a type are floats: `f32`, `bf16`.
pub fn is_float(operands: &str) -> bool {
    operands.starts_with('f') || operands.starts_with("bf") || operands.starts_with("xf")
}

/// Returns the quotient of two counts; `None` if the second is 0.
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl Memory {
    /// Returns the cycles of LDS that conflicts of banks took.
    pub fn conflict_cycles(&self) -> u64 {
        self.bank_cycles.saturating_sub(self.least_bank_cycles)
    }
}

impl Class {
    /// Every class, in the order of reports.
    pub const ALL: [Class; 11] = [
        Class::Vector,
        Class::SlowVector,
        Class::Matrix,
        Class::Memory,
        Class::Lds,
        Class::Scalar,
        Class::ScalarMemory,
        Class::Branch,
        Class::Wait,
        Class::Barrier,
        Class::Other,
    ];

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Scalar => "scalar",
            Class::ScalarMemory => "scalar memory",
            Class::Vector => "vector",
            Class::Matrix => "matrix",
            Class::SlowVector => "slow vector",
            Class::Memory => "memory",
            Class::Lds => "LDS",
            Class::Branch => "branch",
            Class::Barrier => "barrier",
            Class::Wait => "wait",
            Class::Other => "other",
        }
    }

    /// Whether EXEC chooses the lanes that take part.
    pub fn has_lanes(self) -> bool {
        use Class::{Lds, Matrix, Memory, SlowVector, Vector};
        matches!(self, Vector | SlowVector | Matrix | Memory | Lds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{copy, instruction, kernel, strided};

    /// Of the kernel of [`copy`]: six instructions, 16 waves, 1,024 additions, and twice 4 bytes for each of 1,024 lanes.
    #[test]
    fn figures_are_sums() {
        let figures = Figures::of(&copy());
        assert_eq!(figures.executions, 96);
        assert_eq!(figures.mix[&Class::Vector], 32);
        assert_eq!(figures.mix.get(&Class::Scalar), None);
        assert_eq!(figures.lanes, BTreeMap::from([(64, 64)]));
        assert_eq!(figures.active_share(), Some(1.0));
        assert_eq!(figures.device_bytes(), 8192);
        assert_eq!(figures.intensity(), Some(0.125));
        let global = Figures::of(&strided()).of_space(Space::Global);
        assert_eq!((global.lines_64, global.least_lines_64), (16 * 68, 16 * 8));
    }

    #[test]
    fn idle_waves_have_no_lanes() {
        let mut half = instruction(0, "v_mov_b32_e32 v0, v1", Class::Vector, 1);
        half.lanes = vec![(64, 4), (32, 4)];
        let mut kernel = kernel("k");
        kernel.instructions = vec![half];
        let figures = Figures::of(&kernel);
        assert_eq!(figures.lanes, BTreeMap::from([(0, 8), (32, 4), (64, 4)]));
        assert_eq!(figures.active_share(), Some(0.375));
        assert_eq!(figures.intensity(), None);
        assert_eq!(Figures::default().active_share(), None);
    }

    #[test]
    fn floats_are_told_from_integers() {
        let floats = ["f16", "f32", "f64", "bf16", "f8"];
        assert!(floats.iter().all(|operands| is_float(operands)));
        assert!(!["i32", "u64", ""].iter().any(|operands| is_float(operands)));
    }
}
