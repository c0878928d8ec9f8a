//! Code given to a function of Python: a path, or bytes.

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::error::argument_error;

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
        && !code.is_instance_of::<PyList>()
    {
        return Ok((bytes, PathBuf::from("the bytes")));
    }
    let class = code.get_type().name()?.to_string();
    let sentence = format!("code is a path, bytes, or the result of wavetank.asm, not `{class}`");
    Err(argument_error(py, sentence))
}
