//! Errors as exceptions of Python: the classes of `wavetank._errors`, with the sentence and its facts as attributes.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use wavetank::check::Place;
use wavetank::{Error, KernelFault, MachineFault};

/// The module of the classes.
const MODULE: &str = "wavetank._errors";

/// Returns an exception of the class `wavetank.Error`.
pub(crate) fn error(py: Python<'_>, sentence: impl ToString) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    of_class(&CLASS, "Error", py, sentence)
}

/// Returns an exception of the class `wavetank.ArgumentError`.
pub(crate) fn argument_error(py: Python<'_>, sentence: impl ToString) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    of_class(&CLASS, "ArgumentError", py, sentence)
}

/// Returns an exception of the class `wavetank.AssemblyError` for a source of GCN.
pub(crate) fn assembly_error(py: Python<'_>, errors: &wavetank_asm::Errors) -> PyErr {
    let lines = errors.0.iter().map(|line| {
        let before = line.text.get(..line.error.span.start);
        let column = 1 + before.unwrap_or(&line.text).chars().count();
        let message = line.error.message.clone();
        (line.number, column, message, line.text.clone())
    });
    wrong_lines(py, errors, lines.collect())
}

/// A wrong line: number, column, message, text.
type WrongLine = (usize, usize, String, String);

/// Returns an exception of the class `wavetank.AssemblyError`, with the wrong lines.
pub(crate) fn wrong_lines(py: Python<'_>, sentence: impl ToString, lines: Vec<WrongLine>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let error = of_class(&CLASS, "AssemblyError", py, sentence);
    with(py, error, "errors", lines)
}

/// Returns the exception for an error of the library.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    static FAULT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static TIMEOUT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match error {
        Error::Fault(fault) => {
            let error = of_class(&FAULT, "Fault", py, fault);
            of_fault(py, error, fault)
        }
        Error::Timeout(timeout) => {
            let error = of_class(&TIMEOUT, "Timeout", py, timeout);
            with(py, error, "kernel", &timeout.kernel)
        }
        Error::Arguments { .. }
        | Error::Grid { .. }
        | Error::GroupSize { .. }
        | Error::WaveLds { .. } => argument_error(py, error),
        other => self::error(py, other),
    }
}

/// Adds the facts of a fault.
fn of_fault(py: Python<'_>, error: PyErr, fault: &KernelFault) -> PyErr {
    let (lane, address) = match &fault.fault {
        MachineFault::Memory(memory) => (memory.lane, Some(memory.address)),
        MachineFault::Unsupported { .. } | MachineFault::Trap { .. } => (None, None),
    };
    let (file, line) = line_of(&fault.place);
    let error = with(py, error, "kernel", &fault.kernel);
    let error = with(py, error, "pc", fault.place.pc);
    let error = with(py, error, "file", file);
    let error = with(py, error, "line", line);
    let error = with(py, error, "lane", lane);
    let error = with(py, error, "address", address);
    let error = with(py, error, "instruction", fault.place.instruction.clone());
    let error = with(py, error, "group", fault.group.id.to_vec());
    with(py, error, "wave", fault.wave)
}

/// Returns file and line of a place, if they are known.
pub(crate) fn line_of(place: &Place) -> (Option<String>, Option<u32>) {
    let frame = place.source.own();
    (
        frame.map(|frame| frame.file.clone()),
        frame.and_then(|frame| frame.line),
    )
}

/// Returns the exception of a class with a sentence.
fn of_class(
    class: &'static PyOnceLock<Py<PyType>>,
    name: &str,
    py: Python<'_>,
    sentence: impl ToString,
) -> PyErr {
    let made = class
        .import(py, MODULE, name)
        .and_then(|class| class.call1((sentence.to_string(),)));
    // Without the package around this module, the import itself is the error.
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Sets an attribute of an exception.
pub(crate) fn with<'py>(
    py: Python<'py>,
    error: PyErr,
    name: &str,
    value: impl IntoPyObject<'py>,
) -> PyErr {
    // Instances of classes written in Python take any attribute.
    let _ = error.value(py).setattr(name, value);
    error
}
