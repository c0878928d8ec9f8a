//! Single-stepping: a wave instruction by instruction, with its writes and accesses.

use std::collections::BTreeSet;

use wavetank_check::Place;
use wavetank_gcn::Chip;
use wavetank_gcn::text::{hwreg_name, scalar_register_name};
use wavetank_ir::{LANES, Reg, RegFile, Span};
use wavetank_machine::{Backend, BlockCost, Group, Leave};
use wavetank_memory::{AccessRecord, AccessRun};
use wavetank_memory::{MemoryUnit, VECTOR_REGISTERS, VGPRS, Wave, sreg, vector_name};
use wavetank_translate::{Cache, Key, Modes, Summaries, Translator};

/// An instruction that a wave has executed, and its effects.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// The place of the instruction, and its text.
    pub place: Place,
    /// The registers that have other values than before, in the order of their numbers.
    pub changes: Vec<Change>,
    /// Its accesses to memory, lane by lane.
    pub accesses: Vec<AccessRecord>,
}

/// A register with a new value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// A scalar register by its source code: SGPRs from 0, VCC 106 and 107, M0 124, EXEC 126 and 127.
    Scalar {
        /// The register.
        register: u8,
        /// The new value.
        value: u32,
    },
    /// The scalar condition code.
    Scc(bool),
    /// A hardware register by its number.
    Hardware {
        /// The register.
        register: u8,
        /// The new value.
        value: u32,
    },
    /// A vector register.
    Vector {
        /// The register.
        register: u16,
        /// The lanes that have another value than before.
        lanes: u64,
        /// The values of all lanes.
        values: Box<[u32; LANES]>,
    },
}

impl Change {
    /// The name of the register on a chip.
    ///
    /// ```
    /// use wavetank::{Change, Chip};
    /// assert_eq!(Change::Scc(true).register_name(Chip::Gfx900), "scc");
    /// ```
    pub fn register_name(&self, chip: Chip) -> String {
        match self {
            Change::Scalar { register, .. } => scalar_register_name(*register, chip.generation()),
            Change::Scc(_) => "scc".to_owned(),
            Change::Hardware { register, .. } => hwreg_name(*register, chip.generation()),
            Change::Vector { register, .. } => vector_name(usize::from(*register)),
        }
    }
}

/// The traced waves, and the receiver of their steps.
#[derive(Clone, Copy)]
pub(crate) struct Trace<'a> {
    pub filter: &'a (dyn Fn(&Group, u32) -> bool + Sync),
    pub sink: &'a (dyn Fn(Step) + Sync),
}

/// Runs waves an instruction at a time, with the time slices that they have without being watched.
pub(crate) struct Stepper<'a> {
    /// The engine, whose blocks are single instructions.
    backend: Box<dyn Backend + 'a>,
    summaries: &'a SummaryCache,
}

/// The blocks of a module with their costs.
pub(crate) struct SummaryCache {
    translator: Translator,
    known: Cache<(Summaries, BlockCost)>,
}

impl SummaryCache {
    pub(crate) fn new(translator: Translator) -> Self {
        let known = Cache::default();
        SummaryCache { translator, known }
    }

    /// The block at which a wave is.
    fn of(&self, wave: &Wave) -> &(Summaries, BlockCost) {
        let uniform = wave.uniform();
        let modes = Modes::of_wave(&uniform.hw, uniform.s[usize::from(sreg::M0)]);
        let key = Key::new(uniform.pc, modes);
        let known = self.known.get(key, || {
            let block = self.translator.lift(uniform.pc, modes);
            (
                Summaries::of(&block),
                self.translator.block_cost(&block, modes),
            )
        });
        // SAFETY: the entries live as long as the cache, and are not changed.
        unsafe { known.as_ref() }
    }
}

impl<'a> Stepper<'a> {
    /// With a back end whose blocks are single instructions.
    pub(crate) fn new(backend: Box<dyn Backend + 'a>, summaries: &'a SummaryCache) -> Self {
        Stepper { backend, summaries }
    }

    /// Runs a wave for one time slice, which ends at the same instruction as without a trace: the cost of a block is charged
    /// after its last instruction.
    pub(crate) fn run(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        vgprs: usize,
        mut step: impl FnMut(u64, Vec<Change>, Vec<AccessRun>),
    ) -> Leave {
        loop {
            let (summaries, block_cost) = self.summaries.of(wave);
            let budget = wave.uniform().budget;
            for instruction in summaries.instructions() {
                let before = Snapshot::of(wave, vgprs, &instruction.writes);
                // A budget of one stops after each.
                wave.uniform_mut().budget = 1;
                let leave = self.backend.run(wave, memory);
                // A watcher may free memory that the wave has accessed.
                memory.leave();
                let goes_on = matches!(leave, Leave::BackEdge(_));
                wave.uniform_mut().budget = budget;
                let runs = memory.drain_access_runs();
                if leave.fault().is_none() {
                    step(instruction.pc, before.changes(wave), runs);
                }
                if !goes_on {
                    return leave;
                }
            }
            let (uniform, vector) = wave.files();
            if let Some(leave) = block_cost.charge(block_cost.edge(uniform.pc), uniform, vector) {
                return leave;
            }
        }
    }
}

/// Some registers of a wave at one moment.
struct Snapshot {
    scalar: Vec<(u8, u32)>,
    scc: Option<u32>,
    hardware: Vec<(u8, u32)>,
    vector: Vec<(u16, [u32; LANES])>,
}

impl Snapshot {
    /// Returns the registers of `spans` that the wave has, each once, in the order of their numbers. It has `vgprs` vector
    /// registers.
    fn of(wave: &Wave, vgprs: usize, spans: &[Span]) -> Self {
        let uniform = wave.uniform();
        let registers = |file: RegFile, size: usize| -> BTreeSet<u16> {
            let of_file = spans.iter().filter(|span| span.file == file);
            of_file
                .flat_map(|span| span.first..span.end().min(size as u32))
                .map(|n| n as u16)
                .collect()
        };
        let scalar = registers(RegFile::Uniform, uniform.s.len());
        let hardware = registers(RegFile::Hardware, uniform.hw.len());
        let mut vector = registers(RegFile::Vector, VECTOR_REGISTERS);
        vector.retain(|n| usize::from(*n) % VGPRS < vgprs);
        Snapshot {
            scalar: pairs(scalar, |n| uniform.s[n]),
            scc: spans.contains(&Span::of(Reg::Scc)).then_some(uniform.scc),
            hardware: pairs(hardware, |n| uniform.hw[n]),
            vector: pairs(vector, |n| *wave.vgpr(n)),
        }
    }

    /// Returns the changes of a wave since an earlier state.
    fn changes(&self, wave: &Wave) -> Vec<Change> {
        let mut out = Vec::new();
        let uniform = wave.uniform();
        for &(register, old) in &self.scalar {
            let value = uniform.s[usize::from(register)];
            if old != value {
                out.push(Change::Scalar { register, value });
            }
        }
        if self.scc.is_some_and(|old| old != uniform.scc) {
            out.push(Change::Scc(uniform.scc != 0));
        }
        for &(register, old) in &self.hardware {
            let value = uniform.hw[usize::from(register)];
            if old != value {
                out.push(Change::Hardware { register, value });
            }
        }
        for (register, old) in &self.vector {
            let values = wave.vgpr(usize::from(*register));
            let differ = |lane: usize| u64::from(old[lane] != values[lane]) << lane;
            let lanes = (0..LANES).fold(0, |mask, lane| mask | differ(lane));
            if lanes != 0 {
                out.push(Change::Vector {
                    register: *register,
                    lanes,
                    values: Box::new(*values),
                });
            }
        }
        out
    }
}

/// Registers with their values.
fn pairs<N: TryFrom<u16>, T>(registers: BTreeSet<u16>, value: impl Fn(usize) -> T) -> Vec<(N, T)> {
    let pair = |n: u16| Some((N::try_from(n).ok()?, value(usize::from(n))));
    registers.into_iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_printed() {
        let mut wave = Wave::new(0);
        let file = |file, count| Span::new(file, 0, count);
        let spans = [
            file(RegFile::Uniform, 256),
            file(RegFile::Hardware, 256),
            file(RegFile::Scc, 1),
            // A register twice, and one past the kernel's last.
            file(RegFile::Vector, 3),
            file(RegFile::Vector, 5),
        ];
        let before = Snapshot::of(&wave, 4, &spans);
        assert_eq!(before.changes(&wave), []);
        let uniform = wave.uniform_mut();
        (uniform.s[106], uniform.scc, uniform.hw[1]) = (7, 1, 9);
        wave.vgpr_mut(2)[5] = 3;
        wave.vgpr_mut(2)[63] = 4;
        wave.vgpr_mut(4)[0] = 1;
        let values = Box::new(*wave.vgpr(2));
        let lanes = 1 << 5 | 1 << 63;
        let wanted = [
            Change::Scalar {
                register: 106,
                value: 7,
            },
            Change::Scc(true),
            Change::Hardware {
                register: 1,
                value: 9,
            },
            Change::Vector {
                register: 2,
                lanes,
                values,
            },
        ];
        assert_eq!(before.changes(&wave), wanted);
    }
}
