//! The syntax of values.

use std::collections::HashMap;

use half::f16;
use wavetank_ir::LANES;

use crate::error::ExecError;
use crate::number::integer;
use crate::place::Target;

/// The precision of an expectation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exactness {
    /// All bits are equal, also those of NaNs.
    Bits,
    /// The values are floats that differ by at most this many units in the last place.
    Ulps(u64),
}

/// A line `TARGET = VALUES`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Assignment {
    pub target: Target,
    /// One value for every lane, or a value each from lane 0 on.
    pub values: Vec<Value>,
    pub exactness: Exactness,
    /// The line of the file, from 1.
    pub line: usize,
}

/// A buffer of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Buffer {
    pub address: u64,
    /// The length in bytes.
    pub bytes: usize,
    /// The size of an element in bytes.
    pub element: usize,
}

/// The buffers of a case by name.
pub(crate) type Buffers = HashMap<String, Buffer>;

/// A value: bits, or a computation on the address of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Bits(u64),
    Address { name: String, then: Vec<Then> },
}

/// A step of a computation; steps are applied from left to right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    Add(u64),
    ShiftRight(u32),
}

impl Then {
    fn of(self, value: u64) -> u64 {
        match self {
            Then::Add(n) => value.wrapping_add(n),
            Then::ShiftRight(n) => value >> n,
        }
    }
}

impl Value {
    /// Returns the bits, with the addresses of the buffers.
    pub(crate) fn bits(&self, buffers: &Buffers) -> Result<u64, String> {
        match self {
            Value::Bits(bits) => Ok(*bits),
            Value::Address { name, then } => match buffers.get(name) {
                Some(buffer) => Ok(then.iter().fold(buffer.address, |v, step| step.of(v))),
                None => Err(no_buffer(name)),
            },
        }
    }
}

impl Assignment {
    /// Returns the bits of the values.
    pub(crate) fn bits(&self, buffers: &Buffers) -> Result<Vec<u64>, ExecError> {
        let bits: Result<Vec<u64>, String> = self.values.iter().map(|v| v.bits(buffers)).collect();
        bits.map_err(|message| self.wrong(message))
    }

    /// Returns an error of the assignment's line.
    pub(crate) fn wrong(&self, message: String) -> ExecError {
        ExecError {
            line: Some(self.line),
            message,
        }
    }

    /// Returns the buffers whose addresses are among the values.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(|value| match value {
            Value::Address { name, .. } => Some(name.as_str()),
            Value::Bits(_) => None,
        })
    }
}

pub(crate) fn no_buffer(name: &str) -> String {
    let name = wavetank_quote::plain(name);
    format!("there is no buffer `{name}`: write `mem {name} = …` first")
}

/// Reads `VALUES`, and ` within N ulp` after them.
pub(crate) fn values(text: &str, wide: bool) -> Result<(Vec<Value>, Exactness), String> {
    let (list, exactness) = match text.split_once(" within ") {
        None => (text, Exactness::Bits),
        Some((list, ulps)) => {
            let ulps = ulps.trim().trim_end_matches("ulp").trim().parse();
            let ulps =
                ulps.map_err(|_| "expected a number of units, such as `within 1 ulp`".to_owned())?;
            (list, Exactness::Ulps(ulps))
        }
    };
    let mut values = Vec::new();
    for item in list.split(',').map(str::trim) {
        if item.is_empty() {
            return Err("a value is missing".to_owned());
        }
        if let Some((first, last)) = item.split_once("..") {
            let ends = integer(first).zip(integer(last));
            let ends = ends.filter(|(a, b)| a <= b && b - a < 1 << 16);
            let (first, last) =
                ends.ok_or_else(|| format!("`{item}` is not a range of numbers, such as 0..63"))?;
            values.extend((first..=last).map(|v| Value::Bits(v as u64)));
        } else if let Some((value, times)) = item.split_once('*') {
            let times: usize = times
                .trim()
                .parse()
                .ok()
                .filter(|n| *n <= 1 << 16)
                .ok_or("expected how often, such as `1.0*32`")?;
            let value = one(value.trim(), wide)?;
            values.extend(std::iter::repeat_n(value, times));
        } else {
            values.push(one(item, wide)?);
        }
    }
    Ok((values, exactness))
}

/// Reads one value: an integer, a float (`1.5`; `1.5h` in half precision), `inf`, `nan`, `&NAME+4`, `&NAME>>8`.
fn one(text: &str, wide: bool) -> Result<Value, String> {
    if let Some(text) = text.strip_prefix('&') {
        return address(text);
    }
    if let Some(n) = integer(text) {
        return Ok(Value::Bits(if wide {
            n as u64
        } else {
            u64::from(n as u32)
        }));
    }
    let bits = match text.strip_suffix('h') {
        Some(half) => float(half).map(|v| f16::from_f64(v).to_bits().into()),
        None if wide => float(text).map(f64::to_bits),
        None => float(text).map(|v| u64::from((v as f32).to_bits())),
    };
    bits.map(Value::Bits).ok_or_else(|| {
        format!("`{text}` is not a value: write 12, 0x1f, -3, 1.5, 1.5h, inf, nan or &NAME")
    })
}

/// Reads the text after `&`: `NAME`, `NAME+8`, `NAME+-8`, `NAME>>8`, `NAME >> 40 + 0x400000`.
fn address(text: &str) -> Result<Value, String> {
    let wrong = |what: &str| {
        let what = what.trim();
        format!("`{what}` after an address: write &NAME+8, &NAME-4 or &NAME>>8")
    };
    let end = text.find(['+', '-', '>']).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut then = Vec::new();
    while !rest.is_empty() {
        let sign = if rest.starts_with(">>") { 2 } else { 1 };
        let (sign, operand) = rest.split_at(sign);
        // The number may have a sign of its own: `+-8`.
        let plain = operand.trim_start();
        let digits = operand.len() - plain.strip_prefix('-').unwrap_or(plain).len();
        let end = operand[digits..].find(['+', '-', '>']);
        let (number, next) = operand.split_at(end.map_or(operand.len(), |end| digits + end));
        let number = integer(number).ok_or_else(|| wrong(rest))?;
        then.push(match sign {
            "+" => Then::Add(number as u64),
            "-" => Then::Add(number.wrapping_neg() as u64),
            ">>" if (0..64).contains(&number) => Then::ShiftRight(number as u32),
            _ => return Err(wrong(rest)),
        });
        rest = next;
    }
    let name = name.trim().to_owned();
    Ok(Value::Address { name, then })
}

fn float(text: &str) -> Option<f64> {
    match text {
        "inf" | "-inf" | "nan" | "-nan" => text.parse().ok(),
        _ => text.parse().ok().filter(|_| text.contains(['.', 'e'])),
    }
}

/// Returns the value of a lane; a single value is that of every lane.
pub(crate) fn lane(values: &[u64], lane: usize) -> Option<u64> {
    debug_assert!(lane < LANES);
    match values {
        [one] => Some(*one),
        _ => values.get(lane).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_addresses_have_signs() {
        let added = |text: &str| match address(text) {
            Ok(Value::Address { name, then }) if name == "a" => {
                let add = |then: &Then| match then {
                    Then::Add(number) => *number as i64,
                    Then::ShiftRight(_) => panic!("{text} shifts"),
                };
                then.iter().map(add).collect::<Vec<_>>()
            }
            _ => panic!("{text} is not an address"),
        };
        assert_eq!(added("a+-8"), [-8]);
        assert_eq!(added("a - -8 + -0x10"), [8, -16]);
        assert_eq!(added("a-4+8"), [-4, 8]);
        for wrong in ["a+", "a+-", "a+--8", "a>>-1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
