//! Stops of a case, and the syntax to expect one.

use wavetank_machine::Fault;
use wavetank_memory::{MemoryFault, MemoryFaultReason};

/// What kind of thing stopped a case. Expectations name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// An access that was refused: `memory`.
    Memory,
    /// A trap without a handler: `trap`.
    Trap,
    /// An instruction that is not executed, or no instruction: `instruction`.
    Instruction,
    /// An endless wait or an endless loop: `endless`.
    Endless,
}

const KINDS: [(&str, FaultKind); 4] = [
    ("memory", FaultKind::Memory),
    ("trap", FaultKind::Trap),
    ("instruction", FaultKind::Instruction),
    ("endless", FaultKind::Endless),
];

/// What stopped a case before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// What kind of thing it was.
    pub kind: FaultKind,
    /// The line of the instruction in the file, from 1.
    pub line: Option<usize>,
    /// The sentence, with the instruction.
    pub sentence: String,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.sentence),
            None => f.write_str(&self.sentence),
        }
    }
}

/// `fault = …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    /// A kind of fault.
    Kind(FaultKind),
    /// A part of its sentence.
    Part(String),
}

impl Expected {
    /// Reads what stands behind `fault =`.
    pub fn parse(text: &str) -> Result<Expected, String> {
        if let Some(part) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            return match part.is_empty() {
                true => Err("an empty sentence is part of each: write a kind of fault".into()),
                false => Ok(Expected::Part(part.to_owned())),
            };
        }
        let known = KINDS.iter().find(|(name, _)| *name == text);
        known.map(|(_, kind)| Expected::Kind(*kind)).ok_or_else(|| {
            let names = KINDS.map(|(name, _)| name).join(", ");
            format!(
                "`{text}` is no kind of fault: write {names}, or a part of its sentence in quotes"
            )
        })
    }

    /// A sentence, if what happened is something else.
    pub fn failure(&self, stopped: Option<&Stopped>) -> Option<String> {
        let (met, wanted) = match self {
            Expected::Kind(kind) => {
                let name = KINDS.iter().find(|(_, k)| k == kind).map_or("", |k| k.0);
                (stopped.is_some_and(|s| s.kind == *kind), name.to_owned())
            }
            Expected::Part(part) => (
                stopped.is_some_and(|s| s.sentence.contains(part)),
                format!("{part:?}"),
            ),
        };
        let got = match stopped {
            None => "the instructions ran to their end".to_owned(),
            Some(stopped) => stopped.to_string(),
        };
        (!met).then(|| format!("fault: {got}; expected {wanted}"))
    }
}

impl Stopped {
    /// What went wrong in a wave, without the instruction.
    pub(crate) fn of(fault: &Fault) -> Stopped {
        let (kind, sentence) = match fault {
            Fault::Unsupported { what, .. } => (FaultKind::Instruction, what.clone()),
            Fault::Trap { id, .. } => (FaultKind::Trap, format!("trap {id}")),
            Fault::Memory(fault) => (FaultKind::Memory, refused(fault)),
        };
        Stopped {
            kind,
            line: None,
            sentence,
        }
    }

    pub(crate) fn endless(sentence: &str) -> Stopped {
        Stopped {
            kind: FaultKind::Endless,
            line: None,
            sentence: sentence.to_owned(),
        }
    }
}

/// Why an access was refused: the lane, the address, the reason, and the buffer next to it.
fn refused(fault: &MemoryFault) -> String {
    let lane = fault.lane.map(|l| format!(" of lane {l}"));
    let lane = lane.unwrap_or_default();
    let at = |why: &str| {
        let near = match &fault.nearest {
            Some((name, start, bytes)) => {
                let offset = fault.address.wrapping_sub(*start) as i64;
                format!("{offset} bytes from the start of buffer `{name}`, which has {bytes}")
            }
            None => "there is no buffer: write `mem NAME = …`".into(),
        };
        format!("the access{lane} to {:#x} {why}; {near}", fault.address)
    };
    match fault.reason {
        MemoryFaultReason::Unmapped => at("is outside every buffer"),
        MemoryFaultReason::Freed => at("is in a buffer that was freed"),
        MemoryFaultReason::ReadOnly => at("writes what can only be read"),
        MemoryFaultReason::Misaligned { align } => {
            at(&format!("is misaligned: that is no multiple of {align}"))
        }
        MemoryFaultReason::OutsideScratch => {
            format!("the access{lane} is outside the scratch of the lane")
        }
        MemoryFaultReason::StackOverflow { stack_bytes: 0, .. } => {
            format!(
                "the access{lane} is to scratch, of which there is none: write `scratch bytes = 64`"
            )
        }
        MemoryFaultReason::StackOverflow {
            offset,
            stack_bytes,
        } => format!(
            "the access{lane} is at offset {offset} of the lane's scratch, which has {stack_bytes} bytes"
        ),
        MemoryFaultReason::OutsideLds { offset, lds_bytes } => {
            format!("the access{lane} is at offset {offset} of an LDS of {lds_bytes} bytes")
        }
        MemoryFaultReason::Surface(surface) => format!("the access{lane} is to {surface}"),
    }
}
