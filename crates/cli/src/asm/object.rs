//! The files that `wavetank asm` writes: object files, code objects, and bundles of them.

use std::path::{Path, PathBuf};

use wavetank_asm::{Assembly, Errors, Options, assemble_whole, link_options, text_of};
use wavetank_link::{Input, Place, Relocatable, Relocation, link, reloc};

use crate::exit::{Failure, Result};
use crate::input::read;
use crate::whole;

/// The alignment of code in a bundle that runtimes require.
const PAGE: u64 = 4096;

/// The files to assemble and link.
pub(super) struct Job<'a> {
    pub files: &'a [PathBuf],
    /// Prints the wrong lines of a file; returns the sentence that ends the command.
    pub report: &'a dyn Fn(&Path, &Errors) -> Failure,
}

/// Writes the object file of the only source.
pub(super) fn compiled(job: &Job<'_>, options: &Options<'_>, to: &Path) -> Result {
    let [path] = job.files else {
        let sentence = "-c makes one object file of one source; leave it out to link several";
        return Err(Failure::usage(sentence));
    };
    let object = assembly(job, options, path)?.object;
    write(to, &object.write().map_err(unlinked)?)
}

/// Writes the code object of all sources.
pub(super) fn code(job: &Job<'_>, options: &Options<'_>, to: &Path) -> Result {
    write(to, &linked(job, options, false)?)
}

/// Assembles and links the sources for each of several chips, and writes an offload bundle. It begins with an empty entry for the
/// host, as HIP's compiler makes it.
pub(super) fn bundle(job: &Job<'_>, options: &[Options<'_>], to: &Path) -> Result {
    let mut parts = vec![("host-x86_64-unknown-linux--".to_owned(), Vec::new())];
    for options in options {
        let code = linked(job, options, true).map_err(|failure| for_chip(failure, options))?;
        parts.push((format!("hipv4-amdgcn-amd-amdhsa--{}", options.target), code));
    }
    let entries: Vec<(&str, &[u8])> = parts.iter().map(|(id, code)| (&**id, &**code)).collect();
    write(to, &wavetank::object::bundle(&entries, PAGE)?)
}

/// Returns the code object of all sources, or the program of the only source, for a driver that does not link.
fn linked(job: &Job<'_>, options: &Options<'_>, bundled: bool) -> Result<Vec<u8>> {
    let mut objects = Vec::new();
    for path in job.files {
        let name = path.to_string_lossy().into_owned();
        let made = assembly(job, options, path)?;
        match made.container {
            None => objects.push((name, made.object)),
            Some(container) if job.files.len() == 1 && !bundled => {
                let object = made.object.write().map_err(unlinked)?;
                return Ok(container.write(&object)?);
            }
            Some(_) => {
                let sentence =
                    "a program of Mesa's Clover is one source for one chip: name them alone";
                return Err(Failure::usage(sentence).of(path));
            }
        }
    }
    let inputs: Vec<Input> = objects
        .iter()
        .map(|(name, object)| Input { name, object })
        .collect();
    link(&inputs, &link_options(options.dialect)).map_err(unlinked)
}

/// Returns the object of a file, which is an object file or a source.
fn assembly(job: &Job<'_>, options: &Options<'_>, path: &Path) -> Result<Assembly> {
    of_bytes(path, read(path)?, options, job.report)
}

/// Returns the object of a file with these contents.
fn of_bytes(
    path: &Path,
    bytes: Vec<u8>,
    options: &Options<'_>,
    report: &dyn Fn(&Path, &Errors) -> Failure,
) -> Result<Assembly> {
    if bytes.starts_with(b"\x7fELF") {
        let object = Relocatable::read(&bytes);
        return Ok(Assembly {
            object: object.map_err(|error| Failure::usage(error.to_string()).of(path))?,
            container: None,
        });
    }
    crate::source::refuse_to_assemble(path, &bytes)?;
    let made = assemble_whole(&path.to_string_lossy(), &text_of(bytes), options);
    made.map_err(|errors| report(path, &errors))
}

/// Returns the code object of a source or an object file in memory.
pub(super) fn of_one(
    path: &Path,
    bytes: &[u8],
    options: &Options<'_>,
    describes: bool,
    report: &dyn Fn(&Path, &Errors) -> Failure,
) -> Result<Vec<u8>> {
    let name = &*path.to_string_lossy();
    let mut object = of_bytes(path, bytes.to_vec(), options, report)?.object;
    if describes {
        // Descriptors of kernels need the distance to their code, and nothing else an address.
        let symbols = &object.symbols;
        let is_here = |symbol: usize| matches!(symbols[symbol].place, Place::Section(_));
        for section in &mut object.sections {
            let needs = |r: &Relocation| r.kind == reloc::REL64 && is_here(r.symbol);
            section.relocations.retain(needs);
        }
    }
    let object = &object;
    link(&[Input { name, object }], &link_options(options.dialect))
        .map_err(|error| unlinked(error).of(path))
}

/// Adds the chip to a failure, if there are several.
fn for_chip(failure: Failure, options: &Options<'_>) -> Failure {
    match failure {
        Failure::Usage(sentence) => {
            Failure::Usage(format!("{sentence}, for {}", options.target.chip))
        }
        kernel => kernel,
    }
}

fn unlinked(error: wavetank_link::Error) -> Failure {
    Failure::usage(error.to_string())
}

/// Writes bytes to a file.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result {
    whole::write(path, bytes).map_err(|error| Failure::file("write", path, error))
}
