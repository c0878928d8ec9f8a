//! Attributes of shared virtual memory: stored by pages, and returned when the program queries them.
//!
//! The attributes have no effect: memory is not moved, and every agent can access the library's memory.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Mutex;

use super::address::PAGE;
use super::allocation::MemoryInfo;
use super::pointer;
use crate::agent::{self, Which};
use crate::c_types::{Agent, Status, SvmPair};
use crate::call::{Result, calls};
use crate::state::lock;

/// Attributes by their numbers in the headers.
const GLOBAL_FLAG: u64 = 0;
const READ_ONLY: u64 = 1;
const HIVE_LOCAL: u64 = 2;
const GRANULARITY: u64 = 3;
const PREFERRED: u64 = 4;
const PREFETCHED: u64 = 5;
const READ_MOSTLY: u64 = 6;
const ACCESSIBLE: u64 = 0x200;
const ACCESSIBLE_IN_PLACE: u64 = 0x201;
const NO_ACCESS: u64 = 0x202;
const ACCESS_QUERY: u64 = 0x203;

/// `HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE`: the pages of a range differ.
const INDETERMINATE: u64 = 2;
/// The default number of pages that a driver moves at once, as a logarithm.
const USUAL_GRANULARITY: u64 = 9;

/// The attributes of some pages, and the agents' access.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Attributes {
    values: BTreeMap<u64, u64>,
    access: BTreeMap<u64, u64>,
}

/// Ranges of pages by their starts, with their ends.
#[derive(Default, Debug)]
struct Ranges(BTreeMap<u64, (u64, Attributes)>);

static RANGES: Mutex<Ranges> = Mutex::new(Ranges(BTreeMap::new()));

impl Ranges {
    /// Splits the range that contains an address, so that one begins there.
    fn cut(&mut self, at: u64) {
        let before = self.0.range_mut(..at).next_back();
        if let Some((_, (end, attributes))) = before.filter(|(_, (end, _))| *end > at) {
            let rest = (std::mem::replace(end, at), attributes.clone());
            self.0.insert(at, rest);
        }
    }

    /// Changes the attributes of pages.
    fn change(&mut self, pages: Range<u64>, change: impl Fn(&mut Attributes)) {
        self.cut(pages.start);
        self.cut(pages.end);
        let mut at = pages.start;
        while at < pages.end {
            let next = self.0.range(at..pages.end).next().map(|(start, _)| *start);
            if next != Some(at) {
                let gap = (next.unwrap_or(pages.end), Attributes::default());
                self.0.insert(at, gap);
            }
            let (end, attributes) = self.0.entry(at).or_default();
            change(attributes);
            at = *end;
        }
    }

    /// Removes the attributes of pages.
    fn forget(&mut self, pages: Range<u64>) {
        self.cut(pages.start);
        self.cut(pages.end);
        let inside: Vec<u64> = self.0.range(pages).map(|(start, _)| *start).collect();
        inside.iter().for_each(|start| drop(self.0.remove(start)));
    }

    /// The value of `of` for all pages; `None` if they differ.
    fn alike<T: PartialEq>(&self, pages: Range<u64>, of: impl Fn(&Attributes) -> T) -> Option<T> {
        let first = self.0.range(..=pages.start).next_back();
        let mut at = pages.start;
        let mut found = None;
        let before = first.filter(|(_, (end, _))| *end > pages.start);
        let inside = self.0.range(pages.start..pages.end);
        for (start, (end, attributes)) in before.into_iter().chain(inside) {
            if *start > at {
                agrees(&mut found, of(&Attributes::default()))?;
            }
            if *end > at {
                agrees(&mut found, of(attributes))?;
                at = *end;
            }
        }
        if at < pages.end {
            agrees(&mut found, of(&Attributes::default()))?;
        }
        found
    }
}

/// Records a value; `None` if a different one was recorded before.
fn agrees<T: PartialEq>(found: &mut Option<T>, value: T) -> Option<()> {
    match found {
        Some(other) if *other != value => None,
        _ => {
            *found = Some(value);
            Some(())
        }
    }
}

/// The pages that contain a range of bytes.
fn pages(address: u64, bytes: u64) -> Result<Range<u64>> {
    let end = address
        .checked_add(bytes)
        .filter(|_| address != 0 && bytes != 0);
    let end = end.and_then(|end| end.checked_next_multiple_of(PAGE));
    let end = end.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    Ok(address / PAGE * PAGE..end)
}

/// Checks that a pair may be set.
fn check(pair: &SvmPair) -> Result {
    let there = |agent: u64| agent::of(Agent(agent)).map(drop);
    match pair.attribute {
        GLOBAL_FLAG if pair.value > 1 => Err(Status::ERROR_INVALID_ARGUMENT),
        GLOBAL_FLAG | READ_ONLY | HIVE_LOCAL | GRANULARITY | READ_MOSTLY => Ok(()),
        PREFERRED if pair.value == 0 => Ok(()),
        PREFERRED | ACCESSIBLE | ACCESSIBLE_IN_PLACE | NO_ACCESS => there(pair.value),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

fn set(attributes: &mut Attributes, pair: &SvmPair) {
    match pair.attribute {
        ACCESSIBLE | ACCESSIBLE_IN_PLACE | NO_ACCESS => {
            attributes.access.insert(pair.value, pair.attribute)
        }
        attribute => attributes.values.insert(attribute, pair.value),
    };
}

/// The default access of an agent: the host's to memory that it has mapped, a GPU's to memory that is registered.
fn usual_access(agent: Which, pages: &Range<u64>) -> u64 {
    let known = || pointer::find(pages.start).is_some_and(|k| pages.end <= k.address + k.bytes);
    match agent {
        Which::Gpu(..) if !known() => NO_ACCESS,
        _ => ACCESSIBLE_IN_PLACE,
    }
}

/// Writes the value of a queried attribute.
fn answer(ranges: &Ranges, pages: &Range<u64>, pair: &mut SvmPair) -> Result {
    let alike = |usual: u64| {
        let attribute = pair.attribute;
        let of =
            |attributes: &Attributes| attributes.values.get(&attribute).copied().unwrap_or(usual);
        ranges.alike(pages.clone(), of)
    };
    match pair.attribute {
        GLOBAL_FLAG => pair.value = alike(0).unwrap_or(INDETERMINATE),
        READ_ONLY | HIVE_LOCAL | READ_MOSTLY => pair.value = alike(0).unwrap_or(0),
        // Agents; the null handle stands for none.
        PREFERRED | PREFETCHED => pair.value = alike(0).unwrap_or(0),
        GRANULARITY => pair.value = alike(USUAL_GRANULARITY).unwrap_or(0),
        ACCESS_QUERY => {
            let agent = pair.value;
            let usual = usual_access(agent::of(Agent(agent))?, pages);
            let of =
                |attributes: &Attributes| attributes.access.get(&agent).copied().unwrap_or(usual);
            pair.attribute = ranges.alike(pages.clone(), of).unwrap_or(NO_ACCESS);
        }
        _ => return Err(Status::ERROR_INVALID_ARGUMENT),
    }
    Ok(())
}

/// Records the agent of the last prefetch of memory.
pub(crate) fn prefetched(address: u64, bytes: u64, agent: Agent) {
    if let Ok(pages) = pages(address, bytes) {
        lock(&RANGES).change(pages, |attributes| {
            attributes.values.insert(PREFETCHED, agent.0);
        });
    }
}

/// Removes the attributes of memory that is about to be freed.
pub(crate) fn forget(freed: MemoryInfo) {
    if let Ok(pages) = pages(freed.address, freed.bytes) {
        lock(&RANGES).forget(pages);
    }
}

calls! {
    fn hsa_amd_svm_attributes_set(pointer: *mut c_void, size: usize, pairs: *const SvmPair, count: usize) {
        if pairs.is_null() && count > 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let pages = pages(pointer.expose_provenance() as u64, size as u64)?;
        // SAFETY: the caller's array has `count` pairs.
        let pairs = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pairs, count) } };
        pairs.iter().try_for_each(check)?;
        lock(&RANGES).change(pages, |attributes| pairs.iter().for_each(|pair| set(attributes, pair)));
        Ok(())
    }

    fn hsa_amd_svm_attributes_get(pointer: *mut c_void, size: usize, pairs: *mut SvmPair, count: usize) {
        if pairs.is_null() && count > 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let pages = pages(pointer.expose_provenance() as u64, size as u64)?;
        // SAFETY: the caller's array has `count` pairs.
        let pairs = if count == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(pairs, count) } };
        let ranges = lock(&RANGES);
        pairs.iter_mut().try_for_each(|pair| answer(&ranges, &pages, pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_where_attributes_differ() {
        let mut ranges = Ranges::default();
        let set = |ranges: &mut Ranges, pages, attribute, value| {
            ranges.change(pages, |attributes| {
                set(attributes, &SvmPair { attribute, value });
            });
        };
        let get = |ranges: &Ranges, pages, attribute| {
            let mut pair = SvmPair {
                attribute,
                value: 99,
            };
            answer(ranges, &pages, &mut pair).map(|()| pair.value)
        };
        set(&mut ranges, 10 * PAGE..20 * PAGE, READ_MOSTLY, 1);
        set(&mut ranges, 15 * PAGE..30 * PAGE, GLOBAL_FLAG, 1);
        assert_eq!(get(&ranges, 10 * PAGE..20 * PAGE, READ_MOSTLY), Ok(1));
        assert_eq!(get(&ranges, 10 * PAGE..21 * PAGE, READ_MOSTLY), Ok(0));
        assert_eq!(get(&ranges, 9 * PAGE..11 * PAGE, READ_MOSTLY), Ok(0));
        assert_eq!(get(&ranges, 16 * PAGE..30 * PAGE, GLOBAL_FLAG), Ok(1));
        assert_eq!(get(&ranges, 14 * PAGE..30 * PAGE, GLOBAL_FLAG), Ok(2));
        assert_eq!(get(&ranges, 40 * PAGE..50 * PAGE, GLOBAL_FLAG), Ok(0));
        ranges.forget(12 * PAGE..18 * PAGE);
        assert_eq!(get(&ranges, 11 * PAGE..12 * PAGE, READ_MOSTLY), Ok(1));
        assert_eq!(get(&ranges, 12 * PAGE..18 * PAGE, READ_MOSTLY), Ok(0));
        assert_eq!(get(&ranges, 18 * PAGE..20 * PAGE, READ_MOSTLY), Ok(1));
        assert_eq!(ranges.0.len(), 3);
    }
}
