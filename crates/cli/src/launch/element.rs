//! The number types of arguments and buffers.

use half::f16;
use wavetank::Arg;

/// A number type, written `i8` to `u64` and `f16` to `f64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

/// Runs an expression with `$T` as the Rust type of an element.
macro_rules! with_type {
    ($element:expr, $T:ident => $body:expr) => {
        match $element {
            Element::I8 => with_type!(@ i8, $T, $body),
            Element::U8 => with_type!(@ u8, $T, $body),
            Element::I16 => with_type!(@ i16, $T, $body),
            Element::U16 => with_type!(@ u16, $T, $body),
            Element::I32 => with_type!(@ i32, $T, $body),
            Element::U32 => with_type!(@ u32, $T, $body),
            Element::I64 => with_type!(@ i64, $T, $body),
            Element::U64 => with_type!(@ u64, $T, $body),
            Element::F16 => with_type!(@ f16, $T, $body),
            Element::F32 => with_type!(@ f32, $T, $body),
            Element::F64 => with_type!(@ f64, $T, $body),
        }
    };
    (@ $ty:ty, $T:ident, $body:expr) => {{
        type $T = $ty;
        $body
    }};
}

impl Element {
    pub(super) const ALL: [Element; 11] = [
        Element::I8,
        Element::U8,
        Element::I16,
        Element::U16,
        Element::I32,
        Element::U32,
        Element::I64,
        Element::U64,
        Element::F16,
        Element::F32,
        Element::F64,
    ];

    /// Returns the name of the type: `f32`.
    pub(super) fn name(self) -> &'static str {
        with_type!(self, T => T::NAME)
    }

    /// Returns the type of this name.
    pub(super) fn from_name(name: &str) -> Option<Element> {
        Element::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Returns the size of a number in bytes.
    pub(super) fn size(self) -> u64 {
        with_type!(self, T => size_of::<T>() as u64)
    }

    /// Returns NumPy's name of the type, in little-endian order: `<f4`.
    pub(super) fn dtype(self) -> String {
        let order = if self.size() == 1 { '|' } else { '<' };
        let kind = &self.name()[..1];
        format!("{order}{kind}{}", self.size())
    }

    /// Parses a number as a kernel argument.
    pub(super) fn argument(self, text: &str) -> Result<Arg, String> {
        with_type!(self, T => T::read(text).map(T::argument))
    }

    /// Appends number `index` of the sequence 0, 1, 2, …; integers wrap.
    pub(super) fn push_count(self, index: u64, out: &mut Vec<u8>) {
        with_type!(self, T => out.extend(T::count(index).to_le_bytes()));
    }

    /// Appends a number made from 64 random bits: any integer, or a float from 0 up to 1.
    pub(super) fn push_random(self, bits: u64, out: &mut Vec<u8>) {
        with_type!(self, T => out.extend(T::random(bits).to_le_bytes()));
    }

    /// Returns the numbers in some bytes as text.
    pub(super) fn show(self, bytes: &[u8]) -> Vec<String> {
        with_type!(self, T => {
            let (numbers, _) = bytes.as_chunks::<{ size_of::<T>() }>();
            numbers.iter().map(|n| T::show(T::from_le_bytes(*n))).collect()
        })
    }
}

/// The operations that differ between the types.
trait Number: Copy {
    const NAME: &'static str;
    fn read(text: &str) -> Result<Self, String>;
    fn argument(self) -> Arg;
    fn count(index: u64) -> Self;
    fn random(bits: u64) -> Self;
    fn show(self) -> String;
}

macro_rules! integers {
    ($($ty:ident)*) => {
        $(impl Number for $ty {
            const NAME: &'static str = stringify!($ty);

            fn read(text: &str) -> Result<Self, String> {
                let value = integer(text)?;
                value.try_into().map_err(|_| {
                    format!("{text} does not fit {} ({} to {})", Self::NAME, $ty::MIN, $ty::MAX)
                })
            }

            fn argument(self) -> Arg {
                self.into()
            }

            fn count(index: u64) -> Self {
                index as $ty
            }

            fn random(bits: u64) -> Self {
                // The upper bits have better quality in most generators.
                (bits >> (64 - $ty::BITS)) as $ty
            }

            fn show(self) -> String {
                self.to_string()
            }
        })*
    };
}

integers! { i8 u8 i16 u16 i32 u32 i64 u64 }

macro_rules! floats {
    ($($ty:ident $bits:literal $argument:expr,)*) => {
        $(impl Number for $ty {
            const NAME: &'static str = stringify!($ty);

            fn read(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("`{text}` is not a number"))
            }

            fn argument(self) -> Arg {
                $argument(self)
            }

            fn count(index: u64) -> Self {
                <$ty as Rounded>::from_u64(index)
            }

            fn random(bits: u64) -> Self {
                // Only as many bits as the type holds exactly, so that rounding never gives 1.
                let whole = (bits >> (64 - $bits)) as f64;
                <$ty as Rounded>::from_exact(whole / (1u64 << $bits) as f64)
            }

            fn show(self) -> String {
                format!("{self:?}")
            }
        })*
    };
}

floats! {
    f16 11 |v: f16| Arg::F16(v.to_bits()),
    f32 24 Arg::F32,
    f64 53 Arg::F64,
}

/// Conversions to floats that Rust writes differently for each type.
trait Rounded {
    /// Returns the nearest number.
    fn from_u64(value: u64) -> Self;
    /// Converts a number that the type represents exactly.
    fn from_exact(value: f64) -> Self;
}

impl Rounded for f16 {
    fn from_u64(value: u64) -> Self {
        // Below 2^53 f64 is exact; from 65,520 on the result is infinite anyway.
        f16::from_f64(value as f64)
    }

    fn from_exact(value: f64) -> Self {
        f16::from_f64(value)
    }
}

impl Rounded for f32 {
    fn from_u64(value: u64) -> Self {
        value as f32
    }

    fn from_exact(value: f64) -> Self {
        value as f32
    }
}

impl Rounded for f64 {
    fn from_u64(value: u64) -> Self {
        value as f64
    }

    fn from_exact(value: f64) -> Self {
        value
    }
}

/// Parses an integer: decimal, or hexadecimal after `0x`.
pub(super) fn integer(text: &str) -> Result<i128, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse::<u64>(),
    };
    // The parser would accept a second sign.
    match value {
        Ok(value) if !digits.contains(['+', '-']) => Ok(if negative {
            -i128::from(value)
        } else {
            value.into()
        }),
        _ => Err(format!("`{text}` is not an integer of 64 bits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_decimal_or_hexadecimal() {
        assert_eq!(integer("-12"), Ok(-12));
        assert_eq!(integer("0xFf"), Ok(255));
        assert_eq!(integer("18446744073709551615"), Ok(u64::MAX.into()));
        for bad in [
            "",
            "-",
            "--1",
            "-+1",
            "0x",
            "0x-1",
            "1.0",
            "18446744073709551616",
        ] {
            assert!(integer(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn values_must_fit() {
        assert!(matches!(Element::I8.argument("-128"), Ok(Arg::I8(-128))));
        assert!(matches!(
            Element::U64.argument("0xffffffffffffffff"),
            Ok(Arg::U64(u64::MAX))
        ));
        // 1/3 in half precision: sign 0, exponent -2, fraction 0x155 (IEEE 754, binary16).
        assert!(matches!(
            Element::F16.argument("0.33333333"),
            Ok(Arg::F16(0x3555))
        ));
        assert!(matches!(
            Element::F32.argument("-inf"),
            Ok(Arg::F32(f32::NEG_INFINITY))
        ));
        assert_eq!(
            Element::U8.argument("256").unwrap_err(),
            "256 does not fit u8 (0 to 255)"
        );
        assert!(Element::I32.argument("2147483648").is_err());
        assert!(Element::F32.argument("x").is_err());
    }

    #[test]
    fn random_floats_stay_below_one() {
        for element in [Element::F16, Element::F32, Element::F64] {
            let mut bytes = Vec::new();
            element.push_random(0, &mut bytes);
            element.push_random(1 << 63, &mut bytes);
            element.push_random(u64::MAX, &mut bytes);
            let shown = element.show(&bytes);
            assert_eq!(shown[..2], ["0.0", "0.5"]);
            assert!(shown[2].parse::<f64>().unwrap() < 1.0, "{shown:?}");
        }
    }

    #[test]
    fn counts_wrap() {
        let mut bytes = Vec::new();
        Element::I8.push_count(200, &mut bytes);
        assert_eq!(Element::I8.show(&bytes), ["-56"]);
    }

    #[test]
    fn dtypes_are_those_of_numpy() {
        let names: Vec<_> = Element::ALL.into_iter().map(Element::dtype).collect();
        assert_eq!(
            names,
            [
                "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"
            ]
        );
    }
}
