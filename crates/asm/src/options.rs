//! Options of an assembly: chip, target, dialect, files and definitions.

use wavetank_gcn::{Chip, Dialect};
use wavetank_object::Target;

use crate::files::{Files, NoFiles};
use crate::message::Message;
use crate::signature::Signature;

/// The options of an assembly.
#[derive(Clone)]
pub struct Options<'a> {
    /// The chip whose instructions are read, unless the source names one.
    pub chip: Chip,
    /// The chip with its features, for the header of the object.
    pub target: Target,
    /// Whether the source must be for this chip, so that naming another is an error.
    pub fixed: bool,
    /// The dialect of the source.
    pub dialect: Dialect,
    /// The version of the code object, 2 to 6, unless the source sets it.
    pub version: u8,
    /// The provider of files for `.include` and `.incbin`.
    pub files: &'a dyn Files,
    /// Symbols defined as numbers before the first line.
    pub defines: Vec<(String, i64)>,
    /// Kernels whose descriptors and metadata are not in the source. [`assemble_object`](crate::assemble_object) adds them.
    pub kernels: Vec<Signature>,
    /// Whether the object gets a line table of the source's own lines, unless the source has `.loc`.
    pub debug_lines: bool,
    /// The number of errors after which the assembly ends.
    pub max_errors: usize,
    /// The receiver of the messages of `.print` and `.warning`.
    pub messages: &'a dyn Fn(&Message),
}

impl Options<'_> {
    /// Returns the default options for a chip: LLVM's dialect, version 5, no files, and messages are dropped.
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
            debug_lines: false,
            max_errors: usize::MAX,
            messages: &|_| {},
        }
    }
}
