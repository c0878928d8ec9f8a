//! The first occurrence of an event, and the number of occurrences.

use std::collections::btree_map::Entry;

use wavetank_check::WorkItems;
use wavetank_machine::Group;

use super::lanes::wave_in_words;

/// The first wave with an event, and the number of occurrences.
pub(super) struct First<T> {
    pub group: Group,
    pub wave: u32,
    pub times: u64,
    pub what: T,
}

impl<T> First<T> {
    /// Describes the wave and some of its lanes.
    pub(super) fn actor(&self, lanes: u64) -> String {
        // A reason that all lanes share is not one of single lanes.
        let lanes = if lanes == u64::MAX { 0 } else { lanes };
        wave_in_words(&self.group, self.wave, lanes)
    }

    /// Returns the work-items in some lanes of the wave.
    pub(super) fn items(&self, lanes: u64) -> WorkItems {
        WorkItems::of(&self.group, self.wave, lanes)
    }
}

/// Adds a record of a wave, which may be the first one.
pub(super) fn add<K: Ord, T: Clone>(
    entry: Entry<'_, K, First<T>>,
    mut new: First<T>,
    join: impl FnOnce(&mut T, T),
) {
    match entry {
        Entry::Vacant(place) => drop(place.insert(new)),
        Entry::Occupied(mut known) => {
            let known = known.get_mut();
            known.times += new.times;
            if (new.group.index, new.wave) < (known.group.index, known.wave) {
                let before = known.what.clone();
                join(&mut new.what, before);
                let times = known.times;
                *known = First { times, ..new };
            } else {
                join(&mut known.what, new.what);
            }
        }
    }
}
