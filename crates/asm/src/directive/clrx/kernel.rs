//! Directives that begin kernels of CLRX's formats, and the sections of their code and settings.

use wavetank_link::elf::*;
use wavetank_object::KERNEL_CODE_SIZE;

use crate::assembler::Counts;
use crate::session::program::{Config, Format, HIDDEN, Kernel, KernelMetadata, Part, Settings};
use crate::session::{Handler, KERNEL_ALIGN, Session, alone, row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{Definition, Key, NOP};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".kernel", kernel),
    row(".config", config),
    row(".text", text),
    row(".main", |a, c| { a.program.leave(); text(a, c) }),
    row(".inner", |a, c| { a.program.leave(); text(a, c) }),
    row(".globaldata", |a, c| data(a, c, ".rodata")),
    row(".rwdata", |a, c| data(a, c, ".data")),
    row(".bssdata", |a, c| data(a, c, ".bss")),
    row(".setup", |a, c| part(a, c, Part::Setup)),
    row(".control_directive", |a, c| part(a, c, Part::Control)),
    row(".metadata", |a, c| part(a, c, Part::Metadata)),
    row(".isametadata", |a, c| part(a, c, Part::Dropped)),
    row(".stub", |a, c| part(a, c, Part::Dropped)),
    row(".header", |a, c| part(a, c, Part::Header)),
    row(".data", |a, c| if a.program.format == Format::Amd && a.program.current.is_some() { part(a, c, Part::Data) } else { data(a, c, ".data") }),
    row(".args", |a, c| { a.program.configures = true; c.end() }),
    row(".globals", |a, c| { a.program.configures = true; c.end() }),
    row(".fkernel", function),
    row(".kcode", code_of),
    row(".kcodeend", code_ends),
];

/// Limit of kernels of a source.
const MOST: usize = 1000;

/// Limit of nested `.kcode`.
const DEEPEST: usize = 100;

/// Handles `.kernel NAME`, which begins a kernel.
fn kernel(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let name = cursor.name()?;
    cursor.end()?;
    let there = a.program.by_name.get(&*name).copied();
    a.program.configures = false;
    if there.is_some() {
        a.program.current = there;
        return Ok(());
    }
    if a.program.kernels.len() >= MOST {
        return Err(syntax_error(
            place,
            format_args!("there are {MOST} kernels already"),
        ));
    }
    let Some(at) = a.asm.place(place) else {
        return Ok(());
    };
    let number = a.program.kernels.len();
    a.program.current = Some(number);
    a.program.by_name.insert((*name).into(), number);
    a.asm.counts.kernels.push(Counts::default());
    a.program.kernels.push(Kernel {
        name: (*name).into(),
        place: at,
        config: None,
        metadata: KernelMetadata::default(),
        listed: Vec::new(),
        registers: None,
        notes: Vec::new(),
        catalyst: Settings::default(),
        counts: Counts::default(),
        function: false,
        location: None,
        parts: Vec::new(),
    });
    Ok(())
}

fn config(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let kernel = a.program.kernel(&cursor)?;
    kernel.config.get_or_insert_with(Config::default);
    a.program.configures = true;
    cursor.end()
}

/// Handles `.text`. In AMD Catalyst's formats each kernel has a code section of its own, which begins with the kernel.
fn text(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.end()?;
    a.program.configures = false;
    // Kernels of OpenCL 1.2 do not share code.
    let own = a
        .program
        .current
        .filter(|_| a.program.format == Format::Amd);
    let key = Key {
        name: ".text".into(),
        group: None,
        unique: own.map(|kernel| kernel as u64),
        subsection: 0,
    };
    let (id, _) = a
        .asm
        .sections
        .get(&key, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0);
    a.asm.sections.switch(id);
    let headed = match a.program.format {
        Format::AmdCl2 => true,
        Format::Amd => false,
        _ => return Ok(()),
    };
    let Some(kernel) = a.program.current else {
        return Ok(());
    };
    if a.program.kernels[kernel].location.is_some() {
        return Ok(());
    }
    a.asm.align_to(KERNEL_ALIGN, NOP, u64::MAX)?;
    let location = a.asm.sections.location();
    let name = a.program.kernels[kernel].name.clone();
    a.asm.define(
        &name,
        0..cursor.text().len(),
        Definition::Label(location),
        false,
    )?;
    a.program.kernels[kernel].location = Some(location);
    if let Some(kernel) = a.program.labelled(&name) {
        a.asm.counts.owners = vec![kernel];
    }
    if headed {
        a.asm.append(&[0; KERNEL_CODE_SIZE])
    } else {
        Ok(())
    }
}

/// Handles `.globaldata` and other data sections, with `align=N`.
fn data(a: &mut Session<'_>, mut cursor: Cursor<'_>, name: &str) -> Result<(), SyntaxError> {
    a.program.leave();
    super::super::section::named(&mut a.asm, name);
    super::super::section::aligned(&mut a.asm, &mut cursor)?;
    cursor.end()
}

/// Enters a section of a kernel that is not part of the object.
fn part(a: &mut Session<'_>, cursor: Cursor<'_>, part: Part) -> Result<(), SyntaxError> {
    // Metadata of ROCm's format belong to the whole source.
    let name = match a.program.kernel(&cursor) {
        Ok(kernel) => kernel.name.clone(),
        Err(_) if part == Part::Metadata => "".into(),
        Err(error) => return Err(error),
    };
    cursor.end()?;
    let key = Key {
        name: format!("{HIDDEN}{part:?} {name}").into(),
        group: None,
        unique: None,
        subsection: 0,
    };
    let (id, new) = a.asm.sections.get(&key, SHT_PROGBITS, 0, 0);
    a.asm.sections.switch(id);
    if part == Part::Metadata && a.program.format != Format::Amd {
        a.program.metadata.section = Some(id);
    } else if new && let Ok(kernel) = a.program.kernel(&cursor) {
        kernel.parts.push((part, id));
    }
    Ok(())
}

/// Handles `.fkernel`, which makes the kernel a function for ROCm's loader.
fn function(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    a.program.kernel(&cursor)?.function = true;
    cursor.end()
}

/// Handles `.kcode KERNEL, -KERNEL` or `.kcode +`, which select the kernels that the registers of the code are counted for.
fn code_of(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    if a.program.aside.len() >= DEEPEST {
        let message = "`.kcode` stands too deep within another";
        return Err(syntax_error(0..cursor.text().len(), message));
    }
    let mut owners = if a.program.aside.is_empty() {
        Vec::new()
    } else {
        a.asm.counts.owners.clone()
    };
    let all = a.program.kernels.len();
    cursor.each_operand(|cursor| {
        let place = cursor.span();
        let less = cursor.eat(b'-');
        let more = !less && cursor.eat(b'+');
        if more && (cursor.is_at_end() || cursor.peek() == b',') {
            owners = (0..all).collect();
            return Ok(());
        }
        let name = cursor.name()?;
        let kernel = a.program.by_name.get(&*name).copied();
        let kernel = kernel
            .ok_or_else(|| syntax_error(place, format_args!("there is no kernel `{name}`")))?;
        owners.retain(|owner| *owner != kernel);
        if !less {
            owners.push(kernel);
        }
        Ok(())
    })?;
    let before = std::mem::replace(&mut a.asm.counts.owners, owners);
    a.program.aside.push(before);
    Ok(())
}

fn code_ends(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    match a.program.aside.pop() {
        Some(owners) => a.asm.counts.owners = owners,
        None => return alone(cursor, ".kcode"),
    }
    cursor.end()
}
