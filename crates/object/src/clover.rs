//! Programs in the format of Mesa's Clover: a list of kernels with their arguments, and a code object of Mesa in a section.
//!
//! Source: the CLRX wiki, "CLRadeonExtender Assembler Gallium handling", and CLRX's reader. All fields have 32 bits: the number
//! of kernels; for each kernel the length of its name, the name, its section, its offset there, the number of arguments, and for
//! each argument type, size, size and alignment for the chip, extension and meaning. Then follow the number of sections, and for
//! each section its number, type, size, the size with the next field, the size again, and the bytes. Types of sections have other
//! numbers from Mesa 17.0 on.

use crate::bytes::{slice, u32_at};
use crate::error::{Error, Result};
use crate::metadata::{Arg, ArgKind};

/// The first bytes of an ELF file.
const ELF: &[u8] = b"\x7fELF";
/// Limit of kernels, and of the bytes of a name.
const MOST: u32 = 4096;

/// A program for Mesa's Clover.
pub(crate) struct Program<'a> {
    pub kernels: Vec<Listed>,
    /// The bytes of the code object.
    pub object: &'a [u8],
}

/// The entry of a kernel in a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The name of the kernel in the source.
    pub name: String,
    /// The offset of the kernel in the object's code.
    pub offset: u32,
    /// The arguments of the kernel, in order.
    pub args: Vec<Argument>,
}

/// An argument of a kernel, in the numbering of Clover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// The index of the argument's kind in [`KINDS`].
    pub kind: u32,
    /// Bytes that the caller passes.
    pub size: u32,
    /// Bytes that the kernel receives.
    pub target_size: u32,
    /// The alignment of the received bytes.
    pub align: u32,
    /// Whether the caller's bytes are sign-extended; otherwise zeros follow them.
    pub signed: bool,
    /// The index of the argument's meaning in [`MEANINGS`].
    pub meaning: u32,
}

/// Kinds of arguments, by CLRX's names.
#[rustfmt::skip]
pub const KINDS: [&str; 9] = [
    "scalar", "constant", "global", "local", "image2d_rdonly", "image2d_wronly", "image3d_rdonly", "image3d_wronly", "sampler",
];

/// Meanings of arguments, by CLRX's names.
pub const MEANINGS: [&str; 5] = ["general", "griddim", "gridoffset", "imgsize", "imgformat"];

/// The values of a grid offset, one after another.
const GRID_OFFSET: [ArgKind; 3] = [
    ArgKind::HiddenGlobalOffsetX,
    ArgKind::HiddenGlobalOffsetY,
    ArgKind::HiddenGlobalOffsetZ,
];

/// Returns whether the bytes begin with a number of kernels and a name.
pub(crate) fn is_program(bytes: &[u8]) -> bool {
    let mut start = Reader { bytes, at: 0 };
    let name = |start: &mut Reader| {
        let kernels = start.number().ok()?;
        let name = start.name().ok()?;
        let printable = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
        ((1..=MOST).contains(&kernels) && printable).then_some(())
    };
    name(&mut start).is_some() && memchr::memmem::find(bytes, ELF).is_some()
}

impl<'a> Program<'a> {
    /// Reads the program; the caller has tested the bytes with [`is_program`].
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = Reader { bytes, at: 0 };
        let kernels = (0..reader.number()?).map(|_| reader.kernel());
        let kernels = kernels.collect::<Result<_>>()?;
        for _ in 0..reader.number()? {
            let section = reader.section()?;
            if section.starts_with(ELF) {
                let object = section;
                return Ok(Program { kernels, object });
            }
        }
        Err(Error::BadElf {
            problem: "none of the program's sections holds an ELF file".to_owned(),
        })
    }
}

impl Listed {
    /// Returns the arguments, which begin at offset `first`, and the size of the block that contains them.
    ///
    /// # Errors
    /// [`Error::BadKernel`] if the arguments take more than 4 GiB.
    pub fn args(&self, first: u32) -> Result<(Vec<Arg>, u32)> {
        let (mut args, mut next) = (Vec::new(), 0u32);
        for argument in &self.args {
            for kind in argument.kinds() {
                let at = next.checked_next_multiple_of(argument.align.max(1));
                let end = at.and_then(|at| at.checked_add(argument.target_size));
                let end = end.filter(|end| end.checked_add(first + 4).is_some());
                let (Some(at), Some(end)) = (at, end) else {
                    return Err(Error::BadKernel {
                        kernel: self.name.clone(),
                        problem: "its arguments take more than 4 GiB".to_owned(),
                    });
                };
                args.push(argument.of_kind(*kind, first + at));
                next = end;
            }
        }
        Ok((args, first + next.next_multiple_of(4)))
    }
}

impl Argument {
    /// Returns the values that the argument stands for.
    fn kinds(&self) -> &'static [ArgKind] {
        // Kinds 4 to 8 are images and samplers, which these drivers never supported.
        match (self.meaning, self.kind) {
            (0, 0) => &[ArgKind::ByValue],
            (0, 1 | 2) => &[ArgKind::GlobalBuffer],
            (0, 3) => &[ArgKind::DynamicSharedPointer],
            (0, _) => &[ArgKind::Image],
            (1, _) => &[ArgKind::HiddenGridDims],
            (2, _) => &GRID_OFFSET,
            _ => &[ArgKind::HiddenNone],
        }
    }

    fn of_kind(&self, kind: ArgKind, offset: u32) -> Arg {
        let given = self.size.min(self.target_size);
        Arg {
            sign_extended_to: if self.signed { self.target_size } else { 0 },
            ..Arg::unnamed(kind, offset, given)
        }
    }
}

/// Makes a program from kernels and a relocatable file with their code, for a version of Mesa: 170000 is 17.0.0.
///
/// # Errors
/// [`Error::TooLarge`] if a size exceeds 32 bits.
pub fn program(kernels: &[Listed], object: &[u8], mesa: u64) -> Result<Vec<u8>> {
    let number = |n: usize| u32::try_from(n).map_err(|_| Error::TooLarge { size: n as u64 });
    let mut words = Words(Vec::new());
    words.put([number(kernels.len())?]);
    for kernel in kernels {
        words.put([number(kernel.name.len())?]);
        words.0.extend(kernel.name.bytes());
        words.put([SECTION, kernel.offset, number(kernel.args.len())?]);
        for arg in &kernel.args {
            let sizes = [arg.kind, arg.size, arg.target_size, arg.align];
            words.put(sizes);
            words.put([arg.signed.into(), arg.meaning]);
        }
    }
    let kind = if mesa < 170_000 { 0 } else { TEXT_EXECUTABLE };
    let size = number(object.len())?;
    words.put([1, SECTION, kind, size, number(object.len() + 4)?, size]);
    words.0.extend(object);
    Ok(words.0)
}

/// The number of the only section, and its type from Mesa 17.0 on.
const SECTION: u32 = 0;
const TEXT_EXECUTABLE: u32 = 2;

/// A sequence of 32-bit words that is being written.
struct Words(Vec<u8>);

impl Words {
    fn put<const N: usize>(&mut self, words: [u32; N]) {
        self.0
            .extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
}

/// A reader of the fields, one after another.
struct Reader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> Reader<'a> {
    fn take(&mut self, size: u64, what: &str) -> Result<&'a [u8]> {
        let taken = slice(self.bytes, self.at, size, what)?;
        self.at += size;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32> {
        Ok(u32_at(self.take(4, "a field of the program")?, 0))
    }

    fn name(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        self.take(length.into(), "the name of a kernel")
    }

    fn kernel(&mut self) -> Result<Listed> {
        let name = String::from_utf8_lossy(self.name()?).into_owned();
        let [_section, offset] = [self.number()?, self.number()?];
        let args = (0..self.number()?).map(|_| self.argument());
        let args = args.collect::<Result<_>>()?;
        Ok(Listed { name, offset, args })
    }

    fn argument(&mut self) -> Result<Argument> {
        let fields = self.take(24, "an argument of a kernel")?;
        let [kind, size, target_size, align, extension, meaning] =
            std::array::from_fn(|n| u32_at(fields, 4 * n));
        Ok(Argument {
            kind,
            size,
            target_size,
            align,
            signed: extension == 1,
            meaning,
        })
    }

    fn section(&mut self) -> Result<&'a [u8]> {
        let [_number, _type, size] = [self.number()?, self.number()?, self.number()?];
        let [_with_field, _again] = [self.number()?, self.number()?];
        self.take(size.into(), "a section of the program")
    }
}
