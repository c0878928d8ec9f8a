//! The search for code objects in the output of compilers: plain files, offload bundles, host programs.

use crate::bundle::{Bundle, BundleEntry, is_bundle, targets_of_all, unpack};
use crate::code_object::CodeObject;
use crate::elf::Elf;
use crate::embedded::{Embedded, embedded, images};
use crate::error::{Error, Result};
use crate::symbol::{Symbol, SymbolKind};
use crate::target::Target;

/// Reads the code object for `requested` (a target ID such as `gfx906`) from a code object, an offload bundle, compressed or
/// not, or a host program with offload bundles or images for OpenMP inside.
///
/// Without `requested`, the file must contain code for only one target. A host program of several translation units has several
/// code objects for one target; [`open_all`] returns them all, `open` the first that has kernels.
///
/// # Errors
/// The errors of [`CodeObject::parse`] and [`Bundle::parse`]; [`Error::TargetMissing`] and [`Error::TargetNeeded`], which list
/// the available targets; [`Error::NoDeviceCode`] for a plain host program.
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
pub fn open(bytes: &[u8], requested: Option<&str>) -> Result<CodeObject> {
    let mut objects = open_all(bytes, requested)?;
    let at = objects.iter().position(|o| !o.kernels().is_empty());
    Ok(objects.swap_remove(at.unwrap_or(0)))
}

/// Reads all code objects for `requested`, at least one. See [`open`].
///
/// # Errors
/// The errors of [`open`].
pub fn open_all(bytes: &[u8], requested: Option<&str>) -> Result<Vec<CodeObject>> {
    let requested: Option<Target> = requested.map(str::parse).transpose()?;
    match found(bytes)? {
        Some(Embedded::Bundles(bundles)) => {
            let bundles = unpack(bundles)?;
            return from_bundles(&Bundle::parse_all(&bundles)?, requested.as_ref());
        }
        Some(Embedded::Images(place)) => return from_bundles(&images(place), requested.as_ref()),
        None => {}
    }
    let object = CodeObject::parse_for(bytes, requested.as_ref())?;
    match requested {
        Some(requested) if !object.target().serves(&requested) => Err(Error::TargetMissing {
            wanted: requested.to_string(),
            present: vec![object.target().to_string()],
        }),
        _ => Ok(vec![object]),
    }
}

/// Reads the code objects for `requested`, or without it those of every target in the file.
///
/// # Errors
/// The errors of [`open`], except that a file may have several targets.
///
/// ```
/// let bytes = include_bytes!("../tests/data/vecadd-gfx900.hsaco");
/// let objects = wavetank_object::open_every(bytes, None)?;
/// assert_eq!(objects[0].target().to_string(), "gfx900");
/// # Ok::<(), wavetank_object::Error>(())
/// ```
pub fn open_every(bytes: &[u8], requested: Option<&str>) -> Result<Vec<CodeObject>> {
    if requested.is_some() {
        return open_all(bytes, requested);
    }
    let mut objects = Vec::new();
    for target in targets(bytes)? {
        objects.extend(open_all(bytes, Some(&target.to_string()))?);
    }
    Ok(objects)
}

/// One of several pieces of code in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of the bundle's entry, e.g. `hipv4-amdgcn-amd-amdhsa--gfx906:xnack+`; without a bundle, the target.
    pub id: String,
    /// The GPU target, or `None` for the host's entry and for other machines.
    pub target: Option<Target>,
    /// The bytes of the code.
    pub bytes: Vec<u8>,
}

/// Returns the entire contents of a file, in its order: the entries of bundles, compressed or not, those of a host program, its
/// images for OpenMP, or the one code object that the file is.
///
/// # Errors
/// The errors of [`open`], except those of target selection.
pub fn unbundle(bytes: &[u8]) -> Result<Vec<Entry>> {
    let entries = |bundles: &[Bundle]| -> Vec<Entry> {
        let all = bundles.iter().flat_map(Bundle::entries);
        let entry = |entry: &BundleEntry| Entry {
            id: entry.id.clone(),
            target: entry.target.clone(),
            bytes: entry.bytes.to_vec(),
        };
        all.map(entry).collect()
    };
    match found(bytes)? {
        Some(Embedded::Bundles(bundles)) => Ok(entries(&Bundle::parse_all(&unpack(bundles)?)?)),
        Some(Embedded::Images(place)) => Ok(entries(&images(place))),
        None => {
            let target = CodeObject::parse(bytes)?.target().clone();
            Ok(entries(&[Bundle::of_one(target, bytes)]))
        }
    }
}

/// Returns the names of the kernels in a code object that cannot be read, as far as its symbols contain them, for messages about
/// missing kernels.
pub fn kernel_names(bytes: &[u8]) -> Vec<String> {
    let symbols = Elf::parse(bytes).and_then(|elf| elf.symbols());
    let name = |symbol: Symbol| match symbol.kind {
        SymbolKind::Kernel => Some(symbol.name),
        _ => symbol.name.strip_suffix(".kd").map(str::to_owned),
    };
    symbols.into_iter().flatten().filter_map(name).collect()
}

/// Returns the targets in a file, each once, in file order. [`open`] accepts each of them.
///
/// # Errors
/// The errors of [`open`], except those of target selection.
pub fn targets(bytes: &[u8]) -> Result<Vec<Target>> {
    match found(bytes) {
        Ok(Some(Embedded::Bundles(bundles))) => Ok(distinct(targets_of_all(bundles)?)),
        Ok(Some(Embedded::Images(place))) => Ok(distinct(targets_of(&images(place)))),
        _ => Ok(vec![CodeObject::parse(bytes)?.target().clone()]),
    }
}

/// Returns the dynamic linker of a host program; `None` for a statically linked one, and for other files.
pub fn interpreter(bytes: &[u8]) -> Option<&str> {
    Elf::parse(bytes).ok()?.interpreter()
}

/// Returns whether a file is an ELF file that has not been linked, of any machine.
pub fn is_object_file(bytes: &[u8]) -> bool {
    Elf::parse(bytes).is_ok_and(|elf| elf.is_relocatable())
}

/// Returns the bundles or images in a file; `None` for a file that may be a code object itself.
fn found(bytes: &[u8]) -> Result<Option<Embedded<'_>>> {
    if is_bundle(bytes) {
        Ok(Some(Embedded::Bundles(bytes)))
    } else {
        embedded(bytes)
    }
}

fn targets_of(bundles: &[Bundle]) -> Vec<Target> {
    bundles.iter().flat_map(Bundle::targets).cloned().collect()
}

/// Removes duplicates from a list of targets.
fn distinct(mut targets: Vec<Target>) -> Vec<Target> {
    let mut seen = Vec::new();
    targets.retain(|target| {
        let is_new = !seen.contains(target);
        if is_new {
            seen.push(target.clone());
        }
        is_new
    });
    targets
}

fn from_bundles(bundles: &[Bundle], requested: Option<&Target>) -> Result<Vec<CodeObject>> {
    let present = distinct(targets_of(bundles));
    let names = || present.iter().map(Target::to_string).collect();
    let requested = match (requested, present.as_slice()) {
        (Some(requested), _) => requested,
        (None, [only]) => only,
        (None, []) => {
            return Err(Error::TargetMissing {
                wanted: "any AMD GPU".to_owned(),
                present: names(),
            });
        }
        (None, _) => return Err(Error::TargetNeeded { present: names() }),
    };
    let chosen = bundles.iter().filter_map(|bundle| bundle.best(requested));
    let objects: Vec<CodeObject> = chosen.map(CodeObject::parse).collect::<Result<_>>()?;
    if !objects.is_empty() {
        Ok(objects)
    } else {
        Err(Error::TargetMissing {
            wanted: requested.to_string(),
            present: names(),
        })
    }
}
