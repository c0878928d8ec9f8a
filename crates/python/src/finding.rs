//! Findings of the tools as objects of Python.

use std::path::Path;

use pyo3::prelude::*;
use wavetank::ShownFinding;
use wavetank::check::Finding as Found;
use wavetank::check::report::Record;

use crate::error::{argument_error, line_of};
use crate::html;

/// A mistake that a tool found. `str(finding)` is the report of `wavetank check`. Findings can be pickled.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Finding {
    shown: ShownFinding,
}

/// What `__reduce__` writes: JSON, and the report without and with machine code.
type Pickled = (String, (String, String));

/// Returns the findings of a launch.
pub(crate) fn all(module: &wavetank::Module, path: &Path, findings: &[Found]) -> Vec<Finding> {
    let shown = ShownFinding::of_launch(module, path, findings);
    shown.into_iter().map(Finding::of).collect()
}

impl Finding {
    pub(crate) fn of(shown: ShownFinding) -> Finding {
        Finding { shown }
    }
}

#[pymethods]
impl Finding {
    /// The tool: `race`.
    #[getter]
    fn tool(&self) -> &'static str {
        self.shown.finding.tool.name()
    }

    /// The rule with its tool: `race/read-write`. `wavetank check --explain` describes it.
    #[getter]
    fn rule(&self) -> String {
        format!(
            "{}/{}",
            self.shown.finding.tool.name(),
            self.shown.finding.rule
        )
    }

    /// The other rules that the same cause breaks, in the same form.
    #[getter]
    fn also(&self) -> Vec<String> {
        let also = self.shown.finding.also.iter();
        also.map(|(tool, rule)| format!("{tool}/{rule}")).collect()
    }

    /// The mistake in a sentence.
    #[getter]
    fn message(&self) -> &str {
        &self.shown.finding.message
    }

    /// The kernel or function.
    #[getter]
    fn kernel(&self) -> &str {
        &self.shown.finding.kernel
    }

    /// The address of the instruction in the code object.
    #[getter]
    fn pc(&self) -> u64 {
        self.shown.finding.at.place.pc
    }

    /// The text of the instruction, if it is known.
    #[getter]
    fn instruction(&self) -> Option<&str> {
        self.shown.finding.at.place.instruction.as_deref()
    }

    /// The file of the line of source, if it is known.
    #[getter]
    fn file(&self) -> Option<String> {
        line_of(&self.shown.finding.at.place).0
    }

    /// The line of source, if it is known.
    #[getter]
    fn line(&self) -> Option<u32> {
        line_of(&self.shown.finding.at.place).1
    }

    /// Facts, such as waves and values, each in a sentence.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.shown.finding.notes.clone()
    }

    /// A way to correct the mistake, if there is one.
    #[getter]
    fn help(&self) -> Option<&str> {
        self.shown.finding.help.as_deref()
    }

    /// The number of occurrences.
    #[getter]
    fn times(&self) -> u64 {
        self.shown.finding.times
    }

    /// The finding as JSON, as `wavetank check --json` prints it.
    fn json(&self) -> &str {
        &self.shown.json
    }

    /// Reads what `__reduce__` wrote, in another process.
    #[staticmethod]
    fn _read(py: Python<'_>, json: String, texts: (String, String)) -> PyResult<Finding> {
        let (text, text_with_code) = texts;
        let record = Record::read(&format!("{{\"finding\":{json},\"text\":\"\"}}"));
        let record = record.ok_or_else(|| argument_error(py, "this is not a finding"))?;
        Ok(Finding::of(ShownFinding {
            finding: record.finding,
            text,
            text_with_code,
            json,
        }))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let (read, shown) = (this.getattr("_read")?, this.get().shown.clone());
        Ok((read, (shown.json, (shown.text, shown.text_with_code))))
    }

    /// The report with the machine code around its places, as `wavetank check --asm` prints it.
    fn with_code(&self) -> &str {
        self.shown.text_with_code.trim_end()
    }

    fn __str__(&self) -> &str {
        self.shown.text.trim_end()
    }

    fn __repr__(&self) -> String {
        format!("Finding({}: {})", self.rule(), self.shown.finding.message)
    }

    fn _repr_html_(&self) -> String {
        let (rule, message) = (self.rule(), &self.shown.finding.message);
        let body = self
            .shown
            .text
            .split_once('\n')
            .map_or("", |(_, rest)| rest);
        html::finding(&rule, message, body.trim_end())
    }
}
