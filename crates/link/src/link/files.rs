//! The input files, and the options of a link.

use std::collections::HashSet;

use crate::error::{Error, Problem, Result};
use crate::relocatable::{Place, Relocatable, Relocation, Symbol};

/// An object file that is linked.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The name of the file, for errors.
    pub name: &'a str,
    /// The contents of the file.
    pub object: &'a Relocatable,
}

/// The options of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether undefined symbols are left to the loader. Otherwise they are an error, as with `--no-undefined`, which compilers
    /// for GPUs pass.
    pub allow_undefined: bool,
    /// Whether the loader may write halves of addresses into code (as with `-z notext`). Otherwise this is an error.
    pub text_relocations: bool,
}

/// The input files, and the sections of them that are linked.
pub(super) struct Files<'a> {
    pub inputs: &'a [Input<'a>],
    /// For each file's sections, whether they are linked: of groups with the same name only the first is.
    pub kept: Vec<Vec<bool>>,
}

impl<'a> Files<'a> {
    pub(super) fn select(inputs: &'a [Input<'a>]) -> Files<'a> {
        let mut seen = HashSet::new();
        let kept = inputs.iter().map(|Input { object, .. }| {
            let mut here = HashSet::new();
            let sections = object.sections.iter().map(|section| {
                let Some(group) = section.group else {
                    return true;
                };
                let name = object.symbols[group].name.as_str();
                if seen.insert(name) {
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

    /// Returns the place of a symbol's definition; symbols of discarded sections are undefined.
    pub(super) fn place(&self, input: usize, symbol: usize) -> Place {
        match self.inputs[input].object.symbols[symbol].place {
            Place::Section(section) if !self.kept[input][section] => Place::Undefined,
            place => place,
        }
    }

    /// Describes the place of a relocation: the file, and the function or the section.
    pub(super) fn describe(&self, input: usize, section: usize, relocation: &Relocation) -> String {
        let Input { name, object } = self.inputs[input];
        let holds = |symbol: &&Symbol| {
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

/// Returns an error with all problems, or `Ok` if there are none.
pub(super) fn unlinkable(problems: Vec<Problem>) -> Result<()> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Error::Unlinkable(problems))
    }
}
