//! JUnit reports, which CI systems show as a table. Each run adds its cases to the file, so that a report of many programs is a
//! loop of a shell; parallel runs wait for each other.
//!
//! Source: the form of Apache Ant's `junitreport` task, as the crate `quick-junit` writes it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use quick_junit::{Report, TestCase, TestSuite};
use same_file::Handle;

use crate::exit::{Failure, Result};
use crate::host;
use crate::whole;

/// The name of the report, and of the suite with the cases of this command.
const NAME: &str = "wavetank";

/// Checks that a file can take cases, before a long run.
///
/// # Errors
/// A file that cannot be written, or that has other contents.
pub(crate) fn check(path: &Path) -> Result {
    open(path)
        .and_then(|mut file| read(path, &mut file))
        .map(drop)
}

/// Adds cases to the report in a file, or begins one.
///
/// # Errors
/// The errors of [`check`].
pub(crate) fn add(path: &Path, cases: impl IntoIterator<Item = TestCase>) -> Result {
    let mut file = open(path)?;
    let mut report = read(path, &mut file)?;
    insert(&mut report, cases.into_iter().collect());
    let text = report.to_string().map_err(io::Error::other);
    let failed = |error: io::Error| Failure::file("write", path, error);
    let text = text.map_err(failed)?;
    // Characters that XML does not allow (XML 1.0, 2.2); the crate leaves out control characters itself.
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    let written = if host::REPLACES_OPEN_FILES {
        // The file is still locked while another replaces it.
        whole::write(path, text)
    } else {
        rewrite(&mut file, &text)
    };
    written.map_err(failed)
}

/// Writes a file in place.
fn rewrite(file: &mut File, text: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(text.as_bytes())
}

/// Opens a file with an exclusive lock, until it is closed.
fn open(path: &Path) -> Result<File> {
    let failed = |error| Failure::file("write", path, error);
    loop {
        let file = opened(path).map_err(failed)?;
        let ours = file.try_clone().and_then(Handle::from_file);
        let ours = ours.map_err(failed)?;
        // The previous holder of the lock may have replaced the file.
        if Handle::from_path(path).is_ok_and(|now| now == ours) {
            return Ok(file);
        }
    }
}

fn opened(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).truncate(false);
    // Other files may have no end.
    let regular = |file: File| {
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::other("it is not a file, but a device or a pipe"))
        }
    };
    file.open(path)
        .and_then(regular)
        .and_then(|file| file.lock().map(|()| file))
}

/// Returns the report in a file, or a new one if it is empty.
fn read(path: &Path, file: &mut File) -> Result<Report> {
    let mut text = String::new();
    file.read_to_string(&mut text)
        .map_err(|error| Failure::file("read", path, error))?;
    if text.trim().is_empty() {
        return Ok(Report::new(NAME));
    }
    Report::deserialize_from_str(&text).map_err(|error| {
        Failure::usage(format!(
            "this is not a JUnit report that a case can be added to ({error}): remove it, or name another file"
        ))
        .of(path)
    })
}

/// Adds cases to the suite of this command. The sums of a report are computed when suites are added.
fn insert(report: &mut Report, cases: Vec<TestCase>) {
    let time: Duration = cases.iter().filter_map(|case| case.time).sum();
    let mut suites = std::mem::take(&mut report.test_suites);
    if !suites.iter().any(|suite| suite.name.as_str() == NAME) {
        suites.push(TestSuite::new(NAME));
    }
    let ours = suites.iter_mut().find(|suite| suite.name.as_str() == NAME);
    if let Some(suite) = ours {
        suite.set_time(suite.time.unwrap_or_default() + time);
        suite.add_test_cases(cases);
    }
    let total = report.time.unwrap_or_default() + time;
    (report.tests, report.failures, report.errors) = (0, 0, 0);
    (report.skipped, report.disabled) = (0, None);
    report.set_time(total).add_test_suites(suites);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_rewritten_has_nothing_of_the_text_before() {
        let name = format!("wavetank-rewritten-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut file = open(&path).unwrap();
        for text in ["a long text", "short"] {
            rewrite(&mut file, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::remove_file(&path).unwrap();
    }
}
