//! Instructions as objects of Python, and disassembly.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wavetank::Chip;
use wavetank::object::{CodeObject, Lines, is_bundle, open_all, targets};
use wavetank_asm::Listing;
use wavetank_gcn::{Form, Inst, Operand, Registers};

use crate::assembly::Assembly;
use crate::chip::{chip_named, chip_or_default};
use crate::device::read_code;
use crate::error::{argument_error, error};

/// An instruction at an address, or a word of data among instructions, whose mnemonic is `.long`.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Instruction {
    inst: Option<Inst>,
    /// The address in the code object, or the distance from the start of plain code, in bytes.
    #[pyo3(get)]
    address: u64,
    bytes: Vec<u8>,
    /// The file of the line of source, if it is known.
    #[pyo3(get)]
    file: Option<String>,
    /// The line of source, if it is known.
    #[pyo3(get)]
    line: Option<u32>,
    /// The kernel or function, if there is one.
    #[pyo3(get)]
    function: Option<String>,
}

impl Instruction {
    /// Returns an instruction of a source.
    pub(crate) fn of_line(inst: Inst, address: u64, bytes: &[u8], line: usize) -> Instruction {
        Instruction {
            inst: Some(inst),
            address,
            bytes: bytes.to_vec(),
            file: None,
            line: u32::try_from(line).ok(),
            function: None,
        }
    }

    /// The instruction, unless it is data.
    pub(crate) fn inst(&self) -> Option<&Inst> {
        self.inst.as_ref()
    }

    /// Returns mnemonic, operands and modifiers.
    fn parts(&self) -> (String, Vec<String>, String) {
        let text = self.text();
        let (mnemonic, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let mut operands: Vec<String> = rest.split(", ").map(str::to_owned).collect();
        // What follows the last operand after a blank is a modifier; counters of `s_waitcnt` are an operand.
        let is_number = |inst: &Inst| matches!(inst.form, Form::Sopp | Form::Sopk);
        let mut modifiers = String::new();
        if !self.inst.as_ref().is_some_and(is_number)
            && let Some(last) = operands.last_mut()
            && let Some((operand, after)) = last.clone().split_once(' ')
        {
            modifiers = after.to_owned();
            *last = operand.to_owned();
        }
        let has_none = self
            .inst
            .as_ref()
            .is_some_and(|inst| inst.operands.iter().all(|o| *o == Operand::None));
        if has_none {
            modifiers = rest.to_owned();
            operands.clear();
        }
        operands.retain(|operand| !operand.is_empty());
        (mnemonic.to_owned(), operands, modifiers)
    }
}

#[pymethods]
impl Instruction {
    /// The canonical text.
    #[getter]
    fn text(&self) -> String {
        match &self.inst {
            Some(inst) => inst.to_string(),
            None => {
                let word = self.bytes.iter().rev();
                let word = word.fold(0u64, |word, byte| word << 8 | u64::from(*byte));
                format!(".long {word:#010x}")
            }
        }
    }

    /// The name of the instruction.
    #[getter]
    fn mnemonic(&self) -> String {
        self.parts().0
    }

    /// The texts of the operands.
    #[getter]
    fn operands(&self) -> Vec<String> {
        self.parts().1
    }

    /// The text after the operands: `offset:16 glc`.
    #[getter]
    fn modifiers(&self) -> String {
        self.parts().2
    }

    /// The bytes in the order of memory.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// The registers whose old value can affect the result, with EXEC and MODE.
    #[getter]
    fn reads(&self) -> Vec<String> {
        self.inst
            .map_or_else(Vec::new, |inst| names(&inst.effects().reads))
    }

    /// The registers that can change.
    #[getter]
    fn writes(&self) -> Vec<String> {
        self.inst
            .map_or_else(Vec::new, |inst| names(&inst.effects().writes))
    }

    /// The access to memory (global, LDS or GDS): `load`, `store`, `atomic`, or `None`.
    #[getter]
    fn memory(&self) -> Option<&'static str> {
        let effects = self.inst?.effects();
        match (effects.reads_memory, effects.writes_memory) {
            (true, true) => Some("atomic"),
            (true, false) => Some("load"),
            (false, true) => Some("store"),
            (false, false) => None,
        }
    }

    /// The wait counters that are raised until the instruction is done: `vmcnt`, `lgkmcnt`, `expcnt`.
    #[getter]
    fn counters(&self) -> Vec<&'static str> {
        let Some(inst) = self.inst else {
            return Vec::new();
        };
        let counters = inst.effects().counters;
        let named = [
            (counters.vm, "vmcnt"),
            (counters.lgkm, "lgkmcnt"),
            (counters.exp, "expcnt"),
        ];
        let raised = named.into_iter().filter(|(raised, _)| *raised);
        raised.map(|(_, name)| name).collect()
    }

    /// The chip of the instruction, unless it is data.
    #[getter]
    fn chip(&self) -> Option<&'static str> {
        self.inst.map(|inst| inst.chip.name())
    }

    fn __len__(&self) -> usize {
        self.bytes.len()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Instruction({:#x}: {})", self.address, self.text())
    }
}

/// Returns the names of registers and state.
fn names(registers: &Registers) -> Vec<String> {
    let names = registers.to_string();
    names.split_whitespace().map(str::to_owned).collect()
}

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
    let objects = objects(&bytes, chip).map_err(|e| error(py, e))?;
    let mut all = Vec::new();
    for object in &objects {
        all.extend(of_object(py, object)?);
    }
    Ok(all)
}

/// Returns the code objects of a file for a chip, or else all.
fn objects(bytes: &[u8], chip: Option<Chip>) -> wavetank::object::Result<Vec<CodeObject>> {
    if let Some(chip) = chip {
        return open_all(bytes, Some(chip.name()));
    }
    let mut objects = Vec::new();
    for target in targets(bytes)? {
        objects.extend(open_all(bytes, Some(&target.to_string()))?);
    }
    Ok(objects)
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
    let instruction = |(address, bytes, inst): (u64, &[u8], Option<Inst>)| {
        let source = lines.map(|lines| lines.at(address));
        let frame = source.and_then(|source| source.frames.into_iter().next());
        let symbol = object.and_then(|object| object.symbol_at(address));
        Instruction {
            inst,
            address,
            bytes: bytes.to_vec(),
            line: frame.as_ref().and_then(|frame| frame.line),
            file: frame.map(|frame| frame.file),
            function: symbol.map(|(symbol, _)| symbol.name.clone()),
        }
    };
    listing.items().map(instruction).collect()
}
