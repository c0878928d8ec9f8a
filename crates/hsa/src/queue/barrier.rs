//! Barrier packets: they wait for signals without a thread, by waiters that unblock their queue.

use std::sync::{Arc, Mutex};

use super::dependencies::{Dependencies, Seen, Waiting};
use super::fault::Fault;
use super::ring::Queue;
use crate::signal::waiters::{self, Outcome};
use crate::state::lock;

/// Whether a packet can be executed. Otherwise its queue is unblocked when one of the signals changes.
pub(super) fn is_met(
    queue: &Arc<Queue>,
    waiting: &mut Option<Waiting>,
    index: u64,
    dependencies: &Dependencies,
) -> Result<bool, Fault> {
    let fault = |problem| Fault::Packet(format!("packet {index}: {problem}"));
    if let Some(known) = waiting.as_ref().filter(|w| w.index == index) {
        let met = dependencies.is_met(&lock(&known.seen)).map_err(fault)?;
        if met {
            *waiting = None;
            // An OR packet leaves waiters for the other signals.
            waiters::forget(queue.address);
        }
        return Ok(met);
    }
    dependencies.check().map_err(fault)?;
    let now = dependencies
        .awaited
        .iter()
        .map(|a| a.ready().map(Outcome::Is));
    let now: Seen = now.collect();
    if dependencies.is_met(&now).map_err(fault)? {
        return Ok(true);
    }
    let seen = Arc::new(Mutex::new(now.clone()));
    for n in (0..now.len()).filter(|n| now[*n].is_none()) {
        let (seen, queue) = (seen.clone(), queue.clone());
        waiters::when(dependencies.awaited[n], queue.address, move |outcome| {
            lock(&seen)[n] = Some(outcome);
            queue.unblock();
        });
    }
    let signals = dependencies.signals();
    *waiting = Some(Waiting {
        index,
        signals,
        seen,
    });
    Ok(false)
}
