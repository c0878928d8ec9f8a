//! Work on all processors, with the results in order.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

/// Returns the results of `work` for the numbers below `count`, in their order. Threads take one number after another, so that
/// numbers with more work than others do not hold up the rest.
pub(crate) fn map_in_parallel<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let n = next.fetch_add(1, Ordering::Relaxed);
        (n < count).then(|| (n, work(n)))
    };
    let run = || std::iter::from_fn(take).collect::<Vec<_>>();
    let threads = available_parallelism().map_or(1, usize::from).min(count);
    let mut results = scope(|scope| {
        // A thread that the system does not start is left out: this one works as well.
        let start = |_| Builder::new().spawn_scoped(scope, run).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let mut results = run();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(n, _)| *n);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        // The first take longest.
        let work =
            |n: usize| (0..(500 - n) * 100).fold(n, |sum, m| std::hint::black_box(sum + m) - m);
        assert_eq!(map_in_parallel(500, work), (0..500).collect::<Vec<_>>());
        assert!(map_in_parallel(0, work).is_empty());
    }
}
