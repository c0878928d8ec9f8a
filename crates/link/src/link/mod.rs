//! Joins object files to a code object, as `ld.lld -shared` does.
//!
//! What LLVM's linker decides is decided in the same way (LLVM 15, `lld/ELF`), so that addresses, symbols and contents are
//! the same: which definition of a symbol is taken ([`symbols`]), how sections are joined ([`sections`], [`merge`]), what
//! a loader finds ([`scan`], [`dynamic`]), and where everything lies ([`layout`]).

mod apply;
mod dynamic;
mod image;
mod layout;
mod merge;
mod scan;
mod sections;
mod symbols;

use std::collections::HashSet;

use crate::error::{Error, Problem, Result};
use crate::identity::Identity;
use crate::relocatable::{Place, Relocatable, Relocation};

use dynamic::DynamicTables;
use image::Image;
use layout::Layout;
use scan::Scan;
use sections::Outputs;
use symbols::Symbols;

/// An object file to be linked.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// What it is called in errors: the name of its file.
    pub name: &'a str,
    /// Its contents.
    pub object: &'a Relocatable,
}

/// How files are linked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Symbols that nothing defines are left to the loader. Otherwise they are an error, as with `--no-undefined`, which
    /// compilers for GPUs ask for.
    pub allow_undefined: bool,
}

/// Links files to a code object: a shared library such as `ld.lld -shared` makes.
///
/// # Errors
/// [`Error::Unlinkable`] with all that is wrong about symbols and relocations; [`Error::Incompatible`];
/// [`Error::NothingToLink`]; those of [`Relocatable::check`].
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

/// System, version and chip of all files.
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

/// The files, with those sections that are linked.
struct Files<'a> {
    inputs: &'a [Input<'a>],
    /// Of each file's sections, whether they are linked: of groups of the same name the first is.
    kept: Vec<Vec<bool>>,
}

impl<'a> Files<'a> {
    fn select(inputs: &'a [Input<'a>]) -> Files<'a> {
        let mut taken = HashSet::new();
        let kept = inputs.iter().map(|Input { object, .. }| {
            let mut here = HashSet::new();
            let sections = object.sections.iter().map(|section| {
                let Some(group) = section.group else {
                    return true;
                };
                let name = object.symbols[group].name.as_str();
                if taken.insert(name) {
                    here.insert(name);
                }
                here.contains(name)
            });
            sections.collect()
        });
        Files {
            inputs,
            kept: kept.collect(),
        }
    }

    /// Where a symbol is defined; those of sections that are not linked are not.
    fn place(&self, input: usize, symbol: usize) -> Place {
        match self.inputs[input].object.symbols[symbol].place {
            Place::Section(section) if !self.kept[input][section] => Place::Undefined,
            place => place,
        }
    }

    /// Says where a relocation is: the file, and the function or the section.
    fn tell(&self, input: usize, section: usize, relocation: &Relocation) -> String {
        let Input { name, object } = self.inputs[input];
        let holds = |symbol: &&crate::relocatable::Symbol| {
            let at = relocation.offset.wrapping_sub(symbol.value);
            symbol.place == Place::Section(section) && !symbol.name.is_empty() && at < symbol.size
        };
        let section = &object.sections[section].name;
        let offset = relocation.offset;
        match object.symbols.iter().find(holds) {
            Some(symbol) => format!("{name}, {} ({section}+{offset:#x})", symbol.name),
            None => format!("{name}, {section}+{offset:#x}"),
        }
    }
}

/// All that is wrong, or nothing.
fn unlinkable(problems: Vec<Problem>) -> Result<()> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Error::Unlinkable(problems)),
    }
}
