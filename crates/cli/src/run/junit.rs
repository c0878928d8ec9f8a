//! Cases of a JUnit report for runs of programs.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use super::Ended;
use crate::exit::{Failure, Result};
use crate::junit;

/// A case of a report, for one run.
pub(super) struct Case<'a> {
    /// The program and its arguments, which name the case.
    pub words: &'a [OsString],
    /// The chips that the program found, under which the case is filed.
    pub gpus: String,
    pub result: CaseResult<'a>,
    /// The end of the program's stderr.
    pub stderr: String,
}

/// The result of a run in a report.
pub(super) enum CaseResult<'a> {
    /// The program ended, perhaps by a fault.
    Ended {
        ended: &'a Ended,
        fault: Option<&'a str>,
    },
    /// The program did not start.
    Unstarted(&'a Failure),
}

/// Adds a case to the report in a file, or begins one.
///
/// # Errors
/// The errors of [`junit::check`].
pub(super) fn add(path: &Path, case: &Case) -> Result {
    junit::add(path, [case.to_junit()])
}

impl Case<'_> {
    fn to_junit(&self) -> TestCase {
        let words: Vec<_> = self
            .words
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        let mut case = TestCase::new(words.join(" "), self.result.status());
        case.set_classname(&self.gpus).set_time(self.result.time());
        if !self.stderr.is_empty() {
            case.set_system_err(&self.stderr);
        }
        case
    }
}

impl CaseResult<'_> {
    fn time(&self) -> Duration {
        match self {
            CaseResult::Ended { ended, .. } => ended.time,
            CaseResult::Unstarted(_) => Duration::ZERO,
        }
    }

    fn status(&self) -> TestCaseStatus {
        use NonSuccessKind::{Error, Failure};
        let (kind, name, message) = match self {
            CaseResult::Unstarted(failure) => (Error, "usage", failure.sentence().to_owned()),
            CaseResult::Ended { ended, .. } if ended.timed_out => {
                let seconds = ended.time.as_secs_f64();
                let message = format!("it was ended after {seconds:.1} seconds");
                (Failure, "timeout", message)
            }
            CaseResult::Ended {
                fault: Some(fault), ..
            } => (Failure, "fault", (*fault).to_owned()),
            CaseResult::Ended { ended, .. } => match (ended.end.code(), ended.end.signal()) {
                (_, Some(signal)) => (Failure, "signal", format!("{signal} ended it")),
                (Some(code @ 1..), None) | (Some(code @ ..0), None) => {
                    (Failure, "exit code", format!("exit code {code}"))
                }
                (Some(0) | None, None) => return TestCaseStatus::success(),
            },
        };
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(name).set_message(message);
        status
    }
}
