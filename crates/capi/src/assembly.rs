//! Assembly of sources.

use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use wavetank::Chip;
use wavetank_asm::{
    Folders, LinkedError, Options as AsmOptions, Signature, assemble_code, assemble_linked,
};
use wavetank_gcn::Dialect;

use crate::device::chip_named;
use crate::failure::{Failure, Result};
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::options::Options;
use crate::pointer::{Out, text, text_or_none};
use crate::status::wavetank_status::{self, *};

/// An assembled source. It does not change: any thread may use it at any time.
pub struct wavetank_assembly {
    _private: [u8; 0],
}

pub(crate) struct Assembly {
    source: Source,
    chip: Chip,
    object: Vec<u8>,
    /// The plain bytes of the code, made when they are asked for.
    code: OnceLock<Vec<u8>>,
}

impl Handled for Assembly {
    type Opaque = wavetank_assembly;
    const KIND: Kind = Kind::Assembly;
}

/// A source with its options.
struct Source {
    text: String,
    dialect: Dialect,
    kernels: Vec<Signature>,
    defines: Vec<(String, i64)>,
    include: Folders,
    /// Whether the caller names the chip. The source must then not name another one, and is not assembled for the chip of a device.
    fixed: bool,
}

/// The name of a source in messages.
const NAME: &str = "the source";

/// The most wrong lines of which a sentence tells.
const MAX_ERRORS: usize = 100;

impl Source {
    fn read(text: &str, options: Option<&str>, fixed: bool) -> Result<Source> {
        let known = ["dialect", "kernel", "define", "include"];
        let options = Options::read(options, &known)?;
        let dialect = options
            .last("dialect")
            .map_or(Ok(Dialect::Llvm), str::parse);
        let kernels: std::result::Result<_, _> = options.all("kernel").map(str::parse).collect();
        let defines: Result<_> = options.all("define").map(definition).collect();
        Ok(Source {
            text: text.to_owned(),
            dialect: dialect.map_err(Failure::argument)?,
            kernels: kernels.map_err(Failure::argument)?,
            defines: defines?,
            include: Folders(options.all("include").map(PathBuf::from).collect()),
            fixed,
        })
    }

    fn options(&self, chip: Chip) -> AsmOptions<'_> {
        AsmOptions {
            dialect: self.dialect,
            kernels: self.kernels.clone(),
            defines: self.defines.clone(),
            files: &self.include,
            max_errors: MAX_ERRORS,
            fixed: self.fixed,
            ..AsmOptions::new(chip)
        }
    }

    /// Assembles and links the source.
    fn object(&self, chip: Chip) -> Result<Vec<u8>> {
        let object = assemble_linked(NAME, &self.text, &self.options(chip));
        object.map_err(|error: LinkedError| Failure::new(WAVETANK_ERROR_SOURCE, error))
    }
}

/// Reads a definition of a symbol: `N=64`, or `N` for 1.
fn definition(text: &str) -> Result<(String, i64)> {
    let (name, number) = text.split_once('=').unwrap_or((text, "1"));
    let number = number.trim();
    let value = match number.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let value = value.map_err(|_| {
        Failure::argument(format!(
            "`define={text}` has no number: write `define=N=64`"
        ))
    })?;
    Ok((name.trim().to_owned(), value))
}

impl Assembly {
    /// Returns the code object for a device with a chip.
    ///
    /// # Errors
    /// A source that is wrong for this chip.
    pub(crate) fn object_for(&self, chip: Chip) -> Result<Vec<u8>> {
        if !self.source.fixed && chip != self.chip {
            self.source.object(chip)
        } else {
            Ok(self.object.clone())
        }
    }

    /// Returns the plain bytes of the code.
    fn code(&self) -> Result<&[u8]> {
        if let Some(code) = self.code.get() {
            return Ok(code);
        }
        let made = assemble_code(NAME, &self.source.text, &self.source.options(self.chip));
        let made = made.map_err(|errors| Failure::new(WAVETANK_ERROR_SOURCE, errors))?;
        Ok(self.code.get_or_init(|| made))
    }
}

/// Assembles a source to a code object.
///
/// `chip` is a name such as "gfx906"; null is gfx900, unless the source names one. `options` is null, or a text such as
/// "kernel=square(global u32* out, u32 n); dialect=clrx; define=N=64; include=FOLDER". Each option but dialect may be given several
/// times. `kernel` describes a kernel whose descriptor is not in the source.
///
/// WAVETANK_ERROR_SOURCE: wrong lines; the sentence has all of them. WAVETANK_ERROR_ARGUMENT: an unknown chip or option. `*assembly`
/// is then null. Free the assembly by wavetank_assembly_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_assemble(
    source: *const c_char,
    chip: *const c_char,
    options: *const c_char,
    assembly: *mut *mut wavetank_assembly,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Assembly>(assembly, "assembly", || {
            let named = text_or_none(chip, "chip")?;
            let options = text_or_none(options, "options")?;
            let source = Source::read(text(source, "source")?, options, named.is_some())?;
            let chip = chip_named(named)?;
            Ok(Assembly {
                object: source.object(chip)?,
                source,
                chip,
                code: OnceLock::new(),
            })
        })
    }
}

/// Frees an assembly, with its bytes; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_assembly_free(
    assembly: *mut wavetank_assembly,
) -> wavetank_status {
    handle::free::<Assembly>(assembly, "assembly")
}

/// Writes address and size of bytes.
///
/// # Safety
/// By the caller's promise.
unsafe fn give(found: &[u8], bytes: *mut *const c_void, size: *mut usize) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (bytes, size) = unsafe { (Out::of(bytes, "bytes")?, Out::of(size, "size")?) };
    bytes.set(found.as_ptr().cast());
    size.set(found.len());
    Ok(())
}

/// Writes address and size of the code object, which wavetank_module_load and other loaders take. The bytes are valid until the
/// assembly is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_assembly_object(
    assembly: *const wavetank_assembly,
    bytes: *mut *const c_void,
    size: *mut usize,
) -> wavetank_status {
    guarded(|| {
        let assembly = handle::get::<Assembly>(assembly, "assembly")?;
        // SAFETY: by the caller's promise.
        unsafe { give(&assembly.object, bytes, size) }
    })
}

/// Writes address and size of the plain bytes of the code: the instructions, with the data among them. The bytes are valid until
/// the assembly is freed.
///
/// WAVETANK_ERROR_SOURCE: a source whose code needs a linker.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_assembly_code(
    assembly: *const wavetank_assembly,
    bytes: *mut *const c_void,
    size: *mut usize,
) -> wavetank_status {
    guarded(|| {
        let assembly = handle::get::<Assembly>(assembly, "assembly")?;
        let code = assembly.code()?;
        // SAFETY: by the caller's promise.
        unsafe { give(code, bytes, size) }
    })
}
