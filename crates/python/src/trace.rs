//! Traces of launches.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::module::Kernel;
use crate::step::{Step, Tracer};

/// Launches a kernel, and returns the first steps of one of its waves. A wave that stops is traced up to its fault, which the second
/// result is.
#[pyfunction]
#[pyo3(signature = (kernel, args, grid, block, lds, timeout, group, wave, most))]
// They are those of `wavetank.trace`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn trace(
    kernel: &Kernel,
    args: &Bound<'_, PyTuple>,
    grid: &Bound<'_, PyAny>,
    block: Option<&Bound<'_, PyAny>>,
    lds: u32,
    timeout: Option<f64>,
    group: [u32; 3],
    wave: u32,
    most: usize,
) -> PyResult<(Vec<Step>, Option<PyErr>)> {
    let tracer = Arc::new(Tracer::new(group, wave, most));
    kernel.trace(args, grid, block, lds, timeout, tracer)
}
