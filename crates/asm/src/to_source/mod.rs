//! Conversion of code objects back to sources that assemble and link to the same sections.
//!
//! The parts made by a linker (tables, dynamic sections, padding between sections) are made by it again. The rest is written:
//! target and version, sections with their symbols, code as instructions, kernels as `.amdhsa_kernel`, metadata as text. Each
//! instruction and each block is assembled again before it is written; one that would give other bytes is written as words.

mod code;
mod data;
mod kernels;
mod names;
mod notes;
mod object;
mod parts;

use std::fmt::Write as _;

use thiserror::Error;
use wavetank_gcn::{Chip, Dialect, EXECUTED_CHIPS};
use wavetank_link::{Linked, Os, Place, Relocatable, Symbol, elf};
use wavetank_object::{CodeObject, Target, is_object_file};

use names::Names;
use parts::{Part, Parts};

/// The reason why no source can be made of a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToSourceError {
    /// A file that is not a code object, or a damaged one.
    #[error(transparent)]
    Object(#[from] wavetank_object::Error),
    /// A file that is not linked, or a damaged one.
    #[error(transparent)]
    File(#[from] wavetank_link::Error),
    /// Code of a chip that is not GCN.
    #[error("this is code for {0}: {EXECUTED_CHIPS}")]
    Chip(String),
}

/// Returns the source of a linked code object or of an object file, in LLVM's dialect.
/// [`assemble_object`](crate::assemble_object) makes an object file with the same sections and relocations from it, and with
/// [`wavetank_link::link`] a code object with the same sections.
///
/// # Errors
/// A [`ToSourceError`] if the file cannot be converted.
pub fn source_of(bytes: &[u8]) -> Result<String, ToSourceError> {
    if is_object_file(bytes) {
        return Writer::source_of_object(Relocatable::read(bytes)?);
    }
    let object = CodeObject::parse(bytes)?;
    let target = object.target();
    let chip = Chip::from_name(target.instructions());
    let chip = chip.ok_or_else(|| ToSourceError::Chip(target.chip.clone()))?;
    let mut linked = Linked::read(bytes)?;
    names::make_unique(&mut linked.symbols);
    let names = Names::of(&linked);
    let mut parts = Parts::of(&linked, &names);
    parts.find_targets(&names, chip);
    let mut writer = Writer {
        text: String::new(),
        chip,
        target: target.clone(),
        version: object.version(),
        os: Os::Hsa,
        names: &names,
    };
    writer.whole(&linked, &parts);
    Ok(writer.text)
}

/// A source that is being written.
struct Writer<'p> {
    text: String,
    chip: Chip,
    target: Target,
    version: u8,
    os: Os,
    names: &'p Names,
}

impl Writer<'_> {
    fn whole(&mut self, linked: &Linked, parts: &Parts<'_>) {
        self.head();
        self.bindings(linked);
        for part in &parts.all {
            self.part(part);
        }
        self.outside(linked);
    }

    /// Writes a line with a tab before it.
    fn line(&mut self, line: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "\t{line}");
    }

    fn head(&mut self) {
        if self.version == 2 && self.os == Os::Hsa {
            // In version 2, the notes hold the rest.
            return;
        }
        let mut target = self.target.to_string();
        if self.version == 3 {
            // Version 3 has only the states on and off.
            target = self.target.chip.clone();
            for (name, feature) in [
                ("xnack", self.target.xnack),
                ("sram-ecc", self.target.sramecc),
            ] {
                if feature == wavetank_object::Feature::On {
                    target = format!("{target}+{name}");
                }
            }
        }
        let os = match self.os {
            Os::Hsa => "amdhsa",
            Os::Pal => "amdpal",
            Os::Mesa3d => "mesa3d",
            Os::None => "",
        };
        self.line(format_args!(".amdgcn_target \"amdgcn-amd-{os}--{target}\""));
        if self.os == Os::Hsa {
            let version = self.version;
            self.line(format_args!(".amdhsa_code_object_version {version}"));
        }
    }

    /// Writes the bindings of global symbols in their order, which linkers keep in their tables.
    fn bindings(&mut self, linked: &Linked) {
        for symbol in linked.symbols.iter().filter(|s| names::stands(s)) {
            if let Some(word) = binding(symbol) {
                self.line(format_args!("{word} {}", names::written(&symbol.name)));
            }
        }
    }

    fn part(&mut self, part: &Part<'_>) {
        if part.kind == elf::SHT_NOTE && self.notes(part) {
            return;
        }
        self.section(part);
        let mut at = 0;
        while at < part.size {
            let kernel = part.kernel_at(at);
            let lines = kernel.and_then(|kernel| self.kernel(part, kernel));
            self.symbols(part, at, lines.is_some());
            let end = part.next_stop(at);
            at = match kernel.zip(lines) {
                Some((kernel, lines)) => {
                    lines.iter().for_each(|line| self.line(line));
                    at + kernel.size
                }
                _ if part.kind == elf::SHT_NOBITS => {
                    self.line(format_args!(".zero {}", end - at));
                    end
                }
                _ if part.flags & elf::SHF_EXECINSTR != 0 => self.code(part, at, end),
                _ => self.data(part, at, end),
            };
        }
        self.symbols(part, part.size, false);
    }

    /// Writes the directive of a section.
    fn section(&mut self, part: &Part<'_>) {
        let mut letters = String::new();
        for (flag, letter) in [
            (elf::SHF_ALLOC, 'a'),
            (elf::SHF_WRITE, 'w'),
            (elf::SHF_EXECINSTR, 'x'),
            // No flag for merging: a linker that merged the texts again could order them differently, and the order depends on
            // its version.
            (elf::SHF_TLS, 'T'),
            (elf::SHF_GNU_RETAIN, 'R'),
        ] {
            if part.flags & flag != 0 {
                letters.push(letter);
            }
        }
        for (flag, letter) in [(elf::SHF_MERGE, 'M'), (elf::SHF_STRINGS, 'S')] {
            if part.merges && part.flags & flag != 0 {
                letters.push(letter);
            }
        }
        if part.flags & elf::SHF_COMPRESSED != 0 {
            // There is no letter for it, and the bytes stay as they are.
            letters = format!("{:#x}", part.flags & !(elf::SHF_MERGE | elf::SHF_STRINGS));
        }
        let mut more = String::new();
        if letters.contains('M') {
            more = format!(",{}", part.entry_size);
        }
        if let Some(group) = part.group {
            letters.push('G');
            more = format!("{more},{},comdat", names::written(group));
        }
        if let Some(number) = part.unique {
            more = format!("{more},unique,{number}");
        }
        let kind = match part.kind {
            elf::SHT_PROGBITS => "progbits".to_owned(),
            elf::SHT_NOBITS => "nobits".to_owned(),
            elf::SHT_NOTE => "note".to_owned(),
            elf::SHT_INIT_ARRAY => "init_array".to_owned(),
            elf::SHT_FINI_ARRAY => "fini_array".to_owned(),
            other => format!("{other:#x}"),
        };
        let name = names::written(part.name);
        self.text.push('\n');
        self.line(format_args!(".section {name},\"{letters}\",@{kind}{more}"));
        if part.align > 1 && part.align.is_power_of_two() {
            self.line(format_args!(".p2align {}", part.align.trailing_zeros()));
        }
    }

    /// Writes the symbols at an offset with their attributes. The symbol of a descriptor is left to its directive, if it has one.
    fn symbols(&mut self, part: &Part<'_>, at: u64, directive: bool) {
        for symbol in part.symbols_at(at) {
            let name = names::written(&symbol.name);
            if directive && part.is_kernel_descriptor(symbol) {
                // The descriptor takes the visibility that the code has when the directive is read.
                let code = names::written(symbol.name.trim_end_matches(".kd"));
                for word in binding(symbol).into_iter().chain(visibility(symbol)) {
                    self.line(format_args!("{word} {code}"));
                }
                continue;
            }
            self.about(symbol, &name);
            let _ = if name.starts_with('"') {
                writeln!(self.text, "\t.set {name}, .")
            } else {
                writeln!(self.text, "{name}:")
            };
        }
        for label in part.labels_at(at) {
            let _ = writeln!(self.text, "{label}:");
        }
    }

    /// Writes the attributes of a symbol.
    fn about(&mut self, symbol: &Symbol, name: &str) {
        let kind = match symbol.kind {
            elf::STT_FUNC => Some("function"),
            elf::STT_OBJECT => Some("object"),
            elf::STT_TLS => Some("tls_object"),
            elf::STT_AMDGPU_HSA_KERNEL => Some("amdgpu_hsa_kernel"),
            _ => None,
        };
        if let Some(word) = visibility(symbol).filter(|_| self.names.linked) {
            self.line(format_args!("{word} {name}"));
        }
        if let Some(kind) = kind {
            self.line(format_args!(".type {name},@{kind}"));
        }
        if symbol.size > 0 {
            self.line(format_args!(".size {name}, {}", symbol.size));
        }
    }

    /// Writes the symbols outside all sections: symbols of other objects, and numbers. In an object file code precedes the
    /// descriptors, which would take its visibility, so that it comes last.
    fn outside(&mut self, linked: &Linked) {
        let late = |symbol: &&Symbol| names::stands(symbol) && !self.names.linked;
        let late: Vec<&Symbol> = linked.symbols.iter().filter(late).collect();
        for symbol in late {
            if let Some(word) = visibility(symbol) {
                self.line(format_args!("{word} {}", names::written(&symbol.name)));
            }
        }
        for symbol in linked.symbols.iter().filter(|s| names::stands(s)) {
            let name = names::written(&symbol.name);
            match symbol.place {
                // A symbol of another object has its visibility there.
                Place::Undefined if symbol.binding != elf::STB_LOCAL => self.about(symbol, &name),
                Place::Common => {
                    let power = symbol.value.max(1).ilog2();
                    self.line(format_args!(".comm {name},{},{power}", symbol.size));
                }
                Place::Absolute => {
                    self.about(symbol, &name);
                    self.line(format_args!(".set {name}, {:#x}", symbol.value));
                }
                _ => {}
            }
        }
    }
}

/// Returns the directive that sets the binding of a symbol.
fn binding(symbol: &Symbol) -> Option<&'static str> {
    match symbol.binding {
        elf::STB_GLOBAL => Some(".globl"),
        elf::STB_WEAK => Some(".weak"),
        _ => None,
    }
}

/// Returns the directive that sets the visibility of a symbol.
fn visibility(symbol: &Symbol) -> Option<&'static str> {
    match symbol.visibility {
        elf::STV_HIDDEN => Some(".hidden"),
        elf::STV_PROTECTED => Some(".protected"),
        elf::STV_INTERNAL => Some(".internal"),
        _ => None,
    }
}

/// The dialect of the output.
const DIALECT: Dialect = Dialect::Llvm;
