//! A progress line for long runs.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wavetank::Dims;

/// The time for which a run stays silent.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between updates of the line.
const TICK: Duration = Duration::from_millis(100);

/// Runs work on a grid that reports the number of finished work-groups. After a second, the progress is shown on stderr if it is
/// a terminal, and removed at the end.
pub(crate) fn with_progress<T>(
    grid: Dims,
    block: Dims,
    work: impl FnOnce(&(dyn Fn(u64, u64) + Sync)) -> T,
) -> T {
    if !std::io::stderr().is_terminal() {
        return work(&|_, _| ());
    }
    let done = AtomicU64::new(0);
    let (end, ended) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| show(ended, &done, groups(grid, block)));
        // Moved here, so that a panic in the work ends the line, too.
        let _end: std::sync::mpsc::Sender<()> = end;
        work(&|now, _| {
            // Threads may report out of order.
            done.fetch_max(now, Ordering::Relaxed);
        })
    })
}

/// Returns the number of work-groups of a grid, partial ones included. The sizes have not been checked yet.
fn groups(grid: Dims, block: Dims) -> u64 {
    let sides = grid.size().into_iter().zip(block.size());
    sides.fold(1, |all: u64, (items, size)| {
        all.saturating_mul(items.div_ceil(size.max(1)).into())
    })
}

/// Draws the line until the sender is dropped.
fn show(ended: Receiver<()>, done: &AtomicU64, all: u64) {
    if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::new(all).with_elapsed(PATIENCE);
    let style = "{elapsed_precise} {bar:30} {percent}%, {pos} of {len} work-groups";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    loop {
        bar.set_position(done.load(Ordering::Relaxed));
        bar.tick();
        if ended.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_groups_count() {
        assert_eq!(groups(100.into(), 64.into()), 2);
        assert_eq!(groups([64, 17].into(), [16, 16].into()), 8);
        assert_eq!(groups(0.into(), 0.into()), 0);
        assert_eq!(groups([u32::MAX; 3].into(), 1.into()), u64::MAX);
    }
}
