//! Disassembly: from code to objects of Python.

use pyo3::prelude::*;
use wavetank::Chip;
use wavetank::object::{CodeObject, Lines, is_bundle, open_every};
use wavetank_asm::Listing;

use crate::assembly::Assembly;
use crate::chip::{chip_named, chip_or_default};
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
        let assembly = assembly.get();
        let object = CodeObject::parse(assembly.object()).map_err(|e| error(py, e))?;
        return of_object(py, &object);
    }
    let (bytes, _) = read_code(code)?;
    let is_file = bytes.starts_with(b"\x7fELF") || is_bundle(&bytes);
    if !is_file {
        let chip = chip_or_default(py, chip)?;
        if !bytes.len().is_multiple_of(4) {
            let sentence = format!(
                "plain code has whole words of 4 bytes, not {} bytes",
                bytes.len()
            );
            return Err(argument_error(py, sentence));
        }
        let listing = Listing::raw(&bytes, chip);
        return Ok(of_listing(&listing, None, None));
    }
    let chip = chip.map(|chip| chip_named(py, chip)).transpose()?;
    let objects = open_every(&bytes, chip.map(Chip::name)).map_err(|e| error(py, e))?;
    let mut all = Vec::new();
    for object in &objects {
        all.extend(of_object(py, object)?);
    }
    Ok(all)
}

fn of_object(py: Python<'_>, object: &CodeObject) -> PyResult<Vec<Instruction>> {
    let listing = Listing::of(object).map_err(|e| error(py, e))?;
    Ok(of_listing(
        &listing,
        Some(object),
        Lines::of(object).as_ref(),
    ))
}

fn of_listing(
    listing: &Listing<'_>,
    object: Option<&CodeObject>,
    lines: Option<&Lines>,
) -> Vec<Instruction> {
    let items = listing.items();
    items
        .map(|item| Instruction::at(item, object, lines))
        .collect()
}
