//! A copy of a program's stderr for a report: it is forwarded at once, and its end is kept.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::Command;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Number of bytes that are kept, which is enough to examine a failed test.
const KEPT: usize = 64 << 10;

/// A pipe that is a program's stderr.
pub(super) struct Tee {
    pipe: PipeReader,
    tail: Vec<u8>,
}

impl Tee {
    /// Gives the program a pipe as its stderr.
    ///
    /// # Errors
    /// Errors of the system, which may have no free descriptors.
    pub(super) fn of(command: &mut Command) -> io::Result<Tee> {
        let (pipe, end) = io::pipe()?;
        // Children of the program may keep the other end open indefinitely.
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        command.stderr(end);
        Ok(Tee {
            pipe,
            tail: Vec::new(),
        })
    }

    /// Forwards the data that has arrived.
    pub(super) fn hand_on(&mut self) {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = self.pipe.read(&mut bytes) {
            // A closed stderr is not an error.
            let _ = io::stderr().write_all(&bytes[..count]);
            self.tail.extend(&bytes[..count]);
            if self.tail.len() > 2 * KEPT {
                self.tail.drain(..self.tail.len() - KEPT);
            }
        }
    }

    /// Returns the end of the data, in whole lines if it is not all.
    pub(super) fn tail(&self) -> String {
        let start = self.tail.len().saturating_sub(KEPT);
        let mut tail = &self.tail[start..];
        if start > 0
            && let Some(line) = tail.iter().position(|byte| *byte == b'\n')
        {
            tail = &tail[line + 1..];
        }
        String::from_utf8_lossy(tail).into_owned()
    }
}

impl AsFd for Tee {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_in_whole_lines() {
        let mut command = Command::new("sh");
        command.args(["-c", "seq 100000 >&2"]);
        let mut tee = Tee::of(&mut command).unwrap();
        let mut child = command.spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            tee.hand_on();
        }
        tee.hand_on();
        let tail = tee.tail();
        let numbers: Vec<usize> = tail.lines().map(|line| line.parse().unwrap()).collect();
        assert!((KEPT - 10..=KEPT).contains(&tail.len()), "{}", tail.len());
        assert!(numbers.iter().copied().eq(numbers[0]..=100_000));
    }
}
