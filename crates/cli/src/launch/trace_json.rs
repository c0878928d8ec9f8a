//! A traced instruction as a line of JSON.

use serde::Serialize;
use wavetank::{AccessRecord, Change, Chip, MemKind, MemoryKind, Step};

/// An instruction that a wave has executed.
#[derive(Serialize)]
struct Record<'s> {
    /// The work-group's number in X, Y and Z.
    group: [u32; 3],
    wave: u32,
    pc: u64,
    /// The function or kernel, as in the symbol table.
    symbol: Option<&'s str>,
    /// The distance from its start.
    offset: Option<u64>,
    instruction: Option<&'s str>,
    /// Lines, from the innermost inlined function outwards.
    source: Vec<Line<'s>>,
    changes: Vec<Changed>,
    accesses: Vec<Access>,
}

/// A line of the source.
#[derive(Serialize)]
struct Line<'s> {
    file: &'s str,
    line: Option<u32>,
    column: Option<u32>,
}

/// A register that has changed.
#[derive(Serialize)]
struct Changed {
    register: String,
    /// The new value of a scalar register.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u32>,
    /// The lanes of a vector register that have changed, with their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lanes: Vec<(usize, u32)>,
}

/// A memory access of a lane, or of the wave.
#[derive(Serialize)]
struct Access {
    kind: &'static str,
    memory: &'static str,
    lane: Option<u8>,
    address: u64,
    bytes: u32,
}

/// Returns a traced instruction as a line of JSON.
pub(super) fn line(step: &Step, chip: Chip) -> String {
    let place = &step.place;
    let frames = place.source.frames.iter().map(|frame| Line {
        file: &frame.file,
        line: frame.line,
        column: frame.column,
    });
    let record = Record {
        group: step.group.id,
        wave: step.wave,
        pc: place.pc,
        symbol: place.symbol.as_ref().map(|(name, _)| name.as_str()),
        offset: place.symbol.as_ref().map(|(_, offset)| *offset),
        instruction: place.instruction.as_deref(),
        source: frames.collect(),
        changes: step
            .changes
            .iter()
            .map(|change| changed(change, chip))
            .collect(),
        accesses: step.accesses.iter().map(access).collect(),
    };
    // Numbers, strings and lists always have a JSON form.
    let mut text = serde_json::to_string(&record).unwrap_or_default();
    text.push('\n');
    text
}

fn changed(change: &Change, chip: Chip) -> Changed {
    let (value, lanes) = match change {
        Change::Scalar { value, .. } | Change::Hardware { value, .. } => (Some(*value), Vec::new()),
        Change::Scc(value) => (Some((*value).into()), Vec::new()),
        Change::Vector { lanes, values, .. } => {
            let changed = values.iter().copied().enumerate();
            (
                None,
                changed.filter(|(lane, _)| lanes >> lane & 1 != 0).collect(),
            )
        }
        // A kind of register that this command does not support yet is at least named.
        _ => (None, Vec::new()),
    };
    let register = change.register_name(chip);
    Changed {
        register,
        value,
        lanes,
    }
}

fn access(record: &AccessRecord) -> Access {
    Access {
        kind: match record.kind {
            MemKind::Load => "load",
            MemKind::Store => "store",
            MemKind::Atomic(_) => "atomic",
        },
        memory: match record.memory {
            MemoryKind::Global => "global",
            MemoryKind::Lds => "lds",
            MemoryKind::Gds => "gds",
            MemoryKind::Scratch => "scratch",
        },
        lane: record.lane,
        address: record.address,
        bytes: record.bytes,
    }
}
