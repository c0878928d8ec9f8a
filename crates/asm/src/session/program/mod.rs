//! The program of a source in CLRX's dialect: its format, and its kernels with their settings.

mod catalyst;
mod config;
mod format;
mod metadata;

use std::collections::HashMap;
use std::rc::Rc;

use wavetank_object::clover::{Argument, Listed};

use crate::assembler::Counts;
use crate::source::{Cursor, SyntaxError, first_word, syntax_error};
use crate::state::{Location, Place, SectionId};

pub(crate) use catalyst::{
    Argument as CatalystArgument, Kind, MOST_BUFFERS, Pointer, Settings, Space, Waiting,
};
pub(crate) use config::{Config, GRID_COUNTS};
pub(crate) use format::Format;
pub(crate) use metadata::{KernelMetadata, Metadata, TYPES, quoted};

/// The registers of `.proginfo`: COMPUTE_PGM_RSRC1 and 2, COMPUTE_TMPRING_SIZE, and LLVM's own numbers for spilled SGPRs and
/// VGPRs.
pub(crate) const REGISTERS: [u32; 5] = [0xb848, 0xb84c, 0xb860, 4, 8];

/// The mark of sections that are not part of the object.
pub(crate) const HIDDEN: char = '\u{1}';

/// The state of CLRX's dialect besides the sections.
#[derive(Debug)]
pub(crate) struct Program {
    pub format: Format,
    /// Whether addresses have 64 bits.
    pub wide: bool,
    /// The versions of the driver and of LLVM that the program is for, in CLRX's numbering.
    pub driver: i64,
    pub llvm: Option<i64>,
    /// Whether names of macros are case-sensitive.
    pub cased: bool,
    pub metadata: Metadata,
    pub kernels: Vec<Kernel>,
    pub by_name: HashMap<Rc<str>, usize>,
    /// The kernel whose settings are being read.
    pub current: Option<usize>,
    pub configures: bool,
    /// Whether settings apply only to the header before a kernel's code for Mesa.
    pub for_hsa: bool,
    /// The kernels of a program for Mesa.
    pub found: Vec<Found>,
    /// The name of the chip as written in the source.
    pub product: Option<String>,
    /// A program for AMD's Catalyst.
    pub catalyst: Option<Waiting>,
    /// The kernels that code belonged to before each open `.kcode`.
    pub aside: Vec<Vec<usize>>,
}

/// A kernel of CLRX's formats.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub name: Rc<str>,
    pub place: Place,
    pub config: Option<Config>,
    pub metadata: KernelMetadata,
    /// Arguments, and values of registers, for Mesa.
    pub listed: Vec<Argument>,
    pub registers: Option<Vec<[u32; 2]>>,
    /// Notes for AMD's Catalyst: a type, and the section with the bytes.
    pub notes: Vec<(u32, SectionId)>,
    /// The settings that only AMD's Catalyst has.
    pub catalyst: Settings,
    pub counts: Counts,
    pub function: bool,
    /// The location of the kernel's settings in the code, if it is independent of the kernel's label.
    pub location: Option<Location>,
    /// Sections that hold bytes of the kernel's settings.
    pub parts: Vec<(Part, SectionId)>,
}

/// The contents of a hidden section of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// All 256 bytes of the settings.
    Setup,
    /// The last 128 bytes of the settings.
    Control,
    Metadata,
    /// Data that only a driver reads, and that is dropped.
    Dropped,
    /// The header that AMD's Catalyst expects beside the text of a kernel.
    Header,
    Data,
}

impl Program {
    pub(crate) fn new() -> Self {
        Program {
            format: Format::Amd,
            wide: true,
            driver: 191_205,
            llvm: None,
            cased: false,
            metadata: Metadata::default(),
            kernels: Vec::new(),
            by_name: HashMap::new(),
            current: None,
            configures: false,
            for_hsa: false,
            found: Vec::new(),
            product: None,
            catalyst: None,
            aside: Vec::new(),
        }
    }

    /// Leaves the current kernel: the following settings are for the whole binary.
    pub(crate) fn leave(&mut self) {
        self.current = None;
        self.configures = false;
    }

    /// Returns the kernel whose code begins with a label of its name, unless `.kcode` names the kernels.
    pub(crate) fn labelled(&self, name: &str) -> Option<usize> {
        let kernel = self.by_name.get(name).filter(|_| self.aside.is_empty());
        kernel.copied()
    }

    /// Returns the kernel whose settings are being read.
    pub(crate) fn kernel(&mut self, cursor: &Cursor<'_>) -> Result<&mut Kernel, SyntaxError> {
        let kernel = self.current.and_then(|at| self.kernels.get_mut(at));
        kernel.ok_or_else(|| {
            let word = first_word(cursor.text());
            syntax_error(
                0..word.len(),
                format_args!("no `.kernel` stands before `{word}`"),
            )
        })
    }

    /// Returns the settings that are being read.
    pub(crate) fn config(&mut self, cursor: &Cursor<'_>) -> Result<&mut Config, SyntaxError> {
        let (configures, for_hsa) = (self.configures, self.for_hsa);
        let kernel = self.kernel(cursor)?;
        let config = kernel.config.as_mut().filter(|_| configures);
        let config = config.map(|config| if for_hsa { config.for_hsa() } else { config });
        config.ok_or_else(|| {
            let word = first_word(cursor.text());
            let message = format!("`{word}` stands in the `.config` of a kernel");
            syntax_error(0..word.len(), message)
        })
    }
}

/// A kernel whose code has been found.
#[derive(Debug)]
pub(crate) struct Found {
    pub listed: Listed,
    pub location: Location,
    pub registers: Vec<[u32; 2]>,
    pub place: Place,
}
