//! Checks: of a launch, and of machine code that does not run.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wavetank::check::UnknownTool;
use wavetank::{ShownFinding, Tools};

use crate::assembly::Assembly;
use crate::code_file::read_code;
use crate::error::{argument_error, raised};
use crate::finding::Finding;
use crate::module::Kernel;

/// Returns tools by their names; without names, those of `wavetank check`.
fn tools_named(py: Python<'_>, names: Option<Vec<String>>) -> PyResult<Tools> {
    let Some(names) = names else {
        return Ok(Tools::DEFAULT);
    };
    if names.is_empty() {
        return Ok(Tools::default());
    }
    let tools = names.join(",").parse();
    tools.map_err(|e: UnknownTool| argument_error(py, e))
}

/// Launches a kernel with tools, and returns their findings: an empty list if there is no mistake.
///
/// Arguments and sizes are those of a call of the kernel. `tools` are names: `memory`, `race`, `sync`, `init`, `float`, `wait`,
/// `hazard`, `limits`; all but `float` if they are not given. `init/read`, `lanes` and `lanes32` among them add to `init` and
/// `race`. A kernel that faults is a finding, not an exception.
#[pyfunction]
#[pyo3(signature = (kernel, *args, grid, block = None, lds = 0, timeout = None, tools = None, cooperative = false))]
// They are keywords of Python.
#[allow(clippy::too_many_arguments)]
pub(crate) fn check(
    py: Python<'_>,
    kernel: &Kernel,
    args: &Bound<'_, PyTuple>,
    grid: &Bound<'_, PyAny>,
    block: Option<&Bound<'_, PyAny>>,
    lds: u32,
    timeout: Option<f64>,
    tools: Option<Vec<String>>,
    cooperative: bool,
) -> PyResult<Vec<Finding>> {
    let tools = tools_named(py, tools)?;
    kernel.check(args, grid, block, lds, timeout, tools, cooperative)
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
    let found = py.detach(|| ShownFinding::of_code(&bytes, &path, tools));
    let found = found.map_err(|e| raised(py, &e))?;
    Ok(found.into_iter().map(Finding::of).collect())
}
