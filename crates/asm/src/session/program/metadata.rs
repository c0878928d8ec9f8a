//! Metadata of kernels, as directives have set them.

use crate::state::SectionId;

/// What the metadata say of all kernels.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub version: Option<(u64, u64)>,
    pub printfs: Vec<String>,
    /// The section in which a source has written them itself.
    pub section: Option<SectionId>,
}

/// What they say of one.
#[derive(Debug, Default)]
pub(crate) struct KernelMetadata {
    /// Keys with their values as they are written.
    pub entries: Vec<(&'static str, String)>,
    pub arguments: Vec<Vec<(&'static str, String)>>,
}

impl KernelMetadata {
    /// The number of a key, 0 where nothing is said.
    pub fn number(&self, key: &str) -> u64 {
        let found = self.entries.iter().find(|(other, _)| *other == key);
        found.and_then(|(_, text)| text.parse().ok()).unwrap_or(0)
    }

    /// The sizes of a key in three directions.
    pub fn sizes(&self, key: &str) -> Option<[u32; 3]> {
        let (_, text) = self.entries.iter().find(|(other, _)| *other == key)?;
        let mut numbers = text.trim_matches(['[', ']', ' ']).split(',');
        let mut next = || numbers.next()?.trim().parse().ok();
        Some([next()?, next()?, next()?])
    }
}

/// A text as YAML has it.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Types of values, by CLRX's names and OpenCL's, with their bytes.
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
