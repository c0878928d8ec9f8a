//! `WAVETANK_PROFILE`: exact counts of kernels, and the times of launches, copies and calls, in a file at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::{self, ThreadId};
use std::time::Instant;

use wavetank::Kernel;
use wavetank::profile::Profiler;
use wavetank::profile::model::{Event, EventKind, Timeline};

use crate::log;
use crate::state::{lock, settings};

/// The most events of a process.
const MOST: usize = 200_000;

/// What a process collects.
struct Collected {
    /// The process, which a forked child is not.
    process: u32,
    to: PathBuf,
    profiler: Profiler,
    start: Instant,
    timeline: Mutex<Times>,
    /// The time from which on the file is written after a launch, in nanoseconds after the start.
    next_write: AtomicU64,
    /// Launches whose profile is not in the file yet.
    pending: AtomicU64,
}

#[derive(Default)]
struct Times {
    timeline: Timeline,
    /// The threads of the program, in the order of their first calls.
    threads: Vec<ThreadId>,
}

/// What this process collects, if a profile is wanted.
fn collected() -> Option<&'static Collected> {
    static COLLECTED: OnceLock<Option<Collected>> = OnceLock::new();
    let begin = || {
        let to = settings().as_ref().ok()?.profile.clone()?;
        // Programs often end without shutting the library down.
        // SAFETY: the function only reads statics of the library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
        Some(Collected {
            process: std::process::id(),
            to,
            profiler: Profiler::default(),
            start: Instant::now(),
            timeline: Mutex::default(),
            next_write: AtomicU64::new(0),
            pending: AtomicU64::new(0),
        })
    };
    COLLECTED.get_or_init(begin).as_ref()
}

/// The profiler of launches, if a profile is wanted.
pub(super) fn profiler() -> Option<&'static Profiler> {
    collected().map(|collected| &collected.profiler)
}

/// Adds the time of a launch that began at some time and has ended.
pub(super) fn launched(queue: u64, kernel: &Kernel, begun: Instant) {
    let Some(collected) = collected() else {
        return;
    };
    collected.pending.fetch_add(1, Ordering::Relaxed);
    let index = collected.profiler.index_of(kernel);
    let name = wavetank_quote::readable(kernel.name());
    let track = format!("queue {queue}");
    collected.add(begun, |event| Event {
        track,
        name,
        kind: EventKind::Kernel,
        kernel: index,
        ..event
    });
    collected.write_in_between();
}

/// Makes a copy or a fill of memory, and adds its time.
pub(crate) fn copies<R>(name: &str, bytes: u64, copy: impl FnOnce() -> R) -> R {
    let Some(collected) = collected() else {
        return copy();
    };
    let begun = Instant::now();
    let result = copy();
    collected.add(begun, |event| Event {
        track: "copies".to_owned(),
        name: name.to_owned(),
        kind: EventKind::Copy,
        bytes: Some(bytes),
        ..event
    });
    result
}

/// Answers a call of the program, and adds its time.
pub(crate) fn calls<R>(name: &str, answer: impl FnOnce() -> R) -> R {
    let Some(collected) = collected() else {
        return answer();
    };
    let begun = Instant::now();
    let result = answer();
    let track = format!("thread {}", lock(&collected.timeline).this_thread());
    collected.add(begun, |event| Event {
        track,
        name: name.to_owned(),
        ..event
    });
    result
}

impl Times {
    /// The number of this thread, from 1 on.
    fn this_thread(&mut self) -> usize {
        let this = thread::current().id();
        let known = self.threads.iter().position(|thread| *thread == this);
        1 + known.unwrap_or_else(|| {
            self.threads.push(this);
            self.threads.len() - 1
        })
    }
}

impl Collected {
    /// Adds an event that ends now.
    fn add(&self, begun: Instant, complete: impl FnOnce(Event) -> Event) {
        let nanoseconds = |at: Instant| at.saturating_duration_since(self.start).as_nanos() as u64;
        let event = complete(Event {
            track: String::new(),
            name: String::new(),
            kind: EventKind::Call,
            begin: nanoseconds(begun),
            end: nanoseconds(Instant::now()),
            kernel: None,
            bytes: None,
        });
        let timeline = &mut lock(&self.timeline).timeline;
        if timeline.events.len() < MOST {
            timeline.events.push(event);
        } else {
            timeline.left_out += 1;
        }
    }

    /// Writes the file after a launch, for a process that ends without a call of this library, by `_exit` or a signal. It takes a
    /// tenth of the time at most.
    fn write_in_between(&self) {
        let now = || self.start.elapsed().as_nanos() as u64;
        let begun = now();
        let next = self.next_write.load(Ordering::Relaxed);
        let take = |to| {
            self.next_write
                .compare_exchange(next, to, Ordering::Relaxed, Ordering::Relaxed)
        };
        if begun < next || take(u64::MAX).is_err() {
            return;
        }
        report();
        let end = now();
        self.next_write
            .store(end + 10 * (end - begun), Ordering::Relaxed);
    }

    /// Writes what has been collected so far.
    fn write(&self) -> io::Result<()> {
        let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        let mut profile = self.profiler.profile(words.collect());
        profile.timeline = lock(&self.timeline).timeline.clone();
        profile.timeline.events.sort_by_key(|event| event.begin);
        let path = self.path();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A process that ends meanwhile leaves the file that was there.
        let unfinished = path.with_extension("unfinished");
        let mut file = BufWriter::new(File::create(&unfinished)?);
        let written = profile.write(&mut file).and_then(|()| file.flush());
        let written = written.and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            // The disk may be full.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// The file: that of the setting, or one in its folder for each process.
    fn path(&self) -> PathBuf {
        match self.to.extension() {
            Some(end) if end == "json" => self.to.clone(),
            _ => self.to.join(Path::new(&format!("{}.json", self.process))),
        }
    }
}

extern "C" fn at_exit() {
    report();
}

/// Writes the profile, if there is one with launches that are not in the file.
pub(crate) fn report() {
    let Some(collected) = collected() else {
        return;
    };
    let pending = collected.pending.swap(0, Ordering::Relaxed);
    if pending == 0 || collected.process != std::process::id() {
        return;
    }
    if let Err(error) = collected.write() {
        let path = collected.path();
        log::line(&format!(
            "the profile {} cannot be written: {error}",
            path.display()
        ));
    }
}
