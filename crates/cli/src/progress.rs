//! A progress line for runs that take long.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How long a run stays silent.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is drawn.
const TICK: Duration = Duration::from_millis(100);

/// Does some work, which tells how many of how many work-groups are done. From the second on, that is shown on stderr
/// if it is a terminal, and taken away at the end.
pub fn with_progress<T>(work: impl FnOnce(&(dyn Fn(u64, u64) + Sync)) -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work(&|_, _| ());
    }
    let [done, all] = [AtomicU64::new(0), AtomicU64::new(0)];
    let (end, ended) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| show(ended, &done, &all));
        // Moved here, so that a panic in the work ends the line too.
        let _end: std::sync::mpsc::Sender<()> = end;
        work(&|now, of| {
            // Threads may report out of order.
            done.fetch_max(now, Ordering::Relaxed);
            all.store(of, Ordering::Relaxed);
        })
    })
}

/// Draws the line until the other end hangs up.
fn show(ended: Receiver<()>, done: &AtomicU64, all: &AtomicU64) {
    if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::new(0).with_elapsed(PATIENCE);
    let style = "{elapsed_precise} {wide_bar} {pos} of {len} work-groups, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    loop {
        bar.set_length(all.load(Ordering::Relaxed));
        bar.set_position(done.load(Ordering::Relaxed));
        bar.tick();
        if ended.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}
