//! `printf`: a format with its arguments as device code sends them.

use std::ffi::{CStr, CString, c_char, c_int};

/// The largest width or precision.
const WIDEST: i64 = 4096;

/// The quadwords of a message after its control word: the format, then each argument. A text takes whole quadwords with a 0 at
/// its end, a number one.
struct Data<'d>(&'d [u64]);

impl Data<'_> {
    fn number(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let bytes = self.number()?.to_le_bytes();
            let end = bytes.iter().position(|byte| *byte == 0);
            text.extend_from_slice(&bytes[..end.unwrap_or(8)]);
            if end.is_some() {
                return Some(text);
            }
        }
    }
}

/// Returns the text of a format and its arguments, as C prints it. A conversion that C does not have, or that has no argument, stays
/// as it is.
pub(super) fn formatted(data: &[u64]) -> Vec<u8> {
    let mut data = Data(data);
    let Some(format) = data.text() else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut rest = &format[..];
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let (length, converted) = convert(rest, &mut data);
        match converted {
            Some(text) => out.extend(text),
            None => out.extend_from_slice(&rest[..length]),
        }
        rest = &rest[length..];
    }
    out.extend_from_slice(rest);
    out
}

/// Converts the argument of the conversion at the start of a format. Returns the length of the conversion, and the text if there is
/// one.
fn convert(format: &[u8], data: &mut Data<'_>) -> (usize, Option<Vec<u8>>) {
    let mut at = 1;
    let mut specification = b"%".to_vec();
    while let Some(flag) = format.get(at).filter(|byte| b"-+ #0".contains(byte)) {
        specification.push(*flag);
        at += 1;
    }
    number_or_argument(format, &mut at, &mut specification, data);
    if format.get(at) == Some(&b'.') {
        let before = specification.len();
        specification.push(b'.');
        at += 1;
        number_or_argument(format, &mut at, &mut specification, data);
        // A negative precision is none.
        if specification.get(before + 1) == Some(&b'-') {
            specification.truncate(before);
        }
    }
    let first = at;
    while format.get(at).is_some_and(|byte| b"hljztL".contains(byte)) {
        at += 1;
    }
    let size = &format[first..at];
    let Some(conversion) = format.get(at).copied() else {
        return (format.len(), None);
    };
    let text = print(specification, size, conversion, data);
    (at + 1, text)
}

/// Adds a width or precision to a specification: a number, or `*`, which is an argument.
fn number_or_argument(format: &[u8], at: &mut usize, to: &mut Vec<u8>, data: &mut Data<'_>) {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        let number = data.number().unwrap_or(0) as i32;
        let number = i64::from(number).clamp(-WIDEST, WIDEST);
        to.extend_from_slice(number.to_string().as_bytes());
        return;
    }
    let digits = format[*at..].iter().take_while(|b| b.is_ascii_digit());
    let count = digits.count();
    let text = std::str::from_utf8(&format[*at..*at + count]).unwrap_or("");
    if count > 0 {
        let number = text.parse().unwrap_or(WIDEST).min(WIDEST);
        to.extend_from_slice(number.to_string().as_bytes());
    }
    *at += count;
}

/// Prints an argument with the C library.
fn print(
    mut specification: Vec<u8>,
    size: &[u8],
    conversion: u8,
    data: &mut Data<'_>,
) -> Option<Vec<u8>> {
    let mut with = |size: &[u8]| {
        specification.extend_from_slice(size);
        specification.push(conversion);
        CString::new(std::mem::take(&mut specification)).ok()
    };
    match conversion {
        b'%' => Some(b"%".to_vec()),
        b'd' | b'i' => {
            let value = signed(data.number()?, size);
            let format = with(b"ll")?;
            // SAFETY: the format has one conversion, of a `long long`.
            Some(printed(|to, room| unsafe {
                libc::snprintf(to, room, format.as_ptr(), value)
            }))
        }
        b'u' | b'o' | b'x' | b'X' => {
            let value = unsigned(data.number()?, size);
            let format = with(b"ll")?;
            // SAFETY: the format has one conversion, of an `unsigned long long`.
            Some(printed(|to, room| unsafe {
                libc::snprintf(to, room, format.as_ptr(), value)
            }))
        }
        b'c' => {
            let value = data.number()? as c_int;
            let format = with(b"")?;
            // SAFETY: the format has one conversion, of an `int`.
            Some(printed(|to, room| unsafe {
                libc::snprintf(to, room, format.as_ptr(), value)
            }))
        }
        b'p' => {
            let value = data.number()?;
            let pointer = std::ptr::without_provenance::<c_char>(value as usize);
            let format = with(b"")?;
            // SAFETY: the format has one conversion, of a pointer that is not followed.
            Some(printed(|to, room| unsafe {
                libc::snprintf(to, room, format.as_ptr(), pointer)
            }))
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(data.number()?);
            let format = with(b"")?;
            // SAFETY: the format has one conversion, of a `double`.
            Some(printed(|to, room| unsafe {
                libc::snprintf(to, room, format.as_ptr(), value)
            }))
        }
        b's' => {
            let value = CString::new(data.text()?).ok()?;
            let format = with(b"")?;
            // SAFETY: the format has one conversion, of a text that ends with 0.
            Some(printed(|to, room| unsafe {
                libc::snprintf(to, room, format.as_ptr(), value.as_ptr())
            }))
        }
        _ => None,
    }
}

/// An integer of the size that a conversion says, as device code extends it to 64 bits.
fn signed(value: u64, size: &[u8]) -> i64 {
    match size {
        b"" => i64::from(value as i32),
        b"h" => i64::from(value as i16),
        b"hh" => i64::from(value as i8),
        _ => value as i64,
    }
}

fn unsigned(value: u64, size: &[u8]) -> u64 {
    match size {
        b"" => u64::from(value as u32),
        b"h" => u64::from(value as u16),
        b"hh" => u64::from(value as u8),
        _ => value,
    }
}

/// Returns what a call of `snprintf` writes; it is called again if there was no room.
fn printed(call: impl Fn(*mut c_char, usize) -> c_int) -> Vec<u8> {
    let mut text = vec![0u8; 64];
    for _ in 0..2 {
        let length = call(text.as_mut_ptr().cast(), text.len()).max(0) as usize;
        if length < text.len() {
            break;
        }
        text.resize(length + 1, 0);
    }
    let text = CStr::from_bytes_until_nul(&text);
    text.map_or_else(|_| Vec::new(), |text| text.to_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quadwords of a text.
    fn text(text: &str) -> Vec<u64> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let quads = bytes.chunks_exact(8);
        quads
            .map(|quad| u64::from_le_bytes(quad.try_into().unwrap()))
            .collect()
    }

    fn of(format: &str, arguments: &[u64]) -> String {
        let data = [text(format), arguments.to_vec()].concat();
        String::from_utf8(formatted(&data)).unwrap()
    }

    /// The texts are those of the C standard's descriptions of the conversions.
    #[test]
    fn conversions_are_those_of_c() {
        let minus = -5i64 as u64;
        for (format, arguments, expected) in [
            ("plain\n", &[][..], "plain\n"),
            ("100%%", &[], "100%"),
            ("%d %i", &[minus, 7], "-5 7"),
            // Device code extends an unsigned 32-bit number with zeros.
            ("%d", &[0xffff_fffb], "-5"),
            ("%u %x %X %o", &[!0, 255, 255, 8], "4294967295 ff FF 10"),
            (
                "%llu %lx",
                &[!0, !0],
                "18446744073709551615 ffffffffffffffff",
            ),
            ("%hhd %hd %hhu", &[0x1ff, 0x1_8000, 0x1ff], "-1 -32768 255"),
            (
                "[%5d|%-5d|%05d|%+d]",
                &[42, 42, 42, 42],
                "[   42|42   |00042|+42]",
            ),
            (
                "[%*d|%.*f]",
                &[6, 42, 2, 2.71f64.to_bits()],
                "[    42|2.71]",
            ),
            (
                "%f %e %g",
                &[1.5f64.to_bits(), 1.5f64.to_bits(), 1e10f64.to_bits()],
                "1.500000 1.500000e+00 1e+10",
            ),
            ("[%*d|%.*d]", &[-6i64 as u64, 42, minus, 7], "[42    |7]"),
            ("%a", &[1.0f64.to_bits()], "0x1p+0"),
            ("%c%c", &[b'o' as u64, b'k' as u64], "ok"),
            ("%p", &[0x1234], "0x1234"),
            ("%zu %jd", &[3, minus], "3 -5"),
        ] {
            assert_eq!(of(format, arguments), expected, "{format}");
        }
    }

    #[test]
    fn texts_are_among_the_arguments() {
        let arguments = [text("a long text of 25 letters"), vec![9], text("")].concat();
        let expected = "<a long text of 25 letters> 9 <>";
        assert_eq!(of("<%s> %d <%s>", &arguments), expected);
        assert_eq!(
            of("%.3s|%10s", &[text("abcdef"), text("xy")].concat()),
            "abc|        xy"
        );
        assert_eq!(of(&"x".repeat(300), &[]), "x".repeat(300));
    }

    #[test]
    fn wrong_formats_stay() {
        for format in ["%", "%d", "%k", "%5", "%-", "%n", "%.", "%ll", "a%s"] {
            assert_eq!(of(format, &[]), format);
        }
        assert_eq!(of("%n%d", &[3]), "%n3");
        assert_eq!(of("%*d", &[u64::MAX >> 1, 5]).len(), 1);
        assert_eq!(of("%999999999d", &[5]).len(), WIDEST as usize);
        assert_eq!(formatted(&[]), b"");
        assert_eq!(formatted(&[!0]), b"");
    }
}
