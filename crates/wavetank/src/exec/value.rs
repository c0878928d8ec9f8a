//! Places that have a value, and values, as they are written.

use std::collections::HashMap;
use std::fmt;

use half::f16;
use wavetank_ir::LANES;
use wavetank_isa::numbers::{LDS_BYTES, sreg};

const FLAT_SCRATCH: usize = sreg::FLAT_SCRATCH as usize;
const VCC: usize = sreg::VCC as usize;
const M0: usize = sreg::M0 as usize;
const EXEC: usize = sreg::EXEC as usize;

/// Something of a wave's state that has a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A vector register, or with `wide` the pair from it on.
    Vector { register: usize, wide: bool },
    /// A scalar register by its source code, or the pair from it on.
    Scalar { register: usize, wide: bool },
    /// The scalar condition code.
    Scc,
    /// The MODE register.
    Mode,
    /// LDS from a byte offset on, in dwords.
    Lds { offset: usize },
    /// A named buffer of dwords.
    Memory { name: String },
    /// The constant bank from a byte offset on, in dwords.
    Constant { offset: usize },
    /// An element of a surface, or all of them.
    Element { number: u32, at: Option<[u32; 3]> },
    /// A variable that has no register yet.
    Variable(u32),
    /// A predicate that has no register yet.
    Predicate(u16),
    /// One of the above by the name that its instruction set has for it.
    Named { name: String, is: Box<Target> },
}

/// How exact an expectation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exactness {
    /// Every bit; any NaN stands for its own bits.
    Bits,
    /// So many units in the last place of a float.
    Ulps(u64),
}

/// `TARGET = VALUES`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Assignment {
    pub target: Target,
    /// One value for every lane, or a value each from lane 0 on.
    pub values: Vec<Value>,
    pub exactness: Exactness,
    /// The line of the file, from 1.
    pub line: usize,
}

/// A value: bits, or the address of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Bits(u64),
    Address { name: String, offset: u64 },
}

impl Value {
    /// The bits, with buffers where they are.
    pub fn bits(&self, buffers: &HashMap<String, (u64, usize)>) -> Result<u64, String> {
        match self {
            Value::Bits(bits) => Ok(*bits),
            Value::Address { name, offset } => match buffers.get(name) {
                Some((address, _)) => Ok(address + offset),
                None => Err(no_buffer(name)),
            },
        }
    }
}

impl Assignment {
    /// The buffers whose addresses are among the values.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(|value| match value {
            Value::Address { name, .. } => Some(name.as_str()),
            Value::Bits(_) => None,
        })
    }
}

pub(super) fn no_buffer(name: &str) -> String {
    let name = wavetank_quote::plain(name);
    format!("there is no buffer `{name}`: write `mem {name} = …` first")
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |f: &mut fmt::Formatter<'_>, file, first: usize, wide| match wide {
            true => write!(f, "{file}[{first}:{}]", first + 1),
            false => write!(f, "{file}{first}"),
        };
        match self {
            Target::Vector { register, wide } => span(f, 'v', *register, *wide),
            Target::Scalar {
                register: FLAT_SCRATCH,
                wide: true,
            } => f.write_str("flat_scratch"),
            Target::Scalar { register: VCC, .. } => f.write_str("vcc"),
            Target::Scalar { register: M0, .. } => f.write_str("m0"),
            Target::Scalar { register: EXEC, .. } => f.write_str("exec"),
            Target::Scalar { register, wide } => span(f, 's', *register, *wide),
            Target::Scc => f.write_str("scc"),
            Target::Mode => f.write_str("mode"),
            Target::Lds { offset } => write!(f, "lds[{offset}]"),
            Target::Memory { name } => write!(f, "mem {name}"),
            Target::Constant { offset } => write!(f, "c[{offset:#x}]"),
            Target::Element { number, at: None } => write!(f, "T{number}"),
            Target::Element {
                number,
                at: Some([x, y, z]),
            } => write!(f, "T{number}[{x},{y},{z}]"),
            Target::Variable(n) => write!(f, "V{n}"),
            Target::Predicate(n) => write!(f, "P{n}"),
            Target::Named { name, .. } => f.write_str(name),
        }
    }
}

impl Target {
    /// Reads a target: `v0`, `v[0:1]`, `s4`, `s[4:5]`, `vcc`, `exec`, `m0`, `scc`, `mode`, `lds[16]`, `mem NAME`.
    pub fn parse(text: &str) -> Result<Target, String> {
        let unknown = || {
            format!(
                "`{text}` is nothing that has a value: write v0, v[0:1], s0, s[0:1], vcc, exec, m0, scc, mode, lds[0] or mem NAME"
            )
        };
        let named = |register, wide| Ok(Target::Scalar { register, wide });
        match text {
            "scc" => return Ok(Target::Scc),
            "mode" => return Ok(Target::Mode),
            "m0" => return named(M0, false),
            "vcc" => return named(VCC, true),
            "exec" => return named(EXEC, true),
            "flat_scratch" => return named(FLAT_SCRATCH, true),
            _ => {}
        }
        if let Some(name) = text.strip_prefix("mem ") {
            return Ok(Target::Memory {
                name: name.trim().to_owned(),
            });
        }
        if let Some(offset) = text.strip_prefix("lds[").and_then(|t| t.strip_suffix(']')) {
            let offset =
                integer(offset).filter(|o| (0..LDS_BYTES.into()).contains(o) && o % 4 == 0);
            let offset = offset.ok_or_else(|| {
                format!("`{text}`: LDS offsets are multiples of 4 below {LDS_BYTES}")
            })?;
            return Ok(Target::Lds {
                offset: offset as usize,
            });
        }
        let (file, limit) = match text.as_bytes().first() {
            Some(b'v') => ('v', 256),
            Some(b's') => ('s', 102),
            _ => return Err(unknown()),
        };
        let span = text[1..]
            .strip_prefix('[')
            .and_then(|t| t.strip_suffix(']'));
        let (first, wide) = match span.map(|s| s.split_once(':').unwrap_or((s, s))) {
            None => (text[1..].parse().map_err(|_| unknown())?, false),
            Some((first, last)) => {
                let [first, last]: [usize; 2] = [
                    first.trim().parse().map_err(|_| unknown())?,
                    last.trim().parse().map_err(|_| unknown())?,
                ];
                if last > first + 1 || last < first {
                    return Err(format!(
                        "`{text}` has values of 32 or 64 bits: name one register or two"
                    ));
                }
                (first, last == first + 1)
            }
        };
        if first + usize::from(wide) >= limit {
            return Err(format!(
                "`{text}` is out of range: the last is {file}{}",
                limit - 1
            ));
        }
        Ok(match file {
            'v' => Target::Vector {
                register: first,
                wide,
            },
            _ => Target::Scalar {
                register: first,
                wide,
            },
        })
    }

    /// What it is, whatever it is called.
    pub fn place(&self) -> &Target {
        match self {
            Target::Named { is, .. } => is.place(),
            other => other,
        }
    }

    /// Whether a value has 64 bits.
    pub fn is_wide(&self) -> bool {
        matches!(
            self.place(),
            Target::Vector { wide: true, .. }
                | Target::Scalar { wide: true, .. }
                | Target::Predicate(_)
        )
    }
}

/// Reads `VALUES`, and ` within N ulp` after them.
pub(super) fn values(text: &str, wide: bool) -> Result<(Vec<Value>, Exactness), String> {
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
                ends.ok_or_else(|| format!("`{item}` is no range of numbers, such as 0..63"))?;
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

/// Reads one value: an integer, a float (`1.5`; `1.5h` in half precision), `inf`, `nan`, `&NAME+4`.
fn one(text: &str, wide: bool) -> Result<Value, String> {
    if let Some(name) = text.strip_prefix('&') {
        let (name, offset) = name.split_once('+').unwrap_or((name, "0"));
        let offset = integer(offset).ok_or_else(|| format!("`{offset}` is no offset"))?;
        return Ok(Value::Address {
            name: name.trim().to_owned(),
            offset: offset as u64,
        });
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
        format!("`{text}` is no value: write 12, 0x1f, -3, 1.5, 1.5h, inf, nan or &NAME")
    })
}

fn float(text: &str) -> Option<f64> {
    match text {
        "inf" | "-inf" | "nan" | "-nan" => text.parse().ok(),
        _ => text.parse().ok().filter(|_| text.contains(['.', 'e'])),
    }
}

/// Reads an integer of up to 64 bits.
pub(super) fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0b"))
    {
        Some(rest) if digits.starts_with("0x") => {
            u64::from_str_radix(&rest.replace('_', ""), 16).ok()?
        }
        Some(rest) => u64::from_str_radix(&rest.replace('_', ""), 2).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative {
        (value as i64).wrapping_neg()
    } else {
        value as i64
    })
}

/// Spreads values over the lanes: one value is that of every lane.
pub(super) fn lane(values: &[u64], lane: usize) -> Option<u64> {
    debug_assert!(lane < LANES);
    match values {
        [one] => Some(*one),
        _ => values.get(lane).copied(),
    }
}
