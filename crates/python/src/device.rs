//! Devices: their settings, their end, and what is loaded and allocated on them.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use wavetank::instruction_set;

use crate::array::Array;
use crate::assembly::Assembly;
use crate::error::{argument_error, error, raised};
use crate::module::Module;

/// A device that others share: it may have been closed.
pub(crate) struct Shared {
    device: RwLock<Option<wavetank::Device>>,
    process: u32,
}

impl Shared {
    /// Returns the device.
    ///
    /// # Errors
    /// The device has been closed, or is of another process.
    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<wavetank::Device> {
        if self.process != std::process::id() {
            let sentence = "the device was made before a fork: make one in each process";
            return Err(error(py, sentence));
        }
        let device = self.device.read().unwrap_or_else(PoisonError::into_inner);
        device
            .clone()
            .ok_or_else(|| error(py, "the device has been closed"))
    }
}

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
        let chip = instruction_set(chip).map_err(|e| argument_error(py, e))?;
        let mut builder = wavetank::Device::builder(chip);
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
        Ok(Device {
            chip: device.chip().name(),
            threads: device.threads(),
            shared: Arc::new(Shared {
                device: RwLock::new(Some(device)),
                process: std::process::id(),
            }),
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

    /// Whether the device has been closed.
    #[getter]
    fn closed(&self) -> bool {
        let device = self.shared.device.read();
        device.unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Ends the device. Its arrays and modules raise `wavetank.Error` afterwards; views of arrays keep their memory.
    fn close(&self) {
        let device = self.shared.device.write();
        *device.unwrap_or_else(PoisonError::into_inner) = None;
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
    /// Raises `wavetank.Error` for anything else, and for code without a part for the chip; `OSError` for a file that cannot be read.
    fn load(&self, py: Python<'_>, code: &Bound<'_, PyAny>) -> PyResult<Module> {
        let device = self.shared.get(py)?;
        if let Ok(assembly) = code.cast::<Assembly>() {
            let object = assembly.get().object_for(py, device.chip())?;
            return self.loaded(py, &device, &object, PathBuf::from("the source"));
        }
        let (bytes, path) = read_code(code)?;
        self.loaded(py, &device, &bytes, path)
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

/// Returns code given by its bytes, or by the path of a file; with a name for findings.
pub(crate) fn read_code(code: &Bound<'_, PyAny>) -> PyResult<(Vec<u8>, PathBuf)> {
    let py = code.py();
    if let Ok(bytes) = code.cast::<PyBytes>() {
        return Ok((bytes.as_bytes().to_vec(), PathBuf::from("the bytes")));
    }
    let is_path = code.is_instance_of::<PyString>() || code.hasattr("__fspath__")?;
    if is_path {
        let path: PathBuf = code.extract()?;
        let bytes = py.detach(|| std::fs::read(&path));
        let bytes = bytes.map_err(|e| match e.raw_os_error() {
            // With a number, Python chooses the class: `FileNotFoundError`.
            Some(number) => PyOSError::new_err((number, e.to_string(), path.clone())),
            None => PyOSError::new_err(e.to_string()),
        })?;
        return Ok((bytes, path));
    }
    if let Ok(bytes) = code.extract::<Vec<u8>>()
        && !code.is_instance_of::<pyo3::types::PyList>()
    {
        return Ok((bytes, PathBuf::from("the bytes")));
    }
    let class = code.get_type().name()?.to_string();
    let sentence = format!("code is a path, bytes, or the result of wavetank.asm, not `{class}`");
    Err(argument_error(py, sentence))
}
