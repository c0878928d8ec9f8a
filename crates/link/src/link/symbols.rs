//! Symbol resolution: the definition of each symbol.
//!
//! Source: "System V ABI", "Symbol Table", and LLVM's linker where the former leaves a choice (`lld/ELF/Symbols.cpp`).

use std::collections::HashMap;

use crate::elf::{STB_GLOBAL, STB_LOCAL, STB_WEAK, STT_NOTYPE, STV_DEFAULT, STV_PROTECTED};
use crate::error::{Problem, Result};
use crate::relocatable::{Place, Symbol};

use super::files::{Files, unlinkable};

/// The symbol of a relocation. The derived order is that of entries in the global offset table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Target {
    /// A global symbol, by its number.
    Global(usize),
    /// A local symbol of a file.
    Local { input: usize, symbol: usize },
}

/// The definition of a global symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    Undefined,
    Absolute(u64),
    /// An offset in an input section.
    Section {
        input: usize,
        section: usize,
        value: u64,
    },
    /// Space that the linker reserves: the symbol is not defined yet.
    Common {
        size: u64,
        align: u64,
    },
    /// An offset in an output section.
    Output {
        output: usize,
        at: u64,
    },
}

/// A global symbol, which all files share.
#[derive(Debug)]
pub(super) struct Global<'a> {
    pub name: &'a str,
    pub size: u64,
    pub kind: u8,
    pub binding: u8,
    pub visibility: u8,
    pub definition: Definition,
    /// The file that defines the symbol, or the first that named it.
    pub input: Option<usize>,
}

impl Global<'_> {
    /// Whether the symbol is visible outside of the result.
    pub(super) fn is_exported(&self) -> bool {
        matches!(self.visibility, STV_DEFAULT | STV_PROTECTED)
    }

    /// Whether a definition outside can replace the symbol.
    pub(super) fn is_preemptible(&self) -> bool {
        self.visibility == STV_DEFAULT
    }

    pub(super) fn is_undefined(&self) -> bool {
        self.definition == Definition::Undefined
    }
}

/// The global symbols, in the order in which they are first named.
pub(super) struct Symbols<'a> {
    pub globals: Vec<Global<'a>>,
    known: HashMap<&'a str, usize>,
    /// For each symbol of each file, the symbol of the result.
    targets: Vec<Vec<Target>>,
}

impl<'a> Symbols<'a> {
    /// Finds a definition for each symbol.
    ///
    /// # Errors
    /// [`crate::Error::Unlinkable`] with the symbols that have several definitions.
    pub(super) fn resolve(files: &Files<'a>) -> Result<Symbols<'a>> {
        let mut symbols = Symbols {
            globals: Vec::new(),
            known: HashMap::new(),
            targets: Vec::new(),
        };
        let mut problems = Vec::new();
        for (input, file) in files.inputs.iter().enumerate() {
            let mut targets = Vec::with_capacity(file.object.symbols.len());
            for (n, symbol) in file.object.symbols.iter().enumerate() {
                if symbol.binding == STB_LOCAL {
                    targets.push(Target::Local { input, symbol: n });
                    continue;
                }
                let global = symbols.global(&symbol.name);
                targets.push(Target::Global(global));
                let definition = definition(files.place(input, n), input, symbol);
                let global = &mut symbols.globals[global];
                global.see(symbol);
                if let Err(first) = global.offer(symbol, definition, input) {
                    let name = |input: usize| files.inputs[input].name.to_owned();
                    problems.push(Problem::Duplicate {
                        symbol: symbol.name.clone(),
                        first: name(first),
                        second: name(input),
                    });
                }
            }
            symbols.targets.push(targets);
        }
        unlinkable(problems)?;
        Ok(symbols)
    }

    /// Returns the number of a symbol, which is created at its first mention.
    pub(super) fn global(&mut self, name: &'a str) -> usize {
        if let Some(number) = self.known.get(name) {
            return *number;
        }
        let number = self.globals.len();
        self.known.insert(name, number);
        self.globals.push(Global {
            name,
            size: 0,
            kind: STT_NOTYPE,
            binding: STB_WEAK,
            visibility: STV_DEFAULT,
            definition: Definition::Undefined,
            input: None,
        });
        number
    }

    /// Returns a symbol, if some file names it.
    pub(super) fn named(&mut self, name: &str) -> Option<&mut Global<'a>> {
        let number = self.known.get(name)?;
        Some(&mut self.globals[*number])
    }

    /// Returns the result's symbol for a symbol of a file.
    pub(super) fn target(&self, input: usize, symbol: usize) -> Target {
        self.targets[input][symbol]
    }

    /// Returns the global symbol of a target, if it is one.
    pub(super) fn of(&self, target: Target) -> Option<&Global<'a>> {
        match target {
            Target::Global(number) => Some(&self.globals[number]),
            Target::Local { .. } => None,
        }
    }

    /// Defines a symbol, if some file names it and none defines it.
    pub(super) fn define(&mut self, name: &str, output: usize, at: u64, visibility: u8) {
        if let Some(global) = self.named(name).filter(|global| global.is_undefined()) {
            global.definition = Definition::Output { output, at };
            global.binding = STB_GLOBAL;
            global.visibility = narrower(global.visibility, visibility);
        }
    }
}

/// Returns the definition that a file gives for a symbol.
fn definition(place: Place, input: usize, symbol: &Symbol) -> Definition {
    match place {
        Place::Undefined => Definition::Undefined,
        Place::Absolute => Definition::Absolute(symbol.value),
        Place::Common => Definition::Common {
            size: symbol.size,
            align: symbol.value.max(1),
        },
        Place::Section(section) => Definition::Section {
            input,
            section,
            value: symbol.value,
        },
    }
}

/// Returns the more restrictive of two visibilities. Default is the least restrictive, then follow protected, hidden and
/// internal.
fn narrower(a: u8, b: u8) -> u8 {
    match (a, b) {
        (STV_DEFAULT, other) | (other, STV_DEFAULT) => other,
        (a, b) => a.min(b),
    }
}

impl Global<'_> {
    /// Merges the visibility from a file that names the symbol.
    fn see(&mut self, symbol: &Symbol) {
        self.visibility = narrower(self.visibility, symbol.visibility);
    }

    /// Takes a definition if it has precedence over the present one. The error is the file of the present one, if neither has
    /// precedence.
    fn offer(&mut self, symbol: &Symbol, new: Definition, input: usize) -> Result<(), usize> {
        let weak = symbol.binding == STB_WEAK;
        let replaces = match (self.definition, new) {
            (Definition::Undefined, Definition::Undefined) => {
                // One strong reference makes the symbol required.
                if !weak {
                    self.binding = symbol.binding;
                }
                if self.input.is_none() {
                    (self.input, self.kind) = (Some(input), symbol.kind);
                }
                false
            }
            (_, Definition::Undefined) => false,
            (Definition::Undefined, _) => true,
            (Definition::Common { size, align }, Definition::Common { size: s, align: a }) => {
                let largest = size.max(s);
                let align = align.max(a);
                self.definition = Definition::Common {
                    size: largest,
                    align,
                };
                self.size = largest;
                // The file with the largest size counts as the symbol's file.
                if s > size {
                    self.input = Some(input);
                }
                false
            }
            (Definition::Common { .. }, _) => !weak,
            // Of several weak definitions, the first is taken.
            (_, _) if self.binding == STB_WEAK => !weak || matches!(new, Definition::Common { .. }),
            (_, _) if weak || matches!(new, Definition::Common { .. }) => false,
            // Two definitions with the same value do not conflict, except that LLVM's linker treats 0 as no value.
            (Definition::Absolute(a), Definition::Absolute(b)) if a == b && a != 0 => false,
            _ => return Err(self.input.unwrap_or(input)),
        };
        if replaces {
            self.definition = new;
            self.binding = symbol.binding;
            (self.size, self.kind) = (symbol.size, symbol.kind);
            self.input = Some(input);
        }
        Ok(())
    }
}
