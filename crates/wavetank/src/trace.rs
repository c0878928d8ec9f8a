//! Watching a wave instruction by instruction.

use wavetank_ir::LANES;
use wavetank_isa::Chip;
use wavetank_isa::text::{hwreg_name, scalar_register_name};
use wavetank_machine::{Backend, Group, Stop};
use wavetank_memory::{MemoryUnit, Wave};

use crate::error::Place;

/// One instruction that a wave has executed, and what it changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// Where the instruction is, and its text.
    pub place: Place,
    /// The registers that have other values than before, in the order of their numbers.
    pub changes: Vec<Change>,
}

/// A register with a new value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// A scalar register by its source code: SGPRs from 0, VCC 106 and 107, M0 124, EXEC 126 and 127.
    Scalar {
        /// The register.
        register: u8,
        /// Its value.
        value: u32,
    },
    /// The scalar condition code.
    Scc(bool),
    /// A hardware register by its number.
    Hardware {
        /// The register.
        register: u8,
        /// Its value.
        value: u32,
    },
    /// A vector register.
    Vector {
        /// The register.
        register: u8,
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
            Change::Vector { register, .. } => format!("v{register}"),
        }
    }
}

/// Which waves to watch, and where to send what they do.
#[derive(Clone, Copy)]
pub(crate) struct Trace<'a> {
    pub filter: &'a (dyn Fn(&Group, u32) -> bool + Sync),
    pub sink: &'a (dyn Fn(Step) + Sync),
}

/// The registers of a wave at one moment.
pub(crate) struct Snapshot {
    scalar: [u32; 128],
    hardware: [u32; 64],
    scc: u32,
    vector: Vec<[u32; LANES]>,
}

impl Snapshot {
    /// The registers of a wave, of which the first `vgprs` vector registers.
    pub fn of(wave: &Wave, vgprs: usize) -> Self {
        let uniform = wave.uniform();
        Snapshot {
            scalar: uniform.s,
            hardware: uniform.hw,
            scc: uniform.scc,
            vector: (0..vgprs).map(|n| *wave.vgpr(n)).collect(),
        }
    }

    /// What a wave has now that it had not then.
    pub fn changes(&self, wave: &Wave) -> Vec<Change> {
        let mut out = Vec::new();
        let uniform = wave.uniform();
        for (register, (old, value)) in (0..).zip(self.scalar.into_iter().zip(uniform.s)) {
            if old != value {
                out.push(Change::Scalar { register, value });
            }
        }
        if self.scc != uniform.scc {
            out.push(Change::Scc(uniform.scc != 0));
        }
        for (register, (old, value)) in (0..).zip(self.hardware.into_iter().zip(uniform.hw)) {
            if old != value {
                out.push(Change::Hardware { register, value });
            }
        }
        for (n, old) in self.vector.iter().enumerate() {
            let values = wave.vgpr(n);
            let differ = |lane: usize| u64::from(old[lane] != values[lane]) << lane;
            let lanes = (0..LANES).fold(0, |mask, lane| mask | differ(lane));
            if lanes != 0 {
                out.push(Change::Vector {
                    register: n as u8,
                    lanes,
                    values: Box::new(*values),
                });
            }
        }
        out
    }
}

/// Runs a wave for one turn, an instruction at a time, on a back end whose blocks are single instructions.
///
/// A budget of one stops after each; what it cost is taken from that of the turn.
pub(crate) fn run(
    backend: &mut dyn Backend,
    wave: &mut Wave,
    memory: &mut MemoryUnit<'_>,
    vgprs: usize,
    mut step: impl FnMut(u64, Vec<Change>),
) -> Stop {
    let mut budget = wave.uniform().budget;
    loop {
        let before = Snapshot::of(wave, vgprs);
        let pc = wave.uniform().pc;
        wave.uniform_mut().budget = 1;
        let stop = backend.run(wave, memory);
        let left = wave.uniform().budget;
        let asleep = left > 0;
        budget -= if asleep { 0 } else { 1 - left };
        wave.uniform_mut().budget = budget;
        if !matches!(stop, Stop::Fault(_)) {
            step(pc, before.changes(wave));
        }
        let more = stop == Stop::Yield && !asleep && budget > 0;
        if !more {
            return stop;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_told() {
        let mut wave = Wave::new(0);
        let before = Snapshot::of(&wave, 4);
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
