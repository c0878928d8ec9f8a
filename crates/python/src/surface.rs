//! Text of atomics on surfaces: NVIDIA's SUATOM and Intel's TYPED_ATOMIC.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wavetank::maxwell::Generation;
use wavetank::surface_isa::SurfaceIsa;
use wavetank::visa::Version;

use crate::error::{argument_error, wrong_lines};

/// Reports an instruction set that is neither.
fn unknown(py: Python<'_>, isa: &str) -> PyErr {
    let sentence = format!(
        "`{isa}` is not an instruction set of atomics on surfaces: take maxwell:50, maxwell:52 and others up to maxwell:62, or visa"
    );
    argument_error(py, sentence)
}

/// Assembles lines of SUATOM (`isa` is `maxwell:52` or another generation) or of TYPED_ATOMIC (`visa`, `visa:3.3`) to plain bytes.
///
/// Raises `wavetank.AssemblyError` with all wrong lines.
///
/// >>> import wavetank as wt
/// >>> code = wt.asm_surface("SUATOM.D.2D.ADD R10, [R2], R4, R1;", "maxwell:52")
/// >>> print(wt.dis_surface(code, "maxwell:52").strip())
/// SUATOM...ADD...R10, [R2], R4, R1;...
#[pyfunction]
pub(crate) fn asm_surface<'py>(
    py: Python<'py>,
    source: &str,
    isa: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = match (Generation::from_name(isa), Version::from_name(isa)) {
        (Some(generation), _) => packed(py, generation, source)?,
        (_, Some(version)) => packed(py, version, source)?,
        _ => return Err(unknown(py, isa)),
    };
    Ok(PyBytes::new(py, &bytes))
}

/// Returns the text of plain code of SUATOM or TYPED_ATOMIC, which `asm_surface` reads.
#[pyfunction]
pub(crate) fn dis_surface(py: Python<'_>, code: &[u8], isa: &str) -> PyResult<String> {
    match (Generation::from_name(isa), Version::from_name(isa)) {
        (Some(generation), _) => Ok(generation.listing(code)),
        (_, Some(version)) => Ok(version.listing(code)),
        _ => Err(unknown(py, isa)),
    }
}

/// Assembles a source of an instruction set.
fn packed<I: SurfaceIsa>(py: Python<'_>, isa: I, source: &str) -> PyResult<Vec<u8>> {
    const MOST: usize = 100;
    let (lines, errors) = isa.source(source, MOST);
    if errors.is_empty() {
        return Ok(isa.pack(&lines));
    }
    let sentences: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let errors = errors.into_iter().map(|line| {
        let column = line.error.column(&line.text);
        (line.number, column, line.error.message, line.text)
    });
    Err(wrong_lines(py, sentences.join("\n"), errors.collect()))
}
