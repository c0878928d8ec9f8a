//! Files that `wavetank asm` writes: object files, code objects, bundles of them.

use std::path::{Path, PathBuf};

use wavetank_asm::{Assembly, Errors, Options, assemble_whole, text_of};
use wavetank_gcn::Dialect;
use wavetank_link::{Input, Relocatable, link};

use crate::exit::{Failure, Result};
use crate::input::read;
use crate::whole;

/// Where runtimes want the code of a bundle to begin.
const PAGE: u64 = 4096;

/// Files to be assembled and linked.
pub struct Job<'a> {
    pub files: &'a [PathBuf],
    /// Tells the wrong lines of a file; gives the sentence that ends the command.
    pub told: &'a dyn Fn(&Path, &Errors) -> Failure,
}

/// Writes the object file of the one source.
pub fn compiled(job: &Job<'_>, options: &Options<'_>, to: &Path) -> Result {
    let [path] = job.files else {
        let sentence = "-c makes one object file of one source; leave it out to link several";
        return Err(Failure::usage(sentence));
    };
    let object = assembly(job, options, path)?.object;
    write(to, &object.write().map_err(unlinked)?)
}

/// Writes the code object of all sources.
pub fn code(job: &Job<'_>, options: &Options<'_>, to: &Path) -> Result {
    write(to, &linked(job, options, false)?)
}

/// Assembles and links the sources for each of several chips, and writes an offload bundle, with an empty entry for the host
/// as HIP's compiler makes it.
pub fn bundle(job: &Job<'_>, options: &[Options<'_>], to: &Path) -> Result {
    let mut parts = vec![("host-x86_64-unknown-linux--".to_owned(), Vec::new())];
    for options in options {
        let code = linked(job, options, true).map_err(|failure| for_chip(failure, options))?;
        parts.push((format!("hipv4-amdgcn-amd-amdhsa--{}", options.target), code));
    }
    let entries: Vec<(&str, &[u8])> = parts.iter().map(|(id, code)| (&**id, &**code)).collect();
    write(to, &wavetank::object::bundle(&entries, PAGE)?)
}

/// The code object of all sources, or the program of the only one, for a driver that links nothing.
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
    // What CLRX's sources ask of an address is for loaders.
    let options = wavetank_link::Options {
        text_relocations: options.dialect == Dialect::Clrx,
        ..Default::default()
    };
    link(&inputs, &options).map_err(unlinked)
}

/// The object that a file is, or makes.
fn assembly(job: &Job<'_>, options: &Options<'_>, path: &Path) -> Result<Assembly> {
    let bytes = read(path)?;
    if bytes.starts_with(b"\x7fELF") {
        let object = Relocatable::read(&bytes);
        return Ok(Assembly {
            object: object.map_err(|error| Failure::usage(error.to_string()).of(path))?,
            container: None,
        });
    }
    crate::source::refuse(path, &bytes)?;
    let made = assemble_whole(&path.to_string_lossy(), &text_of(bytes), options);
    made.map_err(|errors| (job.told)(path, &errors))
}

/// A failure of one of several chips.
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

/// Writes a file.
pub fn write(path: &Path, bytes: &[u8]) -> Result {
    whole::write(path, bytes).map_err(|error| Failure::file("write", path, error))
}
