//! The signals that a packet waits for.

use std::sync::{Arc, Mutex};

use crate::c_types::{BarrierPacket, BarrierValuePacket, Condition, Signal};
use crate::signal::waiters::Outcome;
use crate::signal::{Awaited, exists};
use crate::state::lock;

/// The signals that a packet waits for.
pub(super) struct Dependencies {
    pub awaited: Vec<Awaited>,
    /// Whether the packet waits for all of them, or for any.
    all: bool,
    /// Whether the signals stand for work, which has failed when they are negative.
    work: bool,
}

/// A packet that waits for signals.
pub(crate) struct Waiting {
    pub index: u64,
    pub signals: Vec<Signal>,
    pub seen: Arc<Mutex<Seen>>,
}

impl Waiting {
    /// A sentence with the packet and the signals that it still waits for.
    pub(crate) fn message(&self) -> String {
        let seen = lock(&self.seen);
        let open = self.signals.iter().zip(seen.iter());
        let open = open.filter(|(_, seen)| seen.is_none());
        let open: Vec<String> = open.map(|(signal, _)| format!("{:#x}", signal.0)).collect();
        let what = if open.len() == 1 { "signal" } else { "signals" };
        format!(
            "packet {} of a queue waits for the {what} {}",
            self.index,
            open.join(", ")
        )
    }
}

/// The outcome of each signal so far. The signals need not be as awaited at the same time.
pub(super) type Seen = Vec<Option<Outcome>>;

impl Dependencies {
    /// The dependencies of a barrier-AND or -OR packet.
    pub(super) fn of_barrier(packet: &BarrierPacket, all: bool) -> Dependencies {
        let work = packet.dependencies.iter().filter(|s| s.0 != 0);
        Dependencies {
            awaited: work.map(|s| Awaited::end_of(*s)).collect(),
            all,
            work: true,
        }
    }

    /// The dependency of AMD's barrier-value packet. Without a signal there is none: HIP 6 marks the end of work so on gfx90a and
    /// gfx942.
    pub(super) fn of_value(packet: &BarrierValuePacket) -> Result<Dependencies, String> {
        const BARRIER_VALUE: u8 = 2;
        if packet.format != BARRIER_VALUE {
            return Err(format!(
                "the vendor packet format {} is unknown",
                packet.format
            ));
        }
        let condition = Condition::new(packet.condition)
            .ok_or_else(|| format!("the condition {} is unknown", packet.condition))?;
        let awaited = Awaited {
            signal: packet.signal,
            condition,
            compare: packet.value,
            mask: packet.mask,
        };
        let none = packet.signal.0 == 0;
        Ok(Dependencies {
            awaited: if none { vec![] } else { vec![awaited] },
            all: true,
            work: false,
        })
    }

    /// The handles of the signals.
    pub(super) fn signals(&self) -> Vec<Signal> {
        self.awaited.iter().map(|awaited| awaited.signal).collect()
    }

    /// Checks that the signals exist. Signals that have been as awaited may be destroyed later.
    pub(super) fn check(&self) -> Result<(), String> {
        let wild = self.awaited.iter().find(|a| !exists(a.signal));
        wild.map_or(Ok(()), |wild| {
            let handle = wild.signal.0;
            Err(format!("it waits for {handle:#x}, which is not a signal"))
        })
    }

    /// Whether the outcomes so far are enough.
    pub(super) fn is_met(&self, seen: &Seen) -> Result<bool, String> {
        let pairs = || self.awaited.iter().zip(seen);
        for (awaited, outcome) in pairs() {
            let signal = awaited.signal.0;
            match outcome {
                Some(Outcome::Is(value)) if self.work && *value < 0 => {
                    return Err(format!(
                        "the work that it waits for has failed: its signal {signal:#x} is {value}"
                    ));
                }
                Some(Outcome::Gone) => {
                    return Err(format!(
                        "the signal {signal:#x} was destroyed while it waits for it"
                    ));
                }
                _ => {}
            }
        }
        Ok(if self.all {
            seen.iter().all(Option::is_some)
        } else {
            seen.is_empty() || seen.iter().any(Option::is_some)
        })
    }
}
