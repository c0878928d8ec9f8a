//! The fault that a case expects (`fault = …`), and the comparison with the one that stopped it.

use wavetank::front_end::FaultKind;

/// The kinds of faults, by their names in `fault = …`.
const KINDS: [(&str, FaultKind); 4] = [
    ("memory", FaultKind::Memory),
    ("trap", FaultKind::Trap),
    ("instruction", FaultKind::Instruction),
    ("endless", FaultKind::Endless),
];

/// The fault that stopped a case before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The line of the instruction in the file, from 1.
    pub line: Option<usize>,
    /// A sentence that names the instruction and the fault.
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

/// The value of a line `fault = …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ExpectedFault {
    /// Any fault of a kind.
    Kind(FaultKind),
    /// Any fault whose sentence contains a text.
    Part(String),
}

impl ExpectedFault {
    /// Reads the text after `fault =`.
    pub(crate) fn parse(text: &str) -> Result<ExpectedFault, String> {
        if let Some(part) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            return if part.is_empty() {
                Err("an empty text is a part of every sentence: write a kind of fault".into())
            } else {
                Ok(ExpectedFault::Part(part.to_owned()))
            };
        }
        let known = KINDS.iter().find(|(name, _)| *name == text);
        known.map(|(_, kind)| ExpectedFault::Kind(*kind)).ok_or_else(|| {
            let names = KINDS.map(|(name, _)| name).join(", ");
            format!(
                "`{text}` is not a kind of fault: write {names}, or a part of the fault's sentence in quotes"
            )
        })
    }

    /// Returns a sentence that describes the difference if the case ended in another way, and `None` if it ended as expected.
    pub(crate) fn failure(&self, stopped: Option<&Stopped>) -> Option<String> {
        let (met, wanted) = match self {
            ExpectedFault::Kind(kind) => {
                let name = KINDS.iter().find(|(_, k)| k == kind).map_or("", |k| k.0);
                (stopped.is_some_and(|s| s.kind == *kind), name.to_owned())
            }
            ExpectedFault::Part(part) => (
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
