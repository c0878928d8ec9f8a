//! The syntax of numbers: integers, local labels and floats.

use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, Round};

/// Returns the length and value of a number at the beginning of a text: decimal, `0x…`, `0b…` or `0…` (octal). `None` if there is
/// no number or it exceeds 64 bits; floats and names of local labels (`1b`) do not count as numbers.
pub(super) fn integer(text: &str) -> Option<(usize, u64)> {
    let bytes = text.as_bytes();
    let run = |from: usize, radix: u32| {
        let digits = bytes.iter().skip(from);
        from + digits
            .take_while(|b| char::from(**b).is_digit(radix))
            .count()
    };
    let (start, radix) = match bytes {
        [b'0', b'x' | b'X', ..] if run(2, 16) > 2 => (2, 16),
        [b'0', b'b' | b'B', ..] if run(2, 2) > 2 => (2, 2),
        [b'0', b'0'..=b'9', ..] => (1, 8),
        [b'0'..=b'9', ..] => (0, 10),
        _ => return None,
    };
    let digits_end = run(start, radix);
    let end = digits_end + suffix(&bytes[digits_end..]);
    let after = bytes.get(end).copied().unwrap_or(b' ');
    if after.is_ascii_alphanumeric() || matches!(after, b'_' | b'.') {
        return None;
    }
    let value = u64::from_str_radix(&text[start..digits_end], radix).ok()?;
    Some((end, value))
}

/// Returns the length of a suffix of C's integers (`U`, `LL`, `ull`), which LLVM's assembler skips.
fn suffix(text: &[u8]) -> usize {
    let unsigned = usize::from(matches!(text, [b'u' | b'U', ..]));
    let long = text[unsigned..].iter().take(2);
    unsigned + long.take_while(|b| matches!(b, b'l' | b'L')).count()
}

/// Parses a reference to a local label, `1b` or `12f`; returns its length, its number, and whether the label stands before.
pub(super) fn local_label(text: &str) -> Option<(usize, u64, bool)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = *text.as_bytes().get(digits)?;
    let after = text.as_bytes().get(digits + 1).copied().unwrap_or(b' ');
    let ends = !after.is_ascii_alphanumeric() && after != b'_';
    let number = text[..digits].parse().ok()?;
    (ends && matches!(mark, b'b' | b'f')).then_some((digits + 1, number, mark == b'b'))
}

/// Parses a float as in `.double`; also `inf`, `infinity` and `nan`, in any case and with a sign.
pub(crate) fn float(text: &str) -> Option<f64> {
    let plain = text.trim_start_matches(['+', '-']);
    if text.len() - plain.len() > 1 {
        return None;
    }
    if is_hexadecimal(plain) {
        return hexadecimal::<Double>(text).map(|bits| f64::from_bits(bits as u64));
    }
    let known = plain.bytes().next()?.is_ascii_digit()
        || plain.starts_with('.')
        || ["inf", "infinity", "nan"].contains(&plain.to_ascii_lowercase().as_str());
    known.then(|| text.parse().ok())?
}

/// Parses a float as in `.float`. It is rounded once, from the text: by way of double precision it could become another number.
pub(crate) fn single(text: &str) -> Option<f32> {
    if is_hexadecimal(text.trim_start_matches(['+', '-'])) {
        hexadecimal::<Single>(text).map(|bits| f32::from_bits(bits as u32))
    } else {
        text.parse().ok()
    }
}

fn is_hexadecimal(plain: &str) -> bool {
    plain.starts_with("0x") || plain.starts_with("0X")
}

/// Parses a hexadecimal float with its sign, `-0x1.8p3`, and rounds it to the nearest; returns its bits.
fn hexadecimal<F: Float>(text: &str) -> Option<u128> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    // Larger exponents are those of no number, however many digits stand before.
    let exponent = exponent.parse::<i32>().ok()?.clamp(-1 << 20, 1 << 20);
    let parsed = F::from_str_r(&format!("{digits}p{exponent}"), Round::NearestTiesToEven);
    parsed.ok().map(|parsed| parsed.value.to_bits())
}

/// Whether a number fits into `size` bytes, with or without sign.
pub(crate) fn fits(number: i64, size: u8) -> bool {
    let bits = 8 * u32::from(size);
    bits >= 64 || (-(1 << (bits - 1))..1 << bits).contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_radix_of_their_prefix() {
        assert_eq!(integer("12 "), Some((2, 12)));
        assert_eq!(integer("0x1F+"), Some((4, 31)));
        assert_eq!(integer("0b101"), Some((5, 5)));
        assert_eq!(integer("017"), Some((3, 15)));
        assert_eq!(integer("0)"), Some((1, 0)));
        assert_eq!(integer("0xffffffffffffffff"), Some((18, u64::MAX)));
        for none in [
            "",
            "x",
            "1.5",
            "08",
            "1b",
            "12f",
            "0x",
            "18446744073709551616",
        ] {
            assert_eq!(integer(none), None, "{none}");
        }
        assert_eq!(local_label("12f)"), Some((3, 12, false)));
        assert_eq!(local_label("1b"), Some((2, 1, true)));
        assert_eq!(local_label("1bx"), None);
    }

    #[test]
    fn floats_have_signs_and_names() {
        assert_eq!(float("-1.5e3"), Some(-1500.0));
        assert_eq!(float("-Inf"), Some(f64::NEG_INFINITY));
        assert!(float("nan").expect("a float").is_nan());
        assert_eq!(float("-0x1.8p3"), Some(-12.0));
        assert_eq!(float("0x1.8"), None);
        assert_eq!(float("0x1p2147483647"), Some(f64::INFINITY));
        assert_eq!(float("-0x1p-2147483648"), Some(-0.0));
        for none in [
            "0xp1",
            "0x.p1",
            "0x1p",
            "0x1p+",
            "0xgp1",
            "0x1.1.1p1",
            "0x1p99999999999",
        ] {
            assert_eq!(float(none), None, "{none}");
        }
        assert_eq!(float("--1"), None);
        assert_eq!(float("x"), None);
    }
}
