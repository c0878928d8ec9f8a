//! Captured launches: what is in a file, and their replay.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde::Serialize;
use wavetank::capture::{Capture, Launch, Outcome, Replay};

use crate::code_file::read_code;
use crate::error::{error, raised};
use crate::interrupt;
use crate::module::seconds;
use crate::print;

/// The contents of a capture.
#[derive(Serialize)]
struct Contents<'c> {
    #[serde(flatten)]
    launch: &'c Launch,
    pages: usize,
    written: Option<usize>,
    failure: Option<&'c str>,
}

/// A replay: the instructions and the seconds of the launch, the pages that the captured one had written, and those that are different,
/// each with its address, the name of its allocation and the offset in that.
type Replayed = (u64, f64, Option<usize>, Vec<(u64, String, u64)>);

/// Reads a capture.
fn read(file: &Bound<'_, PyAny>) -> PyResult<(Capture, PathBuf)> {
    let (bytes, path) = read_code(file)?;
    let capture = Capture::read(&bytes);
    let capture =
        capture.map_err(|problem| error(file.py(), format!("{}: {problem}", path.display())))?;
    Ok((capture, path))
}

/// Returns what is in a capture, as JSON.
#[pyfunction]
pub(crate) fn capture_contents(file: &Bound<'_, PyAny>) -> PyResult<String> {
    let (capture, _) = read(file)?;
    let contents = Contents {
        launch: capture.launch(),
        pages: capture.pages().count(),
        written: match capture.outcome() {
            Outcome::Ended(pages) => Some(pages.len()),
            Outcome::Failed(_) | Outcome::Unknown => None,
        },
        failure: match capture.outcome() {
            Outcome::Failed(why) => Some(why),
            Outcome::Ended(_) | Outcome::Unknown => None,
        },
    };
    let text = serde_json::to_string(&contents);
    text.map_err(|problem| error(file.py(), problem))
}

/// Repeats a captured launch. Returns `None` if this process uses addresses that the launch had.
#[pyfunction]
#[pyo3(signature = (file, timeout = None))]
pub(crate) fn replay(file: &Bound<'_, PyAny>, timeout: Option<f64>) -> PyResult<Option<Replayed>> {
    let py = file.py();
    let (capture, _) = read(file)?;
    let timeout = seconds(py, timeout)?;
    let result = interrupt::run(py, move |cancel| {
        let replay = match Replay::load(&capture, Replay::device(&capture)?) {
            Err(wavetank::Error::Replay(_)) => return Ok(None),
            replay => replay?,
        };
        let mut dispatch = replay
            .dispatch()
            .count(true)
            .cancel(cancel)
            .print(&print::to_python);
        if let Some(timeout) = timeout {
            dispatch = dispatch.timeout(timeout);
        }
        let report = dispatch.run()?;
        let comparison = replay.compare();
        let written = comparison.as_ref().map(|comparison| comparison.written);
        let different = comparison.map_or_else(Vec::new, |comparison| comparison.different);
        let different = different
            .into_iter()
            .map(|page| (page.address, page.allocation, page.offset));
        let instructions = report
            .instructions
            .as_ref()
            .map_or(0, |counts| counts.waves());
        Ok(Some((
            instructions,
            report.wall.as_secs_f64(),
            written,
            different.collect(),
        )))
    })?;
    result.map_err(|error: wavetank::Error| raised(py, &error))
}
