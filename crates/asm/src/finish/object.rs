//! Output of the relocatable object: sections, symbols, relocations.

use std::collections::HashMap;
use std::rc::Rc;

use wavetank_link::elf::*;
use wavetank_link::{Identity, Place as LinkPlace, Relocatable, Relocation, reloc};

use super::line_table::LineTable;
use super::unit::Unit;
use crate::assembler::too_large;
use crate::assembly::Assembly;
use crate::errors::LineError;
use crate::expression::{Base, Expr, Reduced, Values};
use crate::session::Session;
use crate::session::program::HIDDEN;
use crate::state::{Definition, Key, Layout, Location, Section, SectionId, SymbolId, TooLarge};

impl Session<'_> {
    /// Makes the object from everything that has been read.
    pub(crate) fn object(&mut self) -> Assembly {
        self.finish_program();
        let identity = Identity::of(&self.asm.target, self.notes.os, self.notes.version);
        let identity = identity.unwrap_or_else(|why| {
            self.asm.errors.push(LineError::of_source(why));
            Identity {
                os_abi: 0,
                abi_version: 0,
                flags: 0,
            }
        });
        self.name_sections();
        let mut object = Relocatable {
            identity,
            sections: Vec::new(),
            symbols: Vec::new(),
        };
        let layout = self.asm.layout();
        self.define_aliases(&layout);
        let left = self.resolve_fixups(&layout);
        if layout.is_too_large(&self.asm.sections) {
            self.asm
                .errors
                .push(LineError::of_source(too_large(TooLarge).message));
            return Assembly {
                object,
                container: None,
            };
        }
        let container = self.container(&layout, left.iter().all(Vec::is_empty));
        let homes = self.object_sections(&layout, &mut object);
        self.remarks(&mut object);
        let mut table = Table {
            numbers: HashMap::new(),
            sections: HashMap::new(),
        };
        for section in &left {
            for (_, kind, base, addend) in section {
                if let Base::Symbol(id, _) = base {
                    self.export_for(*kind, *id);
                }
                if let Base::Symbol(id, _) = base
                    && self.section_for(base, *addend).is_none()
                {
                    self.asm.symbols[*id].used = true;
                }
            }
        }
        self.name_groups();
        self.object_symbols(&layout, &homes, &mut object, &mut table);
        for (n, section) in self.asm.sections.iter().enumerate() {
            let id = section.group().and_then(|name| self.asm.symbols.find(name));
            if let Some(number) = id.and_then(|id| table.numbers.get(&id)) {
                object.sections[homes[n]].group = Some(*number);
            }
        }
        self.line_table(&layout, &homes, &mut object, &mut table);
        for (n, section) in left.into_iter().enumerate() {
            let home = homes[n];
            for (offset, kind, base, addend) in section {
                let (symbol, base_offset) =
                    self.relocated(&base, addend, &layout, &homes, &mut object, &mut table);
                let addend = addend.wrapping_add(base_offset as i64);
                object.sections[home].relocations.push(Relocation {
                    offset,
                    kind,
                    symbol,
                    addend,
                });
            }
        }
        Assembly { object, container }
    }

    /// Puts the symbols that name groups into the table. One that is neither defined nor used otherwise is local.
    fn name_groups(&mut self) {
        let names: Vec<Rc<str>> = self
            .asm
            .sections
            .iter()
            .filter_map(Section::group)
            .cloned()
            .collect();
        for name in names {
            let id = self.asm.symbols.id(&name);
            let symbol = &mut self.asm.symbols[id];
            if !symbol.is_defined() && symbol.binding.is_none() && !symbol.used {
                symbol.definition = Definition::Variable(Expr::Number(0));
            }
            symbol.used = true;
        }
    }

    /// Defines an undefined symbol that has the name of a section as the beginning of that section.
    pub(super) fn name_sections(&mut self) {
        for (n, section) in self.asm.sections.iter().enumerate() {
            let Key {
                name,
                group: None,
                unique: None,
                subsection: 0,
            } = &section.key
            else {
                continue;
            };
            let Some(id) = self.asm.symbols.find(name) else {
                continue;
            };
            let symbol = &mut self.asm.symbols[id];
            if !symbol.is_defined() && symbol.binding.is_none() {
                symbol.definition = Definition::Label(Location {
                    section: SectionId(n as u32),
                    fragment: 0,
                    offset: 0,
                });
                symbol.kind = STT_SECTION;
            }
        }
    }

    /// Adds the sections; returns the index of each one in the object.
    fn object_sections(&self, layout: &Layout, object: &mut Relocatable) -> Vec<usize> {
        let mut homes = vec![0; self.asm.sections.len()];
        for (n, section) in self.asm.sections.iter().enumerate() {
            let id = SectionId(n as u32);
            if layout.home_of(id) != id || section.key.name.starts_with(HIDDEN) {
                continue;
            }
            homes[n] = object.sections.len();
            let (bytes, size) = layout.bytes(&self.asm.sections, id);
            object.sections.push(wavetank_link::Section {
                name: section.key.name.to_string(),
                kind: section.kind,
                flags: section.flags,
                entry_size: section.entry_size,
                align: layout.align(&self.asm.sections, id),
                bytes,
                size,
                group: None,
                relocations: Vec::new(),
            });
        }
        for n in 0..homes.len() {
            homes[n] = homes[layout.home_of(SectionId(n as u32)).0 as usize];
        }
        homes
    }

    /// Adds the notes of the object.
    fn remarks(&self, object: &mut Relocatable) {
        if !self.notes.entries.is_empty() {
            let bytes = self.notes.entries.clone();
            object
                .sections
                .push(remark(".note", SHT_NOTE, SHF_ALLOC, 0, 4, bytes));
        }
    }

    fn object_symbols(
        &self,
        layout: &Layout,
        homes: &[usize],
        object: &mut Relocatable,
        table: &mut Table,
    ) {
        let values = Values {
            symbols: &self.asm.symbols,
            layout: Some(layout),
        };
        for (id, symbol) in self.asm.symbols.iter() {
            let named = symbol.binding.is_some() || symbol.visibility != 0 || symbol.used;
            let stands = match &symbol.definition {
                Definition::Undefined => named,
                // A section's symbol is added where a relocation needs it.
                _ if symbol.kind == STT_SECTION => false,
                _ if symbol.used => true,
                _ => {
                    !symbol.is_temporary()
                        && !symbol.name.starts_with(".amdgcn.")
                        && !symbol.name.starts_with(".option.")
                }
            };
            if !stands {
                continue;
            }
            let (place, value) = match &symbol.definition {
                // Names of registers have no value.
                Definition::Registers(_) => continue,
                Definition::Undefined if symbol.kind == STT_FILE => (LinkPlace::Absolute, 0),
                Definition::Undefined => (LinkPlace::Undefined, 0),
                Definition::Common(_, align) => (LinkPlace::Common, *align),
                Definition::Label(location) => (
                    LinkPlace::Section(homes[location.section.0 as usize]),
                    layout.offset(*location),
                ),
                Definition::Variable(expr) => match values.reduce(expr) {
                    Ok(value) => self.variable(&value, layout, homes),
                    Err(_) => continue,
                },
            };
            let local = match symbol.kind {
                STT_FILE => true,
                _ => symbol.is_defined(),
            };
            let size = symbol
                .size
                .as_ref()
                .and_then(|size| values.number(size).ok());
            table.numbers.insert(id, object.symbols.len());
            object.symbols.push(wavetank_link::Symbol {
                name: symbol.name.to_string(),
                value,
                size: size.unwrap_or(0) as u64,
                kind: symbol.kind,
                binding: symbol
                    .binding
                    .unwrap_or(if local { STB_LOCAL } else { STB_GLOBAL }),
                visibility: symbol.visibility,
                place,
            });
        }
    }

    /// Returns the place and value of a variable: a number, or an offset in a section.
    fn variable(&self, value: &Reduced, layout: &Layout, homes: &[usize]) -> (LinkPlace, u64) {
        let values = Values {
            symbols: &self.asm.symbols,
            layout: Some(layout),
        };
        match value.plus.and_then(|base| values.location(&base)) {
            Some(location) => {
                let at = layout.offset(location).wrapping_add_signed(value.constant);
                (LinkPlace::Section(homes[location.section.0 as usize]), at)
            }
            None => (LinkPlace::Absolute, value.constant as u64),
        }
    }

    /// Adds the line table, unless the source has its own.
    fn line_table(
        &self,
        layout: &Layout,
        homes: &[usize],
        object: &mut Relocatable,
        table: &mut Table,
    ) {
        let Some(lines) = LineTable::of(&self.asm.lines, &self.asm.sections, layout) else {
            return;
        };
        let at = object.sections.iter().position(|s| s.name == ".debug_line");
        if at.is_some_and(|at| object.sections[at].size > 0) {
            return;
        }
        let relocations = lines.addresses.iter().map(|(offset, beginning)| {
            let base = Base::Place(*beginning);
            let (symbol, addend) = self.relocated(&base, 0, layout, homes, object, table);
            Relocation {
                offset: *offset,
                kind: reloc::ABS64,
                symbol,
                addend: addend as i64,
            }
        });
        let relocations = relocations.collect();
        let section = remark(".debug_line", SHT_PROGBITS, 0, 0, 1, lines.bytes);
        let section = wavetank_link::Section {
            relocations,
            ..section
        };
        let at = at.unwrap_or(object.sections.len());
        match object.sections.get_mut(at) {
            Some(empty) => *empty = section,
            None => object.sections.push(section),
        }
        if self.asm.has_own_lines() {
            self.units(at, &lines.addresses, layout, homes, object, table);
        }
    }

    /// Adds the units of the source's own lines: one for each section that has rows in the line table, which is section `lines`.
    fn units(
        &self,
        lines: usize,
        starts: &[(u64, Location)],
        layout: &Layout,
        homes: &[usize],
        object: &mut Relocatable,
        table: &mut Table,
    ) {
        if object.sections.iter().any(|s| s.name == ".debug_info") {
            return;
        }
        let bytes = Unit::abbreviations();
        let abbreviations = object.sections.len();
        object
            .sections
            .push(remark(".debug_abbrev", SHT_PROGBITS, 0, 0, 1, bytes));
        let [abbreviations, lines] =
            [abbreviations, lines].map(|home| section_symbol(home, object, table));
        let (mut bytes, mut relocations) = (Vec::new(), Vec::new());
        // The source is the first file with a line.
        let source = self.asm.lines.files.iter().flatten().next();
        let source = source.map_or("", |file| &*file.name);
        for (_, start) in starts {
            let size = layout.bytes(&self.asm.sections, start.section).1;
            let unit = Unit::new(source, size);
            let at = bytes.len() as u64;
            let (code, addend) =
                self.relocated(&Base::Place(*start), 0, layout, homes, object, table);
            for (offset, kind, symbol, addend) in [
                (unit.abbreviations, reloc::ABS32, abbreviations, 0),
                (unit.lines, reloc::ABS32, lines, 0),
                (unit.start, reloc::ABS64, code, addend as i64),
            ] {
                relocations.push(Relocation {
                    offset: at + offset,
                    kind,
                    symbol,
                    addend,
                });
            }
            bytes.extend(unit.bytes);
        }
        let section = remark(".debug_info", SHT_PROGBITS, 0, 0, 1, bytes);
        object.sections.push(wavetank_link::Section {
            relocations,
            ..section
        });
    }

    /// Returns the location of a relocation's symbol, if the symbol of its section can replace it: local symbols are not visible
    /// to other objects. In merged sections an offset from a symbol has to keep that symbol, because the strings may move.
    fn section_for(&self, base: &Base, addend: i64) -> Option<Location> {
        let symbol = match base {
            Base::Symbol(id, _) => &self.asm.symbols[*id],
            Base::Place(location) => return Some(*location),
        };
        let Definition::Label(location) = symbol.definition else {
            return None;
        };
        let merged = self.asm.sections.section(location.section).flags & SHF_MERGE != 0;
        let local = matches!(symbol.binding, None | Some(STB_LOCAL));
        (local && !(merged && addend != 0)).then_some(location)
    }

    /// Returns the symbol that a relocation names, and its addend.
    fn relocated(
        &self,
        base: &Base,
        addend: i64,
        layout: &Layout,
        homes: &[usize],
        object: &mut Relocatable,
        table: &mut Table,
    ) -> (usize, u64) {
        let Some(location) = self.section_for(base, addend) else {
            let number = match base {
                // A used symbol is always in the table.
                Base::Symbol(id, _) => table.numbers.get(id).copied(),
                Base::Place(_) => None,
            };
            return (number.unwrap_or(0), 0);
        };
        let home = homes[location.section.0 as usize];
        let number = section_symbol(home, object, table);
        (number, layout.offset(location))
    }
}

/// Returns the index of a section's symbol, which is added when it is first needed.
fn section_symbol(home: usize, object: &mut Relocatable, table: &mut Table) -> usize {
    *table.sections.entry(home).or_insert_with(|| {
        object.symbols.push(wavetank_link::Symbol {
            name: String::new(),
            value: 0,
            size: 0,
            kind: STT_SECTION,
            binding: STB_LOCAL,
            visibility: 0,
            place: LinkPlace::Section(home),
        });
        object.symbols.len() - 1
    })
}

/// Returns a section whose bytes are already final.
fn remark(
    name: &str,
    kind: u32,
    flags: u64,
    entry_size: u64,
    align: u64,
    bytes: Vec<u8>,
) -> wavetank_link::Section {
    wavetank_link::Section {
        name: name.to_owned(),
        kind,
        flags,
        entry_size,
        align,
        size: bytes.len() as u64,
        bytes,
        group: None,
        relocations: Vec::new(),
    }
}

/// The indices of symbols in the object.
struct Table {
    numbers: HashMap<SymbolId, usize>,
    /// The indices of section symbols, by section.
    sections: HashMap<usize, usize>,
}
