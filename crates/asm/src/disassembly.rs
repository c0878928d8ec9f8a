//! Code as a list of instructions, each with its function and its line of source.

use thiserror::Error;
use wavetank_gcn::{Chip, Inst};
use wavetank_object::{CodeObject, Lines, is_bundle, open_every};

use crate::listing::{Listing, ListingError};

/// An instruction at an address, or a word of data among instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedInst {
    /// The instruction, unless it is data.
    pub inst: Option<Inst>,
    /// The address in the code object, or the distance from the start of plain code, in bytes.
    pub address: u64,
    /// The bytes in the order of memory.
    pub bytes: Vec<u8>,
    /// The file of the line of source, if it is known.
    pub file: Option<String>,
    /// The line of source, if it is known.
    pub line: Option<u32>,
    /// The kernel or function, if there is one.
    pub function: Option<String>,
}

impl PlacedInst {
    /// Returns the canonical text; that of data is a `.long`.
    pub fn text(&self) -> String {
        match &self.inst {
            Some(inst) => inst.to_string(),
            None => {
                let word = self.bytes.iter().rev();
                let word = word.fold(0u64, |word, byte| word << 8 | u64::from(*byte));
                format!(".long {word:#010x}")
            }
        }
    }
}

/// The reason why code is not disassembled.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum DisassemblyError {
    /// A file that is not a code object or bundle, or has no code for the chip.
    #[error(transparent)]
    Object(#[from] wavetank_object::Error),
    /// Code of a chip that is not GCN.
    #[error(transparent)]
    Listing(#[from] ListingError),
    /// Plain code that ends within a word.
    #[error("plain code has whole words of 4 bytes, not {0} bytes")]
    PartOfWord(usize),
}

/// Returns the instructions of code: of a code object, of each code object of a bundle or program, or of plain bytes. Plain
/// bytes are those of `chip`, or else of `default`; from a file, a chip chooses its code.
///
/// # Errors
/// See [`DisassemblyError`].
///
/// ```
/// use wavetank_asm::disassemble;
/// use wavetank_gcn::Chip;
///
/// let code = [0x00, 0x81, 0x80, 0x80, 0xff, 0xff, 0xff, 0xff];
/// let texts: Vec<String> = disassemble(&code, None, Chip::Gfx900)?
///     .iter()
///     .map(|inst| inst.text())
///     .collect();
/// assert_eq!(texts, ["s_sub_u32 s0, s0, 1", ".long 0xffffffff"]);
/// # Ok::<(), wavetank_asm::DisassemblyError>(())
/// ```
pub fn disassemble(
    code: &[u8],
    chip: Option<Chip>,
    default: Chip,
) -> Result<Vec<PlacedInst>, DisassemblyError> {
    if !code.starts_with(b"\x7fELF") && !is_bundle(code) {
        if !code.len().is_multiple_of(4) {
            return Err(DisassemblyError::PartOfWord(code.len()));
        }
        let listing = Listing::raw(code, chip.unwrap_or(default));
        return Ok(placed(&listing, None));
    }
    let mut all = Vec::new();
    for object in &open_every(code, chip.map(Chip::name))? {
        all.extend(placed(&Listing::of(object)?, Some(object)));
    }
    Ok(all)
}

/// Adds functions and lines to the instructions of a listing.
fn placed(listing: &Listing<'_>, object: Option<&CodeObject>) -> Vec<PlacedInst> {
    let lines = object.and_then(Lines::of);
    let place = |(address, bytes, inst): (u64, &[u8], Option<Inst>)| {
        let source = lines.as_ref().map(|lines| lines.at(address));
        let frame = source.and_then(|source| source.frames.into_iter().next());
        let symbol = object.and_then(|object| object.symbol_at(address));
        PlacedInst {
            inst,
            address,
            bytes: bytes.to_vec(),
            line: frame.as_ref().and_then(|frame| frame.line),
            file: frame.map(|frame| frame.file),
            function: symbol.map(|(symbol, _)| symbol.name.clone()),
        }
    };
    listing.items().map(place).collect()
}
