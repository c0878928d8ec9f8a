//! Memory of this process that kernels access where it is, without a copy.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use wavetank::{Registration, Rights};

use crate::error::{argument_error, error};
use crate::host_array::HostArray;
use crate::shared::Shared;

/// Memory of the host that kernels of a device access, made by `Device.register`. It is registered until it is closed; it stands for a
/// pointer to its first byte in launches. It is a context manager.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct HostMemory {
    device: wavetank::Device,
    registration: Mutex<Option<Registration>>,
    address: u64,
    bytes: u64,
    /// Keeps the memory.
    _owner: Py<PyAny>,
}

impl HostMemory {
    /// Registers the memory of an array, or a pair of address and size that the owner keeps.
    pub(crate) fn new(
        py: Python<'_>,
        device: &Shared,
        memory: &Bound<'_, PyAny>,
        owner: Option<&Bound<'_, PyAny>>,
        name: &str,
        may_be_written: bool,
    ) -> PyResult<HostMemory> {
        let device = device.get(py)?;
        // The pair first: a tuple that is asked for the array interface answers with an exception.
        let pair = memory.extract::<(u64, u64)>().ok().zip(owner);
        let (address, bytes, writeable) = match pair {
            Some(((address, bytes), _)) => (address, bytes, may_be_written),
            None => match HostArray::of(memory)? {
                Some(array) if array.is_plain() && array.kind != b'O' => (
                    array.address() as u64,
                    array.len() as u64,
                    array.is_writeable(),
                ),
                Some(_) => {
                    let sentence = "the array is not plain: its elements are not side by side, or are Python objects; copy it with numpy.ascontiguousarray";
                    return Err(argument_error(py, sentence));
                }
                None => {
                    let sentence = "only an array of the host can be registered, or a pair of address and size with `owner=`, the object that keeps the memory";
                    return Err(argument_error(py, sentence));
                }
            },
        };
        let rights = if writeable {
            Rights::ReadWrite
        } else {
            Rights::Read
        };
        let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: the owner, an array or what the caller names, keeps the memory mapped until this object is dropped, which
        // unregisters it; an array says whether it may be written.
        let made = unsafe { device.registry().register(name, pointer, bytes, rights) };
        let registration = made.map_err(|e| error(py, e))?;
        Ok(HostMemory {
            device,
            registration: Mutex::new(Some(registration)),
            address,
            bytes,
            _owner: owner.unwrap_or(memory).clone().unbind(),
        })
    }

    /// Returns the address for a launch on a device.
    ///
    /// # Errors
    /// The memory has been closed, or is registered on a device with other memory.
    pub(crate) fn address_on(&self, device: &wavetank::Device) -> Result<u64, &'static str> {
        if self.lock().is_none() {
            return Err("was given memory that has been closed");
        }
        if !std::ptr::eq(self.device.registry(), device.registry()) {
            return Err("was given memory that is registered on another device");
        }
        Ok(self.address)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Registration>> {
        let registration = self.registration.lock();
        registration.unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the registration. It waits for waves that use the memory, and other threads of Python run meanwhile.
    fn end(&self, py: Python<'_>) {
        let registration = self.lock().take();
        if let Some(registration) = registration {
            // The registration exists, and is ended once.
            let _ = py.detach(|| self.device.registry().unregister(registration));
        }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        Python::attach(|py| self.end(py));
    }
}

#[pymethods]
impl HostMemory {
    /// The address of the first byte, for the host and for kernels.
    #[getter]
    fn address(&self) -> u64 {
        self.address
    }

    /// The size in bytes.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it has been closed.
    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    /// Ends the registration: kernels cannot access the memory any more. A second call does nothing.
    fn close(&self, py: Python<'_>) {
        self.end(py);
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __exit__(
        &self,
        class: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.end(class.py());
    }

    fn __repr__(&self) -> String {
        format!("HostMemory({:#x}, {} bytes)", self.address, self.bytes)
    }
}
