//! Accesses that were denied while waves went on, counted by instruction and rule.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wavetank_machine::Group;
use wavetank_memory::{MemoryFault, MemoryFaultReason};

use super::descriptor::Used;

/// The rule that an access breaks, by a name that stays.
pub(crate) fn rule(reason: MemoryFaultReason) -> &'static str {
    match reason {
        MemoryFaultReason::Unmapped => "out-of-bounds",
        MemoryFaultReason::Freed => "after-free",
        MemoryFaultReason::ReadOnly => "read-only",
        MemoryFaultReason::Misaligned { .. } => "misaligned",
        MemoryFaultReason::OutsideScratch => "scratch",
        MemoryFaultReason::StackOverflow { .. } => "stack-overflow",
        MemoryFaultReason::OutsideLds { .. } => "lds",
        MemoryFaultReason::Surface(_) => "surface",
    }
}

/// What was denied at an instruction for one reason.
#[derive(Clone, Debug)]
pub(crate) struct Denial {
    /// The earliest work-group and wave that did it.
    pub group: Group,
    pub wave: u32,
    /// Its lanes, when it did it first.
    pub lanes: u64,
    /// What the first of them did.
    pub fault: MemoryFault,
    /// The descriptor of a buffer that it was done by.
    pub descriptor: Option<Used>,
    /// How often it was denied, counted by waves.
    pub times: u64,
    /// How many had been noted before.
    number: usize,
}

type Key = (u64, &'static str);

/// What the threads of a dispatch have noted.
#[derive(Default)]
pub(crate) struct Denials(Mutex<HashMap<Key, Denial>>);

impl Denials {
    fn all(&self) -> MutexGuard<'_, HashMap<Key, Denial>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether such a fault of a wave would be reported, and not only counted.
    pub(crate) fn is_reported(&self, group: &Group, wave: u32, fault: &MemoryFault) -> bool {
        let all = self.all();
        let known = all.get(&(fault.pc, rule(fault.reason)));
        known.is_none_or(|known| known.is_after(group, wave))
    }

    /// Lanes of a wave were denied what the first of them did, by a descriptor if it has one.
    pub(crate) fn add(
        &self,
        group: Group,
        wave: u32,
        lanes: u64,
        fault: MemoryFault,
        descriptor: Option<Used>,
    ) {
        let mut all = self.all();
        let number = all.len();
        let key = (fault.pc, rule(fault.reason));
        let new = |number, times| Denial {
            group,
            wave,
            lanes,
            fault,
            descriptor,
            times,
            number,
        };
        match all.get_mut(&key) {
            Some(known) if known.is_after(&group, wave) => {
                *known = new(known.number, known.times + 1);
            }
            Some(known) => known.times += 1,
            None => drop(all.insert(key, new(number, 1))),
        }
    }

    /// All, in the order of the waves that did them; of one wave in the order in which it did. How threads took turns does
    /// not show.
    pub(crate) fn in_order(self) -> Vec<Denial> {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Denial> = all.into_values().collect();
        all.sort_by_key(|denial| (denial.group.index, denial.wave, denial.number));
        all
    }
}

impl Denial {
    /// Whether it was done by a later wave than this.
    fn is_after(&self, group: &Group, wave: u32) -> bool {
        (self.group.index, self.wave) > (group.index, wave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_ir::MemKind;
    use wavetank_machine::Grid;

    #[test]
    fn the_earliest_wave_is_named_and_all_are_counted() {
        let grid = Grid::new([256, 1, 1], [128, 1, 1]).unwrap();
        let fault = |pc, address, reason| MemoryFault {
            pc,
            kind: MemKind::Load,
            lane: Some(0),
            lanes: 1,
            address,
            bytes: 4,
            reason,
            nearest: None,
            calls: Box::default(),
        };
        use MemoryFaultReason::{ReadOnly, Unmapped};
        let denials = Denials::default();
        denials.add(grid.group(1), 0, 1, fault(4, 10, Unmapped), None);
        assert!(!denials.is_reported(&grid.group(1), 1, &fault(4, 11, Unmapped)));
        assert!(denials.is_reported(&grid.group(0), 1, &fault(4, 11, Unmapped)));
        denials.add(grid.group(0), 1, 2, fault(4, 11, Unmapped), None);
        denials.add(grid.group(0), 1, 4, fault(4, 12, Unmapped), None);
        denials.add(grid.group(0), 0, 8, fault(4, 13, ReadOnly), None);
        denials.add(grid.group(0), 1, 16, fault(8, 14, Unmapped), None);
        let found = denials.in_order().into_iter();
        let found: Vec<_> = found
            .map(|d| (d.fault.pc, d.fault.address, d.lanes, d.times))
            .collect();
        assert_eq!(found, [(4, 13, 8, 1), (4, 11, 2, 3), (8, 14, 16, 1)]);
    }
}
