//! The observers of a launch: its checks, its trace, its progress reports to callers, and the time that it has.
//!
//! A [`Dispatch`](crate::Dispatch) and a [`Shader`](crate::stage::Shader) have the same ones.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use wavetank_check::Stack;
use wavetank_machine::Exported;
use wavetank_machine::schedule::{Message, Options};

use crate::checks::Checks;
use crate::hooks::{Hooks, Places};
use crate::profiler::Profiler;
use crate::trace::Trace;

/// The observers of a launch, which may stop it.
#[derive(Default)]
pub(crate) struct Observers<'a> {
    pub timeout: Option<Duration>,
    /// Whether to count instructions.
    pub count: bool,
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    pub exports: Option<&'a (dyn Fn(&Exported) + Sync)>,
    pub message: Option<&'a (dyn Fn(Message) + Sync)>,
    pub cancel: Option<&'a AtomicBool>,
    pub trace: Option<Trace<'a>>,
    pub hooks: Option<&'a Hooks<'a>>,
    pub profiler: Option<&'a Profiler>,
    pub checks: Checks,
    /// Where the host program made the allocation at an address, and freed it.
    pub origins: Option<&'a dyn Fn(u64) -> Vec<Stack>>,
}

impl Observers<'_> {
    /// The instructions before which hooks are called.
    pub(crate) fn places(&self) -> &[Places] {
        self.hooks.map_or(&[], Hooks::places)
    }

    /// The scheduler's options of a launch that begins at a time, without threads, resident work-groups and devices.
    pub(crate) fn options(&self, begin: Instant) -> Options<'_> {
        Options {
            deadline: self.timeout.and_then(|time| begin.checked_add(time)),
            cancel: self.cancel,
            progress: self.progress,
            exports: self.exports,
            message: self.message,
            ..Options::default()
        }
    }
}

/// Writes the methods that give a launch its observers, for each type that has a field `observers`.
macro_rules! observed {
    ($launch:ident) => {
        impl<'a> $launch<'a> {
            /// Gives up after this time.
            pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
                self.observers.timeout = Some(timeout);
                self
            }

            /// Whether to count instructions, which costs a little.
            pub fn count(mut self, count: bool) -> Self {
                self.observers.count = count;
                self
            }

            /// Watches the waves that `filter` chooses by work-group and wave: `sink` gets every instruction that they have
            /// executed. One thread runs all waves then.
            pub fn trace<'b>(
                self,
                filter: &'b (dyn Fn(&wavetank_machine::Group, u32) -> bool + Sync),
                sink: &'b (dyn Fn($crate::trace::Step) + Sync),
            ) -> $launch<'b>
            where
                'a: 'b,
            {
                let trace = Some($crate::trace::Trace { filter, sink });
                let observers = $crate::observers::Observers {
                    trace,
                    ..self.observers
                };
                $launch { observers, ..self }
            }

            /// Adds what the waves do to a profile: exact counts of instructions, lanes, lines of memory and bank conflicts. Launches
            /// of several threads may have the same one. A launch that fails is in it with what it did before.
            pub fn profile<'b>(self, profiler: &'b $crate::profile::Profiler) -> $launch<'b>
            where
                'a: 'b,
            {
                let profiler = Some(profiler);
                let observers = $crate::observers::Observers {
                    profiler,
                    ..self.observers
                };
                $launch { observers, ..self }
            }

            /// Calls functions at instructions and events of the waves. A launch with hooks cannot be traced.
            pub fn hooks<'b>(self, hooks: &'b $crate::hooks::Hooks<'b>) -> $launch<'b>
            where
                'a: 'b,
            {
                let hooks = Some(hooks);
                let observers = $crate::observers::Observers {
                    hooks,
                    ..self.observers
                };
                $launch { observers, ..self }
            }

            /// Enables tools, which observe the waves, and read their code when it runs for the first time. Their findings are in
            /// the [`Report`](crate::Report), or, if the launch fails, in the error
            /// ([`Error::findings`](crate::Error::findings)).
            ///
            /// With [`Tool::Memory`](crate::Tool::Memory), an access outside every allocation is a finding, and so is one beyond
            /// the LDS of the work-group. The waves continue: denied lanes load 0, and their stores are dropped; other lanes are
            /// not affected. Nothing is slower before the first denial. An access that a trap handler handles is not a finding.
            ///
            /// Tools that watch all accesses need a single thread.
            pub fn check(mut self, tools: wavetank_check::Tools) -> Self {
                self.observers.checks.tools = tools;
                self
            }

            /// Whether waves that are [checked](Self::check) go on after an access that was denied. At first they do; else the
            /// launch fails there, as it would without checks.
            pub fn keep_going(mut self, keep_going: bool) -> Self {
                self.observers.checks.keep_going = keep_going;
                self
            }
        }
    };
}

pub(crate) use observed;
