//! The table "Reduction Operations", with numbers computed wide and floats by a soft-float library.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Half, Single};

/// What M becomes, by the names of the table. Of CAS `b` is the value to compare with, and `swap` the one to write.
pub(crate) fn new_value(op: &str, size: &str, m: u64, b: u64, swap: u64) -> u64 {
    let bits = if size.ends_with("64") { 64 } else { 32 };
    let range = |signed: u64| i128::from((signed << (64 - bits)) as i64 >> (64 - bits));
    let signed = size.starts_with('S');
    let number = |v: u64| if signed { range(v) } else { i128::from(v) };
    let ones = u64::MAX >> (64 - bits);
    let (wide, by) = (number(m), number(b));
    match (op, size) {
        ("ADD", "F32.FTZ.RN") => sum::<Single>(m, b, 0x7fff_ffff),
        (_, "F16x2.RN") => {
            let half = |v: u64, n: u32| v >> (16 * n) & 0xffff;
            let done = |n| halves(op, half(m, n), half(b, n));
            done(0) | done(1) << 16
        }
        ("ADD", "SD32" | "SD64") => {
            let limit = 1i128 << (bits - 1);
            (wide + by).clamp(-limit, limit - 1) as u64 & ones
        }
        ("ADD", _) => (wide + by) as u64 & ones,
        ("MIN", _) => wide.min(by) as u64 & ones,
        ("MAX", _) => wide.max(by) as u64 & ones,
        ("INC", _) if m >= b => 0,
        ("INC", _) => m + 1,
        ("DEC", _) if m == 0 || m > b => b,
        ("DEC", _) => m - 1,
        ("AND", _) => m & b,
        ("OR", _) => m | b,
        ("XOR", _) => m ^ b,
        ("EXCH", _) => b,
        ("CAS", _) if m == b => swap,
        ("CAS", _) => m,
        _ => panic!("{op} is not in the table"),
    }
}

/// `.FTZ`: a denormal is a zero of its sign.
fn flushed<F: Float>(x: F) -> F {
    match x.is_denormal() {
        true if x.is_negative() => -F::ZERO,
        true => F::ZERO,
        false => x,
    }
}

/// `.FTZ.RN`; whatever NaN comes in or arises, this one comes out.
fn sum<F: Float>(m: u64, b: u64, nan: u64) -> u64 {
    let [m, b] = [m, b].map(|v| flushed(F::from_bits(v.into())));
    match (m + b).value {
        sum if sum.is_nan() => nan,
        sum => flushed(sum).to_bits() as u64,
    }
}

fn halves(op: &str, m: u64, b: u64) -> u64 {
    const NAN: u64 = 0x7fff;
    if op == "ADD" {
        return sum::<Half>(m, b, NAN);
    }
    let [x, y] = [m, b].map(|v| flushed(Half::from_bits(v.into())));
    let least = op == "MIN";
    let chosen = match (x.is_nan(), y.is_nan()) {
        (true, true) => return NAN,
        (true, false) => y,
        (false, true) => x,
        // Of two zeros the negative one is the smaller.
        _ if x.is_zero() && y.is_zero() => {
            if x.is_negative() == least {
                x
            } else {
                y
            }
        }
        _ => {
            if (x < y) == least {
                x
            } else {
                y
            }
        }
    };
    chosen.to_bits() as u64
}
