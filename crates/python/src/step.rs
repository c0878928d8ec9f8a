//! Steps of a traced wave, and their collection while a kernel runs.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use wavetank::{Change, Chip, Group};

use crate::error::line_of;
use crate::hook::{kind_name, memory_name};
use crate::host_array::array_of;

/// The choice of a wave, and its steps so far.
pub(crate) struct Tracer {
    pub group: [u32; 3],
    pub wave: u32,
    /// The most steps that are kept: the first ones.
    pub most: usize,
    steps: Mutex<Vec<wavetank::Step>>,
}

impl Tracer {
    pub(crate) fn new(group: [u32; 3], wave: u32, most: usize) -> Tracer {
        Tracer {
            group,
            wave,
            most,
            steps: Mutex::default(),
        }
    }

    /// Whether a wave is the chosen one.
    pub(crate) fn wants(&self, group: &Group, wave: u32) -> bool {
        group.id == self.group && wave == self.wave
    }

    /// Keeps a step.
    pub(crate) fn add(&self, step: wavetank::Step) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() < self.most {
            steps.push(step);
        }
    }

    /// Takes the steps out.
    pub(crate) fn take(&self, chip: Chip) -> Vec<Step> {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = std::mem::take(&mut *steps);
        steps.into_iter().map(|step| Step { step, chip }).collect()
    }
}

/// An instruction that a wave has executed, with what it changed.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Step {
    step: wavetank::Step,
    chip: Chip,
}

#[pymethods]
impl Step {
    /// The text of the instruction.
    #[getter]
    fn text(&self) -> &str {
        self.step.place.instruction.as_deref().unwrap_or_default()
    }

    /// The kernel or function, if it is known.
    #[getter]
    fn function(&self) -> Option<&str> {
        let symbol = self.step.place.symbol.as_ref();
        symbol.map(|(name, _)| name.as_str())
    }

    /// The distance from the start of the function in bytes; without a function, the device address.
    #[getter]
    fn offset(&self) -> u64 {
        let place = &self.step.place;
        place
            .symbol
            .as_ref()
            .map_or(place.pc, |(_, offset)| *offset)
    }

    /// The device address of the instruction.
    #[getter]
    fn pc(&self) -> u64 {
        self.step.place.pc
    }

    /// The file of the line of source, if it is known.
    #[getter]
    fn file(&self) -> Option<String> {
        line_of(&self.step.place).0
    }

    /// The line of source, if it is known.
    #[getter]
    fn line(&self) -> Option<u32> {
        line_of(&self.step.place).1
    }

    /// The registers with a new value, by name: numbers, and for vector registers arrays of 64 lanes, `uint32`.
    #[getter]
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let changes = PyDict::new(py);
        for change in &self.step.changes {
            let name = change.register_name(self.chip);
            match change {
                Change::Scalar { value, .. } | Change::Hardware { value, .. } => {
                    changes.set_item(name, value)?;
                }
                Change::Scc(value) => changes.set_item(name, u32::from(*value))?,
                Change::Vector { values, .. } => {
                    changes.set_item(name, array_of(py, &values[..], "uint32")?)?;
                }
                _ => {}
            }
        }
        Ok(changes)
    }

    /// The accesses to memory: kind (`load`, `store`, `atomic`), memory (`global`, `lds`, `gds`, `scratch`), lane or `None`, address or
    /// offset, and bytes.
    #[getter]
    fn accesses<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let accesses = self.step.accesses.iter().map(|access| {
            let (kind, memory) = (kind_name(access.kind), memory_name(access.memory));
            (kind, memory, access.lane, access.address, access.bytes).into_pyobject(py)
        });
        accesses.collect()
    }

    fn __str__(&self) -> String {
        let offset = self.offset();
        let names = self.step.changes.iter();
        let names: Vec<String> = names
            .map(|change| change.register_name(self.chip))
            .collect();
        let text = self.text();
        if names.is_empty() {
            format!("+{offset:#x}  {text}")
        } else {
            format!("+{offset:#x}  {text}  ; {}", names.join(", "))
        }
    }

    fn __repr__(&self) -> String {
        format!("Step({self_})", self_ = self.__str__())
    }
}
