//! The syntax of places with a value: registers, memory, modes.

use std::fmt;

use wavetank::stage::ExportTarget;
use wavetank_gcn::Generation;
use wavetank_gcn::numbers::{
    GDS_BYTES, LDS_BYTES, first_ttmp, flat_scratch, general_sgprs, hwreg, sreg,
};

use crate::number::integer;

/// A part of the state that has a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// A vector register, or with `wide` the pair from it on.
    Vector { register: usize, wide: bool },
    /// A scalar register by its source code, or the pair from it on.
    Scalar { register: usize, wide: bool },
    /// The scalar condition code.
    Scc,
    /// A hardware register by its number.
    Hardware(u8),
    /// The pair of hardware registers from a number on.
    HardwarePair(u8),
    /// LDS from a byte offset on, in dwords.
    Lds { offset: usize },
    /// The global data share from a byte offset on, in dwords.
    Gds { offset: usize },
    /// The dword at an offset of each lane's scratch.
    Scratch { offset: usize },
    /// A named buffer of dwords or bytes.
    Memory {
        name: String,
        bytes: bool,
        read_only: bool,
    },
    /// A part of the last export to a target.
    Export { target: u8, part: ExportPart },
    /// The constant bank from a byte offset on, in dwords.
    Constant { offset: usize },
    /// An element of a level of a surface, or all of them.
    Element {
        number: u32,
        level: u32,
        at: Option<[u32; 3]>,
    },
    /// A variable that has no register yet.
    Variable(u32),
    /// A predicate that has no register yet.
    Predicate(u16),
    /// A place in a single wave of several.
    OfWave { wave: u32, is: Box<Target> },
    /// A place under the name that its instruction set has for it.
    Named { name: String, is: Box<Target> },
}

/// A part of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExportPart {
    /// The data of a component, a value for each lane.
    Component(u8),
    /// The mask of the lanes that export.
    Lanes,
    /// The mask of the exported components.
    Enabled,
    /// The bit DONE.
    Done,
    /// The bit VM.
    ValidMask,
    /// The bit COMPR.
    Compressed,
}

const PARTS: [(&str, ExportPart); 9] = [
    ("x", ExportPart::Component(0)),
    ("y", ExportPart::Component(1)),
    ("z", ExportPart::Component(2)),
    ("w", ExportPart::Component(3)),
    ("lanes", ExportPart::Lanes),
    ("en", ExportPart::Enabled),
    ("done", ExportPart::Done),
    ("vm", ExportPart::ValidMask),
    ("compr", ExportPart::Compressed),
];

/// The hardware registers with a name.
const HARDWARE: [(&str, u8); 8] = [
    ("mode", hwreg::MODE),
    ("status", hwreg::STATUS),
    ("trapsts", hwreg::TRAPSTS),
    ("hw_id", hwreg::HW_ID),
    ("gpr_alloc", hwreg::GPR_ALLOC),
    ("lds_alloc", hwreg::LDS_ALLOC),
    ("ib_sts", hwreg::IB_STS),
    ("sh_mem_bases", hwreg::SH_MEM_BASES),
];

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |f: &mut fmt::Formatter<'_>, file, first: usize, wide| {
            if wide {
                write!(f, "{file}[{first}:{}]", first + 1)
            } else {
                write!(f, "{file}{first}")
            }
        };
        match self {
            Target::Vector { register, wide } => match register.checked_sub(FIRST_ACCUMULATOR) {
                Some(n) => span(f, 'a', n, *wide),
                None => span(f, 'v', *register, *wide),
            },
            Target::Scalar { register, wide } => span(f, 's', *register, *wide),
            Target::Scc => f.write_str("scc"),
            Target::Hardware(id) => match HARDWARE.iter().find(|(_, n)| n == id) {
                Some((name, _)) => f.write_str(name),
                None => write!(f, "hwreg({id})"),
            },
            Target::HardwarePair(id) => write!(f, "hwreg({id}), hwreg({})", id + 1),
            Target::Lds { offset } => write!(f, "lds[{offset}]"),
            Target::Gds { offset } => write!(f, "gds[{offset}]"),
            Target::Scratch { offset } => write!(f, "scratch[{offset}]"),
            Target::Memory { name, .. } => write!(f, "mem {name}"),
            Target::Export { target, part } => {
                let part = PARTS.iter().find(|(_, p)| p == part);
                let part = part.map_or("", |(name, _)| name);
                write!(f, "export {}.{part}", ExportTarget(*target))
            }
            Target::Constant { offset } => write!(f, "c[{offset:#x}]"),
            Target::Element { number, level, at } => {
                write!(f, "T{number}")?;
                if *level > 0 {
                    write!(f, " level {level}")?;
                }
                match at {
                    Some([x, y, z]) => write!(f, "[{x},{y},{z}]"),
                    None => Ok(()),
                }
            }
            Target::Variable(n) => write!(f, "V{n}"),
            Target::Predicate(n) => write!(f, "P{n}"),
            Target::OfWave { wave, is } => write!(f, "wave {wave} {is}"),
            Target::Named { name, .. } => f.write_str(name),
        }
    }
}

impl Target {
    /// Reads a place of GCN: `v0`, `v[0:1]`, `a2`, `s4`, `vcc`, `ttmp4`, `scc`, `mode`, `lds[16]`, `mem NAME`, `export mrt0.x`.
    pub(crate) fn parse(text: &str, generation: Generation) -> Result<Target, String> {
        if let Some(named) = special(text, generation) {
            return Ok(named);
        }
        if let Some(name) = text.strip_prefix("mem ") {
            return memory(name);
        }
        if let Some(export) = text.strip_prefix("export ") {
            return exported(export.trim());
        }
        if let Some(place) = bracketed(text)? {
            return Ok(place);
        }
        register(text, generation)
    }

    /// Returns the place without its name and its wave.
    pub(crate) fn place(&self) -> &Target {
        match self {
            Target::Named { is, .. } | Target::OfWave { is, .. } => is.place(),
            other => other,
        }
    }

    /// Returns the wave of a place in a single wave; `None` if it is meant in each.
    pub(crate) fn wave(&self) -> Option<u32> {
        match self {
            Target::OfWave { wave, .. } => Some(*wave),
            _ => None,
        }
    }

    /// Returns whether the place has a value for each lane.
    pub(crate) fn is_by_lane(&self) -> bool {
        let component = ExportPart::Component;
        match self.place() {
            Target::Vector { .. } | Target::Scratch { .. } => true,
            Target::Export { part, .. } => (0..4).any(|n| *part == component(n)),
            _ => false,
        }
    }

    /// Returns whether each wave has a place of its own.
    pub(crate) fn is_of_waves(&self) -> bool {
        !matches!(
            self.place(),
            Target::Lds { .. }
                | Target::Gds { .. }
                | Target::Memory { .. }
                | Target::Constant { .. }
                | Target::Element { .. }
        )
    }

    /// Returns whether the place has a single value.
    pub(crate) fn is_single(&self) -> bool {
        match self.place() {
            Target::Scalar { .. }
            | Target::Scc
            | Target::Hardware(_)
            | Target::HardwarePair(_)
            | Target::Predicate(_) => true,
            Target::Element { at, .. } => at.is_some(),
            Target::Export { .. } => !self.is_by_lane(),
            _ => false,
        }
    }

    /// Returns the width of a value in bits, except for elements of surfaces.
    pub(crate) fn bits(&self) -> u32 {
        match self.place() {
            Target::Vector { wide: true, .. }
            | Target::Scalar { wide: true, .. }
            | Target::HardwarePair(_)
            | Target::Predicate(_)
            | Target::Export {
                part: ExportPart::Lanes,
                ..
            } => 64,
            Target::Memory { bytes: true, .. } => 8,
            _ => 32,
        }
    }
}

/// Reads the name of a special register.
fn special(text: &str, generation: Generation) -> Option<Target> {
    let named = |is: Target| {
        let name = text.to_owned();
        Some(Target::Named {
            name,
            is: is.into(),
        })
    };
    let pair = |code| (code, true);
    let (code, wide) = match text {
        "scc" => return Some(Target::Scc),
        "tma" if generation == Generation::Gfx9 => {
            return named(Target::HardwarePair(hwreg::TMA_LO));
        }
        "tma" => pair(sreg::TMA),
        "m0" => (sreg::M0, false),
        "vcc" => pair(sreg::VCC),
        "exec" => pair(sreg::EXEC),
        "flat_scratch" => pair(flat_scratch(generation)?),
        "xnack_mask" if generation > Generation::Gfx7 => pair(sreg::XNACK_MASK),
        _ => {
            let known = HARDWARE.iter().find(|(name, _)| *name == text);
            return known.map(|(_, id)| Target::Hardware(*id));
        }
    };
    let register = code.into();
    named(Target::Scalar { register, wide })
}

/// Reads the text after `mem`: `NAME`, `NAME bytes`, `NAME read only`.
fn memory(text: &str) -> Result<Target, String> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let (bytes, read_only) = match words.collect::<Vec<_>>()[..] {
        [] => (false, false),
        ["bytes"] => (true, false),
        ["read", "only"] => (false, true),
        ["bytes", "read", "only"] => (true, true),
        _ => {
            return Err(format!(
                "`mem {}`: after the name only these may follow: `bytes` and `read only`",
                text.trim()
            ));
        }
    };
    Ok(Target::Memory {
        name,
        bytes,
        read_only,
    })
}

/// Reads the text after `export`: `mrt0.x`, `pos1.done`.
fn exported(text: &str) -> Result<Target, String> {
    let wrong = || {
        let parts = PARTS.map(|(name, _)| name).join(", ");
        format!(
            "`export {text}`: write mrt0.x, with mrt0 to mrt7, mrtz, null, pos0 to pos3 or param0 to param31 and {parts}"
        )
    };
    let (target, part) = text.split_once('.').ok_or_else(wrong)?;
    let part = PARTS.iter().find(|(name, _)| *name == part);
    let target = target.parse::<ExportTarget>();
    match (target, part) {
        (Ok(ExportTarget(target)), Some((_, part))) => Ok(Target::Export {
            target,
            part: *part,
        }),
        _ => Err(wrong()),
    }
}

/// Reads a place with an offset: `lds[16]`, `gds[0]`, `scratch[4]`.
fn bracketed(text: &str) -> Result<Option<Target>, String> {
    let most_scratch = crate::sizes::MAX_SCRATCH;
    let files = [
        ("lds[", "LDS", LDS_BYTES.into()),
        ("gds[", "GDS", GDS_BYTES),
        ("scratch[", "scratch", most_scratch.into()),
    ];
    for (prefix, name, bytes) in files {
        let Some(offset) = text.strip_prefix(prefix).and_then(|t| t.strip_suffix(']')) else {
            continue;
        };
        let fits = |o: &i64| u64::try_from(*o).is_ok_and(|o| o < bytes && o.is_multiple_of(4));
        let offset = integer(offset)
            .filter(fits)
            .ok_or_else(|| format!("`{text}`: {name} offsets are multiples of 4 below {bytes}"))?
            as usize;
        return Ok(Some(match name {
            "LDS" => Target::Lds { offset },
            "GDS" => Target::Gds { offset },
            _ => Target::Scratch { offset },
        }));
    }
    Ok(None)
}

/// The place of the first accumulation register in the file of a wave: they follow the 256 VGPRs.
pub(crate) const FIRST_ACCUMULATOR: usize = 256;

/// Reads a register or a pair: `v3`, `a3`, `v[4:5]`, `s7`, `ttmp[2:3]`.
fn register(text: &str, generation: Generation) -> Result<Target, String> {
    let unknown = || {
        format!(
            "`{text}` is nothing that has a value: write v0, v[0:1], a0, s0, s[0:1], vcc, exec, m0, scc, mode, lds[0] or mem NAME"
        )
    };
    let ttmp = usize::from(first_ttmp(generation));
    let files = [
        ("ttmp", ttmp, usize::from(sreg::M0) - ttmp),
        ("v", 0, FIRST_ACCUMULATOR),
        ("a", FIRST_ACCUMULATOR, 256),
        ("s", 0, general_sgprs(generation).into()),
    ];
    let begins = |(file, ..): &&(&str, usize, usize)| text.starts_with(file);
    let &(file, base, limit) = files.iter().find(begins).ok_or_else(unknown)?;
    let rest = &text[file.len()..];
    let span = rest.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let (first, wide) = match span.map(|s| s.split_once(':').unwrap_or((s, s))) {
        None => (rest.parse().map_err(|_| unknown())?, false),
        Some((first, last)) => {
            let [first, last]: [usize; 2] = [
                first.trim().parse().map_err(|_| unknown())?,
                last.trim().parse().map_err(|_| unknown())?,
            ];
            // Compared by the difference: `first + 1` could overflow.
            if last.checked_sub(first).is_none_or(|more| more > 1) {
                return Err(format!(
                    "`{text}` has values of 32 or 64 bits: name one register or two"
                ));
            }
            (first, last != first)
        }
    };
    if first >= limit - usize::from(wide) {
        let last = limit - 1;
        return Err(format!(
            "`{text}` is out of range: the last is {file}{last}"
        ));
    }
    let register = base + first;
    Ok(match file {
        "v" | "a" => Target::Vector { register, wide },
        "s" => Target::Scalar { register, wide },
        _ => Target::Named {
            name: text.to_owned(),
            is: Target::Scalar { register, wide }.into(),
        },
    })
}
