//! Options of an assembly.

use wavetank_gcn::{Chip, Dialect};
use wavetank_object::Target;

use crate::files::{Files, NoFiles};
use crate::signature::Signature;

/// How a source is assembled.
#[derive(Clone)]
pub struct Options<'a> {
    /// The chip whose instructions these are, unless the source says it.
    pub chip: Chip,
    /// The chip with its features, for the header of the object.
    pub target: Target,
    /// Whether the source must be for this chip: one that names another is wrong.
    pub fixed: bool,
    /// How the source is written.
    pub dialect: Dialect,
    /// The version of the code object, 2 to 6, unless the source says it.
    pub version: u8,
    /// Where `.include` and `.incbin` find files.
    pub files: &'a dyn Files,
    /// Symbols that are numbers from the start.
    pub defines: Vec<(String, i64)>,
    /// Kernels whose descriptors and metadata the source does not have. [`assemble_object`](crate::assemble_object) adds them.
    pub kernels: Vec<Signature>,
    /// At how many errors the work ends.
    pub max_errors: usize,
}

impl Options<'_> {
    /// For a chip, in LLVM's dialect, version 5, without files.
    pub fn new(chip: Chip) -> Self {
        let target = Target {
            chip: chip.name().to_owned(),
            sramecc: wavetank_object::Feature::Any,
            xnack: wavetank_object::Feature::Any,
            generic_version: None,
        };
        Options {
            chip,
            target,
            fixed: false,
            dialect: Dialect::Llvm,
            version: 5,
            files: &NoFiles,
            defines: Vec::new(),
            kernels: Vec::new(),
            max_errors: usize::MAX,
        }
    }
}
