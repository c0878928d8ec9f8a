//! The end: places get their addresses, and what waited for them its values or relocations.

use std::collections::HashMap;
use std::rc::Rc;

use wavetank_link::{Identity, Place as LinkPlace, Relocatable, Relocation, reloc};
use wavetank_quote::plain;

use super::instruction::words_of;
use super::line_table::LineTable;
use super::{Assembler, Known, KnownValue, too_large};
use crate::assemble::Assembly;
use crate::directive::{HIDDEN, fits};
use crate::errors::LineError;
use crate::expression::{Base, Expr, Reduced, Values, Variant};
use crate::state::{
    Definition, Fixup, FixupKind, Key, Layout, Section, SectionId, Spot, SymbolId, TooLarge,
};
use wavetank_link::elf::*;

/// What a fixup became.
enum Settled {
    /// Its bytes are written.
    Done,
    /// The linker has to do it.
    Left { kind: u32, base: Base, addend: i64 },
}

impl Assembler<'_> {
    /// The wrong lines so far.
    pub fn take_errors(&mut self) -> Vec<LineError> {
        std::mem::take(&mut self.errors)
    }

    /// Where the parts of sections lie.
    pub fn layout(&self) -> Layout {
        Layout::of(&self.sections, |expr, layout| {
            let values = Values {
                symbols: &self.symbols,
                layout: Some(layout),
            };
            values.number(expr).unwrap_or(0)
        })
    }

    /// The values of all symbols that have one.
    pub fn known(&self) -> Known {
        let layout = self.layout();
        let values = Values {
            symbols: &self.symbols,
            layout: Some(&layout),
        };
        let value = |definition: &Definition| match definition {
            Definition::Label(spot) => Some(KnownValue::Place(spot.section, layout.offset(*spot))),
            Definition::Variable(expr) => {
                let value = values.reduce(expr).ok()?;
                match (
                    value.as_number(),
                    value.plus.and_then(|base| values.spot(&base)),
                ) {
                    (Some(number), _) => Some(KnownValue::Number(number)),
                    (None, Some(spot)) if value.minus.is_none() => {
                        let offset = layout.offset(spot).wrapping_add_signed(value.constant);
                        Some(KnownValue::Place(spot.section, offset))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let known = self
            .symbols
            .iter()
            .filter_map(|(_, s)| Some((s.name.clone(), value(&s.definition)?)));
        known.collect()
    }

    /// Fills in what waited. What is left to a linker becomes relocations, by section.
    ///
    /// # Errors
    /// Are kept with the others.
    pub fn settle(&mut self, layout: &Layout) -> Vec<Vec<(u64, u32, Base, i64)>> {
        let mut left: Vec<Vec<_>> = (0..self.sections.len()).map(|_| Vec::new()).collect();
        for kernel in std::mem::take(&mut self.kernels) {
            let values = Values {
                symbols: &self.symbols,
                layout: Some(layout),
            };
            match kernel.bytes(values, &self.target) {
                Ok(bytes) => {
                    if let Some(place) = self.sections.bytes_at(kernel.spot, bytes.len()) {
                        place.copy_from_slice(&bytes);
                    }
                }
                Err(error) => self.errors.push(*error),
            }
        }
        for fixup in std::mem::take(&mut self.fixups) {
            if self.errors.len() >= self.most {
                break;
            }
            let settled = self.fill_in(&fixup, layout);
            match settled {
                Ok(Settled::Done) => {}
                Ok(Settled::Left { .. }) if self.alone => {
                    if self.sections.section(fixup.spot.section).is_code() {
                        let message = "only a linker knows this address: plain code has no linker";
                        self.errors.push(fixup.place.wrong(message));
                    }
                }
                Ok(Settled::Left { kind, base, addend }) => {
                    let offset = layout.offset(fixup.spot);
                    left[fixup.spot.section.0 as usize].push((offset, kind, base, addend));
                }
                Err(why) => self.errors.push(fixup.place.wrong(why)),
            }
        }
        left
    }

    /// Fills in one place.
    fn fill_in(&mut self, fixup: &Fixup, layout: &Layout) -> Result<Settled, String> {
        let values = Values {
            symbols: &self.symbols,
            layout: Some(layout),
        };
        let value = values.reduce(&fixup.expr).map_err(|why| why.into_owned())?;
        let from = layout.offset(fixup.spot);
        match (fixup.kind, value.as_number()) {
            (FixupKind::Leb, Some(_)) => Ok(Settled::Done),
            (FixupKind::Leb, None) => {
                Err("this is no number: `.uleb128` takes what is known here".to_owned())
            }
            (FixupKind::Count, Some(number)) => match layout.copies(&self.sections, fixup.spot) {
                _ if number < 0 => Err(format!("{number} is negative")),
                Some(count) if count != number as u64 => {
                    Err("how much room this takes depends on itself".to_owned())
                }
                _ => Ok(Settled::Done),
            },
            (FixupKind::Count, None) => Err(self.unknown(&value)),
            (FixupKind::Half, Some(number)) => match (-0x8000..0x1_0000).contains(&number) {
                true => self.write(fixup.spot, &number.to_le_bytes()[..2]),
                false => Err(format!("{number} has more than 16 bits")),
            },
            (FixupKind::Half, None) => Err(self.unknown(&value)),
            (FixupKind::Literal, Some(number)) => match fits(number, 4) {
                true => self.write(fixup.spot, &number.to_le_bytes()[..4]),
                false => Err(format!("{number} has more than 32 bits")),
            },
            (FixupKind::Data(size), Some(number)) => match fits(number, size) {
                true => self.write(fixup.spot, &number.to_le_bytes()[..size.into()]),
                false => Err(format!("{number} has more than {size} bytes")),
            },
            (FixupKind::Branch, _) => self.branch_to(fixup, &value, layout, from),
            (FixupKind::Literal, None) => self.literal(fixup, &value, layout, from),
            (FixupKind::Data(size), None) => self.data(fixup, &value, layout, from, size),
        }
    }

    fn write(&mut self, spot: Spot, bytes: &[u8]) -> Result<Settled, String> {
        if let Some(place) = self.sections.bytes_at(spot, bytes.len()) {
            place.copy_from_slice(bytes);
        }
        Ok(Settled::Done)
    }

    /// The sentence on what has no value.
    fn unknown(&self, value: &Reduced) -> String {
        match value.plus.or(value.minus) {
            Some(Base::Symbol(id, _)) => match self.symbols[id].is_defined() {
                true => format!(
                    "`{}` is an address: a number is needed here",
                    self.symbols[id].written()
                ),
                false => self.no_symbol(id),
            },
            _ => "this is an address: a number is needed here".to_owned(),
        }
    }

    fn no_symbol(&self, id: SymbolId) -> String {
        let name = self.symbols[id].written();
        let names = self.symbols.iter().filter(|(_, s)| s.is_defined());
        let names = names.map(|(_, symbol)| symbol.written());
        let (near, meant) = wavetank_quote::similar(name, names);
        match near.first().filter(|_| meant) {
            Some(near) => format!("there is no symbol `{name}`; did you mean `{near}`?"),
            None => {
                format!("there is no symbol `{name}`; if another file has it, say `.globl {name}`")
            }
        }
    }

    /// The place of a base in the section of a spot.
    fn beside(&self, base: &Base, spot: Spot, layout: &Layout) -> Option<u64> {
        let values = Values {
            symbols: &self.symbols,
            layout: Some(layout),
        };
        let to = values.spot(base)?;
        (layout.home(to) == layout.home(spot)).then(|| layout.offset(to))
    }

    fn branch_to(
        &mut self,
        fixup: &Fixup,
        value: &Reduced,
        layout: &Layout,
        from: u64,
    ) -> Result<Settled, String> {
        let (Some(base), None) = (value.plus, value.minus) else {
            return Err("a branch leads to an address".to_owned());
        };
        if let Some(to) = self.beside(&base, fixup.spot, layout) {
            let bytes = (to as i64)
                .wrapping_add(value.constant)
                .wrapping_sub(from as i64 + 4);
            return self.write(fixup.spot, &words_of(bytes)?.to_le_bytes());
        }
        let Base::Symbol(id, Variant::None) = base else {
            return Err("a branch leads to a label".to_owned());
        };
        let symbol = &self.symbols[id];
        if !symbol.is_defined() && symbol.binding.is_none() {
            let name = symbol.written();
            return Err(format!("there is no label `{name}`"));
        }
        Ok(Settled::Left {
            kind: reloc::REL16,
            base,
            addend: value.constant,
        })
    }

    /// The dword behind an instruction: relative to its own place, but for differences and `@abs32`.
    fn literal(
        &mut self,
        fixup: &Fixup,
        value: &Reduced,
        layout: &Layout,
        from: u64,
    ) -> Result<Settled, String> {
        let Some(base) = value.plus else {
            return Err(self.unknown(value));
        };
        if value.minus.is_some() {
            return self.data(fixup, value, layout, from, 4);
        }
        if let Some(to) = self.beside(&base, fixup.spot, layout) {
            let distance = (to as i64)
                .wrapping_add(value.constant)
                .wrapping_sub(from as i64);
            return match fits(distance, 4) {
                true => self.write(fixup.spot, &distance.to_le_bytes()[..4]),
                false => Err(format!("{distance} has more than 32 bits")),
            };
        }
        let kind = match base {
            Base::Symbol(id, variant) => {
                let symbol = &self.symbols[id];
                if variant == Variant::None && !symbol.is_defined() && symbol.binding.is_none() {
                    return Err(self.no_symbol(id));
                }
                kind_of(variant).unwrap_or(reloc::REL32)
            }
            Base::Place(_) => reloc::REL32,
        };
        Ok(Settled::Left {
            kind,
            base,
            addend: value.constant,
        })
    }

    fn data(
        &mut self,
        fixup: &Fixup,
        value: &Reduced,
        layout: &Layout,
        from: u64,
        size: u8,
    ) -> Result<Settled, String> {
        let Some(base) = value.plus else {
            return Err("an address cannot be negative".to_owned());
        };
        let variant = match base {
            Base::Symbol(_, variant) => kind_of(variant),
            Base::Place(_) => None,
        };
        let Some(minus) = value.minus else {
            let plain = match size {
                8 => Some(reloc::ABS64),
                4 => Some(reloc::ABS32),
                _ => None,
            };
            let kind = variant.or(plain);
            let kind = kind.ok_or_else(|| format!("an address has 4 or 8 bytes, not {size}"))?;
            return Ok(Settled::Left {
                kind,
                base,
                addend: value.constant,
            });
        };
        let Some(start) = self.beside(&minus, fixup.spot, layout) else {
            return Err(
                "the distance of places in two other sections is known to nobody".to_owned(),
            );
        };
        let kind = match size {
            8 => reloc::REL64,
            4 => reloc::REL32,
            _ => {
                return Err(format!(
                    "a distance between sections has 4 or 8 bytes, not {size}"
                ));
            }
        };
        let addend = value
            .constant
            .wrapping_add(from as i64)
            .wrapping_sub(start as i64);
        Ok(Settled::Left {
            kind: variant.unwrap_or(kind),
            base,
            addend,
        })
    }
}

/// The relocation of a variant.
fn kind_of(variant: Variant) -> Option<u32> {
    Some(match variant {
        Variant::None => return None,
        Variant::GotPcRel => reloc::GOTPCREL,
        Variant::GotPcRel32Lo => reloc::GOTPCREL32_LO,
        Variant::GotPcRel32Hi => reloc::GOTPCREL32_HI,
        Variant::Rel32Lo => reloc::REL32_LO,
        Variant::Rel32Hi => reloc::REL32_HI,
        Variant::Rel64 => reloc::REL64,
        Variant::Abs32Lo => reloc::ABS32_LO,
        Variant::Abs32Hi => reloc::ABS32_HI,
    })
}

/// The plain code.
impl Assembler<'_> {
    /// The bytes of the section that has code.
    ///
    /// # Errors
    /// Are kept with the others: what only a linker knows, and code in several sections.
    pub fn code(&mut self) -> Vec<u8> {
        self.finish_code();
        self.name_sections();
        let layout = self.layout();
        self.alone = true;
        self.settle(&layout);
        if layout.is_too_large(&self.sections) {
            self.errors
                .push(LineError::of_source(too_large(TooLarge).message));
            return Vec::new();
        }
        let sections = self.sections.iter().zip((0..).map(SectionId));
        let parts: Vec<_> = sections
            .filter(|(section, id)| section.is_code() && layout.home_of(*id) == *id)
            .map(|(section, id)| (&section.key.name, layout.bytes(&self.sections, id).0))
            .filter(|(_, bytes)| !bytes.is_empty())
            .collect();
        match parts.as_slice() {
            [] => Vec::new(),
            [(_, bytes)] => bytes.clone(),
            [(first, _), (second, _), ..] => {
                let message = format!(
                    "there is code in several sections, `{}` and `{}`: a linker puts them together",
                    plain(first),
                    plain(second)
                );
                self.errors.push(LineError::of_source(message));
                Vec::new()
            }
        }
    }
}

/// The object as a linker takes it.
impl Assembler<'_> {
    /// Makes the object of what has been read.
    pub fn object(&mut self) -> Assembly {
        self.finish_program();
        let identity = Identity::of(&self.target, self.notes.os, self.notes.version);
        let identity = identity.unwrap_or_else(|why| {
            self.errors.push(LineError::of_source(why));
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
        let layout = self.layout();
        let left = self.settle(&layout);
        if layout.is_too_large(&self.sections) {
            self.errors
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
                    self.symbols[*id].used = true;
                }
            }
        }
        self.name_groups();
        self.object_symbols(&layout, &homes, &mut object, &mut table);
        for (n, section) in self.sections.iter().enumerate() {
            let id = section.group().and_then(|name| self.symbols.find(name));
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

    /// Symbols that name groups stand in the table. One that nothing else defines or asks for is the file's own.
    fn name_groups(&mut self) {
        let names: Vec<Rc<str>> = self
            .sections
            .iter()
            .filter_map(Section::group)
            .cloned()
            .collect();
        for name in names {
            let id = self.symbols.id(&name);
            let symbol = &mut self.symbols[id];
            if !symbol.is_defined() && symbol.binding.is_none() && !symbol.used {
                symbol.definition = Definition::Variable(Expr::Number(0));
            }
            symbol.used = true;
        }
    }

    /// The name of a section stands for its beginning, where nothing else has that name.
    fn name_sections(&mut self) {
        for (n, section) in self.sections.iter().enumerate() {
            let Key {
                name,
                group: None,
                unique: None,
                subsection: 0,
            } = &section.key
            else {
                continue;
            };
            let Some(id) = self.symbols.find(name) else {
                continue;
            };
            let symbol = &mut self.symbols[id];
            if !symbol.is_defined() && symbol.binding.is_none() {
                symbol.definition = Definition::Label(Spot {
                    section: SectionId(n as u32),
                    fragment: 0,
                    offset: 0,
                });
                symbol.kind = STT_SECTION;
            }
        }
    }

    /// Adds the sections; gives the number of each one's in the object.
    fn object_sections(&self, layout: &Layout, object: &mut Relocatable) -> Vec<usize> {
        let mut homes = vec![0; self.sections.len()];
        for (n, section) in self.sections.iter().enumerate() {
            let id = SectionId(n as u32);
            if layout.home_of(id) != id || section.key.name.starts_with(HIDDEN) {
                continue;
            }
            homes[n] = object.sections.len();
            let (bytes, size) = layout.bytes(&self.sections, id);
            object.sections.push(wavetank_link::Section {
                name: section.key.name.to_string(),
                kind: section.kind,
                flags: section.flags,
                entry_size: section.entry_size,
                align: layout.align(&self.sections, id),
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

    /// Adds what the object says of itself: notes.
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
            symbols: &self.symbols,
            layout: Some(layout),
        };
        for (id, symbol) in self.symbols.iter() {
            let named = symbol.binding.is_some() || symbol.visibility != 0 || symbol.used;
            let stands = match &symbol.definition {
                Definition::Undefined => named,
                // The section's own symbol is there where it is needed.
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
                // They have no value.
                Definition::Registers(_) => continue,
                Definition::Undefined if symbol.kind == STT_FILE => (LinkPlace::Absolute, 0),
                Definition::Undefined => (LinkPlace::Undefined, 0),
                Definition::Common(_, align) => (LinkPlace::Common, *align),
                Definition::Label(spot) => (
                    LinkPlace::Section(homes[spot.section.0 as usize]),
                    layout.offset(*spot),
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

    /// Where a variable stands: a number, or a place in a section.
    fn variable(&self, value: &Reduced, layout: &Layout, homes: &[usize]) -> (LinkPlace, u64) {
        let values = Values {
            symbols: &self.symbols,
            layout: Some(layout),
        };
        match value.plus.and_then(|base| values.spot(&base)) {
            Some(spot) => {
                let at = layout.offset(spot).wrapping_add_signed(value.constant);
                (LinkPlace::Section(homes[spot.section.0 as usize]), at)
            }
            None => (LinkPlace::Absolute, value.constant as u64),
        }
    }

    /// Adds the table of lines, unless the source has brought its own.
    fn line_table(
        &self,
        layout: &Layout,
        homes: &[usize],
        object: &mut Relocatable,
        table: &mut Table,
    ) {
        let Some(lines) = LineTable::of(&self.table, &self.sections, layout) else {
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
        match at {
            Some(at) => object.sections[at] = section,
            None => object.sections.push(section),
        }
    }

    /// Where a relocation's place lies, if its section shall stand for it: others do not see local symbols. Of sections that
    /// are merged, what an address behind a symbol belongs to would be lost.
    fn section_for(&self, base: &Base, addend: i64) -> Option<Spot> {
        let symbol = match base {
            Base::Symbol(id, _) => &self.symbols[*id],
            Base::Place(spot) => return Some(*spot),
        };
        let Definition::Label(spot) = symbol.definition else {
            return None;
        };
        let merged = self.sections.section(spot.section).flags & SHF_MERGE != 0;
        let local = matches!(symbol.binding, None | Some(STB_LOCAL));
        (local && !(merged && addend != 0)).then_some(spot)
    }

    /// The symbol that a relocation names, and what is added to it.
    fn relocated(
        &self,
        base: &Base,
        addend: i64,
        layout: &Layout,
        homes: &[usize],
        object: &mut Relocatable,
        table: &mut Table,
    ) -> (usize, u64) {
        let Some(spot) = self.section_for(base, addend) else {
            let number = match base {
                // A symbol that is used is in the table.
                Base::Symbol(id, _) => table.numbers.get(id).copied(),
                Base::Place(_) => None,
            };
            return (number.unwrap_or(0), 0);
        };
        let home = homes[spot.section.0 as usize];
        let number = *table.sections.entry(home).or_insert_with(|| {
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
        });
        (number, layout.offset(spot))
    }
}

/// A section that waits for nothing.
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

/// The numbers of symbols in the object.
struct Table {
    numbers: HashMap<SymbolId, usize>,
    /// Those of sections, by section.
    sections: HashMap<usize, usize>,
}
