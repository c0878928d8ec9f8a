//! Devices: their settings, their end, and what is loaded and allocated on them.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use wavetank::instruction_set;

use crate::array::Array;
use crate::assembly::Assembly;
use crate::code_file::read_code;
use crate::error::{argument_error, raised};
use crate::host_memory::HostMemory;
use crate::module::Module;
use crate::observed::note_schedule;
use crate::shared::Shared;

/// An emulated GPU.
///
/// `chip` is a name of an instruction set (`gfx906`), LLVM's name of it (`fiji`) or a product (`mi50`). `threads` is the number of
/// threads that run work-groups: with 1, runs repeat bit for bit. `engine` is `auto`, `jit` or `interpreter`; `schedule` is `fair`,
/// `greedy`, `random` or `random:SEED`. With `memory`, another device, both access the same memory. What is not given is set by the
/// environment (`WAVETANK_THREADS` and others), or has its default. `strict` makes accesses beyond the LDS faults.
///
/// A device is a context manager: its arrays and kernels cannot be used after its end.
///
/// >>> import wavetank as wt
/// >>> with wt.Device("gfx906", threads=1) as gpu:
/// ...     gpu
/// Device('gfx906', threads=1)
/// >>> gpu.zeros(4)
/// Traceback (most recent call last):
/// wavetank.Error: the device has been closed
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Device {
    pub shared: Arc<Shared>,
    chip: &'static str,
    threads: usize,
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (chip = "gfx900", *, threads = None, engine = None, memory = None, schedule = None, strict = None))]
    fn new(
        py: Python<'_>,
        chip: &str,
        threads: Option<usize>,
        engine: Option<&str>,
        memory: Option<&Device>,
        schedule: Option<&str>,
        strict: Option<bool>,
    ) -> PyResult<Device> {
        let name = chip;
        let chip = instruction_set(name).map_err(|e| argument_error(py, e))?;
        let mut builder = wavetank::Device::builder(chip);
        if let Ok(product) = wavetank::ChipFacts::named(name) {
            builder = builder.product(product);
        }
        match threads {
            Some(0) => return Err(argument_error(py, "a device has at least 1 thread, not 0")),
            Some(threads) => builder = builder.threads(threads),
            None => {}
        }
        if let Some(engine) = engine {
            builder = builder.engine(engine.parse().map_err(|e| argument_error(py, e))?);
        }
        if let Some(schedule) = schedule {
            let schedule: wavetank::Schedule =
                schedule.parse().map_err(|e| argument_error(py, e))?;
            builder = builder.schedule(schedule);
        }
        if let Some(other) = memory {
            builder = builder.memory_of(&other.shared.get(py)?);
        }
        if let Some(strict) = strict {
            builder = builder.strict(strict);
        }
        let device = builder.build().map_err(|e| raised(py, &e))?;
        if schedule.is_none() {
            note_schedule(py, device.schedule())?;
        }
        Ok(Device {
            chip: device.chip().name(),
            threads: device.threads(),
            shared: Arc::new(Shared::new(device)),
        })
    }

    /// The name of the chip: `gfx906`.
    #[getter]
    fn chip(&self) -> &'static str {
        self.chip
    }

    /// The number of threads that run work-groups.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// The number of compute units of the chip, or of the product that was named.
    #[getter]
    fn compute_units(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(self.shared.get(py)?.compute_units())
    }

    /// The LDS that a work-group can have, in bytes.
    #[getter]
    fn lds(&self, py: Python<'_>) -> PyResult<u32> {
        let chip = self.shared.get(py)?.chip();
        Ok(wavetank::numbers::lds_of_group(chip.generation()))
    }

    /// Whether the device has been closed.
    #[getter]
    fn closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Ends the device. Its arrays and modules raise `wavetank.Error` afterwards; views of arrays keep their memory.
    fn close(&self) {
        self.shared.close();
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __exit__(
        &self,
        _class: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close();
    }

    fn __repr__(&self) -> String {
        format!("Device('{}', threads={})", self.chip, self.threads)
    }

    /// Loads code: the path or the bytes of a code object, an offload bundle or a host program, or the result of `wavetank.asm`.
    ///
    /// Findings name the code by its path, and look in its folder for files of source. `path` is another one: that of the program
    /// whose code the bytes are.
    ///
    /// Raises `wavetank.Error` for anything else, and for code without a part for the chip; `OSError` for a file that cannot be read.
    #[pyo3(signature = (code, *, path = None))]
    fn load(
        &self,
        py: Python<'_>,
        code: &Bound<'_, PyAny>,
        path: Option<PathBuf>,
    ) -> PyResult<Module> {
        let device = self.shared.get(py)?;
        if let Ok(assembly) = code.cast::<Assembly>() {
            let object = assembly.get().object_for(py, device.chip())?;
            let path = path.unwrap_or_else(|| PathBuf::from("the source"));
            return self.loaded(py, &device, &object, path);
        }
        let (bytes, own) = read_code(code)?;
        self.loaded(py, &device, &bytes, path.unwrap_or(own))
    }

    /// Copies an array, or what NumPy makes an array of, to the memory of the device.
    ///
    /// >>> import numpy as np, wavetank as wt
    /// >>> gpu = wt.Device("gfx906")
    /// >>> y = gpu.array(np.ones(4, np.float32))
    /// >>> np.asarray(y)[2] = 5  # a view: no copy
    /// >>> y.numpy()
    /// array([1., 1., 5., 1.], dtype=float32)
    #[pyo3(signature = (values, dtype = None))]
    fn array(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Array> {
        Array::copy_of(py, &self.shared, values, dtype)
    }

    /// Makes memory of the host accessible to kernels where it is, without a copy, and returns it as an argument for launches. `memory`
    /// is an array of NumPy, or a pair of address and size in bytes; then `owner` is an object that keeps that memory, and `writeable` says
    /// whether kernels may write it. `name` is for messages.
    ///
    /// >>> import numpy as np, wavetank as wt
    /// >>> gpu = wt.Device("gfx906")
    /// >>> x = np.zeros(64, np.uint32)
    /// >>> fill = gpu.load(wt.asm("""fill:
    /// ...     s_load_dwordx2 s[4:5], s[0:1], 0x0
    /// ...     v_lshlrev_b32 v1, 2, v0
    /// ...     s_waitcnt lgkmcnt(0)
    /// ...     global_store_dword v1, v0, s[4:5]
    /// ...     s_endpgm""", kernels=["fill(global u32* y)"]))["fill"]
    /// >>> with gpu.register(x, "x") as memory:
    /// ...     run = fill(memory, grid=64, block=64)
    /// >>> x[:4]
    /// array([0, 1, 2, 3], dtype=uint32)
    #[pyo3(signature = (memory, name = "memory of the host", *, owner = None, writeable = true))]
    fn register(
        &self,
        py: Python<'_>,
        memory: &Bound<'_, PyAny>,
        name: &str,
        owner: Option<&Bound<'_, PyAny>>,
        writeable: bool,
    ) -> PyResult<HostMemory> {
        HostMemory::new(py, &self.shared, memory, owner, name, writeable)
    }

    /// Allocates an array of zeros. `shape` is a number or a tuple; `dtype` is that of NumPy, float32 if it is not given.
    #[pyo3(signature = (shape, dtype = None))]
    fn zeros(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Array> {
        Array::zeros(py, &self.shared, shape, dtype)
    }

    /// Allocates an array for results. Its elements are 0, as those of `zeros`.
    #[pyo3(signature = (shape, dtype = None))]
    fn empty(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Array> {
        Array::zeros(py, &self.shared, shape, dtype)
    }
}

impl Device {
    fn loaded(
        &self,
        py: Python<'_>,
        device: &wavetank::Device,
        bytes: &[u8],
        path: PathBuf,
    ) -> PyResult<Module> {
        let module = py.detach(|| device.load(bytes));
        let module = module.map_err(|e| raised(py, &e))?;
        Ok(Module::new(module, self.shared.clone(), path))
    }
}
