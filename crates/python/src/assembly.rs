//! Assembled sources.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use wavetank::{Chip, DEFAULT_CHIP};
use wavetank_asm::{
    Folders, LinkedError, Options, Signature, assemble_code, assemble_lines, assemble_linked,
};
use wavetank_gcn::Dialect;

use crate::chip::{chip_named, dialect_named};
use crate::error::{argument_error, assembly_error, error};
use crate::instruction::Instruction;

/// An assembled source: `bytes(assembly)` is its code object, `assembly.code` the plain bytes of its instructions.
///
/// `Device.load` takes it. If neither `wavetank.asm` nor the source named a chip, it is assembled for the chip of the device.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Assembly {
    source: Source,
    chip: Chip,
    object: Vec<u8>,
}

/// A source with its options.
struct Source {
    text: String,
    dialect: Dialect,
    kernels: Vec<Signature>,
    defines: Vec<(String, i64)>,
    include: Folders,
    /// Whether the caller names the chip. The source must then not name another one, and is not assembled for the chip of a device.
    fixed: bool,
}

impl Source {
    fn options(&self, chip: Chip) -> Options<'_> {
        Options {
            dialect: self.dialect,
            kernels: self.kernels.clone(),
            defines: self.defines.clone(),
            files: &self.include,
            max_errors: 100,
            fixed: self.fixed,
            ..Options::new(chip)
        }
    }

    /// Assembles and links the source.
    fn object(&self, py: Python<'_>, chip: Chip) -> PyResult<Vec<u8>> {
        let made = assemble_linked("the source", &self.text, &self.options(chip));
        made.map_err(|wrong| match wrong {
            LinkedError::Source(errors) => assembly_error(py, &errors),
            wrong => error(py, wrong),
        })
    }
}

impl Assembly {
    /// Returns the code object for a device with a chip.
    pub(crate) fn object_for(&self, py: Python<'_>, chip: Chip) -> PyResult<Vec<u8>> {
        if !self.source.fixed && chip != self.chip {
            self.source.object(py, chip)
        } else {
            Ok(self.object.clone())
        }
    }

    /// Returns the plain code for a device with a chip.
    pub(crate) fn code_for(&self, py: Python<'_>, chip: Chip) -> PyResult<Vec<u8>> {
        let chip = if self.source.fixed { self.chip } else { chip };
        let code = assemble_code("the source", &self.source.text, &self.source.options(chip));
        code.map_err(|errors| assembly_error(py, &errors))
    }

    /// The code object.
    pub(crate) fn object(&self) -> &[u8] {
        &self.object
    }
}

/// Assembles a source to a code object.
///
/// `kernels` describes kernels whose descriptors are not in the source, each by a signature: `"square(global u32* out, u32 n)"`.
/// `chip` is gfx900 if neither it nor the source names one. `defines` sets symbols to numbers. `dialect` is `llvm` or `clrx`.
/// `include` are the folders of `.include`.
///
/// Raises `wavetank.AssemblyError` with all wrong lines.
///
/// >>> import wavetank as wt
/// >>> wt.asm("v_add_f32 v0, v1, v2\ns_endpgm").code.hex(" ", 4)
/// '01050002 000081bf'
/// >>> wt.asm("s_nop 1\nv_ad_f32 v0, v1, v2")
/// Traceback (most recent call last):
/// wavetank.AssemblyError: line 2: ...
#[pyfunction]
#[pyo3(signature = (source, chip = None, *, kernels = Vec::new(), defines = None, dialect = "llvm", include = Vec::new()))]
pub(crate) fn asm(
    py: Python<'_>,
    source: String,
    chip: Option<&str>,
    kernels: Vec<String>,
    defines: Option<&Bound<'_, PyDict>>,
    dialect: &str,
    include: Vec<std::path::PathBuf>,
) -> PyResult<Assembly> {
    let kernels: Result<Vec<Signature>, _> = kernels.iter().map(|text| text.parse()).collect();
    let mut numbers = Vec::new();
    for (name, number) in defines.into_iter().flatten() {
        numbers.push((name.extract()?, number.extract()?));
    }
    let named = chip.map(|chip| chip_named(py, chip)).transpose()?;
    let source = Source {
        text: source,
        dialect: dialect_named(py, dialect)?,
        kernels: kernels.map_err(|e| argument_error(py, e))?,
        defines: numbers,
        include: Folders(include),
        fixed: named.is_some(),
    };
    let chip = named.unwrap_or(DEFAULT_CHIP);
    let object = source.object(py, chip)?;
    Ok(Assembly {
        source,
        chip,
        object,
    })
}

#[pymethods]
impl Assembly {
    /// The plain bytes of the instructions, with the data among them.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.code_for(py, self.chip)?))
    }

    /// The instructions in the order of the source.
    #[getter]
    fn instructions(&self, py: Python<'_>) -> PyResult<Vec<Instruction>> {
        let source = &self.source;
        let mut all = Vec::new();
        let options = source.options(self.chip);
        let done = assemble_lines("the source", &source.text, &options, |line| {
            let line = Instruction::of_line(line.inst, line.address, line.bytes(), line.number);
            all.push(line);
        });
        done.map_err(|errors| assembly_error(py, &errors))?;
        Ok(all)
    }

    /// Returns the code object for a chip: that of `bytes(assembly)`, or, if nothing named a chip, one that is assembled for this one.
    #[pyo3(name = "object_for")]
    fn bytes_for<'py>(&self, py: Python<'py>, chip: &str) -> PyResult<Bound<'py, PyBytes>> {
        let chip = chip_named(py, chip)?;
        Ok(PyBytes::new(py, &self.object_for(py, chip)?))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.object)
    }

    fn __repr__(&self) -> String {
        let bytes = self.object.len();
        format!("Assembly({}, {bytes} bytes)", self.chip)
    }
}
