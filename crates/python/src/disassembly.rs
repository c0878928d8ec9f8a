//! Disassembly: from code to objects of Python.

use pyo3::prelude::*;
use wavetank::{Chip, DEFAULT_CHIP};
use wavetank_asm::{DisassemblyError, disassemble};

use crate::assembly::Assembly;
use crate::chip::chip_named;
use crate::code_file::read_code;
use crate::error::{argument_error, error};
use crate::instruction::Instruction;

/// Returns the instructions of code: of a code object, of each code object of a bundle or program, or of plain bytes.
#[pyfunction]
#[pyo3(signature = (code, chip = None))]
pub(crate) fn dis(
    py: Python<'_>,
    code: &Bound<'_, PyAny>,
    chip: Option<&str>,
) -> PyResult<Vec<Instruction>> {
    if let Ok(assembly) = code.cast::<Assembly>() {
        return placed(py, assembly.get().object(), None);
    }
    let (bytes, _) = read_code(code)?;
    let chip = chip.map(|chip| chip_named(py, chip)).transpose()?;
    placed(py, &bytes, chip)
}

fn placed(py: Python<'_>, code: &[u8], chip: Option<Chip>) -> PyResult<Vec<Instruction>> {
    let placed = disassemble(code, chip, DEFAULT_CHIP).map_err(|wrong| match wrong {
        DisassemblyError::PartOfWord(_) => argument_error(py, wrong),
        wrong => error(py, wrong),
    })?;
    Ok(placed.into_iter().map(Instruction::of).collect())
}
