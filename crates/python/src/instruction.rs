//! Instructions as objects of Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wavetank_asm::PlacedInst;
use wavetank_gcn::{Form, Inst, Operand, Registers};

/// An instruction at an address, or a word of data among instructions, whose mnemonic is `.long`.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Instruction {
    placed: PlacedInst,
}

impl Instruction {
    /// Returns an instruction or a word of data, with its place.
    pub(crate) fn of(placed: PlacedInst) -> Instruction {
        Instruction { placed }
    }

    /// Returns an instruction of a source.
    pub(crate) fn of_line(inst: Inst, address: u64, bytes: &[u8], line: usize) -> Instruction {
        Instruction::of(PlacedInst {
            inst: Some(inst),
            address,
            bytes: bytes.to_vec(),
            file: None,
            line: u32::try_from(line).ok(),
            function: None,
        })
    }

    /// The instruction, unless it is data.
    pub(crate) fn inst(&self) -> Option<&Inst> {
        self.placed.inst.as_ref()
    }

    /// Returns mnemonic, operands and modifiers.
    fn parts(&self) -> (String, Vec<String>, String) {
        let text = self.text();
        let (mnemonic, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let mut operands: Vec<String> = rest.split(", ").map(str::to_owned).collect();
        // What follows the last operand after a blank is a modifier; counters of `s_waitcnt` are an operand.
        let is_number = |inst: &Inst| matches!(inst.form, Form::Sopp | Form::Sopk);
        let mut modifiers = String::new();
        if !self.inst().is_some_and(is_number)
            && let Some(last) = operands.last_mut()
            && let Some((operand, after)) = last.clone().split_once(' ')
        {
            modifiers = after.to_owned();
            *last = operand.to_owned();
        }
        let has_none = self
            .inst()
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
        self.placed.text()
    }

    /// The address in the code object, or the distance from the start of plain code, in bytes.
    #[getter]
    fn address(&self) -> u64 {
        self.placed.address
    }

    /// The file of the line of source, if it is known.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.placed.file.as_deref()
    }

    /// The line of source, if it is known.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.placed.line
    }

    /// The kernel or function, if there is one.
    #[getter]
    fn function(&self) -> Option<&str> {
        self.placed.function.as_deref()
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
        PyBytes::new(py, &self.placed.bytes)
    }

    /// The registers whose old value can affect the result, with EXEC and MODE.
    #[getter]
    fn reads(&self) -> Vec<String> {
        self.inst()
            .map_or_else(Vec::new, |inst| names(&inst.effects().reads))
    }

    /// The registers that can change.
    #[getter]
    fn writes(&self) -> Vec<String> {
        self.inst()
            .map_or_else(Vec::new, |inst| names(&inst.effects().writes))
    }

    /// The access to memory (global, LDS or GDS): `load`, `store`, `atomic`, or `None`.
    #[getter]
    fn memory(&self) -> Option<&'static str> {
        let effects = self.inst()?.effects();
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
        let Some(inst) = self.inst() else {
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
        self.inst().map(|inst| inst.chip.name())
    }

    fn __len__(&self) -> usize {
        self.placed.bytes.len()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Instruction({:#x}: {})", self.placed.address, self.text())
    }
}

/// Returns the names of registers and state.
fn names(registers: &Registers) -> Vec<String> {
    let names = registers.to_string();
    names.split_whitespace().map(str::to_owned).collect()
}
