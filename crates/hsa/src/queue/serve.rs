//! The service of a queue by a thread of the pool.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::fault::Fault;
use super::pool::{Afterwards, Task};
use super::process::{self, Pause};
use super::ring::{BLOCKED, IDLE, Queue, SERVED};

impl Task for Queue {
    fn run(self: Arc<Self>) -> Option<Afterwards> {
        let fault = self.turn()?;
        Some(Box::new(move || fault.report(&self)))
    }
}

impl Queue {
    /// Executes packets until there is nothing to do, or another queue needs the thread.
    fn turn(self: &Arc<Queue>) -> Option<Fault> {
        loop {
            self.state.store(SERVED, Ordering::Release);
            let next = match process::packets(self) {
                Err(fault) => return Some(fault),
                Ok(Pause::Idle) => IDLE,
                Ok(Pause::Blocked) => BLOCKED,
                Ok(Pause::Yield) => {
                    self.state.store(IDLE, Ordering::Release);
                    self.ring();
                    return None;
                }
            };
            let changed =
                self.state
                    .compare_exchange(SERVED, next, Ordering::AcqRel, Ordering::Acquire);
            if changed.is_ok() {
                return None;
            }
        }
    }
}
