//! Waiters: callbacks for values of signals, so that no thread has to wait. Barriers of queues, copies and the program's handlers
//! register them; the thread that changes the signal calls them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use super::awaited::Awaited;
use super::poll;
use crate::state::lock;

/// The outcome of waiting for a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The signal met the condition with this value.
    Is(i64),
    /// The signal was destroyed before.
    Gone,
}

struct Waiter {
    awaited: Awaited,
    owner: u64,
    then: Callback,
}

/// The callback of a waiter, which runs in a thread that changes a signal: it queues work, and changes no signal itself.
type Callback = Box<dyn FnOnce(Outcome) + Send>;

/// Waiters by the addresses of their signals.
static WAITERS: Mutex<BTreeMap<u64, Vec<Waiter>>> = Mutex::new(BTreeMap::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Calls `then` once a signal meets a condition, possibly at once. `owner` is for [`forget`].
pub(crate) fn when(awaited: Awaited, owner: u64, then: impl FnOnce(Outcome) + Send + 'static) {
    let address = awaited.signal.0;
    let waiter = Waiter {
        awaited,
        owner,
        then: Box::new(then),
    };
    lock(&WAITERS).entry(address).or_default().push(waiter);
    COUNT.fetch_add(1, Ordering::SeqCst);
    poll::add_waiter();
    changed(address);
}

/// Calls the callbacks that a change of the signal at an address satisfies.
pub(crate) fn changed(address: u64) {
    // The change is visible before the waiters are counted.
    fence(Ordering::SeqCst);
    if !any() {
        return;
    }
    finish(|all| {
        take(all, address, |waiter| {
            waiter.awaited.ready().map(Outcome::Is)
        })
    });
}

/// Checks every signal that has a waiter.
pub(crate) fn look_at_all(_: ()) {
    if !any() {
        return;
    }
    finish(|all| {
        let addresses: Vec<u64> = all.keys().copied().collect();
        let met = |waiter: &Waiter| waiter.awaited.ready().map(Outcome::Is);
        let taken = addresses.iter().map(|address| take(all, *address, met));
        taken.flatten().collect()
    });
}

/// Notifies the waiters of a destroyed signal.
pub(crate) fn gone(address: u64) {
    if any() {
        finish(|all| {
            take(all, address, |waiter| {
                Some(waiter.awaited.ready().map_or(Outcome::Gone, Outcome::Is))
            })
        });
    }
}

/// Drops the callbacks of an owner without calling them.
pub(crate) fn forget(owner: u64) {
    retain(|waiter| waiter.owner != owner);
}

/// Drops all callbacks without calling them.
pub(crate) fn forget_all() {
    retain(|_| false);
}

fn any() -> bool {
    COUNT.load(Ordering::SeqCst) > 0
}

fn retain(stays: impl Fn(&Waiter) -> bool) {
    let mut all = lock(&WAITERS);
    all.retain(|_, list| {
        let before = list.len();
        list.retain(&stays);
        uncount(before - list.len());
        !list.is_empty()
    });
}

fn uncount(waiters: usize) {
    COUNT.fetch_sub(waiters, Ordering::SeqCst);
    poll::remove_waiters(waiters);
}

type All = BTreeMap<u64, Vec<Waiter>>;

/// Takes the callbacks of a signal that have an outcome.
fn take(
    all: &mut All,
    address: u64,
    outcome: impl Fn(&Waiter) -> Option<Outcome>,
) -> Vec<(Outcome, Callback)> {
    let Some(list) = all.get_mut(&address) else {
        return Vec::new();
    };
    let mut taken = Vec::new();
    let mut n = 0;
    while let Some(waiter) = list.get(n) {
        match outcome(waiter) {
            Some(outcome) => taken.push((outcome, list.remove(n).then)),
            None => n += 1,
        }
    }
    if list.is_empty() {
        all.remove(&address);
    }
    uncount(taken.len());
    taken
}

/// Calls the callbacks that `take` returns, after the table is unlocked.
fn finish(take: impl FnOnce(&mut All) -> Vec<(Outcome, Callback)>) {
    let taken = take(&mut lock(&WAITERS));
    for (outcome, then) in taken {
        then(outcome);
    }
}
