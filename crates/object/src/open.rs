//! The search for code objects in the output of compilers: plain files, offload bundles, host programs.

use crate::bundle::{Bundle, BundleEntry, each_bundle, is_bundle, targets_of_all};
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
    let only;
    let requested = match requested {
        None if found(bytes)?.is_some() => {
            only = only_target(bytes)?.to_string();
            Some(only.as_str())
        }
        requested => requested,
    };
    let mut objects = Vec::new();
    each_piece(bytes, requested, |piece| {
        objects.push(piece.read()?);
        Ok::<(), Error>(())
    })?;
    Ok(objects)
}

/// Returns the target of a file with bundles or images, if they are for only one.
fn only_target(bytes: &[u8]) -> Result<Target> {
    let mut present = targets(bytes)?;
    match present.len() {
        1 => Ok(present.remove(0)),
        0 => Err(Error::TargetMissing {
            wanted: "any AMD GPU".to_owned(),
            present: Vec::new(),
        }),
        _ => Err(Error::TargetNeeded {
            present: present.iter().map(Target::to_string).collect(),
        }),
    }
}

/// Code for a GPU in a file. It is read on demand, because code for other machines may have any form.
pub struct Piece<'a> {
    target: Target,
    code: Code<'a>,
}

enum Code<'a> {
    Bytes(&'a [u8]),
    /// The file is the code object, which had to be read for its target.
    Object(Box<CodeObject>),
}

impl Piece<'_> {
    /// Returns the target for which the file has the code.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Reads the code object.
    ///
    /// # Errors
    /// The errors of [`CodeObject::parse`].
    pub fn read(self) -> Result<CodeObject> {
        match self.code {
            Code::Bytes(bytes) => CodeObject::parse(bytes),
            Code::Object(object) => Ok(*object),
        }
    }
}

impl<'a> Piece<'a> {
    fn of(entry: &BundleEntry<'a>) -> Option<Piece<'a>> {
        let code = Code::Bytes(entry.bytes);
        let target = entry.target.clone()?;
        Some(Piece { target, code })
    }
}

/// Visits the code for GPUs in a file, in its order: for `requested` the best piece of each bundle, without it every piece. A
/// compressed bundle is unpacked only while its pieces are visited, so that a large file takes little more memory than its bytes.
///
/// # Errors
/// The errors of [`open`], except [`Error::TargetNeeded`]; the first error of `visit`, which ends the visits.
///
/// ```
/// use wavetank_object::{Error, each_piece};
///
/// let bytes = include_bytes!("../tests/data/vecadd-gfx900.hsaco");
/// let mut kernels = 0;
/// each_piece(bytes, None, |piece| {
///     assert_eq!(piece.target().to_string(), "gfx900");
///     kernels += piece.read()?.kernels().len();
///     Ok::<(), Error>(())
/// })?;
/// assert_eq!(kernels, 1);
/// # Ok::<(), Error>(())
/// ```
pub fn each_piece<E: From<Error>>(
    bytes: &[u8],
    requested: Option<&str>,
    mut visit: impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let requested: Option<Target> = requested.map(str::parse).transpose()?;
    let mut present = Vec::new();
    let mut is_there = false;
    let mut of_bundle = |bundle: &Bundle<'_>| {
        present.extend(bundle.targets().cloned());
        let pieces: Vec<Piece<'_>> = match &requested {
            Some(requested) => (bundle.best(requested).and_then(Piece::of).into_iter()).collect(),
            None => bundle.entries().iter().filter_map(Piece::of).collect(),
        };
        is_there |= !pieces.is_empty();
        pieces.into_iter().try_for_each(&mut visit)
    };
    match found(bytes)? {
        Some(Embedded::Bundles(bundles)) => each_bundle(bundles, of_bundle)?,
        Some(Embedded::Images(place)) => images(place).iter().try_for_each(&mut of_bundle)?,
        None => {
            let object = CodeObject::parse_for(bytes, requested.as_ref())?;
            let target = object.target().clone();
            is_there = (requested.as_ref()).is_none_or(|requested| target.serves(requested));
            present.push(target.clone());
            if is_there {
                let code = Code::Object(Box::new(object));
                visit(Piece { target, code })?;
            }
        }
    }
    match requested {
        Some(requested) if !is_there => Err(Error::TargetMissing {
            wanted: requested.to_string(),
            present: distinct(present).iter().map(Target::to_string).collect(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Returns whether a file is a host program with code for GPUs inside.
pub fn is_host_program(bytes: &[u8]) -> bool {
    !is_bundle(bytes) && matches!(found(bytes), Ok(Some(_)))
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
    let mut all = Vec::new();
    let mut add = |bundle: &Bundle<'_>| {
        let entry = |entry: &BundleEntry| Entry {
            id: entry.id.clone(),
            target: entry.target.clone(),
            bytes: entry.bytes.to_vec(),
        };
        all.extend(bundle.entries().iter().map(entry));
        Ok::<(), Error>(())
    };
    match found(bytes)? {
        Some(Embedded::Bundles(bundles)) => each_bundle(bundles, add)?,
        Some(Embedded::Images(place)) => images(place).iter().try_for_each(add)?,
        None => {
            let target = CodeObject::parse(bytes)?.target().clone();
            add(&Bundle::of_one(target, bytes))?;
        }
    }
    Ok(all)
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
