//! The text form of kernel arguments.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use wavetank::Arg;
use wavetank_quote::plain;

use super::element::{Element, integer};
use crate::host;

/// A parsed `--arg` of a launch.
#[derive(Clone, Debug)]
pub(super) enum Spec {
    From(Source),
    Out(PathBuf, Content),
    InOut(PathBuf, PathBuf),
    Print(Element, Shape),
    Lds(u32),
    Scalar(Arg),
}

/// The source of a buffer's contents.
#[derive(Clone, Debug)]
pub(super) enum Source {
    In(PathBuf),
    Rand(Element, u64, u64),
    Iota(Element, u64),
    Zero(u64),
}

/// The elements of a printed buffer: `640`, or `40x16` for 16 rows of 40.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub count: u64,
    /// The elements of a row, if they are given.
    pub row: Option<u64>,
}

impl Shape {
    /// Parses the shape of a buffer of elements.
    fn parse(element: &str, text: &str) -> Result<(Element, Shape), String> {
        // A number may have an `x` as well: 0x10.
        let sides = text.split_once('x').filter(|_| integer(text).is_err());
        let Some((row, rows)) = sides else {
            let (element, count) = elements(element, text)?;
            return Ok((element, Shape { count, row: None }));
        };
        let (row, rows) = (size(row)?, size(rows)?);
        if row == 0 {
            return Err(format!("the rows of {text} have no elements"));
        }
        let count = row.checked_mul(rows);
        let count = count.ok_or_else(|| format!("{text} elements are too many"))?;
        let (element, count) = elements(element, &count.to_string())?;
        let row = Some(row);
        Ok((element, Shape { count, row }))
    }
}

/// The contents of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    Bytes(u64),
    Elements(Element, u64),
}

impl Content {
    /// Returns the size in bytes. The numbers of elements have been checked.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Content::Bytes(bytes) => bytes,
            Content::Elements(element, count) => element.size() * count,
        }
    }
}

impl Spec {
    /// Parses an argument. Paths need not be UTF-8; everything else must be.
    pub(super) fn parse(text: &OsStr) -> Result<Spec, String> {
        let bytes = host::bytes_of(text);
        let colon = bytes.iter().position(|b| *b == b':');
        let (kind, rest) = bytes.split_at(colon.unwrap_or(bytes.len()));
        let rest = rest.strip_prefix(b":").unwrap_or(rest);
        match kind {
            b"in" if colon.is_some() => Ok(Spec::From(Source::In(path(rest)?))),
            b"out" if colon.is_some() => out(rest),
            b"inout" if colon.is_some() => {
                let (from, to) = last_part(rest).ok_or("write inout:PATH:OUTPATH")?;
                Ok(Spec::InOut(path(from)?, path(to)?))
            }
            _ => {
                let text = std::str::from_utf8(bytes);
                Spec::without_path(text.map_err(|_| "it is not UTF-8".to_owned())?)
            }
        }
    }

    /// Parses an argument without a path.
    fn without_path(text: &str) -> Result<Spec, String> {
        let (kind, rest) = text.split_once(':').ok_or_else(|| unknown(text))?;
        match kind {
            "print" => match fields(rest).as_slice() {
                [element, shape] => {
                    let (element, shape) = Shape::parse(element, shape)?;
                    Ok(Spec::Print(element, shape))
                }
                _ => Err("write print:TYPE:N or print:TYPE:COLUMNSxROWS".to_owned()),
            },
            "rand" => rand(rest),
            "iota" => match fields(rest).as_slice() {
                [element, count] => {
                    let (element, count) = elements(element, count)?;
                    Ok(Spec::From(Source::Iota(element, count)))
                }
                _ => Err("write iota:TYPE:N".to_owned()),
            },
            "zero" => Ok(Spec::From(Source::Zero(size(rest)?))),
            "lds" => {
                let bytes = size(rest)?;
                let bytes = bytes.try_into();
                Ok(Spec::Lds(bytes.map_err(|_| {
                    format!("{rest} bytes of LDS are too many")
                })?))
            }
            "bytes" => {
                let problem = "write bytes:HEX, with two digits for each byte";
                let bytes = hex_bytes(rest).ok_or(problem)?;
                Ok(Spec::Scalar(Arg::Bytes(bytes)))
            }
            name => {
                let element = Element::from_name(name).ok_or_else(|| unknown(name))?;
                Ok(Spec::Scalar(element.argument(rest)?))
            }
        }
    }
}

fn unknown(kind: &str) -> String {
    let kind = plain(kind);
    format!(
        "`{kind}` is none of in, out, inout, print, rand, iota, zero, bytes, lds, {}, each followed by a colon",
        type_names()
    )
}

/// Parses pairs of hexadecimal digits.
fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let bytes = pairs
        .iter()
        .map(|[a, b]| Some(digit(*a)? << 4 | digit(*b)?));
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    (rest.is_empty() && !bytes.is_empty()).then_some(bytes)
}

fn type_names() -> String {
    Element::ALL.map(Element::name).join(", ")
}

fn fields(text: &str) -> Vec<&str> {
    text.split(':').collect()
}

fn path(bytes: &[u8]) -> Result<PathBuf, String> {
    match bytes {
        b"" => Err("the path is missing".to_owned()),
        bytes => host::path_of(bytes)
            .map(Path::to_owned)
            .ok_or_else(|| "the path is no UTF-8 text".to_owned()),
    }
}

/// Splits at the last colon, because paths may have colons, too.
fn last_part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = bytes.iter().rposition(|b| *b == b':')?;
    Some((&bytes[..colon], &bytes[colon + 1..]))
}

fn out(bytes: &[u8]) -> Result<Spec, String> {
    const FORM: &str = "write out:PATH:BYTES or out:PATH:TYPE:N";
    let (front, last) = last_part(bytes).ok_or(FORM)?;
    let last = String::from_utf8_lossy(last);
    if let Some((name, element)) = last_part(front)
        && let Ok(element) = std::str::from_utf8(element)
        && Element::from_name(element).is_some()
    {
        let (element, count) = elements(element, &last)?;
        return Ok(Spec::Out(path(name)?, Content::Elements(element, count)));
    }
    let bytes = size(&last).map_err(|problem| format!("{problem}; {FORM}"))?;
    let path = path(front)?;
    if is_npy(&path) {
        Err(format!(
            "a .npy file needs a type: write out:{}:TYPE:N, with TYPE one of {}",
            plain(&path.to_string_lossy()),
            type_names()
        ))
    } else {
        Ok(Spec::Out(path, Content::Bytes(bytes)))
    }
}

fn rand(text: &str) -> Result<Spec, String> {
    let (element, count, seed) = match fields(text).as_slice() {
        [element, count] => (*element, *count, "0"),
        [element, count, seed] => (*element, *count, *seed),
        _ => return Err("write rand:TYPE:N or rand:TYPE:N:SEED".to_owned()),
    };
    let (element, count) = elements(element, count)?;
    Ok(Spec::From(Source::Rand(element, count, size(seed)?)))
}

/// Parses a type and a number of elements, whose total size must not overflow.
fn elements(element: &str, count: &str) -> Result<(Element, u64), String> {
    let unknown = || format!("`{element}` is none of {}", type_names());
    let element = Element::from_name(element).ok_or_else(unknown)?;
    let count_value = size(count)?;
    match count_value.checked_mul(element.size()) {
        Some(_) => Ok((element, count_value)),
        None => Err(format!("{count} elements are too many")),
    }
}

/// Parses a number that is not negative.
fn size(text: &str) -> Result<u64, String> {
    let value = integer(text)?;
    value.try_into().map_err(|_| format!("{text} is negative"))
}

/// Whether a path is that of a NumPy array.
pub(super) fn is_npy(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npy"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(spec: &str) -> String {
        format!("{:?}", Spec::parse(spec.as_ref()).unwrap())
    }

    /// On Linux and macOS a path is bytes.
    #[test]
    #[cfg(unix)]
    fn a_path_may_be_any_bytes() {
        use std::os::unix::ffi::OsStrExt;

        let spec = Spec::parse(OsStr::from_bytes(b"out:\xff:a:4")).unwrap();
        let Spec::Out(path, Content::Bytes(4)) = spec else {
            panic!("{spec:?}");
        };
        assert_eq!(path.as_os_str().as_bytes(), b"\xff:a");
    }

    #[test]
    fn every_form_is_read() {
        assert_eq!(text("in:a:b.bin"), r#"From(In("a:b.bin"))"#);
        assert_eq!(text("out:c.bin:0x10"), r#"Out("c.bin", Bytes(16))"#);
        assert_eq!(
            text("out:d:c.npy:f32:8"),
            r#"Out("d:c.npy", Elements(F32, 8))"#
        );
        assert_eq!(text("inout:a:b"), r#"InOut("a", "b")"#);
        let shape = |spec: &str| match Spec::parse(spec.as_ref()) {
            Ok(Spec::Print(Element::U8, Shape { count, row })) => (count, row),
            other => panic!("{other:?}"),
        };
        assert_eq!(shape("print:u8:3"), (3, None));
        assert_eq!(shape("print:u8:0x10"), (16, None));
        assert_eq!(shape("print:u8:40x16"), (640, Some(40)));
        assert_eq!(text("rand:f16:4"), "From(Rand(F16, 4, 0))");
        assert_eq!(text("rand:f16:4:7"), "From(Rand(F16, 4, 7))");
        assert_eq!(text("iota:i64:4"), "From(Iota(I64, 4))");
        assert_eq!(text("zero:100"), "From(Zero(100))");
        assert_eq!(text("lds:1024"), "Lds(1024)");
        assert_eq!(text("bytes:00fF7a"), "Scalar(Bytes([0, 255, 122]))");
        assert_eq!(text("i32:-5"), "Scalar(I32(-5))");
        assert_eq!(text("f64:1e300"), "Scalar(F64(1e300))");
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (spec, part) in [
            ("", "none of in, out"),
            ("1024", "none of in, out"),
            ("int:5", "`int` is none of"),
            ("in:", "path is missing"),
            ("out:c.bin", "out:PATH:BYTES"),
            ("out:c.bin:f32:x", "`x` is not an integer"),
            ("out:c.bin:many", "`many` is not an integer"),
            ("out:c.npy:100", "needs a type"),
            ("inout:a", "inout:PATH:OUTPATH"),
            ("inout:a:", "path is missing"),
            ("print:f32", "print:TYPE:N"),
            ("print:f31:1", "`f31` is none of i8"),
            ("print:f32:4xfour", "`four` is not an integer"),
            ("print:f32:1x1x1", "`1x1` is not an integer"),
            ("print:f32:00x4", "have no elements"),
            ("print:f64:4294967296x4294967296", "too many"),
            ("iota:f32:1:2", "iota:TYPE:N"),
            ("rand:f32:-1", "negative"),
            ("iota:f64:0x2000000000000000", "too many"),
            ("lds:4294967296", "too many"),
            ("bytes:", "bytes:HEX"),
            ("bytes:0", "bytes:HEX"),
            ("bytes:0x10", "bytes:HEX"),
            ("u8:-1", "does not fit"),
        ] {
            let problem = Spec::parse(spec.as_ref()).unwrap_err();
            assert!(problem.contains(part), "{spec}: {problem}");
        }
    }

    proptest! {
        #[test]
        fn texts_never_panic(text in "(in|out|inout|print|rand|iota|zero|lds|[iuf](8|16|32|64))(:[a-z0-9.-]{0,24}){0,4}") {
            let _ = Spec::parse(text.as_ref());
        }

        #[test]
        fn numbers_come_back(value: i64) {
            let spec = Spec::parse(format!("i64:{value}").as_ref()).unwrap();
            prop_assert!(matches!(spec, Spec::Scalar(Arg::I64(back)) if back == value));
        }
    }
}
