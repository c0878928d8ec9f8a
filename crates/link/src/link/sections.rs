//! Output sections, each joined from input sections.
//!
//! Source: `lld/ELF/Writer.cpp` (`getOutputSectionName`, order of input) and `OutputSections.cpp`.

use std::collections::{HashMap, HashSet};

use crate::elf::{SHF_ALLOC, SHF_MERGE, SHF_WRITE, SHT_NOBITS, SHT_PROGBITS};
use crate::file::align_up;
use crate::relocatable::{Place, Relocatable, Section};

use super::files::Files;
use super::merge::Merged;
use super::symbols::{Definition, Symbols, Target};

/// Prefixes of section names that are joined: `.text.f` becomes a part of `.text`.
const PREFIXES: [&str; 12] = [
    ".text",
    ".data.rel.ro",
    ".data",
    ".rodata",
    ".bss.rel.ro",
    ".bss",
    ".gcc_except_table",
    ".init_array",
    ".fini_array",
    ".preinit_array",
    ".ctors",
    ".dtors",
];

/// A section of the output file.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub name: String,
    pub kind: u32,
    pub flags: u64,
    pub align: u64,
    pub entry_size: u64,
    /// The parts of the section; none, if the linker makes its contents.
    pub parts: Vec<Part>,
    pub size: u64,
    /// The section that it refers to, and an additional number (`sh_link`, `sh_info`).
    pub link: Option<usize>,
    pub info: u32,
    /// The address and the file offset, once they are known.
    pub address: u64,
    pub offset: u64,
}

/// A part of an output section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub what: PartOf,
    /// The offset of the part in the section.
    pub at: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum PartOf {
    /// A section of an input file.
    Section { input: usize, section: usize },
    /// Merged entries of several sections.
    Merged(usize),
    /// Space for a common symbol, given by its number.
    Common {
        global: usize,
        size: u64,
        align: u64,
    },
}

/// The place of an input section in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// The section is not linked.
    Dropped,
    /// An offset in an output section.
    At { output: usize, at: u64 },
    /// Merged entries, of which the section is this member.
    Merged { merged: usize, member: usize },
}

/// The indices of the sections that the linker makes.
#[derive(Debug, Default)]
pub(super) struct DynamicSections {
    pub symbols: usize,
    pub gnu_hash: usize,
    pub hash: usize,
    pub names: usize,
    pub relocations: Option<usize>,
    pub dynamic: usize,
    pub got: Option<usize>,
}

/// The output sections, in the order in which they are first named.
pub(super) struct Outputs {
    pub list: Vec<Output>,
    pub merged: Vec<Merged>,
    /// For each section of each file, its place in the result.
    pub homes: Vec<Vec<Home>>,
    pub dynamic: DynamicSections,
}

impl Outputs {
    /// Joins the sections of all files, and reserves space for common symbols.
    pub(super) fn collect(files: &Files, symbols: &mut Symbols) -> Outputs {
        let mut collector = Collector {
            outputs: Outputs {
                list: Vec::new(),
                merged: Vec::new(),
                homes: Vec::new(),
                dynamic: DynamicSections::default(),
            },
            known: HashMap::new(),
        };
        collector.rooms(files, symbols);
        for (input, file) in files.inputs.iter().enumerate() {
            let count = file.object.sections.len();
            collector.outputs.homes.push(vec![Home::Dropped; count]);
            for section in 0..count {
                if files.kept[input][section] {
                    collector.add(file.object, input, section);
                }
            }
        }
        for (global, definition) in collector.place(files) {
            symbols.globals[global].definition = definition;
        }
        collector.outputs
    }

    /// Returns the output section and offset for an offset in an input section.
    pub(super) fn place(&self, input: usize, section: usize, offset: u64) -> Option<(usize, u64)> {
        match self.homes[input][section] {
            Home::Dropped => None,
            Home::At { output, at } => Some((output, at.wrapping_add(offset))),
            Home::Merged { merged, member } => {
                let merged = &self.merged[merged];
                let at = merged.place(member, offset)?;
                Some((merged.output, merged.at.wrapping_add(at)))
            }
        }
    }

    /// Adds a section that the linker makes; returns its index.
    pub(super) fn add(&mut self, output: Output) -> usize {
        self.list.push(output);
        self.list.len() - 1
    }
}

struct Collector {
    outputs: Outputs,
    known: HashMap<String, usize>,
}

impl Collector {
    /// Returns the index of the output section of a name, and creates it if it is new.
    fn output(&mut self, name: &str, like: &Section) -> usize {
        if let Some(index) = self.known.get(name) {
            return *index;
        }
        let index = self.outputs.add(Output {
            name: name.to_owned(),
            kind: like.kind,
            entry_size: like.entry_size,
            align: 1,
            ..Output::default()
        });
        self.known.insert(name.to_owned(), index);
        index
    }

    /// Adds an input section.
    fn add(&mut self, object: &Relocatable, input: usize, section: usize) {
        let from = &object.sections[section];
        let index = self.output(output_name(&from.name), from);
        let output = &mut self.outputs.list[index];
        output.join(from);
        let what = PartOf::Section { input, section };
        if !is_merged(from) {
            return output.parts.push(Part { what, at: 0 });
        }
        let merged = self.outputs.merged.iter();
        let mut merged = merged.enumerate();
        let number = merged.find(|(_, m)| m.output == index && m.takes(from));
        let number = match number {
            Some((number, _)) => number,
            None => {
                let number = self.outputs.merged.len();
                self.outputs.merged.push(Merged::new(index, from));
                let what = PartOf::Merged(number);
                self.outputs.list[index].parts.push(Part { what, at: 0 });
                number
            }
        };
        let member = self.outputs.merged[number].add(from);
        self.outputs.homes[input][section] = Home::Merged {
            merged: number,
            member,
        };
    }

    /// Reserves space for common symbols before all input sections, in the order in which the files name them. Files without
    /// common definitions of their own are skipped, as in LLVM's linker.
    fn rooms(&mut self, files: &Files, symbols: &Symbols) {
        let mut made = HashSet::new();
        for (input, file) in files.inputs.iter().enumerate() {
            if !file.object.symbols.iter().any(|s| s.place == Place::Common) {
                continue;
            }
            for symbol in 0..file.object.symbols.len() {
                let Target::Global(number) = symbols.target(input, symbol) else {
                    continue;
                };
                if let Definition::Common { size, align } = symbols.globals[number].definition
                    && made.insert(number)
                {
                    self.add_common(number, size, align);
                }
            }
        }
    }

    /// Reserves space for one common symbol.
    fn add_common(&mut self, global: usize, size: u64, align: u64) {
        let like = Section {
            name: ".bss".to_owned(),
            kind: SHT_NOBITS,
            flags: SHF_ALLOC | SHF_WRITE,
            entry_size: 0,
            align,
            bytes: Vec::new(),
            size,
            group: None,
            relocations: Vec::new(),
        };
        let index = self.output(".bss", &like);
        let output = &mut self.outputs.list[index];
        output.join(&like);
        let what = PartOf::Common {
            global,
            size,
            align,
        };
        output.parts.push(Part { what, at: 0 });
    }

    /// Assigns each part its offset in its section; returns the definitions of the common symbols.
    fn place(&mut self, files: &Files) -> Vec<(usize, Definition)> {
        let mut commons = Vec::new();
        let Outputs {
            list,
            merged,
            homes,
            ..
        } = &mut self.outputs;
        for (index, output) in list.iter_mut().enumerate() {
            if [".init_array", ".fini_array", ".preinit_array"].contains(&output.name.as_str()) {
                output.parts.sort_by_key(|part| priority(files, part));
            }
            for part in &mut output.parts {
                let (size, align) = match part.what {
                    PartOf::Section { input, section } => {
                        let section = &files.inputs[input].object.sections[section];
                        (section.size, section.align)
                    }
                    PartOf::Merged(number) => merged[number].finish(),
                    PartOf::Common { size, align, .. } => (size, align),
                };
                part.at = align_up(output.size, align);
                output.size = part.at.saturating_add(size);
                let at = part.at;
                match part.what {
                    PartOf::Section { input, section } => {
                        homes[input][section] = Home::At { output: index, at };
                    }
                    PartOf::Merged(number) => merged[number].at = at,
                    PartOf::Common { global, .. } => {
                        commons.push((global, Definition::Output { output: index, at }));
                    }
                }
            }
        }
        commons
    }
}

impl Output {
    /// Merges flags, type and alignment of an added section.
    fn join(&mut self, from: &Section) {
        // Sections of different types become ordinary bytes, and zeros are written out.
        if self.kind != from.kind {
            self.kind = SHT_PROGBITS;
        }
        if self.entry_size != from.entry_size {
            self.entry_size = 0;
        }
        self.flags |= from.flags;
        self.align = self.align.max(from.align).max(1);
    }

    /// Whether the section takes space in the file.
    pub(super) fn in_file(&self) -> bool {
        self.kind != SHT_NOBITS
    }

    /// Whether the section is in memory.
    pub(super) fn in_memory(&self) -> bool {
        self.flags & SHF_ALLOC != 0
    }
}

/// Returns the name of the output section that an input section becomes a part of.
fn output_name(name: &str) -> &str {
    let begins = |prefix: &&&str| {
        let rest = name.strip_prefix(**prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    PREFIXES.iter().find(begins).map_or(name, |prefix| prefix)
}

/// Whether equal entries of a section are merged.
fn is_merged(section: &Section) -> bool {
    section.flags & SHF_MERGE != 0
        && section.flags & SHF_WRITE == 0
        && section.entry_size != 0
        && section.size != 0
        && section.size.is_multiple_of(section.entry_size)
        && section.relocations.is_empty()
        && section.kind != SHT_NOBITS
}

/// Returns the priority of a function array: arrays are in the order of the numbers in their sections' names.
fn priority(files: &Files, part: &Part) -> u32 {
    let PartOf::Section { input, section } = part.what else {
        return u32::MAX;
    };
    let name = &files.inputs[input].object.sections[section].name;
    let number = name.rsplit('.').next().and_then(|n| n.parse().ok());
    number.unwrap_or(65536)
}
