//! Work that several threads do piece by piece, and whose results are handed on in order.

use std::sync::mpsc::sync_channel;
use std::thread::{self, Builder};

/// Does the work for each piece, and hands the results on in the order of the pieces. Few of them wait at any time, so that
/// much text takes little memory.
///
/// # Errors
/// The first one of `hand_on`, which ends the work.
pub fn in_order<P: Sync, R: Send, E>(
    pieces: &[P],
    work: impl Fn(&P) -> R + Sync,
    mut hand_on: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(pieces.len());
    if threads < 2 {
        return pieces.iter().try_for_each(|piece| hand_on(work(piece)));
    }
    thread::scope(|scope| {
        let work = &work;
        let start = |first: usize| {
            let (send, results) = sync_channel(1);
            // Each takes every so many-th piece. Nobody listens any more where handing on has failed.
            let mut own = pieces.iter().skip(first).step_by(threads);
            let run = move || own.try_for_each(|piece| send.send(work(piece)).ok());
            let started = Builder::new().spawn_scoped(scope, run);
            started.ok().map(|_| results)
        };
        let workers: Vec<_> = (0..threads).map(start).collect();
        for (n, piece) in pieces.iter().enumerate() {
            // A thread that the system did not give, or that has panicked: then the scope does as well.
            let result = workers[n % threads].as_ref().and_then(|r| r.recv().ok());
            hand_on(result.unwrap_or_else(|| work(piece)))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let pieces: Vec<u64> = (0..1000).collect();
        let mut seen = Vec::new();
        // The first ones take longest.
        let work =
            |n: &u64| (0..(1000 - n) * 100).fold(*n, |sum, m| std::hint::black_box(sum + m) - m);
        let done: Result<(), ()> = in_order(&pieces, work, |n| {
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
            let done = in_order(
                &pieces,
                |n| *n,
                |n| match n == bad {
                    true => Err(n),
                    false => {
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
        assert_eq!(in_order(&none, |n| *n, |_| Err(())), Ok(()));
    }
}
