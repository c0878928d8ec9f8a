//! Denied accesses after which waves continued, counted by instruction and rule.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wavetank_machine::Group;
use wavetank_memory::{MemoryFault, MemoryFaultReason};

use super::descriptor::Used;

/// Returns the rule that an access breaks, by its stable name.
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

/// The denials at an instruction for one reason.
#[derive(Clone, Debug)]
pub(crate) struct Denial {
    /// The earliest work-group with a denied access, and its wave.
    pub group: Group,
    pub wave: u32,
    /// The denied lanes of that wave's first access.
    pub lanes: u64,
    /// The fault of the first lane.
    pub fault: MemoryFault,
    /// The buffer descriptor of the access.
    pub descriptor: Option<Used>,
    /// The number of denials, counted by waves.
    pub times: u64,
    /// The number of denials recorded before.
    number: usize,
}

type Key = (u64, &'static str);

/// The denials of a dispatch, recorded by its threads.
#[derive(Default)]
pub(crate) struct Denials(Mutex<HashMap<Key, Denial>>);

impl Denials {
    fn all(&self) -> MutexGuard<'_, HashMap<Key, Denial>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether such a fault of a wave would be reported, and not only counted.
    pub(crate) fn is_reported(&self, group: &Group, wave: u32, fault: &MemoryFault) -> bool {
        let all = self.all();
        let known = all.get(&(fault.pc, rule(fault.reason)));
        known.is_none_or(|known| known.is_after(group, wave))
    }

    /// Records that lanes of a wave were denied an access, with the fault of the first lane and the buffer descriptor, if any.
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

    /// Returns all denials in the order of their waves, and those of a wave in the order of execution: the order does not depend
    /// on the schedule of threads.
    pub(crate) fn in_order(self) -> Vec<Denial> {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Denial> = all.into_values().collect();
        all.sort_by_key(|denial| (denial.group.index, denial.wave, denial.number));
        all
    }
}

impl Denial {
    /// Returns whether the denial is of a later wave than this.
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
