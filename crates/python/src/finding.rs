//! Findings of the tools as objects of Python.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use wavetank::check::report::{Look, Scene, Sources, json, text};
use wavetank::check::{Finding as Found, Findings, Places, Tool, check_code};
use wavetank::object::{CodeObject, unbundle};
use wavetank::{Chip, Tools};

use crate::assembly::Assembly;
use crate::device::read_code;
use crate::error::{argument_error, error, line_of};
use crate::html;
use crate::module::Kernel;

/// A mistake that a tool found. `str(finding)` is the report of `wavetank check`.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Finding {
    finding: Found,
    text: String,
    json: String,
}

/// Returns the findings of a launch.
pub(crate) fn all(module: &wavetank::Module, path: &Path, findings: &[Found]) -> Vec<Finding> {
    let shown = |finding| module.show(finding, path, Finding::of);
    findings.iter().map(shown).collect()
}

impl Finding {
    fn of(finding: &Found, scene: &Scene<'_>) -> Finding {
        Finding {
            finding: finding.clone(),
            text: text(finding, scene, Look::default()),
            json: json(finding, scene),
        }
    }
}

#[pymethods]
impl Finding {
    /// The tool: `race`.
    #[getter]
    fn tool(&self) -> &'static str {
        self.finding.tool.name()
    }

    /// The rule with its tool: `race/read-write`. `wavetank check --explain` describes it.
    #[getter]
    fn rule(&self) -> String {
        format!("{}/{}", self.finding.tool.name(), self.finding.rule)
    }

    /// The mistake in a sentence.
    #[getter]
    fn message(&self) -> &str {
        &self.finding.message
    }

    /// The kernel or function.
    #[getter]
    fn kernel(&self) -> &str {
        &self.finding.kernel
    }

    /// The address of the instruction in the code object.
    #[getter]
    fn pc(&self) -> u64 {
        self.finding.at.place.pc
    }

    /// The text of the instruction, if it is known.
    #[getter]
    fn instruction(&self) -> Option<&str> {
        self.finding.at.place.instruction.as_deref()
    }

    /// The file of the line of source, if it is known.
    #[getter]
    fn file(&self) -> Option<String> {
        line_of(&self.finding.at.place).0
    }

    /// The line of source, if it is known.
    #[getter]
    fn line(&self) -> Option<u32> {
        line_of(&self.finding.at.place).1
    }

    /// Facts, such as waves and values, each in a sentence.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.finding.notes.clone()
    }

    /// A way to correct the mistake, if there is one.
    #[getter]
    fn help(&self) -> Option<&str> {
        self.finding.help.as_deref()
    }

    /// The number of occurrences.
    #[getter]
    fn times(&self) -> u64 {
        self.finding.times
    }

    /// The finding as JSON, as `wavetank check --json` prints it.
    fn json(&self) -> &str {
        &self.json
    }

    fn __str__(&self) -> &str {
        self.text.trim_end()
    }

    fn __repr__(&self) -> String {
        format!("Finding({}: {})", self.rule(), self.finding.message)
    }

    fn _repr_html_(&self) -> String {
        let (rule, message) = (self.rule(), &self.finding.message);
        let body = self.text.split_once('\n').map_or("", |(_, rest)| rest);
        html::finding(&rule, message, body.trim_end())
    }
}

/// Returns tools by their names; without names, those of `wavetank check`.
fn tools_named(py: Python<'_>, names: Option<Vec<String>>) -> PyResult<Tools> {
    let Some(names) = names else {
        return Ok(Tools::DEFAULT);
    };
    let tools: Result<Vec<Tool>, _> = names.iter().map(|name| name.parse()).collect();
    Ok(Tools::of(&tools.map_err(|e| argument_error(py, e))?))
}

/// Launches a kernel with tools, and returns their findings: an empty list if there is no mistake.
///
/// Arguments and sizes are those of a call of the kernel. `tools` are names: `memory`, `race`, `sync`, `init`, `float`, `wait`,
/// `hazard`, `limits`; all but `float` if they are not given. A kernel that faults is a finding, not an exception.
#[pyfunction]
#[pyo3(signature = (kernel, *args, grid, block = None, lds = 0, timeout = None, tools = None))]
// They are keywords of Python.
#[allow(clippy::too_many_arguments)]
pub(crate) fn check(
    py: Python<'_>,
    kernel: &Kernel,
    args: &Bound<'_, pyo3::types::PyTuple>,
    grid: &Bound<'_, PyAny>,
    block: Option<&Bound<'_, PyAny>>,
    lds: u32,
    timeout: Option<f64>,
    tools: Option<Vec<String>>,
) -> PyResult<Vec<Finding>> {
    let tools = tools_named(py, tools)?;
    kernel.check(args, grid, block, lds, timeout, tools)
}

/// Reads the machine code of a file, bytes or an assembled source without running it, and returns the findings of the tools `wait`,
/// `hazard` and `limits`. Code for chips that are not executed is left out.
#[pyfunction]
#[pyo3(signature = (code, *, tools = None))]
pub(crate) fn check_file(
    py: Python<'_>,
    code: &Bound<'_, PyAny>,
    tools: Option<Vec<String>>,
) -> PyResult<Vec<Finding>> {
    let tools = match tools {
        Some(names) => tools_named(py, Some(names))?,
        None => Tools::STATIC,
    };
    let outside = tools.without(Tools::STATIC);
    if let Some(tool) = outside.iter().next() {
        let sentence = format!(
            "the tool `{tool}` watches a kernel that runs: wavetank.check has it, check_file has wait, hazard and limits"
        );
        return Err(argument_error(py, sentence));
    }
    let (bytes, path) = match code.cast::<Assembly>() {
        Ok(assembly) => (
            assembly.get().object().to_vec(),
            PathBuf::from("the source"),
        ),
        Err(_) => read_code(code)?,
    };
    let found = py.detach(|| static_findings(&bytes, &path, tools));
    found.map_err(|e| error(py, e))
}

/// Returns the findings in the code objects of a file.
fn static_findings(
    bytes: &[u8],
    path: &Path,
    tools: Tools,
) -> Result<Vec<Finding>, wavetank::object::Error> {
    let mut all = Vec::new();
    for entry in unbundle(bytes)? {
        let executed = entry.target.is_some_and(|target| {
            let serves = |chip: &Chip| chip.name().parse().is_ok_and(|own| target.serves(&own));
            Chip::EXECUTED.iter().any(serves)
        });
        if !executed {
            continue;
        }
        let object = CodeObject::parse(&entry.bytes)?;
        let mut findings = Findings::default();
        check_code(&object, tools, &mut findings);
        let places = Places::of(&object);
        if let Some(places) = &places {
            places.locate(&mut findings);
        }
        let scene = Scene {
            file: path,
            target: &object.target().to_string(),
            places: places.as_ref(),
            sources: &Sources::beside(path.parent().unwrap_or(Path::new(""))),
        };
        all.extend(findings.iter().map(|finding| Finding::of(finding, &scene)));
    }
    Ok(all)
}
