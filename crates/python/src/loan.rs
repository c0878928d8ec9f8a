//! The loan of a wave to Python, for the time of a hook.

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use wavetank::hooks;

use crate::error::error;
use crate::host_array::{HostArray, array_of};

/// A wave that is lent to Python while a hook runs.
pub(crate) struct Loan {
    lent: Mutex<Lent>,
}

/// The wave, and the copies that Python has of it: they are written back when the hook returns.
struct Lent {
    /// The wave; `None` after the hook.
    at: Option<NonNull<hooks::HookedWave<'static>>>,
    registers: Vec<(usize, Py<PyAny>)>,
    lds: Option<Py<PyAny>>,
}

// SAFETY: the pointer is used under the lock, and by one thread at a time: the hook's, or others while the hook waits for the lock
// of the interpreter. What it points to may be used by any thread.
unsafe impl Send for Lent {}

/// Ends a loan, also if the function panics that the wave was lent to.
struct Ends<'l>(&'l Loan);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let lent = self.0.lent.lock();
        lent.unwrap_or_else(PoisonError::into_inner).at = None;
    }
}

impl Loan {
    /// Lends a wave to a function, and writes the copies back that Python has made meanwhile.
    pub(crate) fn lend<R>(
        py: Python<'_>,
        at: &mut hooks::HookedWave<'_>,
        function: impl FnOnce(&Arc<Loan>) -> R,
    ) -> R {
        let lent = Lent {
            at: Some(NonNull::from(at).cast()),
            registers: Vec::new(),
            lds: None,
        };
        let lent = Mutex::new(lent);
        let loan = Arc::new(Loan { lent });
        let ends = Ends(&loan);
        let result = function(&loan);
        loan.give_back(py);
        drop(ends);
        result
    }

    /// Calls a function with the wave.
    ///
    /// # Errors
    /// The hook has returned.
    pub(crate) fn with<R>(
        &self,
        py: Python<'_>,
        function: impl FnOnce(&mut hooks::HookedWave<'_>) -> R,
    ) -> PyResult<R> {
        let lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut at) = lent.at else {
            drop(lent);
            return Err(gone(py));
        };
        // SAFETY: the pointer is taken out under this lock before the borrow of `lend` ends, and the lock makes it unique. The result
        // of the function depends on no lifetime of the wave.
        Ok(function(unsafe { at.as_mut() }))
    }

    /// Returns a copy of a register, which is written back.
    pub(crate) fn lanes<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        let known = |lent: &Lent| {
            let mut registers = lent.registers.iter();
            let found = registers.find(|(n, _)| *n == number);
            found.map(|(_, array)| array.clone_ref(py))
        };
        if let Some(array) = known(&self.lent.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(array.into_bound(py));
        }
        let values = self.with(py, |at| *at.wave().vgpr(number))?;
        let array = array_of(py, &values, "uint32")?;
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        lent.registers.push((number, array.clone().unbind()));
        Ok(array)
    }

    /// Returns a copy of the LDS, which is written back.
    pub(crate) fn lds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let known = |lent: &Lent| lent.lds.as_ref().map(|array| array.clone_ref(py));
        if let Some(array) = known(&self.lent.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(array.into_bound(py));
        }
        let values = self.with(py, |at| at.lds())?;
        let array = array_of(py, &values, "uint32")?;
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        lent.lds = Some(array.clone().unbind());
        Ok(array)
    }

    /// Ends the loan, and writes back what Python has a copy of.
    fn give_back(&self, py: Python<'_>) {
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut at) = lent.at.take() else {
            return;
        };
        // SAFETY: the borrow of `lend` has not ended, and the pointer was taken under the lock, so that it is unique.
        let at = unsafe { at.as_mut() };
        let (registers, lds) = (std::mem::take(&mut lent.registers), lent.lds.take());
        drop(lent);
        for (number, array) in registers {
            let register = at.wave_mut().vgpr_mut(number);
            copy_into(register, array.bind(py));
        }
        if let Some(array) = lds {
            let mut dwords = at.lds();
            let before = dwords.clone();
            copy_into(&mut dwords, array.bind(py));
            if dwords != before {
                at.set_lds(&dwords);
            }
        }
    }
}

/// Copies an array that this module has made into dwords.
fn copy_into(dwords: &mut [u32], array: &Bound<'_, PyAny>) {
    let to: &mut [u8] = bytemuck::cast_slice_mut(dwords);
    // An array that was resized meanwhile is not the register any more.
    if let Ok(Some(array)) = HostArray::of(array)
        && array.is_plain()
        && array.bytes().len() == to.len()
    {
        to.copy_from_slice(array.bytes());
    }
}

/// The error of a wave of a hook that has returned.
fn gone(py: Python<'_>) -> PyErr {
    let sentence = "the wave was that of a hook, which has returned: keep copies of what it showed";
    error(py, sentence)
}
