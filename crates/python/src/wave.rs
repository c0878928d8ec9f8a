//! A wave that Python steps.

use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wavetank::LoneWave;

use crate::assembly::Assembly;
use crate::device::Device;
use crate::error::{argument_error, error, raised};
use crate::registers::{Registers, Source, lone};
use crate::shared::Shared;

/// A wave of a device: `Wave(device, code, lds=0)`. It begins at the first instruction of `code`, which is assembled source, a text to
/// be assembled, or plain bytes. Registers are 0, and all 64 lanes are active.
///
/// >>> import wavetank as wt
/// >>> wave = wt.Wave(wt.Device("gfx906"), "v_add_u32 v0, v0, v0\ns_endpgm")
/// >>> wave.vgpr(0)[:] = range(64)
/// >>> wave.step()
/// True
/// >>> wave.vgpr(0)[:4]
/// array([0, 2, 4, 6], dtype=uint32)
/// >>> wave.next
/// 's_endpgm'
#[pyclass(frozen, extends = Registers, module = "wavetank")]
pub(crate) struct Wave {
    wave: Arc<Mutex<LoneWave>>,
    device: Arc<Shared>,
    start: u64,
}

impl Wave {
    /// Locks the wave, if its device is there.
    fn get(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, LoneWave>> {
        lone(py, &self.wave, &self.device)
    }
}

/// Returns the plain code of an object.
fn code_of(code: &Bound<'_, PyAny>, chip: wavetank::Chip) -> PyResult<Vec<u8>> {
    let py = code.py();
    if let Ok(text) = code.extract::<String>() {
        let options = wavetank_asm::Options::new(chip);
        let code = wavetank_asm::assemble_code("the source", &text, &options);
        return code.map_err(|errors| crate::error::assembly_error(py, &errors));
    }
    if let Ok(assembly) = code.cast::<Assembly>() {
        return assembly.get().code_for(py, chip);
    }
    let bytes = code.extract::<Vec<u8>>();
    bytes.map_err(|_| {
        argument_error(
            py,
            "a wave takes a source, the result of wavetank.asm, or bytes",
        )
    })
}

#[pymethods]
impl Wave {
    #[new]
    #[pyo3(signature = (device, code, *, lds = 0))]
    fn new(
        py: Python<'_>,
        device: &Device,
        code: &Bound<'_, PyAny>,
        lds: u32,
    ) -> PyResult<PyClassInitializer<Wave>> {
        let inner = device.shared.get(py)?;
        let code = code_of(code, inner.chip())?;
        let wave = LoneWave::of_code(&inner, &code, lds).map_err(|e| raised(py, &e))?;
        let start = wave.wave().uniform().pc;
        let wave = Arc::new(Mutex::new(wave));
        let device = device.shared.clone();
        let source = Source::Alone(wave.clone(), device.clone());
        let this = Wave {
            wave,
            device,
            start,
        };
        Ok(PyClassInitializer::from(Registers { source }).add_subclass(this))
    }

    /// The distance of the next instruction from the start of the code, in bytes.
    #[getter]
    fn pc(&self, py: Python<'_>) -> PyResult<i64> {
        let pc = self.get(py)?.wave().uniform().pc;
        Ok(pc.wrapping_sub(self.start) as i64)
    }

    #[setter]
    fn set_pc(&self, py: Python<'_>, value: i64) -> PyResult<()> {
        let pc = self.start.wrapping_add(value as u64);
        self.get(py)?.wave_mut().uniform_mut().pc = pc;
        Ok(())
    }

    /// The text of the next instruction; `None` where there is none.
    #[getter]
    fn next(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let inst = self.get(py)?.next_instruction();
        Ok(inst.map(|inst| inst.to_string()))
    }

    /// Whether the wave has ended.
    #[getter]
    fn ended(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.get(py)?.has_ended())
    }

    /// Executes the next instruction. Returns whether the wave goes on: `False` after its end.
    ///
    /// Raises `wavetank.Error` for a fault; the instruction has changed nothing then.
    fn step(&self, py: Python<'_>) -> PyResult<bool> {
        let mut wave = self.get(py)?;
        let stopped = wave.step();
        stopped.map_err(|stopped| error(py, stopped.sentence))?;
        Ok(!wave.has_ended())
    }

    /// Executes instructions until `until` is next: a distance from the start of the code, or a function of the wave that returns
    /// whether to stop. Without it, to the end. Stops after `most` instructions. Returns the number of executed instructions.
    #[pyo3(signature = (until = None, most = 1_000_000))]
    fn run(this: &Bound<'_, Self>, until: Option<&Bound<'_, PyAny>>, most: u64) -> PyResult<u64> {
        let (py, wave) = (this.py(), this.get());
        let at: Option<i64> = until.and_then(|until| until.extract().ok());
        if let Some(until) = until.filter(|until| at.is_none() && !until.is_callable()) {
            let class = until.get_type().name()?;
            let sentence = format!("until is an address or a function, not `{class}`");
            return Err(argument_error(py, sentence));
        }
        for count in 0..most {
            let ends = match (at, until) {
                (Some(at), _) => wave.pc(py)? == at,
                (None, Some(until)) => until.call1(PyTuple::new(py, [this])?)?.is_truthy()?,
                (None, None) => false,
            };
            if wave.ended(py)? || ends {
                return Ok(count);
            }
            wave.step(py)?;
            // Ctrl+C ends a loop.
            if count % 1024 == 0 {
                py.check_signals()?;
            }
        }
        Ok(most)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let next = self.next(py)?.unwrap_or_else(|| "nothing".to_owned());
        let (pc, exec) = (self.pc(py)?, self.get(py)?.wave().exec());
        Ok(format!("Wave(pc={pc:#x}: {next}, exec={exec:#018x})"))
    }

    /// The vector registers that are not 0, with a colour for each value.
    fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
        let head = this.get().__repr__(this.py())?;
        this.as_super().get().html(this.py(), &head)
    }
}
