//! Stops of a case, and the syntax to expect one.

use wavetank::front_end::FaultKind;

/// The kinds by the names that expectations have for them.
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
pub(crate) enum Expected {
    /// A kind of fault.
    Kind(FaultKind),
    /// A part of its sentence.
    Part(String),
}

impl Expected {
    /// Reads the text after `fault =`.
    pub(crate) fn parse(text: &str) -> Result<Expected, String> {
        if let Some(part) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            return if part.is_empty() {
                Err("an empty sentence is part of each: write a kind of fault".into())
            } else {
                Ok(Expected::Part(part.to_owned()))
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
    pub(crate) fn failure(&self, stopped: Option<&Stopped>) -> Option<String> {
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
