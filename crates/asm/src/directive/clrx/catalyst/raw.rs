//! Kernels for Catalyst as CLRX's disassembler writes them: notes, the lines of the text, and the header, by their bytes.

use wavetank_link::elf::SHT_PROGBITS;
use wavetank_object::catalyst::{self, note};

use super::super::super::{Handler, each_operand, row};
use super::super::kernel::Part;
use super::super::target::Format;
use super::{DATA, number, samplers, word};
use crate::assembler::Assembler;
use crate::source::{Cursor, Wrong, wrong};
use crate::state::{Key, SectionId};

#[rustfmt::skip]
pub(in super::super) const ROWS: &[Handler] = &[
    row(".calnote", |a, mut c| { let kind = word(a, &mut c)?; note(a, c, kind) }),
    row(".proginfo", |a, c| match a.program.format {
        Format::Gallium => super::super::gallium::proginfo(a, c),
        _ => note(a, c, note::PROGRAM_INFO),
    }),
    row(".inputs", |a, c| note(a, c, note::INPUTS)),
    row(".outputs", |a, c| note(a, c, note::OUTPUTS)),
    row(".condout", |a, c| match a.program.configures {
        true => number(a, c, u32::MAX, |s| &mut s.cond_out),
        false => note(a, c, note::COND_OUT),
    }),
    row(".floatconsts", |a, c| note(a, c, note::FLOAT_CONSTANTS)),
    row(".intconsts", |a, c| note(a, c, note::INT_CONSTANTS)),
    row(".boolconsts", |a, c| note(a, c, note::BOOL_CONSTANTS)),
    row(".earlyexit", |a, c| match a.program.configures {
        true => number(a, c, u32::MAX, |s| &mut s.early_exit),
        false => note(a, c, note::EARLY_EXIT),
    }),
    row(".globalbuffers", |a, c| note(a, c, note::GLOBAL_BUFFERS)),
    row(".constantbuffers", |a, c| note(a, c, note::CONSTANT_BUFFERS)),
    row(".inputsamplers", |a, c| note(a, c, note::INPUT_SAMPLERS)),
    row(".persistentbuffers", |a, c| note(a, c, note::PERSISTENT_BUFFERS)),
    row(".scratchbuffers", |a, c| note(a, c, note::SCRATCH_BUFFERS)),
    row(".subconstantbuffers", |a, c| note(a, c, note::SUB_CONSTANT_BUFFERS)),
    row(".uavmailboxsize", |a, c| note(a, c, note::UAV_MAILBOX_SIZE)),
    row(".uav", |a, c| note(a, c, note::UAV)),
    row(".uavopmask", |a, c| note(a, c, note::UAV_OP_MASK)),
    row(".entry", |a, c| match a.program.format {
        Format::Gallium => super::super::gallium::entry(a, c),
        _ => words(a, c),
    }),
    row(".cbmask", words),
    row(".segment", words),
    row(".sampler", |a, c| match a.program.configures {
        true => samplers(a, c),
        false => words(a, c),
    }),
    row(".cbid", |a, c| match a.program.configures {
        true => number(a, c, super::MOST_BUFFERS, |s| &mut s.constants),
        false => words(a, c),
    }),
];

/// Notes that a kernel has at most.
const MOST: usize = 1000;
/// Bytes of a header.
const HEADER: usize = 32;

/// Opens a note; what follows are its bytes, of which the first may be said as a number.
fn note(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, kind: u32) -> Result<(), Wrong> {
    let kernel = a.program.kernel(&cursor)?;
    let (name, count) = (kernel.name.clone(), kernel.notes.len());
    if count >= MOST {
        let message = format!("a kernel has {MOST} notes at most");
        return Err(wrong(0..cursor.text().len(), message));
    }
    let key = Key {
        name: format!("{}Note {count} {name}", super::super::HIDDEN).into(),
        group: None,
        unique: None,
        subsection: 0,
    };
    let (id, _) = a.sections.get(&key, SHT_PROGBITS, 0, 0);
    a.program.kernel(&cursor)?.notes.push((kind, id));
    a.program.configures = false;
    a.sections.switch(id);
    match cursor.is_at_end() {
        true => Ok(()),
        false => {
            let value = word(a, &mut cursor)?;
            cursor.end()?;
            a.append(&value.to_le_bytes())
        }
    }
}

/// Appends words to a note: `.entry 12, 4, 0, 5`.
fn words(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let current = a.sections.current;
    let kernel = a.program.kernel(&cursor)?;
    if !kernel.notes.iter().any(|(_, id)| *id == current) {
        let message = "no note stands before this, such as `.proginfo`";
        return Err(wrong(0..cursor.text().len(), message));
    }
    each_operand(&mut cursor, |cursor| {
        let value = word(a, cursor)?;
        a.append(&value.to_le_bytes())
    })
}

impl Assembler<'_> {
    /// A kernel of which the source has all bytes; `None` if it has none.
    pub(super) fn written(
        &self,
        kernel: &super::Kernel,
    ) -> Result<Option<catalyst::Kernel>, String> {
        let name = kernel.name.to_string();
        let part = |part| self.part_of(kernel, part);
        let metadata = part(Part::Metadata);
        if kernel.notes.is_empty() && metadata.is_none() {
            return Ok(None);
        }
        let header = part(Part::Header).unwrap_or_default();
        if metadata.is_none() || header.len() != HEADER {
            return Err(format!(
                "`{name}` has notes: it needs `.metadata`, and {HEADER} bytes of `.header`, not {}",
                header.len()
            ));
        }
        let bytes = |id: SectionId| self.sections.section(id).known_bytes().to_vec();
        let notes = kernel.notes.iter().map(|(kind, id)| (*kind, bytes(*id)));
        Ok(Some(catalyst::Kernel {
            name,
            metadata: metadata.unwrap_or_default(),
            header,
            notes: notes.collect(),
            data: part(Part::Data).unwrap_or_else(|| vec![0; DATA]),
            code: Vec::new(),
        }))
    }
}
