//! A device as its arrays and modules share it.

use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;

use crate::error::error;

/// A device that others share: it may have been closed.
pub(crate) struct Shared {
    device: RwLock<Option<wavetank::Device>>,
    process: u32,
}

impl Shared {
    pub(crate) fn new(device: wavetank::Device) -> Shared {
        Shared {
            device: RwLock::new(Some(device)),
            process: std::process::id(),
        }
    }

    /// Whether the device has been closed.
    pub(crate) fn is_closed(&self) -> bool {
        let device = self.device.read();
        device.unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Closes the device.
    pub(crate) fn close(&self) {
        let device = self.device.write();
        *device.unwrap_or_else(PoisonError::into_inner) = None;
    }

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
