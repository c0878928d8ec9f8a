//! Metadata of kernels, as set by directives.

use crate::state::SectionId;

/// The metadata of the whole source.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub version: Option<(u64, u64)>,
    pub printfs: Vec<String>,
    /// The section that holds metadata written by the source itself.
    pub section: Option<SectionId>,
}

/// The metadata of one kernel.
#[derive(Debug, Default)]
pub(crate) struct KernelMetadata {
    /// Keys with their values, in their written form.
    pub entries: Vec<(&'static str, String)>,
    pub arguments: Vec<Vec<(&'static str, String)>>,
}

impl KernelMetadata {
    /// Returns the number of a key, or 0 if it is not set.
    pub(crate) fn number(&self, key: &str) -> u64 {
        let found = self.entries.iter().find(|(other, _)| *other == key);
        found.and_then(|(_, text)| text.parse().ok()).unwrap_or(0)
    }

    /// Returns the sizes of a key in three dimensions.
    pub(crate) fn sizes(&self, key: &str) -> Option<[u32; 3]> {
        let (_, text) = self.entries.iter().find(|(other, _)| *other == key)?;
        let mut numbers = text.trim_matches(['[', ']', ' ']).split(',');
        let mut next = || numbers.next()?.trim().parse().ok();
        Some([next()?, next()?, next()?])
    }
}

/// Quotes a text for YAML.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Types of values: CLRX's name, OpenCL's name, the metadata's name, and the size in bytes.
pub(crate) const TYPES: [(&str, &str, &str, u64); 12] = [
    ("struct", "structure", "Struct", 0),
    ("i8", "char", "I8", 1),
    ("u8", "uchar", "U8", 1),
    ("i16", "short", "I16", 2),
    ("u16", "ushort", "U16", 2),
    ("f16", "half", "F16", 2),
    ("i32", "int", "I32", 4),
    ("u32", "uint", "U32", 4),
    ("f32", "float", "F32", 4),
    ("i64", "long", "I64", 8),
    ("u64", "ulong", "U64", 8),
    ("f64", "double", "F64", 8),
];
