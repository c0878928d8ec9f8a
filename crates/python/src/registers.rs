//! The registers of a wave, of one that Python steps and of one at a hook.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use wavetank::LoneWave;

use crate::array::Array;
use crate::error::argument_error;
use crate::host_array::Memory;
use crate::html;
use crate::loan::Loan;
use crate::shared::Shared;

/// The bytes of a vector register.
const VECTOR_BYTES: usize = 256;

/// The vector registers of a file, after which the accumulation registers of CDNA begin.
const VECTORS: usize = 256;

/// Codes of scalar registers (Vega ISA, 13.1), and the number of MODE among hardware registers.
const VCC: u8 = 106;
const M0: usize = 124;
const EXEC: u8 = 126;
const MODE: usize = 1;

/// The wave whose registers these are.
pub(crate) enum Source {
    /// A wave that Python steps, on a device.
    Alone(Arc<Mutex<LoneWave>>, Arc<Shared>),
    /// A wave at a hook, while the hook runs.
    Hooked(Arc<Loan>),
}

/// The registers and the LDS of a wave.
#[pyclass(frozen, subclass, module = "wavetank")]
pub(crate) struct Registers {
    pub source: Source,
}

/// Locks a wave that Python steps, if its device is there.
pub(crate) fn lone<'w>(
    py: Python<'_>,
    wave: &'w Mutex<LoneWave>,
    device: &Shared,
) -> PyResult<MutexGuard<'w, LoneWave>> {
    device.get(py)?;
    Ok(wave.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Registers {
    /// Calls a function with the registers, if they are there.
    fn with<R>(
        &self,
        py: Python<'_>,
        function: impl FnOnce(&mut wavetank::Wave) -> R,
    ) -> PyResult<R> {
        match &self.source {
            Source::Alone(wave, device) => Ok(function(lone(py, wave, device)?.wave_mut())),
            Source::Hooked(loan) => loan.with(py, |at| function(at.wave_mut())),
        }
    }

    /// Returns the 64-bit value of a pair of scalar registers.
    fn pair(&self, py: Python<'_>, register: u8) -> PyResult<u64> {
        self.with(py, |wave| wave.s64(register))
    }

    fn set_pair(&self, py: Python<'_>, register: u8, value: u64) -> PyResult<()> {
        self.with(py, |wave| wave.set_s64(register, value))
    }

    /// Returns a register of the vector file, to be read and written.
    fn lanes<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        first: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if number >= VECTORS {
            return Err(argument_error(
                py,
                format!("a wave has the registers 0 to 255, not {number}"),
            ));
        }
        let number = first + number;
        let (wave, device) = match &self.source {
            Source::Alone(wave, device) => (wave, device),
            Source::Hooked(loan) => return loan.lanes(py, number),
        };
        let (_, lanes) = lone(py, wave, device)?.wave_mut().raw();
        let owner = Box::new(wave.clone());
        let address = lanes as usize + VECTOR_BYTES * number;
        // SAFETY: the register is in the vector file of a live wave, which a `LoneWave` does not grow, and the owner keeps. The view
        // is used by threads with the lock of the interpreter, which a step keeps.
        unsafe { Memory::view(py, address, &[64], "<u4", true, owner) }
    }

    /// The table of the vector registers that are not 0, with a colour for each value.
    pub(crate) fn html(&self, py: Python<'_>, head: &str) -> PyResult<String> {
        let head = html::escaped(head);
        let rows: String = self.with(py, |wave| {
            let exec = wave.exec();
            let rows = (0..VECTORS).map(|n| (n, wave.vgpr(n)));
            rows.filter(|(_, lanes)| lanes.iter().any(|lane| *lane != 0))
                .map(|(n, lanes)| html::lanes(&format!("v{n}"), lanes, exec))
                .collect()
        })?;
        Ok(format!(
            "<div class=\"wavetank-wave\"><p>{head}</p><table>{rows}</table></div>"
        ))
    }

    /// Sends the wave to an address.
    pub(crate) fn set_next_address(&self, py: Python<'_>, pc: u64) -> PyResult<()> {
        self.with(py, |wave| wave.uniform_mut().pc = pc)
    }
}

#[pymethods]
impl Registers {
    /// Returns a vector register as an array of its 64 lanes, `uint32`, which may be written.
    fn vgpr<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        self.lanes(py, number, 0)
    }

    /// Returns an accumulation register of CDNA as an array of its 64 lanes, `uint32`, which may be written.
    fn agpr<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        self.lanes(py, number, VECTORS)
    }

    /// Returns a scalar register.
    fn sgpr(&self, py: Python<'_>, number: usize) -> PyResult<u32> {
        check_sgpr(py, number)?;
        self.with(py, |wave| wave.uniform().s[number])
    }

    /// Sets a scalar register; with an array of the device, a pair of registers to its address.
    fn set_sgpr(&self, py: Python<'_>, number: usize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        check_sgpr(py, number)?;
        if let Ok(array) = value.cast::<Array>() {
            check_sgpr(py, number + 1)?;
            let address = array.get().get(py)?.address();
            return self.set_pair(py, number as u8, address);
        }
        let value: i64 = value.extract()?;
        let Ok(bits) = u32::try_from(value).or_else(|_| i32::try_from(value).map(|n| n as u32))
        else {
            return Err(argument_error(
                py,
                format!("{value} does not fit into 32 bits"),
            ));
        };
        self.with(py, |wave| wave.uniform_mut().s[number] = bits)
    }

    /// The mask of active lanes.
    #[getter]
    fn exec(&self, py: Python<'_>) -> PyResult<u64> {
        self.pair(py, EXEC)
    }

    #[setter]
    fn set_exec(&self, py: Python<'_>, value: u64) -> PyResult<()> {
        self.set_pair(py, EXEC, value)
    }

    /// The vector condition code, a bit a lane.
    #[getter]
    fn vcc(&self, py: Python<'_>) -> PyResult<u64> {
        self.pair(py, VCC)
    }

    #[setter]
    fn set_vcc(&self, py: Python<'_>, value: u64) -> PyResult<()> {
        self.set_pair(py, VCC, value)
    }

    /// The scalar condition code, 0 or 1.
    #[getter]
    fn scc(&self, py: Python<'_>) -> PyResult<u32> {
        self.with(py, |wave| wave.uniform().scc)
    }

    #[setter]
    fn set_scc(&self, py: Python<'_>, value: bool) -> PyResult<()> {
        self.with(py, |wave| wave.uniform_mut().scc = value.into())
    }

    /// The memory register M0.
    #[getter]
    fn m0(&self, py: Python<'_>) -> PyResult<u32> {
        self.with(py, |wave| wave.uniform().s[M0])
    }

    #[setter]
    fn set_m0(&self, py: Python<'_>, value: u32) -> PyResult<()> {
        self.with(py, |wave| wave.uniform_mut().s[M0] = value)
    }

    /// The mode register: rounding, denormals, exceptions.
    #[getter]
    fn mode(&self, py: Python<'_>) -> PyResult<u32> {
        self.with(py, |wave| wave.uniform().hw[MODE])
    }

    #[setter]
    fn set_mode(&self, py: Python<'_>, value: u32) -> PyResult<()> {
        self.with(py, |wave| wave.uniform_mut().hw[MODE] = value)
    }

    /// The LDS as an array of its dwords, `uint32`, which may be written.
    #[getter]
    fn lds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (wave, device) = match &self.source {
            Source::Alone(wave, device) => (wave, device),
            Source::Hooked(loan) => return loan.lds(py),
        };
        let (address, length) = {
            let mut wave = lone(py, wave, device)?;
            let lds = wave.lds_mut();
            (lds.as_mut_ptr() as usize, lds.len())
        };
        let owner = Box::new(wave.clone());
        // SAFETY: the LDS is never moved, and lives as long as the wave.
        unsafe { Memory::view(py, address, &[length], "<u4", true, owner) }
    }
}

/// Checks the number of a scalar register.
fn check_sgpr(py: Python<'_>, number: usize) -> PyResult<()> {
    if number < 106 {
        return Ok(());
    }
    let sentence =
        format!("there is no s{number}: SGPRs are s0 to s105; vcc, m0 and exec have names");
    Err(argument_error(py, sentence))
}
