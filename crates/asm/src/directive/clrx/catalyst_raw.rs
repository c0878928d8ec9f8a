//! Kernels for Catalyst as CLRX's disassembler writes them: notes, the lines of the text, and the header, by their bytes.

use wavetank_link::elf::SHT_PROGBITS;
use wavetank_object::catalyst::note;

use super::catalyst_settings::{number, samplers, word};
use crate::session::program::{Format, HIDDEN, MOST_BUFFERS};
use crate::session::{Handler, Session, row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::Key;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".calnote", |a, mut c| { let kind = word(a, &mut c)?; note(a, c, kind) }),
    row(".proginfo", |a, c| match a.program.format {
        Format::Gallium => super::gallium::proginfo(a, c),
        _ => note(a, c, note::PROGRAM_INFO),
    }),
    row(".inputs", |a, c| note(a, c, note::INPUTS)),
    row(".outputs", |a, c| note(a, c, note::OUTPUTS)),
    row(".condout", |a, c| if a.program.configures { number(a, c, u32::MAX, |s| &mut s.cond_out) } else { note(a, c, note::COND_OUT) }),
    row(".floatconsts", |a, c| note(a, c, note::FLOAT_CONSTANTS)),
    row(".intconsts", |a, c| note(a, c, note::INT_CONSTANTS)),
    row(".boolconsts", |a, c| note(a, c, note::BOOL_CONSTANTS)),
    row(".earlyexit", |a, c| if a.program.configures { number(a, c, u32::MAX, |s| &mut s.early_exit) } else { note(a, c, note::EARLY_EXIT) }),
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
        Format::Gallium => super::gallium::entry(a, c),
        _ => words(a, c),
    }),
    row(".cbmask", words),
    row(".segment", words),
    row(".sampler", |a, c| if a.program.configures { samplers(a, c) } else { words(a, c) }),
    row(".cbid", |a, c| if a.program.configures { number(a, c, MOST_BUFFERS, |s| &mut s.constants) } else { words(a, c) }),
];

/// Limit of notes of a kernel.
const MOST: usize = 1000;
/// Opens a note. The data after the directive are its bytes; the first word may be given as an operand.
fn note(a: &mut Session<'_>, mut cursor: Cursor<'_>, kind: u32) -> Result<(), SyntaxError> {
    let kernel = a.program.kernel(&cursor)?;
    let (name, count) = (kernel.name.clone(), kernel.notes.len());
    if count >= MOST {
        let message = format!("a kernel has {MOST} notes at most");
        return Err(syntax_error(0..cursor.text().len(), message));
    }
    let key = Key {
        name: format!("{HIDDEN}Note {count} {name}").into(),
        group: None,
        unique: None,
        subsection: 0,
    };
    let (id, _) = a.asm.sections.get(&key, SHT_PROGBITS, 0, 0);
    a.program.kernel(&cursor)?.notes.push((kind, id));
    a.program.configures = false;
    a.asm.sections.switch(id);
    if cursor.is_at_end() {
        Ok(())
    } else {
        let value = word(a, &mut cursor)?;
        cursor.end()?;
        a.asm.append(&value.to_le_bytes())
    }
}

/// Appends dwords to a note: `.entry 12, 4, 0, 5`.
fn words(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let current = a.asm.sections.current;
    let kernel = a.program.kernel(&cursor)?;
    if !kernel.notes.iter().any(|(_, id)| *id == current) {
        let message = "no note stands before this, such as `.proginfo`";
        return Err(syntax_error(0..cursor.text().len(), message));
    }
    cursor.each_operand(|cursor| {
        let value = word(a, cursor)?;
        a.asm.append(&value.to_le_bytes())
    })
}
