//! Disassembly of code.

use std::ffi::{CString, c_char, c_void};

use wavetank::DEFAULT_CHIP;
use wavetank_asm::{DisassemblyError, PlacedInst, disassemble};

use crate::device::chip_named;
use crate::failure::Failure;
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::pointer::{Out, bytes, c_string, shown_or_null, text_or_none};
use crate::record::Record;
use crate::status::wavetank_status::{self, *};

/// The instructions of code, in the order of memory. They do not change: any thread may read them at any time.
pub struct wavetank_listing {
    _private: [u8; 0],
}

pub(crate) struct Listing(Vec<Row>);

/// An instruction with texts that C can read.
struct Row {
    placed: PlacedInst,
    text: CString,
    function: Option<CString>,
    file: Option<CString>,
}

impl Handled for Listing {
    type Opaque = wavetank_listing;
    const KIND: Kind = Kind::Listing;
}

impl Row {
    fn of(placed: PlacedInst) -> Row {
        Row {
            text: c_string(&placed.text()),
            function: placed.function.as_deref().map(c_string),
            file: placed.file.as_deref().map(c_string),
            placed,
        }
    }
}

/// Disassembles code of `size` bytes: a code object, each code object of a bundle or host program, or plain bytes.
///
/// `chip` is a name such as "gfx906", which chooses the code of a file with several. For plain bytes, null is gfx900. Words that are
/// not instructions are listed as data.
///
/// WAVETANK_ERROR_CODE: a broken file, or one without code for the chip. WAVETANK_ERROR_ARGUMENT: plain bytes that end within a
/// word. `*listing` is then null. Free the listing by wavetank_listing_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_disassemble(
    code: *const c_void,
    size: usize,
    chip: *const c_char,
    listing: *mut *mut wavetank_listing,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Listing>(listing, "listing", || {
            let code = bytes(code, size, "code")?;
            let chip = text_or_none(chip, "chip")?;
            let chip = chip.map(|name| chip_named(Some(name))).transpose()?;
            let placed = disassemble(code, chip, DEFAULT_CHIP).map_err(|error| match error {
                DisassemblyError::PartOfWord(_) => Failure::argument(error),
                error => Failure::new(WAVETANK_ERROR_CODE, error),
            })?;
            Ok(Listing(placed.into_iter().map(Row::of).collect()))
        })
    }
}

/// Frees a listing, with its texts; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_listing_free(listing: *mut wavetank_listing) -> wavetank_status {
    handle::free::<Listing>(listing, "listing")
}

/// Writes the number of instructions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_listing_count(
    listing: *const wavetank_listing,
    count: *mut usize,
) -> wavetank_status {
    guarded(|| {
        let listing = handle::get::<Listing>(listing, "listing")?;
        // SAFETY: by the caller's promise.
        unsafe { Out::of(count, "count") }?.set(listing.0.len());
        Ok(())
    })
}

/// An instruction at an address. Texts and bytes are valid until the listing is freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_instruction {
    /// The address in the code object, or the distance from the start of plain code, in bytes.
    pub address: u64,
    /// The bytes in the order of memory.
    pub bytes: *const u8,
    /// The canonical text; that of data is a `.long`.
    pub text: *const c_char,
    /// The kernel or function, or null.
    pub function: *const c_char,
    /// The file of the line of source, or null.
    pub file: *const c_char,
    /// The line of source, or 0.
    pub line: u32,
    /// The number of bytes.
    pub byte_count: u32,
    /// 1 for a word of data, 0 for an instruction.
    pub is_data: u32,
}

// SAFETY: it is plain data, and all of its bits may be 0.
unsafe impl Record for wavetank_instruction {
    const FIRST_SIZE: usize = 56;
}

/// Writes an instruction by its number, from 0. `size` is sizeof(wavetank_instruction).
///
/// WAVETANK_ERROR_NOT_FOUND: there are not so many instructions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_listing_get(
    listing: *const wavetank_listing,
    index: usize,
    instruction: *mut wavetank_instruction,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let listing = handle::get::<Listing>(listing, "listing")?;
        let row = listing.0.get(index).ok_or_else(|| {
            let count = listing.0.len();
            Failure::not_found(format!(
                "there is no instruction {index}: there are {count}"
            ))
        })?;
        let record = wavetank_instruction {
            address: row.placed.address,
            bytes: row.placed.bytes.as_ptr(),
            text: row.text.as_ptr(),
            function: shown_or_null(row.function.as_deref()),
            file: shown_or_null(row.file.as_deref()),
            line: row.placed.line.unwrap_or(0),
            byte_count: row.placed.bytes.len() as u32,
            is_data: row.placed.inst.is_none().into(),
        };
        // SAFETY: by the caller's promise.
        unsafe { record.write(instruction, size, "instruction") }
    })
}
