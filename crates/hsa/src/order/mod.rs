//! The tool `race` between kernels of different queues, and between kernels and what the host has the library copy.
//!
//! Two jobs are in order if one has been waited for before the other began: by a queue, by a packet or a copy that depends on
//! a signal, or by the host, which has looked at a signal before it asked for the other. Of the host all threads count as one,
//! since they may tell each other what they know. So a race is found though the jobs did not meet this time.
//!
//! No order is left out. Where others may be told something that nobody sees, more of it is assumed than there is:
//! `docs/checkers.md` says where.

mod job;
mod known;
mod line;
mod tell;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use wavetank::Tool;

use crate::abi::Signal;
use crate::callers::Callers;
use crate::state::lock;
use crate::{checks, signal};

pub use job::Launch;
use job::{Job, Jobs, What};
use known::{Known, Lines};
pub use line::Line;

/// Whether somebody asks.
pub fn wanted() -> bool {
    checks::tools().has(Tool::Race)
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

#[derive(Default)]
struct State {
    /// What lies behind all that the host does next.
    host: Known,
    /// What lies behind who has seen a signal change, by its handle.
    signals: HashMap<u64, Known>,
    lines: Lines,
    /// The lines of copies.
    copies: Vec<usize>,
    jobs: Jobs,
}

/// Does something with the state, and tells what it finds once that is free again.
fn with<T>(change: impl FnOnce(&mut State) -> T) -> T {
    let mut state = lock(&STATE);
    let all = state.get_or_insert_default();
    let result = change(all);
    let found = all.jobs.take_found();
    drop(state);
    found.iter().for_each(tell::tell);
    result
}

/// Something that has been asked for.
#[derive(Clone)]
pub struct Asked {
    /// The how-manieth it was.
    number: u64,
    /// What lies behind it.
    known: Known,
    /// Where the program asked for it.
    callers: Option<Callers>,
}

impl Asked {
    /// By the thread that is here, now.
    pub fn here() -> Option<Asked> {
        wanted().then(|| {
            let callers = Some(Callers::here());
            with(|state| Asked {
                number: state.jobs.begins(),
                known: state.host.clone(),
                callers,
            })
        })
    }

    /// It has waited for a signal.
    pub fn waited(&mut self, signal: Signal) {
        with(|state| self.known.join(&state.of_signal(signal)));
    }
}

/// A copy or a fill has been done: which bytes it has written, and which it has read. Who sees its signal knows that it is
/// done; without one, the host.
pub fn copied(
    asked: Option<Asked>,
    call: &'static str,
    written: Vec<Range<u64>>,
    read: Vec<Range<u64>>,
    completion: Option<Signal>,
) {
    let Some(asked) = asked else { return };
    with(|state| {
        let mut known = asked.known.clone();
        let id = state.lines.behind(&mut state.copies, &known);
        let what = What::Copy {
            call,
            written,
            read,
        };
        state.jobs.ends(Job { id, asked, what });
        known.add(id);
        match completion {
            Some(signal) => state.shows(signal, &known),
            None => state.host.join(&known),
        }
        state.jobs.forget(&state.host);
    });
}

/// A copy that has been asked for will not be done.
pub fn given_up(asked: Option<Asked>, completion: Signal) {
    if let Some(asked) = asked {
        with(|state| {
            state.jobs.given_up();
            state.shows(completion, &asked.known);
        });
    }
}

/// The host has looked at a signal.
pub fn host_sees(signal: Signal) {
    if wanted() && signal.0 != 0 {
        with(|state| {
            let known = state.of_signal(signal);
            state.host.join(&known);
            state.jobs.forget(&state.host);
        });
    }
}

/// The host changes a signal.
pub fn host_changes(signal: Signal) {
    if wanted() && signal.0 != 0 {
        with(|state| {
            let host = state.host.clone();
            state.signals.entry(signal.0).or_default().join(&host);
        });
    }
}

impl State {
    /// What lies behind who has seen a signal. One that changes without a call may stand for all that has been done.
    fn of_signal(&self, handle: Signal) -> Known {
        let mut known = self.signals.get(&handle.0).cloned().unwrap_or_default();
        if is_exposed(handle) {
            known.join(self.jobs.done());
        }
        known
    }

    /// Who sees a signal from now on knows this.
    fn shows(&mut self, signal: Signal, known: &Known) {
        if signal.0 == 0 {
            return;
        }
        self.signals.entry(signal.0).or_default().join(known);
        // The program may look at it without a call.
        if is_exposed(signal) {
            self.host.join(known);
        }
    }
}

fn is_exposed(handle: Signal) -> bool {
    signal::of(handle).is_some_and(|known| known.exposed.load(Ordering::Acquire) != 0)
}
