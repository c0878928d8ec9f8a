//! Backtraces of allocations and of their deallocation, in a program that is checked.
//!
//! For each allocation site, it also keeps the last path through the runtimes, by which `leaks.rs` distinguishes allocations of
//! the program from those of a runtime.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Mutex;

use wavetank::Tool;
use wavetank::check::Stack;

use super::backtrace::Backtrace;
use super::checks;
use crate::state::{lock, settings};

/// The number of freed allocations that are kept, the latest ones.
const MAX_FREED: usize = 4096;

/// The backtraces of an allocation and of its deallocation.
struct Record {
    bytes: u64,
    made: Backtrace,
    freed: Option<Backtrace>,
}

static ALL: Mutex<Records> = Mutex::new(Records {
    by_address: BTreeMap::new(),
    freed: VecDeque::new(),
});

struct Records {
    by_address: BTreeMap<u64, Record>,
    /// The addresses of freed allocations, oldest first.
    freed: VecDeque<u64>,
}

/// Whether a tool needs the backtraces.
fn enabled() -> bool {
    checks::tools().has(Tool::Memory)
}

/// Records an allocation of the program.
pub(crate) fn made(address: u64, bytes: u64) {
    if !enabled() {
        return;
    }
    let made = Backtrace::capture();
    note_path(&made);
    let site = Record {
        bytes,
        made,
        freed: None,
    };
    lock(&ALL).by_address.insert(address, site);
}

/// Records that the program frees an allocation.
pub(crate) fn freed(address: u64) {
    if !enabled() {
        return;
    }
    let here = Backtrace::capture();
    let mut all = lock(&ALL);
    let Some(site) = all.by_address.get_mut(&address) else {
        return;
    };
    site.freed = Some(here);
    all.freed.push_back(address);
    if all.freed.len() > MAX_FREED
        && let Some(oldest) = all.freed.pop_front()
        // The address may have been allocated again.
        && all.by_address.get(&oldest).is_some_and(|site| site.freed.is_some())
    {
        all.by_address.remove(&oldest);
    }
}

/// The backtraces of the allocation at an address, and of its deallocation.
pub(crate) fn of(address: u64) -> Vec<Stack> {
    let (made, freed) = {
        let all = lock(&ALL);
        let Some(site) = all.by_address.get(&address) else {
            return Vec::new();
        };
        (site.made.clone(), site.freed.clone())
    };
    let stack = |label: &str, backtrace: Backtrace| Stack {
        label: label.to_owned(),
        frames: backtrace.symbolize().frames,
    };
    let made = stack("allocated here", made);
    let freed = freed.map(|freed| stack("freed here", freed));
    [made].into_iter().chain(freed).collect()
}

/// Allocations that are not freed, with the backtrace and the size of each.
pub(crate) fn live() -> Vec<(Backtrace, u64)> {
    let all = lock(&ALL);
    let live = all.by_address.values().filter(|site| site.freed.is_none());
    live.map(|site| (site.made.clone(), site.bytes)).collect()
}

/// The frames of the program at an allocation, and those of the runtimes from there to this library.
pub(crate) type Site = Box<[usize]>;
pub(crate) type Path = Box<[usize]>;

/// The path of the last allocation of each site, and the process that made them: forked children have no leaks.
static LAST: Mutex<Option<(u32, HashMap<Site, Path>)>> = Mutex::new(None);

/// Records the path of an allocation, if leaks are to be reported.
fn note_path(made: &Backtrace) {
    if settings().as_ref().is_ok_and(|settings| settings.leaks) {
        let (site, path) = made.parts();
        let mut last = lock(&LAST);
        let (_, last) = last.get_or_insert_with(|| (std::process::id(), HashMap::new()));
        last.insert(site, path);
    }
}

/// Takes the path of the last allocation of each site, if this process has recorded any.
pub(crate) fn take_last_paths() -> Option<HashMap<Site, Path>> {
    let (process, last) = lock(&LAST).take()?;
    (process == std::process::id()).then_some(last)
}
