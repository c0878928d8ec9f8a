//! What is to be done when signals have values. Barriers of queues, copies and the program's handlers leave a watch; whoever
//! changes the signal does what it says, and no thread waits.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::look;
use crate::signal::Awaited;
use crate::state::lock;

/// How a watch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The signal had this value, as awaited.
    Is(i64),
    /// The signal was destroyed before.
    Gone,
}

struct Watch {
    awaited: Awaited,
    owner: u64,
    then: Then,
}

/// What is to be done. It runs in a thread that changes a signal: it hands work on, and changes no signal itself.
type Then = Box<dyn FnOnce(Outcome) + Send>;

/// By the addresses of the signals.
static WATCHES: Mutex<BTreeMap<u64, Vec<Watch>>> = Mutex::new(BTreeMap::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Does something once a signal is as awaited, which may be at once. `owner` is for [`forget`].
pub fn when(awaited: Awaited, owner: u64, then: impl FnOnce(Outcome) + Send + 'static) {
    let address = awaited.signal.0;
    let watch = Watch {
        awaited,
        owner,
        then: Box::new(then),
    };
    lock(&WATCHES).entry(address).or_default().push(watch);
    COUNT.fetch_add(1, Ordering::SeqCst);
    look::somebody_waits();
    changed(address);
}

/// Does what is to be done after a change of the signal at an address.
pub fn changed(address: u64) {
    // The change before the look at who watches.
    fence(Ordering::SeqCst);
    if !somebody() {
        return;
    }
    finish(|all| take(all, address, |watch| watch.awaited.ready().map(Outcome::Is)));
}

/// Looks at every signal that is watched.
pub fn look() {
    if !somebody() {
        return;
    }
    finish(|all| {
        let addresses: Vec<u64> = all.keys().copied().collect();
        let met = |watch: &Watch| watch.awaited.ready().map(Outcome::Is);
        let taken = addresses.iter().map(|address| take(all, *address, met));
        taken.flatten().collect()
    });
}

/// The signal at an address is destroyed.
pub fn gone(address: u64) {
    if somebody() {
        finish(|all| {
            take(all, address, |watch| {
                Some(watch.awaited.ready().map_or(Outcome::Gone, Outcome::Is))
            })
        });
    }
}

/// Drops the watches of an owner without a word.
pub fn forget(owner: u64) {
    retain(|watch| watch.owner != owner);
}

/// Drops all watches.
pub fn forget_all() {
    retain(|_| false);
}

/// Whether there is any watch.
pub fn somebody() -> bool {
    COUNT.load(Ordering::SeqCst) > 0
}

fn retain(stays: impl Fn(&Watch) -> bool) {
    let mut all = lock(&WATCHES);
    all.retain(|_, list| {
        let before = list.len();
        list.retain(&stays);
        COUNT.fetch_sub(before - list.len(), Ordering::SeqCst);
        !list.is_empty()
    });
}

type All = BTreeMap<u64, Vec<Watch>>;

/// Takes the watches of a signal that have an outcome.
fn take(
    all: &mut All,
    address: u64,
    outcome: impl Fn(&Watch) -> Option<Outcome>,
) -> Vec<(Outcome, Then)> {
    let Some(list) = all.get_mut(&address) else {
        return Vec::new();
    };
    let mut taken = Vec::new();
    let mut n = 0;
    while let Some(watch) = list.get(n) {
        match outcome(watch) {
            Some(outcome) => taken.push((outcome, list.remove(n).then)),
            None => n += 1,
        }
    }
    if list.is_empty() {
        all.remove(&address);
    }
    COUNT.fetch_sub(taken.len(), Ordering::SeqCst);
    taken
}

/// Does what watches say that are taken, once the table is free again.
fn finish(take: impl FnOnce(&mut All) -> Vec<(Outcome, Then)>) {
    let taken = take(&mut lock(&WATCHES));
    for (outcome, then) in taken {
        then(outcome);
    }
}
