//! Names of chips and of dialects.

use pyo3::prelude::*;
use wavetank::{Chip, DEFAULT_CHIP, instruction_set};
use wavetank_gcn::Dialect;

use crate::error::argument_error;

/// Returns the chip with a name.
pub(crate) fn chip_named(py: Python<'_>, name: &str) -> PyResult<Chip> {
    instruction_set(name).map_err(|e| argument_error(py, e))
}

/// Returns the chip with a name, or the default one.
pub(crate) fn chip_or_default(py: Python<'_>, name: Option<&str>) -> PyResult<Chip> {
    name.map_or(Ok(DEFAULT_CHIP), |name| chip_named(py, name))
}

/// Returns the dialect with a name.
pub(crate) fn dialect_named(py: Python<'_>, name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|e| argument_error(py, e))
}
