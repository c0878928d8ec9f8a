//! What people call: sources to instructions, and to objects.

use std::fmt;
use std::rc::Rc;

use wavetank_isa::text::print_at;
use wavetank_isa::{Chip, Dialect, Encoded, Inst};
use wavetank_link::Relocatable;
use wavetank_object::Target;
use wavetank_object::catalyst;
use wavetank_object::clover::{self, Listed};

use crate::assembler::{Assembler, Known};
use crate::errors::Errors;
use crate::files::{Files, NoFiles};
use crate::signature::Signature;
use crate::source::may_have_names;

/// An instruction of a source.
#[derive(Clone, Debug)]
pub struct Line {
    /// The number of its line, from 1; of a macro's instruction, the number in the expansion.
    pub number: usize,
    /// Where it stands in its section, in bytes.
    pub address: u64,
    /// The instruction. Where it waits for an address that only a linker knows, there is 0 in its place.
    pub inst: Inst,
    pub(crate) code: Encoded,
    /// The operand whose value was not known where it stands.
    pub(crate) symbolic: Option<Symbolic>,
}

/// An operand by a name.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic {
    /// As it was written.
    pub written: String,
    /// The instruction with a number for it that stands nowhere else.
    pub template: Inst,
    /// Whether only a linker knows its value.
    pub linked: bool,
}

impl Line {
    /// Its 4 or 8 bytes, in the order of memory.
    pub fn bytes(&self) -> &[u8] {
        self.code.as_bytes()
    }

    /// The operand that a linker has to fill in, as it was written: its bytes are 0.
    pub fn waits_for(&self) -> Option<&str> {
        let symbolic = self.symbolic.as_ref().filter(|symbolic| symbolic.linked);
        symbolic.map(|symbolic| &*symbolic.written)
    }

    /// Writes its canonical text; an operand whose value was not known where it stands as it was written.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn print(&self, dialect: Dialect, out: &mut impl fmt::Write) -> fmt::Result {
        let Some(Symbolic {
            written, template, ..
        }) = &self.symbolic
        else {
            return print_at(&self.inst, dialect, self.address, out);
        };
        let mut text = String::new();
        print_at(template, dialect, self.address, &mut text)?;
        // Where the number stands that is in its place: behind the last blank of a branch, else as hexadecimal.
        let placeholder = format!("{:#x}", crate::assembler::LITERAL);
        match (text.find(&placeholder), text.rfind(' ')) {
            (Some(at), _) => write!(
                out,
                "{}{written}{}",
                &text[..at],
                &text[at + placeholder.len()..]
            ),
            (None, Some(blank)) => write!(out, "{} {written}", &text[..blank]),
            (None, None) => out.write_str(&text),
        }
    }
}

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
    /// Kernels whose descriptors and metadata the source does not have. [`assemble_object`] adds them.
    pub kernels: Vec<Signature>,
    /// At how many errors the work ends.
    pub most_errors: usize,
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
            most_errors: usize::MAX,
        }
    }
}

/// Assembles a source: instructions, labels and comments, one statement a line (CLRX parts several by `;`).
///
/// `each` gets the instructions in order, also those around lines that are wrong, with the bytes that they have in the end:
/// from the first on that waits for a value, when all has been read. Code begins at address 0. Directives are
/// followed as [`assemble_object`] does, but for `.include`: there are no files here.
///
/// # Errors
///
/// All wrong lines of the source: what is no instruction, a label that there is not, or is twice.
///
/// ```
/// use wavetank_asm::assemble;
/// use wavetank_isa::{Chip, Dialect};
///
/// let mut texts = Vec::new();
/// let errors = assemble("s_nop 1\ns_nop s0\ns_branch end", Chip::Gfx900, Dialect::Llvm, |line| {
///     texts.push(line.inst.to_string());
/// });
/// let errors = errors.unwrap_err().0;
/// assert_eq!(texts, ["s_nop 1"]);
/// assert_eq!((errors[0].number, errors[1].number), (2, 3));
/// assert_eq!(errors[1].error.message, "there is no label `end`");
/// ```
pub fn assemble(
    source: &str,
    chip: Chip,
    dialect: Dialect,
    each: impl FnMut(&Line),
) -> Result<(), Errors> {
    let options = Options {
        dialect,
        ..Options::new(chip)
    };
    assemble_lines("", source, &options, each)
}

/// As [`assemble`], with options. `name` is that of the source, for errors of what it includes.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::most_errors`].
pub fn assemble_lines(
    name: &str,
    source: &str,
    options: &Options<'_>,
    mut each: impl FnMut(&Line),
) -> Result<(), Errors> {
    let text: Rc<str> = source.into();
    // How long an instruction is does not depend on where its target lies. Sources without labels are spared the pass.
    let known = match may_have_names(source) {
        true => {
            let mut first = Assembler::new(name, text.clone(), options, None, None);
            first.silent = true;
            first.read_ahead(&text);
            first.known()
        }
        false => Known::new(),
    };
    let known = Some(known);
    let mut assembler = Assembler::new(name, text.clone(), options, known, Some(&mut each));
    assembler.read_ahead(&text);
    let layout = assembler.layout();
    let left = assembler.settle(&layout);
    assembler.tell_held(&layout, &left);
    checked(&mut assembler, options)
}

/// What a source becomes.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The object, as linkers take it.
    pub object: Relocatable,
    /// What is around it, where a driver wants its own.
    pub container: Option<Container>,
}

/// A file around an object, which a driver reads.
#[derive(Clone, Debug)]
pub enum Container {
    /// A program of Mesa's Clover.
    Clover {
        /// What it lists.
        kernels: Vec<Listed>,
        /// The version of Mesa: 170000 is 17.0.0.
        mesa: u64,
    },
    /// A program of AMD's Catalyst, which has all of the source itself.
    Catalyst(Box<catalyst::Program>),
}

impl Container {
    /// Writes the file around an object.
    ///
    /// # Errors
    /// Objects that are too large for it.
    pub fn write(&self, object: &[u8]) -> wavetank_object::Result<Vec<u8>> {
        match self {
            Container::Clover { kernels, mesa } => clover::program(kernels, object, *mesa),
            Container::Catalyst(program) => Ok(program.write()),
        }
    }
}

/// Assembles a source to a relocatable object: sections, symbols, and what a linker has to fill in.
///
/// `name` is that of the source, for errors of what it includes.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::most_errors`].
///
/// ```
/// use wavetank_asm::{Options, assemble_object};
/// use wavetank_isa::Chip;
///
/// let source = ".globl f\n f: s_setpc_b64 s[30:31]\n .data\n .quad f";
/// let object = assemble_object("f.s", source, &Options::new(Chip::Gfx900))?;
/// assert_eq!(object.sections[0].bytes, [0x1e, 0x1d, 0x80, 0xbe]);
/// assert_eq!(object.sections[1].relocations.len(), 1);
/// # Ok::<(), wavetank_asm::Errors>(())
/// ```
pub fn assemble_object(
    name: &str,
    source: &str,
    options: &Options<'_>,
) -> Result<Relocatable, Errors> {
    Ok(assemble_whole(name, source, options)?.object)
}

/// As [`assemble_object`], with what a driver wants around the object.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::most_errors`].
pub fn assemble_whole(name: &str, source: &str, options: &Options<'_>) -> Result<Assembly, Errors> {
    let text: Rc<str> = source.into();
    let mut assembler = Assembler::new(name, text.clone(), options, None, None);
    assembler.read_ahead(&text);
    assembler.add_kernels();
    let made = assembler.object();
    checked(&mut assembler, options)?;
    Ok(made)
}

/// Assembles a source to the plain bytes of its code, with all data among the instructions, for callers that load them themselves.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::most_errors`]; what only a linker knows; code in several sections.
///
/// ```
/// use wavetank_asm::{Options, assemble_code};
/// use wavetank_isa::Chip;
///
/// let code = assemble_code("a.s", "s_movk_i32 s0, x\n.long 5\n.set x, 7", &Options::new(Chip::Gfx900))?;
/// assert_eq!(code, [7, 0, 0, 0xb0, 5, 0, 0, 0]);
/// # Ok::<(), wavetank_asm::Errors>(())
/// ```
pub fn assemble_code(name: &str, source: &str, options: &Options<'_>) -> Result<Vec<u8>, Errors> {
    let text: Rc<str> = source.into();
    let mut assembler = Assembler::new(name, text.clone(), options, None, None);
    assembler.read_ahead(&text);
    let code = assembler.code();
    checked(&mut assembler, options)?;
    Ok(code)
}

/// The errors of a source, in the order of its lines.
fn checked(assembler: &mut Assembler<'_>, options: &Options<'_>) -> Result<(), Errors> {
    let mut errors = assembler.take_errors();
    if errors.is_empty() {
        return Ok(());
    }
    errors.sort_by_key(|error| error.around.is_empty().then_some(error.number));
    errors.truncate(options.most_errors);
    Err(Errors(errors, assembler.unread()))
}
