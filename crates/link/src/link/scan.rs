//! The scan of relocations for entries of the global offset table that they use, and for relocations that a loader must apply.
//!
//! Source: "User Guide for AMDGPU Backend", "Relocation Records"; `lld/ELF/Relocations.cpp`.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::elf::{SHF_WRITE, STB_WEAK};
use crate::error::{Problem, Result};
use crate::reloc;
use crate::relocatable::{Place, Relocation};

use super::files::{Files, Options, unlinkable};
use super::sections::Outputs;
use super::symbols::{Definition, Symbols, Target};

/// The size of an entry of the global offset table in bytes.
pub(super) const ENTRY_SIZE: u64 = 8;

/// A relocation that a loader applies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dynamic {
    pub place: DynamicPlace,
    /// The symbol whose address the loader looks up; `None` if it adds the load address of the object.
    pub symbol: Option<usize>,
    /// The addend: a number, or with `symbol` being `None`, the address of this symbol with a number.
    pub target: Target,
    pub addend: i64,
    /// The relocation type that the loader applies.
    pub kind: u32,
}

/// The place of a relocation that a loader applies.
#[derive(Debug, Clone, Copy)]
pub(super) enum DynamicPlace {
    /// An offset in an output section.
    Section { output: usize, at: u64 },
    /// An entry of the global offset table, by index.
    Entry(usize),
}

/// The requirements of all relocations.
pub(super) struct Scan {
    /// The symbols whose addresses are in the global offset table, with the index of their entries.
    pub entry_of: HashMap<Target, usize>,
    pub dynamic: Vec<Dynamic>,
}

impl Scan {
    /// Scans the relocations of all files.
    ///
    /// # Errors
    /// [`crate::Error::Unlinkable`] with all undefined symbols and all unsupported relocations.
    pub(super) fn of(
        files: &Files,
        symbols: &Symbols,
        outputs: &Outputs,
        options: &Options,
    ) -> Result<Scan> {
        let mut scanner = Scanner {
            files,
            symbols,
            outputs,
            options,
            scan: Scan {
                entry_of: HashMap::new(),
                dynamic: Vec::new(),
            },
            entries: BTreeMap::new(),
            problems: Vec::new(),
            undefined: HashSet::new(),
        };
        for (input, file) in files.inputs.iter().enumerate() {
            for section in 0..file.object.sections.len() {
                scanner.section(input, section);
            }
        }
        unlinkable(std::mem::take(&mut scanner.problems))?;
        Ok(scanner.finish())
    }
}

/// The state of a symbol's address at link time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The symbol is weak and undefined: its address is 0.
    Nothing,
    /// The address is a constant number.
    Number,
    /// The address is a distance from the start of the result.
    Distance,
    /// The address is unknown, because a definition outside may replace the symbol, which is given by index.
    Outside(usize),
}

/// A relocation, with the section of the file that contains it.
#[derive(Clone, Copy)]
struct Where<'r> {
    input: usize,
    section: usize,
    relocation: &'r Relocation,
    target: Target,
}

struct Scanner<'a> {
    files: &'a Files<'a>,
    symbols: &'a Symbols<'a>,
    outputs: &'a Outputs,
    options: &'a Options,
    scan: Scan,
    /// The symbols whose addresses are in the global offset table.
    entries: BTreeMap<Target, Known>,
    problems: Vec<Problem>,
    /// Undefined symbols for which a problem has been reported.
    undefined: HashSet<usize>,
}

impl Scanner<'_> {
    fn section(&mut self, input: usize, number: usize) {
        let section = &self.files.inputs[input].object.sections[number];
        let Some((output, _)) = self.outputs.place(input, number, 0) else {
            return;
        };
        // References of debug information to undefined symbols are not errors.
        if !self.outputs.list[output].in_memory() {
            return;
        }
        let writable = section.flags & SHF_WRITE != 0;
        for relocation in &section.relocations {
            let at = Where {
                input,
                section: number,
                relocation,
                target: self.symbols.target(input, relocation.symbol),
            };
            if self.is_undefined(at.target) {
                self.report_undefined(at);
            } else {
                let problem = self.relocation(at, writable);
                self.problems.extend(problem.err());
            }
        }
    }

    /// Whether a symbol needs a definition, and has none.
    fn is_undefined(&self, target: Target) -> bool {
        let Some(global) = self.symbols.of(target) else {
            return false;
        };
        let outside = self.options.allow_undefined && global.is_preemptible();
        global.is_undefined() && global.binding != STB_WEAK && !outside
    }

    fn report_undefined(&mut self, at: Where<'_>) {
        let Target::Global(number) = at.target else {
            return;
        };
        if self.undefined.insert(number) {
            self.problems.push(Problem::Undefined {
                symbol: self.symbols.globals[number].name.to_owned(),
                by: self.place_of(at),
            });
        }
    }

    fn place_of(&self, at: Where<'_>) -> String {
        self.files.describe(at.input, at.section, at.relocation)
    }

    fn known(&self, at: Where<'_>) -> Known {
        let definition = match at.target {
            Target::Global(number) => {
                let global = &self.symbols.globals[number];
                if global.is_preemptible() {
                    return Known::Outside(number);
                }
                global.definition
            }
            Target::Local { .. } => match self.files.place(at.input, at.relocation.symbol) {
                Place::Section(_) => return Known::Distance,
                Place::Absolute => return Known::Number,
                _ => Definition::Undefined,
            },
        };
        match definition {
            Definition::Undefined => Known::Nothing,
            Definition::Absolute(_) => Known::Number,
            _ => Known::Distance,
        }
    }

    fn relocation(&mut self, at: Where<'_>, writable: bool) -> Result<(), Problem> {
        let known = self.known(at);
        let refuse = |problem: &str| Err(self.refusal(at, problem));
        if self.is_local_without_definition(at) {
            return refuse(
                "it is a local symbol without a definition, or one of a group (COMDAT) that an earlier file has, too",
            );
        }
        match at.relocation.kind {
            reloc::NONE => {}
            reloc::GOTPCREL | reloc::GOTPCREL32_LO | reloc::GOTPCREL32_HI => {
                self.entries.insert(at.target, known);
            }
            reloc::ABS64 => match known {
                Known::Nothing | Known::Number => {}
                _ if !writable => {
                    return refuse(
                        "a loader would have to write to a section that is only read; put the data into .data or .data.rel.ro",
                    );
                }
                _ => self.dynamic_at(at, known),
            },
            reloc::ABS32 | reloc::ABS32_LO | reloc::ABS32_HI => match known {
                Known::Nothing | Known::Number => {}
                Known::Outside(_) if self.options.text_relocations => self.dynamic_at(at, known),
                _ => {
                    return refuse(
                        "its address is not known before it is loaded; take the distance to it (@rel32@lo, @rel32@hi)",
                    );
                }
            },
            reloc::REL32 | reloc::REL32_LO | reloc::REL32_HI | reloc::REL64 | reloc::REL16 => {
                match known {
                    Known::Outside(_) => {
                        return refuse(
                            "another object may define it, too; make it .hidden or .protected, or take its address from the \
                             global offset table (@gotpcrel32@lo, @gotpcrel32@hi)",
                        );
                    }
                    Known::Number => {
                        return refuse(
                            "it is a number, and the distance to a number is not known before the object is loaded",
                        );
                    }
                    _ => {}
                }
            }
            _ => return refuse("linkers for AMD GPUs do not support it"),
        }
        Ok(())
    }

    fn refusal(&self, at: Where<'_>, problem: &str) -> Problem {
        Problem::Relocation {
            place: self.place_of(at),
            symbol: self.name(at),
            kind: reloc::name(at.relocation.kind),
            problem: problem.to_owned(),
        }
    }

    fn is_local_without_definition(&self, at: Where<'_>) -> bool {
        let place = self.files.place(at.input, at.relocation.symbol);
        matches!(at.target, Target::Local { .. })
            && matches!(place, Place::Undefined | Place::Common)
    }

    /// Leaves a relocation to the loader, if its section is in the result.
    fn dynamic_at(&mut self, at: Where<'_>, known: Known) {
        let Relocation {
            offset,
            addend,
            kind,
            ..
        } = *at.relocation;
        if let Some((output, at_byte)) = self.outputs.place(at.input, at.section, offset) {
            let place = DynamicPlace::Section {
                output,
                at: at_byte,
            };
            self.dynamic(place, known, at.target, addend, kind);
        }
    }

    fn name(&self, at: Where<'_>) -> String {
        let object = self.files.inputs[at.input].object;
        let symbol = &object.symbols[at.relocation.symbol];
        match symbol.place {
            Place::Section(section) if symbol.name.is_empty() => {
                object.sections[section].name.clone()
            }
            _ => symbol.name.clone(),
        }
    }

    /// Numbers the entries of the global offset table, and leaves those to the loader that depend on the load address.
    fn finish(mut self) -> Scan {
        for (number, (target, known)) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            self.scan.entry_of.insert(target, number);
            if !matches!(known, Known::Nothing | Known::Number) {
                self.dynamic(DynamicPlace::Entry(number), known, target, 0, reloc::ABS64);
            }
        }
        self.scan
    }

    fn dynamic(
        &mut self,
        place: DynamicPlace,
        known: Known,
        target: Target,
        addend: i64,
        kind: u32,
    ) {
        let symbol = match known {
            Known::Outside(number) => Some(number),
            _ => None,
        };
        self.scan.dynamic.push(Dynamic {
            place,
            symbol,
            target,
            addend,
            kind,
        });
    }
}
