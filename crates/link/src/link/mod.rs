//! The linker, which joins object files to a code object as `ld.lld -shared` does.
//!
//! Decisions are those of LLVM's linker (LLVM 15, `lld/ELF`), so that addresses, symbols and contents are the same: the choice of
//! a symbol's definition ([`symbols`]), the joining of sections ([`sections`], [`merge`]), the tables for a loader ([`scan`],
//! [`dynamic`]), and the layout ([`layout`]).

mod apply;
mod dynamic;
mod edges;
mod files;
mod image;
mod layout;
mod merge;
mod scan;
mod sections;
mod symbols;

use crate::error::{Error, Result};
use crate::identity::Identity;

use dynamic::DynamicTables;
use files::Files;
use image::Image;
use layout::Layout;
use scan::Scan;
use sections::Outputs;
use symbols::Symbols;

pub use files::{Input, Options};

/// Links files to a code object, which is a shared library as `ld.lld -shared` makes it.
///
/// # Errors
/// [`Error::Unlinkable`] with all problems of symbols and relocations; [`Error::Incompatible`]; [`Error::NothingToLink`]; the
/// errors of [`Relocatable::check`](crate::Relocatable::check).
pub fn link(inputs: &[Input], options: &Options) -> Result<Vec<u8>> {
    for input in inputs {
        input.object.check()?;
    }
    let identity = joined_identity(inputs)?;
    let files = Files::select(inputs);
    let mut symbols = Symbols::resolve(&files)?;
    let mut outputs = Outputs::collect(&files, &mut symbols);
    symbols.define_edges(&outputs);
    let scan = Scan::of(&files, &symbols, &outputs, options)?;
    let dynamic = DynamicTables::of(&symbols, &scan)?;
    dynamic.add_sections(&scan, &mut outputs);
    symbols.define_dynamic(&outputs);
    let layout = Layout::of(&mut outputs)?;
    let image = Image {
        identity,
        files: &files,
        symbols: &symbols,
        scan: &scan,
        outputs: &outputs,
        dynamic: &dynamic,
        layout: &layout,
    };
    image.write()
}

/// Returns the common system, version and chip of all files.
fn joined_identity(inputs: &[Input]) -> Result<Identity> {
    let (first, others) = inputs.split_first().ok_or(Error::NothingToLink)?;
    let mut identity = first.object.identity;
    for other in others {
        identity =
            identity
                .join(&other.object.identity)
                .map_err(|problem| Error::Incompatible {
                    first: first.name.to_owned(),
                    second: other.name.to_owned(),
                    problem,
                })?;
    }
    Ok(identity)
}
