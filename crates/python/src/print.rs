//! What kernels print, to the streams of Python.

use pyo3::prelude::*;
use wavetank::Stream;

/// Writes a text of a kernel to `sys.stdout` or `sys.stderr`, which a program may have replaced.
pub(crate) fn to_python(stream: Stream, text: &str) {
    let name = match stream {
        Stream::Out => "stdout",
        Stream::Err => "stderr",
    };
    let written = Python::attach(|py| -> PyResult<()> {
        let stream = py.import("sys")?.getattr(name)?;
        stream.call_method1("write", (text,))?;
        Ok(())
    });
    // A stream that is closed, or is `None`, takes nothing.
    let _ = written;
}
