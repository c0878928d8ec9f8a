//! The packets of a queue, which come one behind the other.

use std::collections::BTreeMap;
use std::sync::Mutex;

use wavetank::Kernel;

use super::known::Known;
use super::{Asked, Launch, wanted, with};
use crate::abi::Signal;
use crate::state::lock;

/// What is known of the order of a queue.
#[derive(Default)]
pub struct Line(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// The number of the line, once something has run.
    number: Option<usize>,
    /// What lies behind the next packet.
    known: Known,
    /// Packets that have been announced and not taken, by their numbers.
    announced: BTreeMap<u64, Asked>,
    /// Up to which packet they have been.
    next: u64,
}

impl Line {
    /// The program rings: all packets that are there from the first that waits on are its doing.
    pub fn rung(&self, first: u64, is_there: impl Fn(u64) -> bool) {
        if !wanted() {
            return;
        }
        let mut inner = lock(&self.0);
        let mut index = inner.next.max(first);
        while is_there(index) {
            inner
                .announced
                .extend(Asked::here().map(|asked| (index, asked)));
            index += 1;
        }
        inner.next = index;
    }

    /// Whether a packet has been announced, or nobody asks.
    pub fn has_announced(&self, index: u64) -> bool {
        !wanted() || lock(&self.0).announced.contains_key(&index)
    }

    /// A packet of a kernel is executed.
    pub fn begins(&self, index: u64, kernel: &Kernel) -> Option<Launch> {
        let mut inner = lock(&self.0);
        let asked = inner.takes(index)?;
        let new = || with(|state| state.lines.open());
        let line = *inner.number.get_or_insert_with(new);
        Some(Launch::new(line, asked, kernel))
    }

    /// A kernel has ended.
    pub fn ends(&self, launch: Option<Launch>) {
        if let Some(launch) = launch {
            let id = launch.ends();
            lock(&self.0).known.add(id);
        }
    }

    /// A packet has waited for signals.
    pub fn waited(&self, index: u64, signals: &[Signal]) {
        if !wanted() {
            return;
        }
        let mut inner = lock(&self.0);
        if inner.takes(index).is_some() {
            for signal in signals {
                let known = with(|state| state.of_signal(*signal));
                inner.known.join(&known);
            }
            with(|state| state.jobs.given_up());
        }
    }

    /// A packet is done, and completes a signal.
    pub fn completes(&self, signal: Signal) {
        if wanted() {
            let known = lock(&self.0).known.clone();
            with(|state| {
                state.shows(signal, &known);
                state.jobs.forget(&state.host);
            });
        }
    }
}

impl Inner {
    /// Takes a packet, which comes behind all before it. One that nobody has announced comes behind all that the host knows
    /// now.
    fn takes(&mut self, index: u64) -> Option<Asked> {
        let announced = self.announced.remove(&index);
        let mut asked = announced.or_else(|| {
            let mut asked = Asked::here()?;
            asked.callers = None;
            Some(asked)
        })?;
        self.known.join(&asked.known);
        asked.known = self.known.clone();
        Some(asked)
    }
}
