//! A pool of threads that work on pieces and deliver the results in the order of the pieces.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Builder, Scope};

/// Processes pieces on threads, and passes the results on in the order of the pieces. Few results are kept at a time, so that
/// long text takes little memory.
///
/// # Errors
/// The first error of `hand_on`, which ends the work.
pub(crate) fn run_in_order<P: Sync, R: Send, E>(
    pieces: &[P],
    work: impl Fn(&P) -> R + Sync,
    mut hand_on: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    if pieces.len() < 2 || threads() < 2 {
        return pieces.iter().try_for_each(|piece| hand_on(work(piece)));
    }
    thread::scope(|scope| {
        let mut results = Results::of(scope, pieces, &work);
        for piece in pieces {
            // Done here if the system did not start the thread, or if the thread panicked: then the scope panics as well.
            hand_on(results.take().unwrap_or_else(|| work(piece)))?;
        }
        Ok(())
    })
}

/// Returns the number of worker threads.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The results of pieces that threads work on, taken in order.
pub(crate) struct Results<R> {
    workers: Vec<Option<Receiver<R>>>,
    next: usize,
}

impl<R: Send> Results<R> {
    /// Starts the threads of the pool.
    pub(crate) fn of<'scope, P: Sync>(
        scope: &'scope Scope<'scope, '_>,
        pieces: &'scope [P],
        work: &'scope (impl Fn(&P) -> R + Sync),
    ) -> Self
    where
        R: 'scope,
    {
        let threads = threads().min(pieces.len());
        let start = |first: usize| {
            let (send, results) = sync_channel(1);
            // Each thread takes every n-th piece, and ends when the results have been dropped.
            let mut own = pieces.iter().skip(first).step_by(threads);
            let run = move || own.try_for_each(|piece| send.send(work(piece)).ok());
            let started = Builder::new().spawn_scoped(scope, run);
            started.ok().map(|_| results)
        };
        Results {
            workers: (0..threads).map(start).collect(),
            next: 0,
        }
    }

    /// Returns the result of the next piece; `None` after the last one, and if its thread did not start.
    pub(crate) fn take(&mut self) -> Option<R> {
        let at = self.next % self.workers.len().max(1);
        self.next += 1;
        self.workers.get(at)?.as_ref()?.recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let pieces: Vec<u64> = (0..1000).collect();
        let mut seen = Vec::new();
        // The first pieces take longest.
        let work =
            |n: &u64| (0..(1000 - n) * 100).fold(*n, |sum, m| std::hint::black_box(sum + m) - m);
        let done: Result<(), ()> = run_in_order(&pieces, work, |n| {
            seen.push(n);
            Ok(())
        });
        assert_eq!((done, seen), (Ok(()), pieces));
    }

    #[test]
    fn the_first_error_ends_it() {
        let pieces: Vec<u32> = (0..1000).collect();
        for bad in [0, 1, 500, 999] {
            let mut seen = 0;
            let done = run_in_order(
                &pieces,
                |n| *n,
                |n| {
                    if n == bad {
                        Err(n)
                    } else {
                        seen += 1;
                        Ok(())
                    }
                },
            );
            assert_eq!((done, seen), (Err(bad), bad));
        }
    }

    #[test]
    fn nothing_is_no_work() {
        let none: [u32; 0] = [];
        assert_eq!(run_in_order(&none, |n| *n, |_| Err(())), Ok(()));
    }
}
