//! Packets that wait for signals. No thread waits with them: they leave watches, which bring their queue back.

use std::sync::{Arc, Mutex};

use super::Queue;
use super::fault::Fault;
use crate::abi::{BarrierPacket, BarrierValuePacket, Condition, Signal};
use crate::signal::{Awaited, exists};
use crate::state::lock;
use crate::watch::{self, Outcome};

/// What a packet waits for.
pub struct Wish {
    awaited: Vec<Awaited>,
    /// Whether all of it has to be, or any.
    all: bool,
    /// Whether the signals stand for work, which has failed when they are negative.
    work: bool,
}

/// A packet that waits.
pub struct Waiting {
    index: u64,
    /// The signals.
    signals: Vec<Signal>,
    seen: Arc<Mutex<Seen>>,
}

impl Waiting {
    /// The packet and the signals that were not yet as it wants them, in words.
    pub fn told(&self) -> String {
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

/// What has been seen of each signal. Not all need to be as awaited at the same time.
type Seen = Vec<Option<Outcome>>;

impl Wish {
    /// What a barrier-AND or -OR packet waits for.
    pub fn of_barrier(packet: &BarrierPacket, all: bool) -> Wish {
        let work = packet.dependencies.iter().filter(|s| s.0 != 0);
        Wish {
            awaited: work.map(|s| Awaited::end_of(*s)).collect(),
            all,
            work: true,
        }
    }

    /// What AMD's barrier-value packet waits for.
    pub fn of_value(packet: &BarrierValuePacket) -> Result<Wish, String> {
        const BARRIER_VALUE: u8 = 2;
        if packet.format != BARRIER_VALUE {
            return Err(format!(
                "the vendor packet format {} is unknown",
                packet.format
            ));
        }
        let condition = Condition::new(packet.condition)
            .ok_or_else(|| format!("the condition {} is unknown", packet.condition))?;
        Ok(Wish {
            awaited: vec![Awaited {
                signal: packet.signal,
                condition,
                compare: packet.value,
                mask: packet.mask,
            }],
            all: true,
            work: false,
        })
    }

    /// The signals.
    pub fn signals(&self) -> Vec<Signal> {
        self.awaited.iter().map(|awaited| awaited.signal).collect()
    }

    /// Checks the signals. Those that have been seen as awaited may be gone afterwards.
    fn check(&self) -> Result<(), String> {
        let wild = self.awaited.iter().find(|a| !exists(a.signal));
        wild.map_or(Ok(()), |wild| {
            let handle = wild.signal.0;
            Err(format!("it waits for {handle:#x}, which is no signal"))
        })
    }

    /// Whether what has been seen is enough.
    fn is_met(&self, seen: &Seen) -> Result<bool, String> {
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
        Ok(match self.all {
            true => seen.iter().all(Option::is_some),
            false => seen.is_empty() || seen.iter().any(Option::is_some),
        })
    }
}

/// Whether a packet need not wait, or wait any longer. Otherwise its queue is brought back when there is more to see.
pub fn is_met(
    queue: &Arc<Queue>,
    waiting: &mut Option<Waiting>,
    index: u64,
    wish: &Wish,
) -> Result<bool, Fault> {
    let fault = |problem| Fault::Packet(format!("packet {index}: {problem}"));
    if let Some(known) = waiting.as_ref().filter(|w| w.index == index) {
        let met = wish.is_met(&lock(&known.seen)).map_err(fault)?;
        if met {
            *waiting = None;
            // An OR leaves watches of the others.
            watch::forget(queue.address);
        }
        return Ok(met);
    }
    wish.check().map_err(fault)?;
    let now = wish.awaited.iter().map(|a| a.ready().map(Outcome::Is));
    let now: Seen = now.collect();
    if wish.is_met(&now).map_err(fault)? {
        return Ok(true);
    }
    let seen = Arc::new(Mutex::new(now.clone()));
    for n in (0..now.len()).filter(|n| now[*n].is_none()) {
        let (seen, queue) = (seen.clone(), queue.clone());
        watch::when(wish.awaited[n], queue.address, move |outcome| {
            lock(&seen)[n] = Some(outcome);
            queue.unblock();
        });
    }
    let signals = wish.signals();
    *waiting = Some(Waiting {
        index,
        signals,
        seen,
    });
    Ok(false)
}
