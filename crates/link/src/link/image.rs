//! The output file of a link.

use std::collections::HashMap;

use object::elf;

use crate::elf::{SHF_MERGE, SHT_NOBITS, STB_LOCAL, STT_SECTION};
use crate::error::Result;
use crate::file::{
    FILE_HEADER_SIZE, SYMBOL_SIZE, SectionHeader, SectionNumber, Strings, SymbolRecord, Tables,
    align, file_header, null_section, rela,
};
use crate::identity::Identity;
use crate::reloc;
use crate::relocatable::Place;

use super::apply::Addresses;
use super::dynamic::DynamicTables;
use super::files::Files;
use super::layout::Layout;
use super::scan::{Dynamic, DynamicPlace, ENTRY_SIZE, Scan};
use super::sections::{Output, Outputs, PartOf};
use super::symbols::{Definition, Symbols, Target};

/// The complete contents of the output file.
pub(super) struct Image<'a> {
    pub identity: Identity,
    pub files: &'a Files<'a>,
    pub symbols: &'a Symbols<'a>,
    pub scan: &'a Scan,
    pub outputs: &'a Outputs,
    pub dynamic: &'a DynamicTables,
    pub layout: &'a Layout,
}

impl Image<'_> {
    /// Returns the bytes of the file.
    pub(super) fn write(&self) -> Result<Vec<u8>> {
        let mut out = vec![0; self.layout.end as usize];
        for output in &self.outputs.list {
            self.write_parts(output, &mut out)?;
        }
        self.write_dynamic(&mut out);
        let mut headers = vec![SectionHeader::default()];
        let mut names = Strings::new();
        for index in &self.layout.order {
            let output = &self.outputs.list[*index];
            headers.push(SectionHeader {
                name: names.add(&output.name)?,
                kind: output.kind,
                flags: output.flags,
                address: output.address,
                offset: output.offset,
                size: output.size,
                link: output.link.map_or(0, |link| self.number(link)),
                info: output.info,
                align: output.align,
                entry_size: output.entry_size,
            });
        }
        self.write_symbols(&mut out, &mut headers, &mut names)?;
        self.finish(out, headers)
    }

    fn addresses(&self) -> Addresses<'_> {
        Addresses {
            files: self.files,
            symbols: self.symbols,
            scan: self.scan,
            outputs: self.outputs,
        }
    }

    /// Returns the number of a section in the file.
    fn number(&self, output: usize) -> u32 {
        self.layout.numbers[output]
    }

    /// Writes the parts of a section, with relocations applied.
    fn write_parts(&self, output: &Output, out: &mut [u8]) -> Result<()> {
        if output.kind == SHT_NOBITS {
            return Ok(());
        }
        let at = output.offset as usize;
        let out = &mut out[at..at + output.size as usize];
        for part in &output.parts {
            let at = part.at as usize;
            match part.what {
                PartOf::Section { input, section } => {
                    let bytes = &self.files.inputs[input].object.sections[section].bytes;
                    let out = &mut out[at..at + bytes.len()];
                    out.copy_from_slice(bytes);
                    let address = output.address + part.at;
                    self.addresses().apply(input, section, address, out)?;
                }
                PartOf::Merged(number) => self.outputs.merged[number].write(&mut out[at..]),
                PartOf::Common { .. } => {}
            }
        }
        Ok(())
    }

    /// Writes the tables that a loader reads.
    fn write_dynamic(&self, out: &mut [u8]) {
        let sections = &self.outputs.dynamic;
        let mut put = |index: usize, bytes: &[u8]| {
            let at = self.outputs.list[index].offset as usize;
            out[at..at + bytes.len()].copy_from_slice(bytes);
        };
        let mut symbols = vec![0; SYMBOL_SIZE as usize];
        for (number, name) in &self.dynamic.symbols {
            self.global(*number).write(&mut symbols, *name);
        }
        put(sections.symbols, &symbols);
        put(sections.names, self.dynamic.names.bytes());
        put(sections.gnu_hash, &self.dynamic.gnu_hash);
        put(sections.hash, &self.dynamic.hash);
        put(sections.dynamic, &self.dynamic.dynamic(self.outputs));
        if let Some(relocations) = sections.relocations {
            put(relocations, &self.relocations());
        }
        if let Some(got) = sections.got {
            put(got, &self.entries());
        }
    }

    /// Returns the global offset table: known numbers, and space for the values that a loader writes.
    fn entries(&self) -> Vec<u8> {
        let mut values = vec![0; self.scan.entry_of.len()];
        for (target, entry) in &self.scan.entry_of {
            if !self.addresses().is_left_to_the_loader(*target) {
                values[*entry] = self.addresses().sum(*target, 0);
            }
        }
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    /// Returns the relocations that a loader applies: those without symbols first, by address, then the others by symbol and
    /// address.
    fn relocations(&self) -> Vec<u8> {
        let row = |dynamic: &Dynamic| {
            let place = match dynamic.place {
                DynamicPlace::Section { output, at } => self.addresses().at(output, at),
                DynamicPlace::Entry(entry) => {
                    let got = self.outputs.dynamic.got.unwrap_or_default();
                    self.addresses().at(got, entry as u64 * ENTRY_SIZE)
                }
            };
            match dynamic.symbol {
                Some(symbol) => {
                    let number = self.dynamic.number_of[&symbol];
                    (number, place, dynamic.kind, dynamic.addend)
                }
                None => {
                    let sum = self.addresses().sum(dynamic.target, dynamic.addend);
                    (0, place, reloc::RELATIVE64, sum as i64)
                }
            }
        };
        let mut rows: Vec<_> = self.scan.dynamic.iter().map(row).collect();
        rows.sort_by_key(|(symbol, place, ..)| (*symbol, *place));
        let mut bytes = Vec::new();
        for (symbol, place, kind, addend) in rows {
            rela(&mut bytes, place, symbol, kind, addend);
        }
        bytes
    }

    /// Returns the record of a global symbol, with its section.
    fn global(&self, number: usize) -> SymbolRecord<'_> {
        let global = &self.symbols.globals[number];
        let address = self.addresses().symbol(Target::Global(number), 0);
        let output = match global.definition {
            Definition::Output { output, .. } => Some(output),
            Definition::Section {
                input,
                section,
                value,
            } => self.outputs.place(input, section, value).map(|(o, _)| o),
            _ => None,
        };
        let section = match (global.definition, output) {
            (_, Some(output)) => SectionNumber::Index(self.number(output)),
            (Definition::Absolute(_), _) => SectionNumber::ABSOLUTE,
            _ => SectionNumber::UNDEFINED,
        };
        SymbolRecord {
            name: global.name,
            value: address.map_or(0, |(address, _)| address),
            size: global.size,
            kind: global.kind,
            binding: if global.is_exported() {
                global.binding
            } else {
                STB_LOCAL
            },
            visibility: global.visibility,
            section,
        }
    }

    /// Returns the record of a file's local symbol; `None` for symbols that the result does not need: section symbols, and labels
    /// of merged strings.
    fn local(&self, input: usize, number: usize) -> Option<SymbolRecord<'_>> {
        let object = self.files.inputs[input].object;
        let entry = &object.symbols[number];
        if entry.binding != STB_LOCAL || entry.kind == STT_SECTION || entry.name.is_empty() {
            return None;
        }
        let (value, section) = match self.files.place(input, number) {
            Place::Undefined | Place::Common => return None,
            Place::Absolute => (entry.value, SectionNumber::ABSOLUTE),
            Place::Section(section) => {
                let label = entry.name.starts_with(".L");
                if label && object.sections[section].flags & SHF_MERGE != 0 {
                    return None;
                }
                let (output, at) = self.outputs.place(input, section, entry.value)?;
                let number = SectionNumber::Index(self.number(output));
                (self.addresses().at(output, at), number)
            }
        };
        Some(SymbolRecord {
            value,
            ..SymbolRecord::of(entry, section)
        })
    }

    /// Returns all symbols in the order of the file: local ones, grouped by their source files, then the others.
    fn all_symbols(&self) -> (Vec<SymbolRecord<'_>>, u32) {
        let mut locals: Vec<(Option<usize>, _)> = Vec::new();
        for (input, file) in self.files.inputs.iter().enumerate() {
            let symbols = 0..file.object.symbols.len();
            let symbols = symbols.filter_map(|number| self.local(input, number));
            locals.extend(symbols.map(|symbol| (Some(input), symbol)));
        }
        let mut globals = Vec::new();
        for (number, global) in self.symbols.globals.iter().enumerate() {
            let symbol = self.global(number);
            match symbol.binding {
                STB_LOCAL => locals.push((global.input, symbol)),
                _ => globals.push(symbol),
            }
        }
        // Source files are in the order of their first symbols.
        let mut seen = HashMap::new();
        for (input, _) in &locals {
            let next = seen.len();
            seen.entry(*input).or_insert(next);
        }
        locals.sort_by_key(|(input, _)| seen[input]);
        let mut all: Vec<_> = locals.into_iter().map(|(_, symbol)| symbol).collect();
        let first_global = all.len() as u32 + 1;
        all.extend(globals);
        (all, first_global)
    }

    /// Writes the symbol table for debuggers and disassemblers.
    fn write_symbols(
        &self,
        out: &mut Vec<u8>,
        headers: &mut Vec<SectionHeader>,
        names: &mut Strings,
    ) -> Result<()> {
        let (all, first_global) = self.all_symbols();
        let mut bytes = vec![0; SYMBOL_SIZE as usize];
        let mut strings = Strings::new();
        for symbol in &all {
            symbol.write(&mut bytes, strings.append(symbol.name)?);
        }
        for name in [".symtab", ".shstrtab", ".strtab"] {
            names.add(name)?;
        }
        let section_names = names.bytes().to_vec();
        align(out, 8);
        let number = headers.len() as u32;
        for (name, kind, contents) in [
            (".symtab", elf::SHT_SYMTAB, &bytes[..]),
            (".shstrtab", elf::SHT_STRTAB, &section_names),
            (".strtab", elf::SHT_STRTAB, strings.bytes()),
        ] {
            let table = kind == elf::SHT_SYMTAB;
            headers.push(SectionHeader {
                name: names.add(name)?,
                kind: kind.0,
                offset: out.len() as u64,
                size: contents.len() as u64,
                link: if table { number + 2 } else { 0 },
                info: if table { first_global } else { 0 },
                align: if table { 8 } else { 1 },
                entry_size: if table { SYMBOL_SIZE } else { 0 },
                ..SectionHeader::default()
            });
            out.extend_from_slice(contents);
        }
        Ok(())
    }

    /// Writes the section headers and the file header.
    fn finish(&self, mut out: Vec<u8>, mut headers: Vec<SectionHeader>) -> Result<Vec<u8>> {
        align(&mut out, 8);
        let count = headers.len() as u32;
        let tables = Tables {
            kind: elf::ET_DYN,
            programs: self.layout.programs.len() as u16,
            sections_at: out.len() as u64,
            sections: count,
            names: count - 2,
        };
        headers[0] = null_section(&tables);
        for header in &headers {
            header.write(&mut out);
        }
        let mut start = file_header(&self.identity, &tables);
        debug_assert_eq!(start.len() as u64, FILE_HEADER_SIZE);
        for program in &self.layout.programs {
            program.write(&mut start);
        }
        out[..start.len()].copy_from_slice(&start);
        Ok(out)
    }
}
