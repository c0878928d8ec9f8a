//! Assembly and disassembly of many rows, without an object of Python a row.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wavetank::Chip;
use wavetank_gcn::{decode, encode, print};

use crate::chip::chip_or_default;
use crate::error::argument_error;
use crate::host_array::{HostArray, array_of, numpy};

/// The fewest rows that a thread is started for.
const PIECE: usize = 4096;

/// The rows of a table: all bytes, and the offset of each row with that of the end.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    /// The ends of the rows.
    ends: Vec<i64>,
}

impl Rows {
    /// Ends a row.
    fn end(&mut self) {
        self.ends.push(self.bytes.len() as i64);
    }
}

/// Returns the bytes of an argument, which are copied: other threads may change them.
fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let py = object.py();
    if let Ok(text) = object.extract::<String>() {
        return Ok(text.into_bytes());
    }
    if let Ok(bytes) = object.cast::<pyo3::types::PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let wrong = || argument_error(py, "the rows are bytes, or an array of uint8 without gaps");
    let host = HostArray::of(object)?.ok_or_else(wrong)?;
    if host.item_size != 1 || !host.is_plain() {
        return Err(wrong());
    }
    Ok(host.bytes().to_vec())
}

/// Returns offsets of rows: rising, from the start to the end of the bytes.
fn offsets_of(object: &Bound<'_, PyAny>, length: usize) -> PyResult<Vec<usize>> {
    let py = object.py();
    let int64 = numpy(py)?.getattr("int64")?;
    let array = numpy(py)?.call_method1("ascontiguousarray", (object, int64))?;
    let wrong = || {
        let sentence = format!(
            "offsets are rising numbers from 0 to the {length} bytes there are, one more than rows"
        );
        argument_error(py, sentence)
    };
    let host = HostArray::of(&array)?
        .filter(HostArray::is_plain)
        .ok_or_else(wrong)?;
    let offsets: Vec<i64> = host
        .bytes()
        .chunks_exact(8)
        .map(|bytes| i64::from_le_bytes(bytes.try_into().unwrap_or_default()))
        .collect();
    let is_right = offsets.first() == Some(&0)
        && offsets.last() == Some(&(length as i64))
        && offsets.is_sorted();
    if !is_right {
        return Err(wrong());
    }
    Ok(offsets.into_iter().map(|offset| offset as usize).collect())
}

/// Makes rows of rows, by as many threads as there are processors.
fn map_rows(
    bytes: &[u8],
    offsets: &[usize],
    row: impl Fn(&[u8], &mut Vec<u8>) + Sync,
) -> Vec<Rows> {
    let count = offsets.len().saturating_sub(1);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let piece = count.div_ceil(processors).max(PIECE);
    let starts: Vec<usize> = (0..count).step_by(piece).collect();
    let make = |first: usize| {
        let mut rows = Rows::default();
        for n in first..(first + piece).min(count) {
            row(&bytes[offsets[n]..offsets[n + 1]], &mut rows.bytes);
            rows.end();
        }
        rows
    };
    std::thread::scope(|scope| {
        let make = &make;
        let running: Vec<_> = starts
            .into_iter()
            .map(|first| scope.spawn(move || make(first)))
            .collect();
        // A panic of a thread goes on in this one.
        let join = |thread: std::thread::ScopedJoinHandle<'_, Rows>| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        running.into_iter().map(join).collect()
    })
}

/// Returns pieces as two arrays: the bytes, `uint8`, and the offsets, `int64`.
fn joined<'py>(py: Python<'py>, pieces: &[Rows]) -> PyResult<Bound<'py, PyTuple>> {
    let mut bytes = Vec::with_capacity(pieces.iter().map(|piece| piece.bytes.len()).sum());
    let mut offsets = vec![0i64];
    for piece in pieces {
        let first = bytes.len() as i64;
        bytes.extend_from_slice(&piece.bytes);
        offsets.extend(piece.ends.iter().map(|end| first + end));
    }
    PyTuple::new(
        py,
        [
            array_of(py, &bytes, "uint8")?,
            array_of(py, &offsets, "int64")?,
        ],
    )
}

/// Disassembles many instructions. `code` has the bytes of all rows, `offsets` where each row begins, and the end.
///
/// Returns the texts in the same form: an array of `uint8`, and an array of offsets. A row that is not one instruction has an empty
/// text.
#[pyfunction]
#[pyo3(signature = (code, offsets, chip = None))]
pub(crate) fn dis_many<'py>(
    py: Python<'py>,
    code: &Bound<'py, PyAny>,
    offsets: &Bound<'py, PyAny>,
    chip: Option<&str>,
) -> PyResult<Bound<'py, PyTuple>> {
    let chip = chip_or_default(py, chip)?;
    let bytes = bytes_of(code)?;
    let offsets = offsets_of(offsets, bytes.len())?;
    let pieces = py.detach(|| map_rows(&bytes, &offsets, |row, out| disassemble(row, chip, out)));
    joined(py, &pieces)
}

/// Assembles many instructions. `text` has the lines of all rows, `offsets` where each row begins, and the end; without offsets, a
/// row is a line of the text.
///
/// Returns the bytes in the same form: an array of `uint8`, and an array of offsets. A row that is not an instruction has no bytes.
#[pyfunction]
#[pyo3(signature = (text, offsets = None, chip = None))]
pub(crate) fn asm_many<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    offsets: Option<&Bound<'py, PyAny>>,
    chip: Option<&str>,
) -> PyResult<Bound<'py, PyTuple>> {
    let chip = chip_or_default(py, chip)?;
    let bytes = bytes_of(text)?;
    let offsets = match offsets {
        Some(offsets) => offsets_of(offsets, bytes.len())?,
        None => line_offsets(&bytes),
    };
    let pieces = py.detach(|| map_rows(&bytes, &offsets, |row, out| assemble(row, chip, out)));
    joined(py, &pieces)
}

/// Returns the offsets of lines.
fn line_offsets(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let mut offsets = vec![0];
    offsets.extend(ends.map(|(n, _)| n + 1));
    if offsets.last() != Some(&bytes.len()) {
        offsets.push(bytes.len());
    }
    offsets
}

/// Appends the text of a row that is one instruction.
fn disassemble(row: &[u8], chip: Chip, out: &mut Vec<u8>) {
    let Ok(inst) = decode(row, chip) else { return };
    if usize::from(inst.len) == row.len() {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = print(&inst, &mut text);
        out.extend_from_slice(text.as_bytes());
    }
}

/// Appends the bytes of a row that is an instruction.
fn assemble(row: &[u8], chip: Chip, out: &mut Vec<u8>) {
    let text = std::str::from_utf8(row).unwrap_or_default().trim();
    let inst = wavetank_gcn::text::parse_quietly(text, chip, wavetank_gcn::Dialect::Llvm, 0);
    if let Some(code) = inst.and_then(|inst| encode(&inst).ok()) {
        out.extend_from_slice(code.as_bytes());
    }
}
