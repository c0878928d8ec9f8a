//! Who made an allocation and who freed it, of a program that is checked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use wavetank::Tool;
use wavetank::check::Stack;

use crate::callers::Callers;
use crate::state::lock;
use crate::{checks, leaks};

/// Allocations that are remembered when they are gone, the last ones.
const MOST_FREED: usize = 4096;

/// Where the program made an allocation, and where it freed it.
struct Origin {
    bytes: u64,
    made: Callers,
    freed: Option<Callers>,
}

static ALL: Mutex<Origins> = Mutex::new(Origins {
    by_address: BTreeMap::new(),
    freed: VecDeque::new(),
});

struct Origins {
    by_address: BTreeMap<u64, Origin>,
    /// Addresses of those that are gone, the oldest first.
    freed: VecDeque<u64>,
}

/// Whether somebody will want to know.
pub fn wanted() -> bool {
    checks::tools().has(Tool::Memory)
}

/// The program makes an allocation now.
pub fn made(address: u64, bytes: u64) {
    if !wanted() {
        return;
    }
    let made = Callers::here();
    leaks::made(&made);
    let origin = Origin {
        bytes,
        made,
        freed: None,
    };
    lock(&ALL).by_address.insert(address, origin);
}

/// The program frees it now.
pub fn freed(address: u64) {
    if !wanted() {
        return;
    }
    let here = Callers::here();
    let mut all = lock(&ALL);
    let Some(origin) = all.by_address.get_mut(&address) else {
        return;
    };
    origin.freed = Some(here);
    all.freed.push_back(address);
    if all.freed.len() > MOST_FREED
        && let Some(oldest) = all.freed.pop_front()
        // Its address may be that of another one by now.
        && all.by_address.get(&oldest).is_some_and(|origin| origin.freed.is_some())
    {
        all.by_address.remove(&oldest);
    }
}

/// What the program did with the allocation at an address.
pub fn of(address: u64) -> Vec<Stack> {
    let (made, freed) = {
        let all = lock(&ALL);
        let Some(origin) = all.by_address.get(&address) else {
            return Vec::new();
        };
        (origin.made.clone(), origin.freed.clone())
    };
    let told = |label: &str, callers: Callers| Stack {
        label: label.to_owned(),
        frames: callers.told().frames,
    };
    let made = told("it was allocated here", made);
    let freed = freed.map(|freed| told("it was freed here", freed));
    [made].into_iter().chain(freed).collect()
}

/// Allocations that are not freed: who made each, and its bytes.
pub fn live() -> Vec<(Callers, u64)> {
    let all = lock(&ALL);
    let live = all
        .by_address
        .values()
        .filter(|origin| origin.freed.is_none());
    live.map(|origin| (origin.made.clone(), origin.bytes))
        .collect()
}
