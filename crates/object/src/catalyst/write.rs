//! The writer of programs for AMD's Catalyst: the outer file, and one file for each kernel.

use super::{Kernel, PRODUCTS, Product, Program};

/// `EI_OSABI`, `EI_ABIVERSION` and machine number of a kernel's file.
const CAL: (u8, u8, u16) = (0x64, 1, 0x7d);
/// The type of the segment with the table of encodings; a kernel has one encoding.
const PT_ENCODINGS: u32 = 0x7000_0002;
const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
/// The type of the encoding for these chips.
const ENCODING: u32 = 4;
const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const ALLOC: u64 = 2;
const CODE: u64 = 6;
const STRINGS: u64 = 0x20;
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;

/// A file of 32 or 64 bits that is being written.
struct Out {
    bytes: Vec<u8>,
    wide: bool,
}

/// A section that is being written.
struct Section {
    name: &'static str,
    kind: u32,
    flags: u64,
    link: u32,
    entry: u64,
    align: u64,
    bytes: Vec<u8>,
}

/// A symbol that is being written.
struct Symbol {
    name: String,
    section: u16,
    kind: u8,
    value: usize,
    size: usize,
}

impl Out {
    fn half(&mut self, value: u16) {
        self.bytes.extend(value.to_le_bytes());
    }

    fn word(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// Writes an address, an offset or a size.
    fn long(&mut self, value: u64) {
        if self.wide {
            self.bytes.extend(value.to_le_bytes());
        } else {
            // Programs have less than 4 GiB, because sources have 256 megabytes at most.
            self.word(value as u32);
        }
    }

    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    /// Writes the file header: ET_EXEC, with the places of its tables.
    fn header(&mut self, (os, abi, machine): (u8, u8, u16), flags: u32, tables: Tables) {
        let class = if self.wide { 2 } else { 1 };
        self.bytes.extend(b"\x7fELF");
        self.bytes
            .extend([class, 1, 1, os, abi, 0, 0, 0, 0, 0, 0, 0]);
        self.half(2);
        self.half(machine);
        self.word(1);
        self.long(0);
        self.long(tables.programs);
        self.long(tables.sections);
        self.word(flags);
        let [header, program, section] = sizes(self.wide);
        self.half(header);
        self.half(if tables.program_count > 0 { program } else { 0 });
        self.half(tables.program_count);
        self.half(section);
        self.half(tables.section_count);
        self.half(1);
    }

    /// Writes a 32-bit program header, without addresses.
    fn segment(&mut self, kind: u32, offset: u64, size: u64, memory: u64) {
        self.word(kind);
        for value in [offset, 0, 0, size, memory, 0, 0] {
            self.long(value);
        }
    }

    fn section_header(&mut self, name: u32, section: &Section, offset: u64) {
        self.word(name);
        self.word(section.kind);
        self.long(section.flags);
        self.long(0);
        self.long(offset);
        self.long(section.bytes.len() as u64);
        self.word(section.link);
        self.word(0);
        self.long(section.align);
        self.long(section.entry);
    }

    fn symbol(&mut self, name: u32, symbol: &Symbol) {
        let (value, size) = (symbol.value as u64, symbol.size as u64);
        self.word(name);
        if !self.wide {
            self.long(value);
            self.long(size);
        }
        self.bytes.extend([symbol.kind, 0]);
        self.half(symbol.section);
        if self.wide {
            self.long(value);
            self.long(size);
        }
    }
}

/// The places and lengths of a file's tables.
struct Tables {
    programs: u64,
    program_count: u16,
    sections: u64,
    section_count: u16,
}

/// Returns the sizes in bytes of the file header, of a program header, and of a section header.
fn sizes(wide: bool) -> [u16; 3] {
    if wide { [64, 56, 64] } else { [52, 32, 40] }
}

/// Returns the table of section names, and the offset of each name.
fn names(sections: &[Section]) -> (Vec<u8>, Vec<u32>) {
    let (mut table, mut places) = (vec![0], Vec::new());
    for section in sections {
        places.push(table.len() as u32);
        table.extend(section.name.bytes());
        table.push(0);
    }
    (table, places)
}

fn section(name: &'static str, kind: u32, flags: u64, align: u64, bytes: Vec<u8>) -> Section {
    Section {
        name,
        kind,
        flags,
        link: 0,
        entry: 0,
        align,
        bytes,
    }
}

impl Program {
    /// Returns the bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let machine = self.product().machine;
        let (mut text, mut constants, mut symbols) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |name: String, section, kind, value, size| {
            symbols.push(Symbol {
                name,
                section,
                kind,
                value,
                size,
            });
        };
        if !self.options.is_empty() {
            let name = "__OpenCL_compile_options".to_owned();
            add(name, 6, OBJECT, 0, self.options.len());
        }
        if let Some(global) = &self.constants {
            add("__OpenCL_0_global".to_owned(), 4, OBJECT, 0, global.len());
            constants.extend(global);
        }
        for kernel in &self.kernels {
            let file = self.kernel_file(kernel);
            let name = |what: &str| format!("__OpenCL_{}_{what}", kernel.name);
            let (metadata, at) = (kernel.metadata.len(), constants.len());
            add(name("metadata"), 4, OBJECT, at, metadata);
            add(name("kernel"), 5, FUNCTION, text.len(), file.len());
            add(
                name("header"),
                4,
                OBJECT,
                at + metadata,
                kernel.header.len(),
            );
            constants.extend(&kernel.metadata);
            constants.extend(&kernel.header);
            text.extend(file);
        }
        let comment = [&self.options[..], &self.driver].concat();
        let (strings, table) = self.symbol_table(&symbols);
        let mut sections = vec![
            section(".shstrtab", SHT_STRTAB, STRINGS, 1, Vec::new()),
            section(".strtab", SHT_STRTAB, STRINGS, 1, strings),
            section(".symtab", SHT_SYMTAB, 0, 8, table),
            section(".rodata", SHT_PROGBITS, ALLOC, 1, constants),
            section(".text", SHT_PROGBITS, CODE, 1, text),
            section(".comment", SHT_PROGBITS, 0, 1, comment),
        ];
        sections[2].link = 2;
        sections[2].entry = if self.wide { 24 } else { 16 };
        self.file((0, 0, machine), sections)
    }

    /// Returns the string table of symbol names, and the symbol table.
    fn symbol_table(&self, symbols: &[Symbol]) -> (Vec<u8>, Vec<u8>) {
        let mut out = Out {
            bytes: vec![0; if self.wide { 24 } else { 16 }],
            wide: self.wide,
        };
        let mut strings = vec![0];
        for symbol in symbols {
            out.symbol(strings.len() as u32, symbol);
            strings.extend(symbol.name.bytes());
            strings.push(0);
        }
        (strings, out.bytes)
    }

    /// Returns a file that has only sections, with their table after them.
    fn file(&self, identity: (u8, u8, u16), mut sections: Vec<Section>) -> Vec<u8> {
        let (table, places) = names(&sections);
        sections[0].bytes = table;
        let mut next = u64::from(sizes(self.wide)[0]);
        let mut offsets = Vec::new();
        for section in &sections {
            next = next.next_multiple_of(section.align);
            offsets.push(next);
            next += section.bytes.len() as u64;
        }
        let mut out = Out {
            bytes: Vec::new(),
            wide: self.wide,
        };
        let tables = Tables {
            programs: 0,
            program_count: 0,
            sections: next.next_multiple_of(8),
            section_count: sections.len() as u16 + 1,
        };
        out.header(identity, 0, tables);
        for (section, offset) in sections.iter().zip(&offsets) {
            out.bytes.resize(*offset as usize, 0);
            out.bytes.extend(&section.bytes);
        }
        out.align(8);
        let end = out.bytes.len() + usize::from(sizes(self.wide)[2]);
        out.bytes.resize(end, 0);
        for ((section, offset), name) in sections.iter().zip(offsets).zip(places) {
            out.section_header(name, section, offset);
        }
        out.bytes
    }

    /// Returns the 32-bit file of a kernel: tables, notes, code, data, and no symbols. The notes begin at 0x1c0.
    fn kernel_file(&self, kernel: &Kernel) -> Vec<u8> {
        let mut sections = vec![
            section(".shstrtab", SHT_STRTAB, 0, 0, Vec::new()),
            section(".text", SHT_PROGBITS, 0, 0, kernel.code.clone()),
            section(".data", SHT_PROGBITS, 0, 0, kernel.data.clone()),
            section(".symtab", SHT_SYMTAB, 0, 0, vec![0; 16]),
            section(".strtab", SHT_STRTAB, 0, 0, vec![0; 2]),
        ];
        sections[3].link = 5;
        sections[3].entry = 16;
        let (table, names) = names(&sections);
        sections[0].bytes = table;
        let [header, program, entry] = sizes(false).map(u64::from);
        let encodings = header + 3 * program;
        let strings = encodings + 20;
        let tables = (strings + sections[0].bytes.len() as u64).next_multiple_of(4);
        let notes = tables + 6 * entry;
        let note_bytes = notes_of(kernel);
        let note_size = note_bytes.len() as u64;
        let loaded: u64 = sections[1..].iter().map(|s| s.bytes.len() as u64).sum();
        let places = Tables {
            programs: header,
            program_count: 3,
            sections: tables,
            section_count: 6,
        };
        let mut out = Out {
            bytes: Vec::new(),
            wide: false,
        };
        out.header(CAL, 1, places);
        out.segment(PT_ENCODINGS, encodings, 20, 0);
        out.segment(PT_NOTE, notes, note_size, 0);
        out.segment(PT_LOAD, notes + note_size, loaded, loaded);
        out.word(self.product().inner);
        out.word(ENCODING);
        for value in [notes, note_size + loaded, 0] {
            out.long(value);
        }
        out.bytes.extend(&sections[0].bytes);
        out.align(4);
        out.bytes
            .resize(out.bytes.len() + usize::from(sizes(false)[2]), 0);
        out.section_header(names[0], &sections[0], strings);
        let mut next = notes + note_size;
        for (section, name) in sections[1..].iter().zip(&names[1..]) {
            out.section_header(*name, section, next);
            next += section.bytes.len() as u64;
        }
        out.bytes.extend(note_bytes);
        let rest = sections[1..].iter();
        rest.for_each(|section| out.bytes.extend(&section.bytes));
        out.bytes
    }

    /// Returns the chip that the program is for.
    fn product(&self) -> &'static Product {
        PRODUCTS.get(self.product).unwrap_or(&PRODUCTS[0])
    }
}

/// Returns the notes of a kernel, one after another.
fn notes_of(kernel: &Kernel) -> Vec<u8> {
    let mut out = Out {
        bytes: Vec::new(),
        wide: false,
    };
    for (kind, contents) in &kernel.notes {
        out.word(8);
        out.word(contents.len() as u32);
        out.word(*kind);
        out.bytes.extend(b"ATI CAL\0");
        out.bytes.extend(contents);
    }
    out.bytes
}
