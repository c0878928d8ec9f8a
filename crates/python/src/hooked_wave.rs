//! A wave at a hook, which Python sees only while the hook runs.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::error::line_of;
use crate::loan::Loan;
use crate::registers::{Registers, Source};

/// A wave at a hook, valid while the hook runs. Its arrays are copies; they are written back to the registers and the LDS when the hook
/// returns.
#[pyclass(frozen, extends = Registers, module = "wavetank")]
pub(crate) struct HookedWave {
    loan: Arc<Loan>,
    group: [u32; 3],
    index: u32,
    pc: u64,
}

impl HookedWave {
    /// Returns the wave of a hook as an object.
    pub(crate) fn of<'py>(
        py: Python<'py>,
        loan: &Arc<Loan>,
        group: &wavetank::Group,
        index: u32,
        pc: u64,
    ) -> PyResult<Bound<'py, HookedWave>> {
        let wave = HookedWave {
            loan: loan.clone(),
            group: group.id,
            index,
            pc,
        };
        let source = Source::Hooked(loan.clone());
        let base = PyClassInitializer::from(Registers { source });
        Bound::new(py, base.add_subclass(wave))
    }
}

#[pymethods]
impl HookedWave {
    /// The work-group.
    #[getter]
    fn group(&self) -> (u32, u32, u32) {
        self.group.into()
    }

    /// The number of the wave in its work-group.
    #[getter]
    fn index(&self) -> u32 {
        self.index
    }

    /// The device address of the instruction that the hook is called for. A hook that sets it sends the wave elsewhere; a hook on
    /// instructions then skips its instruction.
    #[getter]
    fn pc(&self) -> u64 {
        self.pc
    }

    #[setter]
    fn set_pc(this: &Bound<'_, Self>, value: u64) -> PyResult<()> {
        this.as_super().get().set_next_address(this.py(), value)
    }

    /// The device address of the instruction after this one.
    #[getter]
    fn next_pc(&self, py: Python<'_>) -> PyResult<u64> {
        let length = self.loan.with(py, |at| at.instruction().map(|i| i.len));
        Ok(self.pc + u64::from(length?.unwrap_or(4)))
    }

    /// The text of the instruction.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.loan
            .with(py, |at| at.instruction().map(|inst| inst.to_string()))
    }

    /// The kernel or function, if it is known.
    #[getter]
    fn function(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let place = self.loan.with(py, |at| at.place())?;
        Ok(place.symbol.map(|(name, _)| name))
    }

    /// The distance of the instruction from the start of the function in bytes; without a function, its device address.
    #[getter]
    fn offset(&self, py: Python<'_>) -> PyResult<u64> {
        let place = self.loan.with(py, |at| at.place())?;
        Ok(place.symbol.map_or(place.pc, |(_, offset)| offset))
    }

    /// The file of the line of source, if it is known.
    #[getter]
    fn file(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(line_of(&self.loan.with(py, |at| at.place())?).0)
    }

    /// The line of source, if it is known.
    #[getter]
    fn line(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        Ok(line_of(&self.loan.with(py, |at| at.place())?).1)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let [x, y, z] = self.group;
        let place = match self.loan.with(py, |at| at.place()) {
            Ok(place) => format!(" at {place}"),
            Err(_) => ", gone".to_owned(),
        };
        let index = self.index;
        Ok(format!(
            "HookedWave(group ({x}, {y}, {z}), wave {index}{place})"
        ))
    }

    fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
        let head = this.get().__repr__(this.py())?;
        this.as_super().get().html(this.py(), &head)
    }
}
