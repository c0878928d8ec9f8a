//! A wave that Python steps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wavetank::{LoneWave, Module};
use wavetank_gcn::decode;

use crate::array::Array;
use crate::assembly::Assembly;
use crate::device::Device;
use crate::error::{argument_error, error, raised};
use crate::host_array::Memory;
use crate::html;
use crate::shared::Shared;

/// The bytes of a vector register.
const VECTOR_BYTES: usize = 256;

/// Codes of scalar registers (Vega ISA, 13.1), and the number of MODE among hardware registers.
const VCC: u8 = 106;
const M0: usize = 124;
const EXEC: u8 = 126;
const MODE: usize = 1;

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
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Wave {
    wave: Arc<Mutex<LoneWave>>,
    device: Arc<Shared>,
    start: u64,
}

impl Wave {
    /// Locks the wave, if its device is there.
    fn get(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, LoneWave>> {
        self.device.get(py)?;
        Ok(self.wave.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the 64-bit value of a pair of scalar registers.
    fn pair(&self, py: Python<'_>, register: u8) -> PyResult<u64> {
        Ok(self.get(py)?.wave().s64(register))
    }

    fn set_pair(&self, py: Python<'_>, register: u8, value: u64) -> PyResult<()> {
        self.get(py)?.wave_mut().set_s64(register, value);
        Ok(())
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
    fn new(py: Python<'_>, device: &Device, code: &Bound<'_, PyAny>, lds: u32) -> PyResult<Wave> {
        let inner = device.shared.get(py)?;
        let most = wavetank::numbers::lds_of_group(inner.chip().generation());
        if lds > most {
            let sentence = format!("a work-group has at most {most} bytes of LDS, not {lds}");
            return Err(argument_error(py, sentence));
        }
        let code = code_of(code, inner.chip())?;
        let module: Module = inner.load_code(&code).map_err(|e| raised(py, &e))?;
        let (start, _) = module
            .symbol("main")
            .ok_or_else(|| error(py, "there is no code"))?;
        Ok(Wave {
            wave: Arc::new(Mutex::new(LoneWave::new(&module, start, lds))),
            device: device.shared.clone(),
            start,
        })
    }

    /// Returns a vector register as a view of its 64 lanes, `uint32`, which may be written.
    fn vgpr<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        self.lanes(py, number, 0)
    }

    /// Returns an accumulation register of CDNA as a view of its 64 lanes, `uint32`, which may be written.
    fn agpr<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        self.lanes(py, number, 256)
    }

    /// Returns a scalar register.
    fn sgpr(&self, py: Python<'_>, number: usize) -> PyResult<u32> {
        check_sgpr(py, number)?;
        Ok(self.get(py)?.wave().uniform().s[number])
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
        self.get(py)?.wave_mut().uniform_mut().s[number] = bits;
        Ok(())
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
        Ok(self.get(py)?.wave().uniform().scc)
    }

    #[setter]
    fn set_scc(&self, py: Python<'_>, value: bool) -> PyResult<()> {
        self.get(py)?.wave_mut().uniform_mut().scc = value.into();
        Ok(())
    }

    /// The memory register M0.
    #[getter]
    fn m0(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(self.get(py)?.wave().uniform().s[M0])
    }

    #[setter]
    fn set_m0(&self, py: Python<'_>, value: u32) -> PyResult<()> {
        self.get(py)?.wave_mut().uniform_mut().s[M0] = value;
        Ok(())
    }

    /// The mode register: rounding, denormals, exceptions.
    #[getter]
    fn mode(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(self.get(py)?.wave().uniform().hw[MODE])
    }

    #[setter]
    fn set_mode(&self, py: Python<'_>, value: u32) -> PyResult<()> {
        self.get(py)?.wave_mut().uniform_mut().hw[MODE] = value;
        Ok(())
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
        let wave = self.get(py)?;
        let device = wave.module().device();
        let pc = wave.wave().uniform().pc;
        let mut bytes = [0; 16];
        // The last instruction may be shorter than what is read.
        let read = [16, 12, 8, 4].into_iter().find(|length| {
            let part = &mut bytes[..*length];
            device.registry().read(pc, part).is_ok()
        });
        let inst = read.map(|length| decode(&bytes[..length], device.chip()));
        Ok(inst.and_then(|inst| inst.ok()).map(|inst| inst.to_string()))
    }

    /// Whether the wave has ended.
    #[getter]
    fn ended(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.get(py)?.has_ended())
    }

    /// The LDS as a view of its dwords, `uint32`, which may be written.
    #[getter]
    fn lds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (address, length) = {
            let mut wave = self.get(py)?;
            let lds = wave.lds_mut();
            (lds.as_mut_ptr() as usize, lds.len())
        };
        let owner = Box::new(self.wave.clone());
        // SAFETY: the LDS is never moved, and lives as long as the wave.
        unsafe { Memory::view(py, address, &[length], "<u4", true, owner) }
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
        let (pc, exec) = (self.pc(py)?, self.exec(py)?);
        Ok(format!("Wave(pc={pc:#x}: {next}, exec={exec:#018x})"))
    }

    /// The vector registers that are not 0, with a colour for each value.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let head = html::escaped(&self.__repr__(py)?);
        let wave = self.get(py)?;
        let exec = wave.wave().exec();
        let rows: String = (0..256)
            .map(|n| (n, wave.wave().vgpr(n)))
            .filter(|(_, lanes)| lanes.iter().any(|lane| *lane != 0))
            .map(|(n, lanes)| html::lanes(&format!("v{n}"), lanes, exec))
            .collect();
        Ok(format!(
            "<div class=\"wavetank-wave\"><p>{head}</p><table>{rows}</table></div>"
        ))
    }
}

impl Wave {
    /// Returns a view of a register of the vector file.
    fn lanes<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        first: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if number >= 256 {
            return Err(argument_error(
                py,
                format!("a wave has the registers 0 to 255, not {number}"),
            ));
        }
        let address = {
            let mut wave = self.get(py)?;
            let (_, lanes) = wave.wave_mut().raw();
            lanes as usize + VECTOR_BYTES * (first + number)
        };
        let owner = Box::new(self.wave.clone());
        // SAFETY: the register is in the vector file of a live wave, which a `LoneWave` does not grow, and the owner keeps. The view
        // is used by threads with the lock of the interpreter, which a step keeps.
        unsafe { Memory::view(py, address, &[64], "<u4", true, owner) }
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
