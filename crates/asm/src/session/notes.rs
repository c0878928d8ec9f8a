//! The identification of an object: version, operating system, notes.

use wavetank_link::Os;

use crate::options::Options;

/// The contents of notes and of the object's header.
#[derive(Debug)]
pub(crate) struct Notes {
    /// The version of the code object.
    pub version: u8,
    pub os: Os,
    /// Whether a target was requested, which the source's own must match.
    pub fixed: bool,
    /// The contents of `.note`.
    pub entries: Vec<u8>,
    /// Whether the source has named the compiler that made it.
    pub has_ident: bool,
}

impl Notes {
    pub(crate) fn new(options: &Options<'_>) -> Self {
        Notes {
            version: options.version,
            os: Os::Hsa,
            fixed: options.fixed,
            entries: Vec::new(),
            has_ident: false,
        }
    }
}
