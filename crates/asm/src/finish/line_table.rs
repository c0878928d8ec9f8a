//! The DWARF line table (`.debug_line`) of `.file` and `.loc`.
//!
//! Written here and not by a library, because the file numbers must be those of the source: its other DWARF sections refer to
//! them. Source: DWARF 5, 6.2 "Line Number Information".

use crate::state::{File, Layout, LineRow as Row, Lines, Location, SectionId, Sections, leb};

/// The minimum instruction length: instructions are multiples of four bytes.
const STEP: u64 = 4;
/// Special opcodes: the first opcode, the lowest line advance, and the number of line advances.
const FIRST: u64 = 13;
const BASE: i64 = -5;
const RANGE: u64 = 14;
/// Operand counts of the standard opcodes 1 to 12.
const OPERANDS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/// Opcodes of the line number program (6.2.5.2 and 6.2.5.3).
mod op {
    pub(super) const COPY: u8 = 1;
    pub(super) const ADVANCE_PC: u8 = 2;
    pub(super) const ADVANCE_LINE: u8 = 3;
    pub(super) const SET_FILE: u8 = 4;
    pub(super) const SET_COLUMN: u8 = 5;
    pub(super) const NEGATE_STATEMENT: u8 = 6;
    pub(super) const BASIC_BLOCK: u8 = 7;
    pub(super) const PROLOGUE_END: u8 = 10;
    pub(super) const EPILOGUE_BEGIN: u8 = 11;
    pub(super) const SET_ISA: u8 = 12;
    pub(super) const END_SEQUENCE: u8 = 1;
    pub(super) const SET_ADDRESS: u8 = 2;
    pub(super) const SET_DISCRIMINATOR: u8 = 4;
}

/// The contents of `.debug_line`, and the offsets of section addresses in it.
pub(super) struct LineTable {
    pub bytes: Vec<u8>,
    pub addresses: Vec<(u64, Location)>,
}

impl LineTable {
    /// Returns the table of a source's lines, or `None` if it has no rows.
    pub(super) fn of(lines: &Lines, sections: &Sections, layout: &Layout) -> Option<LineTable> {
        if lines.rows.is_empty() {
            return None;
        }
        let mut table = LineTable {
            bytes: header(lines),
            addresses: Vec::new(),
        };
        for n in 0..sections.len() {
            let id = SectionId(n as u32);
            let here = |row: &&Row| {
                row.location
                    .is_some_and(|location| layout.home(location) == id)
            };
            let rows: Vec<&Row> = lines.rows.iter().filter(here).collect();
            if !rows.is_empty() {
                table.sequence(&rows, layout, id, layout.bytes(sections, id).1);
            }
        }
        let length = (table.bytes.len() - 4) as u32;
        table.bytes[..4].copy_from_slice(&length.to_le_bytes());
        Some(table)
    }

    /// Appends the rows of a section as one sequence.
    fn sequence(&mut self, rows: &[&Row], layout: &Layout, section: SectionId, size: u64) {
        self.bytes.extend([0, 9, op::SET_ADDRESS]);
        let beginning = Location {
            section,
            fragment: 0,
            offset: 0,
        };
        self.addresses.push((self.bytes.len() as u64, beginning));
        self.bytes.extend([0; 8]);
        let mut at = 0;
        let mut last = Row::FIRST;
        for row in rows {
            let to = row.location.map_or(at, |location| layout.offset(location));
            self.row(row, &last, to.saturating_sub(at));
            at = to;
            last = **row;
        }
        self.operand(
            op::ADVANCE_PC,
            (size.saturating_sub(at) / STEP) as i64,
            false,
        );
        self.bytes.extend([0, 1, op::END_SEQUENCE]);
    }

    /// Appends a row as its differences from the previous one, `bytes` of code further.
    fn row(&mut self, row: &Row, last: &Row, bytes: u64) {
        if row.file != last.file {
            self.operand(op::SET_FILE, row.file as i64, false);
        }
        if row.column != last.column {
            self.operand(op::SET_COLUMN, row.column as i64, false);
        }
        if row.discriminator != 0 {
            let number = leb(row.discriminator as i64, false, 0);
            self.bytes
                .extend([0, 1 + number.len() as u8, op::SET_DISCRIMINATOR]);
            self.bytes.extend(number);
        }
        if row.isa != last.isa {
            self.operand(op::SET_ISA, row.isa as i64, false);
        }
        for (holds, opcode) in [
            (row.is_statement != last.is_statement, op::NEGATE_STATEMENT),
            (row.basic_block, op::BASIC_BLOCK),
            (row.prologue_end, op::PROLOGUE_END),
            (row.epilogue_begin, op::EPILOGUE_BEGIN),
        ] {
            if holds {
                self.bytes.push(opcode);
            }
        }
        self.advance(
            (row.line as i64).wrapping_sub(last.line as i64),
            bytes / STEP,
        );
    }

    /// Advances line and address, and appends the row to the table.
    fn advance(&mut self, mut lines: i64, steps: u64) {
        if !(BASE..BASE + RANGE as i64).contains(&lines) {
            self.operand(op::ADVANCE_LINE, lines, true);
            lines = 0;
        }
        let special = steps
            .checked_mul(RANGE)
            .and_then(|n| n.checked_add(FIRST + (lines - BASE) as u64));
        if let Some(opcode @ FIRST..=255) = special {
            self.bytes.push(opcode as u8);
            return;
        }
        self.operand(op::ADVANCE_PC, steps as i64, false);
        self.bytes.push(match lines {
            0 => op::COPY,
            lines => (FIRST as i64 + lines - BASE) as u8,
        });
    }

    fn operand(&mut self, opcode: u8, operand: i64, signed: bool) {
        self.bytes.push(opcode);
        self.bytes.extend(leb(operand, signed, 0));
    }
}

/// Returns the header: version 5 if files are numbered from 0, otherwise version 4. The length at its beginning is filled in
/// later.
fn header(lines: &Lines) -> Vec<u8> {
    let fifth = lines.files.first().is_some_and(Option::is_some);
    let mut after = vec![STEP as u8, 1, 1, BASE as u8, RANGE as u8, FIRST as u8];
    after.extend(OPERANDS);
    after.extend(if fifth {
        names_of_5(&lines.files)
    } else {
        names_of_4(&lines.files)
    });
    let mut bytes = vec![0; 4];
    if fifth {
        // Version, address size, segment selector size.
        bytes.extend([5, 0, 8, 0]);
    } else {
        bytes.extend([4, 0]);
    }
    bytes.extend((after.len() as u32).to_le_bytes());
    bytes.extend(after);
    bytes
}

/// Returns the folders of the files by number, starting with that of the compilation, and the folder of each file.
fn folders(files: &[Option<File>]) -> (Vec<&str>, Vec<usize>) {
    let first = files
        .first()
        .and_then(Option::as_ref)
        .and_then(|f| f.folder.as_deref());
    let mut folders = vec![first.unwrap_or("")];
    let place = files.iter().map(|file| {
        let folder = file
            .as_ref()
            .and_then(|f| f.folder.as_deref())
            .unwrap_or("");
        match folders
            .iter()
            .position(|known| folder.is_empty() || *known == folder)
        {
            Some(at) => at,
            None => {
                folders.push(folder);
                folders.len() - 1
            }
        }
    });
    let places = place.collect();
    (folders, places)
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

fn name(file: &Option<File>) -> &str {
    file.as_ref().map_or("", |file| &file.name)
}

/// Returns folders and files in the form of version 5 (6.2.4.1), which begins with formats.
fn names_of_5(files: &[Option<File>]) -> Vec<u8> {
    // DW_LNCT_path as DW_FORM_string, DW_LNCT_directory_index as DW_FORM_udata, DW_LNCT_MD5 as DW_FORM_data16.
    const PATH: [u8; 2] = [1, 0x08];
    const FOLDER: [u8; 2] = [2, 0x0f];
    const MD5: [u8; 2] = [5, 0x1e];
    let (folders, places) = folders(files);
    let mut out = vec![1];
    out.extend(PATH);
    out.extend(leb(folders.len() as i64, false, 0));
    folders.iter().for_each(|folder| text(&mut out, folder));
    let sums = files
        .iter()
        .all(|file| file.as_ref().is_some_and(|f| f.md5.is_some()));
    out.push(if sums { 3 } else { 2 });
    out.extend(PATH);
    out.extend(FOLDER);
    if sums {
        out.extend(MD5);
    }
    out.extend(leb(files.len() as i64, false, 0));
    for (file, folder) in files.iter().zip(places) {
        text(&mut out, name(file));
        out.extend(leb(folder as i64, false, 0));
        if sums {
            out.extend(file.as_ref().and_then(|f| f.md5).unwrap_or_default());
        }
    }
    out
}

/// Returns folders and files in the form of version 4: lists that end with an empty name, both numbered from 1.
fn names_of_4(files: &[Option<File>]) -> Vec<u8> {
    let (folders, places) = folders(files);
    let mut out = Vec::new();
    folders
        .iter()
        .skip(1)
        .for_each(|folder| text(&mut out, folder));
    out.push(0);
    for (file, folder) in files.iter().zip(places).skip(1) {
        // An empty name would end the list.
        text(
            &mut out,
            match name(file) {
                "" => "?",
                name => name,
            },
        );
        out.extend(leb(folder as i64, false, 0));
        out.extend([0, 0]);
    }
    out.push(0);
    out
}
