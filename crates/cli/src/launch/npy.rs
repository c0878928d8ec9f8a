//! NumPy's array files: reading and writing.

use std::io::Write;

use npyz::{DType, Endianness, NpyFile, Order, TypeChar, WriteOptions, WriterBuilder};

/// The type and shape of an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub dtype: DType,
    pub shape: Vec<u64>,
}

impl Layout {
    /// Returns the layout of a list of numbers of a NumPy type such as `<f4`.
    pub(super) fn list(dtype: &str, len: u64) -> Result<Layout, String> {
        let dtype = dtype.parse().map_err(|error| format!("{dtype}: {error}"))?;
        Ok(Layout {
            dtype: DType::new_scalar(dtype),
            shape: vec![len],
        })
    }
}

/// Parses a file to the layout and the bytes of the array, which are in C order and little-endian.
pub(super) fn read(file: &[u8]) -> Result<(Layout, &[u8]), String> {
    if nested(file) {
        return Err(NO_NUMBERS.to_owned());
    }
    let array = NpyFile::new(file).map_err(|error| sentence(&error))?;
    let layout = Layout {
        dtype: array.header().dtype(),
        shape: array.header().shape().to_vec(),
    };
    let order = array.header().order();
    let data = array.into_inner();
    let DType::Plain(ty) = &layout.dtype else {
        return Err(NO_NUMBERS.to_owned());
    };
    let number = matches!(
        ty.type_char(),
        TypeChar::Bool | TypeChar::Int | TypeChar::Uint | TypeChar::Float | TypeChar::Complex
    );
    if !number {
        return Err(format!(
            "the .npy file holds elements of type {ty}; only arrays of numbers can be passed"
        ));
    }
    if ty.endianness() == Endianness::Big {
        return Err(
            "the .npy file is big-endian; convert it with `a.astype(a.dtype.newbyteorder('<'))`"
                .to_owned(),
        );
    }
    if order == Order::Fortran && layout.shape.len() > 1 {
        return Err(
            "the .npy file is in Fortran order; convert it with `numpy.ascontiguousarray`"
                .to_owned(),
        );
    }
    let item = ty.num_bytes().map(|bytes| bytes as u64);
    let bytes = layout
        .shape
        .iter()
        .fold(item, |all, side| all?.checked_mul(*side));
    match bytes {
        Some(bytes) if bytes == data.len() as u64 => Ok((layout, data)),
        Some(bytes) => Err(format!(
            "the .npy file is damaged: its header promises {bytes} bytes of data, and it has {}",
            data.len()
        )),
        None => {
            Err("the .npy file is damaged: its header promises more data than can be".to_owned())
        }
    }
}

const NO_NUMBERS: &str = "the .npy file is not an array of numbers, and only those can be passed";

/// Whether the header has more brackets than the outer ones and those of the shape. Records have more; and the parser takes
/// unlimited time for deep nesting.
fn nested(file: &[u8]) -> bool {
    let header = match file.get(..12) {
        Some(&[.., 1, _, low, high, _, _]) => (10, usize::from(u16::from_le_bytes([low, high]))),
        Some(&[.., b0, b1, b2, b3]) => (12, u32::from_le_bytes([b0, b1, b2, b3]) as usize),
        _ => return false,
    };
    let (start, len) = header;
    let header = file[start..].iter().take(len);
    header.filter(|byte| b"([{".contains(byte)).count() > 2
}

/// Returns the first line of the error; the parser of headers adds a picture of the place in further lines.
fn sentence(error: &std::io::Error) -> String {
    let text = error.to_string();
    let line = text.split(['\n', '\r']).next().unwrap_or("");
    let problem = line.split("-->").next().unwrap_or("");
    let problem = problem.trim_end_matches([' ', ':']);
    format!("not a usable .npy file: {problem}")
}

/// Writes an array as a file.
pub(super) fn write(mut to: impl Write, layout: &Layout, data: &[u8]) -> std::io::Result<()> {
    WriteOptions::new_header_only()
        .dtype(layout.dtype.clone())
        .shape(&layout.shape)
        .writer(&mut to)
        .write_header_only()?;
    to.write_all(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a file as in NumPy's format description (version 1.0): magic, version, header length, header, data.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let len = (10 + header.len() + 1).next_multiple_of(64) - 10;
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((len as u16).to_le_bytes());
        file.extend(format!("{header:<width$}\n", width = len - 1).bytes());
        file.extend(data);
        file
    }

    fn header(descr: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
    }

    #[test]
    fn arrays_are_read_and_written() {
        let data: Vec<u8> = (0..24).collect();
        let file = file(&header("<f4", "False", "(2, 3)"), &data);
        let (layout, read_data) = read(&file).unwrap();
        assert_eq!(
            (layout.shape.as_slice(), read_data),
            ([2, 3].as_slice(), data.as_slice())
        );
        let mut written = Vec::new();
        write(&mut written, &layout, read_data).unwrap();
        assert_eq!(read(&written).unwrap(), (layout, read_data));
    }

    #[test]
    fn what_cannot_be_passed_is_told() {
        for (descr, fortran, shape, part) in [
            ("<f4", "False", "(7,)", "promises 28 bytes"),
            (">f4", "False", "(6,)", "big-endian"),
            ("<f4", "True", "(2, 3)", "Fortran"),
            ("<U6", "False", "(1,)", "only arrays of numbers"),
            ("<f4", "False", "(9223372036854775807, 8)", "promises more"),
            ("nonsense", "False", "(1,)", "not a usable"),
        ] {
            let file = file(&header(descr, fortran, shape), &[0; 24]);
            let problem = read(&file).unwrap_err();
            assert!(problem.contains(part), "{descr} {shape}: {problem}");
        }
        let records = "[('a', '<f4')]";
        let text = format!("{{'descr': {records}, 'fortran_order': False, 'shape': (6,), }}");
        assert_eq!(read(&file(&text, &[0; 24])).unwrap_err(), NO_NUMBERS);
        let deep = format!("{{'descr': {}{}}}", "[".repeat(5000), "]".repeat(5000));
        assert_eq!(read(&file(&deep, &[])).unwrap_err(), NO_NUMBERS);
        let cut = file(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)",
            &[0; 24],
        );
        let problem = read(&cut).unwrap_err();
        assert!(problem.ends_with("syntax error"), "{problem}");
        assert!(read(b"").unwrap_err().contains("not a usable"));
        assert!(read(b"plain text").unwrap_err().contains("not a usable"));
    }

    proptest! {
        #[test]
        fn damaged_files_never_panic(at in 0..96usize, byte: u8, len in 0..152usize) {
            let mut file = file(&header("<f4", "False", "(2, 3)"), &[0; 24]);
            file[at] = byte;
            file.truncate(len);
            if let Ok((layout, data)) = read(&file) {
                prop_assert!(data.len() <= 24, "{layout:?}");
            }
        }

        #[test]
        fn headers_never_panic(header in "[{}()\\[\\]':,a-z0-9<>| -]{0,80}") {
            let _ = read(&file(&header, &[0; 24]));
        }
    }
}
