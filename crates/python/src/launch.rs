//! The result of a launch: its report, or the exception of its failure.

use std::path::Path;

use pyo3::prelude::*;
use wavetank::{Error, Report};

use crate::error::{raised, with};
use crate::finding;

/// The result of a launch.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Run {
    /// Instructions of all waves; `None` if they were not counted.
    #[pyo3(get)]
    instructions: Option<u64>,
    /// Instructions that compiled code executed, out of `instructions`; the interpreter executed the others.
    #[pyo3(get)]
    compiled: Option<u64>,
    /// Seconds from the first wave's start to the last one's end, on this computer.
    #[pyo3(get)]
    seconds: f64,
    /// Work-groups that ran.
    #[pyo3(get)]
    groups: u64,
    /// Waves that ran.
    #[pyo3(get)]
    waves: u64,
}

impl Run {
    pub(crate) fn of(report: &Report) -> Run {
        let counts = report.instructions.as_ref();
        Run {
            instructions: counts.map(|counts| counts.waves()),
            compiled: counts.map(|counts| counts.compiled),
            seconds: report.wall.as_secs_f64(),
            groups: report.groups,
            waves: report.waves,
        }
    }
}

#[pymethods]
impl Run {
    fn __repr__(&self) -> String {
        let shown = |count: Option<u64>| count.map_or("None".to_owned(), |n| n.to_string());
        format!(
            "Run(instructions={}, compiled={}, seconds={:.6}, groups={}, waves={})",
            shown(self.instructions),
            shown(self.compiled),
            self.seconds,
            self.groups,
            self.waves
        )
    }
}

/// Returns the exception for a launch that failed, with the findings up to then.
pub(crate) fn launch_error(
    py: Python<'_>,
    error: &Error,
    module: &wavetank::Module,
    path: &Path,
) -> PyErr {
    let raised = raised(py, error);
    if error.findings().is_empty() {
        return raised;
    }
    let findings = finding::all(module, path, error.findings());
    with(py, raised, "findings", findings)
}
