//! Programs on hosts other than Linux: none is run. There is no runtime library, which is where each run begins.

use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::exit::{Failure, Result};

/// The runtime library, of which there is none.
pub(super) enum Library {}

/// The end of a program, of which there is none.
#[derive(Clone, Copy)]
pub(crate) enum End {}

/// A copy of a program's stderr, of which there is none.
pub(super) enum Tee {}

/// A program that has ended.
pub(super) struct Ended {
    pub end: End,
    pub process: u32,
    pub timed_out: bool,
    pub time: Duration,
}

impl Library {
    /// Fails, with the host that is needed.
    pub(super) fn find() -> Result<Library> {
        Err(Failure::usage(
            "`wavetank run` and `wavetank check -- PROGRAM` need Linux; here `wavetank launch` runs a kernel of a file, and \
             `wavetank check FILE` checks its machine code",
        ))
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        match *self {}
    }

    pub(super) fn give_to(&self, _: &mut Command, _: bool) {
        match *self {}
    }
}

/// Fails.
pub(super) fn run(_: &mut Command, _: Option<Duration>, _: Option<&mut Tee>) -> io::Result<Ended> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns `None`: there is no library that reads a clock.
pub(crate) fn deadline(_: Duration) -> Option<u128> {
    None
}

impl Tee {
    /// Fails.
    pub(super) fn of(_: &mut Command) -> io::Result<Tee> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn tail(&self) -> String {
        match *self {}
    }
}

impl End {
    pub(super) fn code(self) -> Option<i32> {
        match self {}
    }

    pub(super) fn signal(self) -> Option<&'static str> {
        match self {}
    }

    pub(super) fn is_termination(self) -> bool {
        match self {}
    }

    pub(crate) fn is_crash(self) -> bool {
        match self {}
    }

    pub(crate) fn repeat(self) -> ExitCode {
        match self {}
    }
}
