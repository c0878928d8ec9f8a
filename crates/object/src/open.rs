//! Finds code objects in whatever file a compiler may have left: a plain one, an offload bundle, a host program.

use crate::bundle::{Bundle, is_bundle};
use crate::code_object::CodeObject;
use crate::elf::{Elf, is_elf};
use crate::error::{Error, Result};
use crate::symbol::{Symbol, SymbolKind};
use crate::target::Target;

/// The section of a host program or library that holds offload bundles, one for each translation unit.
const FATBIN_SECTION: &str = ".hip_fatbin";

/// Reads the code object for `wanted` (a target ID such as `gfx906`) from a code object, an offload bundle, or a host
/// program with offload bundles inside.
///
/// Without `wanted`, the file must hold code for one target only. A host program of several translation units has
/// several code objects for one target; [`open_all`] gives them all, `open` the first that has kernels.
///
/// # Errors
/// As [`CodeObject::parse`] and [`Bundle::parse`]; [`Error::TargetMissing`] and [`Error::TargetNeeded`], which list the
/// targets present; [`Error::NoDeviceCode`] for a plain host program.
///
/// ```
/// let bytes = include_bytes!("../tests/data/vecadd-gfx900.hsaco");
/// let object = wavetank_object::open(bytes, None)?;
/// assert_eq!(object.target().chip, "gfx900");
/// let kernel = object.kernel("vecadd").unwrap();
/// assert_eq!(kernel.explicit_args().count(), 4);
/// let image = object.load_image(0x10000)?;
/// let entry = image.address_of(kernel.entry);
/// assert_eq!(entry % 256, 0);
///
/// let error = wavetank_object::open(bytes, Some("gfx803")).unwrap_err();
/// assert_eq!(error.to_string(), "the file holds no code for gfx803; it has gfx900");
/// # Ok::<(), wavetank_object::Error>(())
/// ```
pub fn open(bytes: &[u8], wanted: Option<&str>) -> Result<CodeObject> {
    let mut objects = open_all(bytes, wanted)?;
    let at = objects.iter().position(|o| !o.kernels().is_empty());
    Ok(objects.swap_remove(at.unwrap_or(0)))
}

/// Reads all code objects for `wanted`, at least one. See [`open`].
///
/// # Errors
/// As [`open`].
pub fn open_all(bytes: &[u8], wanted: Option<&str>) -> Result<Vec<CodeObject>> {
    let wanted: Option<Target> = wanted.map(str::parse).transpose()?;
    if is_bundle(bytes) {
        return from_bundles(&Bundle::parse_all(bytes)?, wanted.as_ref());
    }
    if let Some(fatbin) = fatbin(bytes)? {
        return from_bundles(&Bundle::parse_all(fatbin)?, wanted.as_ref());
    }
    let object = CodeObject::parse(bytes)?;
    match wanted {
        Some(wanted) if !object.target().serves(&wanted) => Err(Error::TargetMissing {
            wanted: wanted.to_string(),
            present: vec![object.target().to_string()],
        }),
        _ => Ok(vec![object]),
    }
}

/// The names of the kernels of a code object that cannot be read, as far as its symbols tell: for sentences about
/// what will be missing.
pub fn kernel_names(bytes: &[u8]) -> Vec<String> {
    let symbols = Elf::parse(bytes).and_then(|elf| elf.symbols());
    let name = |symbol: Symbol| match symbol.kind {
        SymbolKind::Kernel => Some(symbol.name),
        _ => symbol.name.strip_suffix(".kd").map(str::to_owned),
    };
    symbols.into_iter().flatten().filter_map(name).collect()
}

/// The targets that a file holds code for, each once, in file order: what [`open`] can be asked for.
///
/// # Errors
/// As [`open`], those of target selection excepted.
pub fn targets(bytes: &[u8]) -> Result<Vec<Target>> {
    let bundles = match (is_bundle(bytes), fatbin(bytes)) {
        (true, _) => Bundle::parse_all(bytes)?,
        (false, Ok(Some(fatbin))) => Bundle::parse_all(fatbin)?,
        _ => return Ok(vec![CodeObject::parse(bytes)?.target().clone()]),
    };
    Ok(distinct(&bundles))
}

/// The dynamic linker that a host program names; `None` for one that is linked statically, and for what is no program.
pub fn interpreter(bytes: &[u8]) -> Option<&str> {
    Elf::parse(bytes).ok()?.interpreter()
}

/// The fat binary of a host program; `None` where the file is no host program.
fn fatbin(bytes: &[u8]) -> Result<Option<&[u8]>> {
    if !is_elf(bytes) {
        return Ok(None);
    }
    let elf = Elf::parse(bytes)?;
    let Some(machine) = elf.foreign_machine() else {
        return Ok(None);
    };
    match elf.section(FATBIN_SECTION)? {
        Some(section) => Ok(Some(section)),
        None => Err(Error::NoDeviceCode { machine }),
    }
}

fn distinct(bundles: &[Bundle]) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for target in bundles.iter().flat_map(Bundle::targets) {
        if !targets.contains(target) {
            targets.push(target.clone());
        }
    }
    targets
}

fn from_bundles(bundles: &[Bundle], wanted: Option<&Target>) -> Result<Vec<CodeObject>> {
    let present = distinct(bundles);
    let names = || present.iter().map(Target::to_string).collect();
    let wanted = match (wanted, present.as_slice()) {
        (Some(wanted), _) => wanted,
        (None, [only]) => only,
        (None, []) => {
            let wanted = "any AMD GPU".to_owned();
            return Err(Error::TargetMissing {
                wanted,
                present: names(),
            });
        }
        (None, _) => return Err(Error::TargetNeeded { present: names() }),
    };
    let chosen = bundles.iter().filter_map(|bundle| bundle.best(wanted));
    let objects: Vec<CodeObject> = chosen.map(CodeObject::parse).collect::<Result<_>>()?;
    match objects.is_empty() {
        false => Ok(objects),
        true => Err(Error::TargetMissing {
            wanted: wanted.to_string(),
            present: names(),
        }),
    }
}
