//! What an object records about itself: version, operating system, notes.

use wavetank_link::Os;

use crate::options::Options;

/// What stands in notes and in the header.
#[derive(Debug)]
pub(crate) struct Notes {
    /// The version of the code object.
    pub version: u8,
    pub os: Os,
    /// Whether a target was asked for, which the source's own has to be.
    pub fixed: bool,
    /// The contents of `.note`.
    pub entries: Vec<u8>,
    /// Whether the source has said what made it.
    pub has_ident: bool,
}

impl Notes {
    pub fn new(options: &Options<'_>) -> Self {
        Notes {
            version: options.version,
            os: Os::Hsa,
            fixed: options.fixed,
            entries: Vec::new(),
            has_ident: false,
        }
    }
}
