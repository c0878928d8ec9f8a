//! Instructions as objects of Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wavetank::object::{CodeObject, Lines};
use wavetank_gcn::{Form, Inst, Operand, Registers};

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

    /// Returns an instruction or a word of data of a code object, or of plain code, with its line of source.
    pub(crate) fn at(
        (address, bytes, inst): (u64, &[u8], Option<Inst>),
        object: Option<&CodeObject>,
        lines: Option<&Lines>,
    ) -> Instruction {
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
