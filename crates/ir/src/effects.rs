//! The effects of an operation beside its result: the registers that it reads and writes, and whether its state may be observed.
//! The effects are a column of the operation's row (`operations.rs`). Every pass and every engine takes them from that column, so
//! that none keeps its own, possibly incomplete, list.
//!
//! The values that an operation uses are not effects; `for_each_operand` has them. Nor are its duration and the address of the
//! guest instruction.

use crate::image::{Image, ImageKind, Lod};
use crate::matrix::{Addend, MatrixOp};
use crate::mem::{DataReg, MemKind, MemOp, Space};
use crate::operations::Op;
use crate::types::Reg;

/// A register file. Registers of different files never overlap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegFile {
    /// Uniform registers, each with one value for the wave.
    Uniform,
    /// The scalar condition code alone.
    Scc,
    /// Hardware registers, by the front end's numbers.
    Hardware,
    /// Vector registers, each with one value for each lane.
    Vector,
}

/// Consecutive registers of a file. Like an operation, it may reach past the end of an engine's file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The file of the registers.
    pub file: RegFile,
    /// The number of the first register.
    pub first: u32,
    /// The number of registers.
    pub count: u32,
}

impl Span {
    /// All uniform registers that have a number.
    pub const ALL_UNIFORM: Span = Span::new(RegFile::Uniform, 0, 1 << 8);
    /// All vector registers that have a number.
    pub const ALL_VECTOR: Span = Span::new(RegFile::Vector, 0, 1 << 16);
    /// The two uniform registers of EXEC.
    pub const EXEC: Span = Span::of(Reg::EXEC);

    /// Registers `first` to `first + count - 1`.
    pub const fn new(file: RegFile, first: u32, count: u32) -> Span {
        Span { file, first, count }
    }

    /// The registers that a register name stands for.
    pub const fn of(reg: Reg) -> Span {
        match reg {
            Reg::S(n) => Span::new(RegFile::Uniform, n as u32, 1),
            Reg::S64(n) | Reg::Mask(n) => Span::new(RegFile::Uniform, n as u32, 2),
            Reg::Scc => Span::new(RegFile::Scc, 0, 1),
            Reg::Hw(n) => Span::new(RegFile::Hardware, n as u32, 1),
            Reg::V(n) => Span::new(RegFile::Vector, n as u32, 1),
            Reg::V64(n) => Span::new(RegFile::Vector, n as u32, 2),
        }
    }

    /// Registers that receive the data of an access to memory.
    pub const fn data(reg: DataReg, count: u32) -> Span {
        match reg {
            DataReg::S(n) => Span::new(RegFile::Uniform, n as u32, count),
            DataReg::V(n) => Span::new(RegFile::Vector, n as u32, count),
        }
    }

    /// The register after the last.
    pub const fn end(self) -> u32 {
        self.first + self.count
    }

    /// Whether the spans have a register in common.
    pub fn overlaps(self, other: Span) -> bool {
        self.file == other.file && self.first < other.end() && other.first < self.end()
    }
}

/// Up to four spans.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spans([Option<Span>; 4]);

impl Spans {
    /// An iterator over the spans.
    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().flatten().copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Whether one of them has a register in common with `span`.
    pub fn overlap(&self, span: Span) -> bool {
        self.iter().any(|s| s.overlaps(span))
    }
}

impl FromIterator<Span> for Spans {
    /// # Panics
    /// If there are more than four spans, the largest number of any operation.
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Spans {
        let mut all = Spans::default();
        for (n, span) in spans.into_iter().enumerate() {
            all.0[n] = Some(span);
        }
        all
    }
}

impl From<Span> for Spans {
    fn from(span: Span) -> Spans {
        Spans([Some(span), None, None, None])
    }
}

/// The effects of an operation beside its result. The default is that of a pure function of its operands, lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// Registers that the operation may read. Reads by others that it calls, such as the host at a message, are not included:
    /// those observe the state.
    pub reads: Spans,
    /// Registers that the operation may write: in some lanes, in part, or one of many. The parts that it keeps are not read.
    pub writes: Spans,
    /// Whether the operation writes all of `writes` for any operands, so that the previous values are dead.
    pub overwrites: bool,
    /// Whether any register may be observed during the operation, so that the state must be up to date. This holds for operations
    /// that may fault, leave the block, or use a hardware register, which may contain SCC or EXEC.
    pub observes_state: bool,
    /// Whether the operation may stop the wave with a fault; then it has written no register.
    pub faults: bool,
    /// Whether a lane's result, or the wave's, depends on the values of other lanes. A mask has a bit for each lane, so it
    /// crosses lanes only when it is used as a number.
    pub crosses_lanes: bool,
    /// Whether the operation ends the block.
    pub ends_block: bool,
    /// Whether the wave stops here for other waves or for the host, and continues later or never. (At any other end of a block,
    /// an engine may switch waves too.)
    pub yields: bool,
    /// Whether the operation may read memory of any space.
    pub reads_memory: bool,
    /// Whether the operation may write memory of any space.
    pub writes_memory: bool,
    /// Whether the result may differ the next time, although nothing visible to the block has changed.
    pub varies: bool,
    /// Whether the operation marks a position for counters, traces or checkers, which may read EXEC there.
    pub marks: bool,
}

impl Effects {
    /// Whether the operation has an effect, so that it must stay if its result is not used.
    pub fn any(&self) -> bool {
        !self.writes.is_empty() || self.faults || self.ends_block || self.marks
    }

    /// The effects of a pure function of its operands, lane by lane: none.
    pub(crate) const PURE: Effects = Effects {
        reads: Spans([None; 4]),
        writes: Spans([None; 4]),
        overwrites: false,
        observes_state: false,
        faults: false,
        crosses_lanes: false,
        ends_block: false,
        yields: false,
        reads_memory: false,
        writes_memory: false,
        varies: false,
        marks: false,
    };

    pub(crate) fn reading(reads: impl Into<Spans>) -> Effects {
        Effects {
            reads: reads.into(),
            ..Effects::PURE
        }
    }

    pub(crate) fn writing(writes: impl Into<Spans>, overwrites: bool) -> Effects {
        Effects {
            writes: writes.into(),
            overwrites,
            ..Effects::PURE
        }
    }

    /// The effects of [`Op::Read`].
    pub(crate) fn of_read(reg: Reg) -> Effects {
        let hardware = matches!(reg, Reg::Hw(_));
        Effects {
            observes_state: hardware,
            varies: hardware,
            ..Effects::reading(Span::of(reg))
        }
    }

    /// The effects of [`Op::Write`].
    pub(crate) fn of_write(reg: Reg) -> Effects {
        match reg {
            // A status register of a front end may contain SCC or part of EXEC.
            Reg::Hw(_) => Effects {
                observes_state: true,
                ..Effects::writing(
                    Spans::from_iter([Span::of(reg), Span::ALL_UNIFORM, Span::of(Reg::Scc)]),
                    false,
                )
            },
            // Inactive lanes keep their values.
            Reg::V(_) | Reg::V64(_) => Effects::writing(Span::of(reg), false),
            Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc => {
                Effects::writing(Span::of(reg), true)
            }
        }
    }
}

impl MatrixOp {
    /// The registers of D.
    pub fn written(&self) -> Span {
        self.span(self.d, self.instruction.shape().d_registers())
    }

    /// The registers of A, of B, of C and of the indices.
    pub fn read(&self) -> impl Iterator<Item = Span> {
        let shape = self.instruction.shape();
        let c = match self.c {
            Addend::Registers(c) => Some(self.span(c, shape.d_registers())),
            Addend::Every(_) => None,
        };
        let factors = [
            self.span(self.a, shape.a_registers()),
            self.span(self.b, shape.b_registers()),
        ];
        let index = self.index.map(|index| self.span(index, 1));
        factors.into_iter().chain(c).chain(index)
    }

    fn span(&self, first: u16, count: usize) -> Span {
        Span::new(RegFile::Vector, first.into(), count as u32)
    }

    pub(crate) fn effects(&self) -> Effects {
        Effects {
            reads: Spans::from_iter(self.read()),
            crosses_lanes: true,
            ..Effects::writing(self.written(), true)
        }
    }
}

impl Op {
    /// Whether the operation must stay if its result is not used: it opens an instruction, writes, accesses memory, waits or ends
    /// the block.
    pub fn has_effect(&self) -> bool {
        self.effects().any()
    }
}

impl MemOp {
    /// The effects of the access. The operands are values, so no register is read. Every access may fault, so the state must be
    /// exact before it.
    pub fn effects(&self) -> Effects {
        let ret = self.ret.map(|reg| Span::data(reg, self.registers()));
        let image = match &self.space {
            Space::Image(image) => Some(image),
            _ => None,
        };
        let absent = match &self.space {
            Space::Surface(element) => element.absent,
            _ => None,
        };
        let absent = absent.map(|reg| match reg {
            DataReg::V(_) => Span::data(reg, 1),
            DataReg::S(_) => Span::data(reg, 2),
        });
        Effects {
            reads: Spans::default(),
            writes: ret.into_iter().chain(absent).collect(),
            overwrites: false,
            observes_state: true,
            faults: true,
            crosses_lanes: image.is_some_and(Image::compares_lanes),
            ends_block: false,
            yields: false,
            reads_memory: self.kind != MemKind::Store
                && image.is_none_or(|i| i.kind != ImageKind::Info),
            writes_memory: self.kind != MemKind::Load,
            varies: false,
            marks: false,
        }
    }
}

impl Image {
    /// Whether the level of detail is computed from the coordinates of neighbouring lanes.
    fn compares_lanes(&self) -> bool {
        let implicit = matches!(self.lod, Lod::Implicit | Lod::Bias);
        let samples = [ImageKind::Sample, ImageKind::Gather, ImageKind::Lod];
        implicit && samples.contains(&self.kind)
    }
}

#[cfg(test)]
#[path = "effects_tests.rs"]
mod tests;
