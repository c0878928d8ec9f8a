//! Directives that choose the current section.

use std::borrow::Cow;
use std::rc::Rc;

use crate::assembler::Assembler;
use crate::session::{Handler, assembler_row as row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{Group, Key};
use wavetank_gcn::Dialect;
use wavetank_link::elf::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".text", |a, c| known(a, c, ".text")),
    row(".data", |a, c| known(a, c, ".data")),
    row(".bss", |a, c| known(a, c, ".bss")),
    row(".rodata", |a, c| known(a, c, ".rodata")),
    row(".tdata", |a, c| known(a, c, ".tdata")),
    row(".tbss", |a, c| known(a, c, ".tbss")),
    row(".data.rel", |a, c| known(a, c, ".data.rel")),
    row(".data.rel.ro", |a, c| known(a, c, ".data.rel.ro")),
    row(".hsatext", |a, c| known(a, c, ".text")),
    row(".section", section),
    row(".pushsection", push),
    row(".popsection", pop),
    row(".previous", previous),
    row(".subsection", subsection),
];

/// Returns the default type and flags (`SHT_*`, `SHF_*`) of a section by its name, as GNU's assembler does.
fn by_name(name: &str) -> (u32, u64) {
    let is = |stem: &str| {
        name.strip_prefix(stem)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let kind = match () {
        _ if is(".bss") || is(".tbss") || is(".sbss") => SHT_NOBITS,
        _ if is(".init_array") => SHT_INIT_ARRAY,
        _ if is(".fini_array") => SHT_FINI_ARRAY,
        _ if is(".preinit_array") => SHT_PREINIT_ARRAY,
        _ if name.starts_with(".note") => SHT_NOTE,
        _ => SHT_PROGBITS,
    };
    let flags = match () {
        _ if is(".text") || is(".init") || is(".fini") => SHF_ALLOC | SHF_EXECINSTR,
        _ if is(".rodata") || is(".rodata1") => SHF_ALLOC,
        _ if is(".tdata") || is(".tbss") => SHF_ALLOC | SHF_WRITE | SHF_TLS,
        _ if is(".data")
            || is(".data1")
            || is(".bss")
            || is(".init_array")
            || is(".fini_array")
            || is(".preinit_array") =>
        {
            SHF_ALLOC | SHF_WRITE
        }
        _ => 0,
    };
    (kind, flags)
}

fn plain(name: &str) -> Key {
    Key {
        name: name.into(),
        group: None,
        unique: None,
        subsection: 0,
    }
}

fn known(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, name: &str) -> Result<(), SyntaxError> {
    let mut key = plain(name);
    if !cursor.is_at_end() {
        key.subsection = a.count(&mut cursor)?;
        cursor.end()?;
    }
    go_to(a, &key);
    Ok(())
}

fn go_to(a: &mut Assembler<'_>, key: &Key) {
    let (kind, flags) = by_name(&key.name);
    let (id, _) = a.sections.get(key, kind, flags, 0);
    a.sections.switch(id);
}

/// Switches to the section that a name stands for.
pub(super) fn named(a: &mut Assembler<'_>, name: &str) {
    go_to(a, &plain(name));
}

/// Reads CLRX's optional `align=N`, the alignment of the current section.
pub(super) fn aligned(a: &mut Assembler<'_>, cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.comma();
    let place = cursor.span();
    let mut ahead = *cursor;
    if a.dialect != Dialect::Clrx || ahead.word() != Some("align") || !ahead.eat(b'=') {
        return Ok(());
    }
    let align = a.count(&mut ahead)?;
    *cursor = ahead;
    if !align.is_power_of_two() || align > 1 << 31 {
        return Err(syntax_error(
            place,
            format_args!("{align} is not a power of two below 2^32"),
        ));
    }
    a.sections.align_at_least(align);
    Ok(())
}

/// Handles `.section NAME, "FLAGS", @KIND, ENTRY SIZE, GROUP, comdat, unique, N`.
fn section(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    fill(a, cursor, false)
}

/// Reads the operands of `.section` or `.pushsection`. With `pushes`, the number of a subsection may follow the name.
fn fill(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, pushes: bool) -> Result<(), SyntaxError> {
    let start = cursor.at();
    let name: Cow<'_, str> = match cursor.peek() {
        b'"' => cursor.name()?,
        _ => cursor.piece().into(),
    };
    if name.is_empty() {
        return Err(cursor.syntax_error("there should be the name of a section"));
    }
    let place = start..cursor.text()[..cursor.at()].trim_end().len();
    let (mut kind, mut flags) = by_name(&name);
    let mut key = plain(&name);
    let (mut entry, mut explicit) = (0, None);
    let aligns = |cursor: &Cursor<'_>| cursor.rest().starts_with("align");
    let mut more_follows = cursor.comma();
    if more_follows && pushes && !matches!(cursor.peek(), b'"' | b'#') {
        key.subsection = a.count(&mut cursor)?;
        more_follows = cursor.comma();
    }
    if more_follows && !aligns(&cursor) {
        let options = read_flags(&mut cursor)?;
        (flags, explicit) = (options.flags, Some(options.flags));
        if options.joins {
            key.group.clone_from(&a.sections.here().key.group);
        }
        if cursor.comma() {
            kind = read_kind(&mut cursor)?;
            entry = more(a, &mut cursor, &options, &mut key)?;
        } else if options.flags & SHF_MERGE != 0 {
            return Err(cursor.syntax_error(
                "a section that is merged (`M`) names its kind and the size of its entries",
            ));
        }
    }
    let here = a.sections.current;
    let (id, new) = a.sections.get(&key, kind, flags & !SHF_GROUP, entry);
    a.sections.current = id;
    let done = aligned(a, &mut cursor);
    a.sections.current = here;
    done?;
    cursor.end()?;
    let there = a.sections.section(id);
    let differs = explicit.is_some_and(|explicit| explicit & !SHF_GROUP != there.flags);
    if !new && differs {
        let message = format!(
            "there is another section `{name}` with other flags: give it `unique, 1` or another name"
        );
        return Err(syntax_error(place, message));
    }
    a.sections.switch(id);
    Ok(())
}

/// The flags of a section, with those that need further operands.
#[derive(Default)]
struct Flags {
    flags: u64,
    grouped: bool,
    /// Whether the section joins the group of the previous one.
    joins: bool,
    /// Whether the operands name the section that this one follows.
    ordered: bool,
}

fn read_flags(cursor: &mut Cursor<'_>) -> Result<Flags, SyntaxError> {
    let place = cursor.span();
    if cursor.peek() == b'#' {
        return words_of_flags(cursor);
    }
    let text = cursor.quoted()?;
    let mut flags = Flags::default();
    let number = String::from_utf8_lossy(&text).into_owned();
    if let Some(number) = number_of(&number) {
        flags.flags = number.into();
        return Ok(flags);
    }
    for letter in text {
        flags.flags |= match letter {
            b'a' => SHF_ALLOC,
            b'w' => SHF_WRITE,
            b'x' => SHF_EXECINSTR,
            b'M' => SHF_MERGE,
            b'S' => SHF_STRINGS,
            b'T' => SHF_TLS,
            b'e' => SHF_EXCLUDE,
            b'R' => SHF_GNU_RETAIN,
            b'G' => {
                flags.grouped = true;
                SHF_GROUP
            }
            b'?' => {
                flags.joins = true;
                0
            }
            b'o' => {
                flags.ordered = true;
                0
            }
            other => {
                let other = char::from(other);
                return Err(syntax_error(
                    place,
                    format_args!("`{other}` is none of the flags a, w, x, M, S, T, G, R, e, o, ?"),
                ));
            }
        };
    }
    Ok(flags)
}

/// Reads flags in the syntax of Solaris's assembler, which compilers before clang 16 write: `#alloc,#write`.
fn words_of_flags(cursor: &mut Cursor<'_>) -> Result<Flags, SyntaxError> {
    let mut flags = Flags::default();
    loop {
        let place =
            cursor.at()..cursor.at() + cursor.rest().find(',').unwrap_or(cursor.rest().len());
        flags.flags |= match cursor.piece() {
            "#alloc" => SHF_ALLOC,
            "#write" => SHF_WRITE,
            "#execinstr" => SHF_EXECINSTR,
            "#exclude" => SHF_EXCLUDE,
            "#tls" => SHF_TLS,
            other => {
                let message =
                    format!("`{other}` is none of #alloc, #write, #execinstr, #exclude, #tls");
                return Err(syntax_error(place, message));
            }
        };
        let mut next = *cursor;
        if !next.comma() || next.peek() != b'#' {
            return Ok(flags);
        }
        *cursor = next;
    }
}

/// Parses flags or a type given as a number.
fn number_of(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn read_kind(cursor: &mut Cursor<'_>) -> Result<u32, SyntaxError> {
    let place = cursor.span();
    let piece = match cursor.peek() {
        b'"' => cursor.name()?,
        _ => cursor.piece().into(),
    };
    Ok(match piece.trim_start_matches(['@', '%', '#']) {
        "progbits" => SHT_PROGBITS,
        "nobits" => SHT_NOBITS,
        "note" => SHT_NOTE,
        "init_array" => SHT_INIT_ARRAY,
        "fini_array" => SHT_FINI_ARRAY,
        "preinit_array" => SHT_PREINIT_ARRAY,
        "llvm_odrtab" => 0x6fff_4c00,
        "llvm_linker_options" => 0x6fff_4c01,
        "llvm_dependent_libraries" => 0x6fff_4c04,
        "llvm_sympart" => 0x6fff_4c05,
        "llvm_bb_addr_map" => 0x6fff_4c0a,
        "llvm_offloading" => 0x6fff_4c0b,
        "llvm_lto" => 0x6fff_4c0c,
        other => {
            let number = number_of(other);
            let message =
                format!("`{piece}` is none of @progbits, @nobits, @note, @init_array, @fini_array");
            number.ok_or_else(|| syntax_error(place, message))?
        }
    })
}

/// Reads the operands after the type: the size of entries, the group, `unique`. Returns the size.
fn more(
    a: &mut Assembler<'_>,
    cursor: &mut Cursor<'_>,
    flags: &Flags,
    key: &mut Key,
) -> Result<u64, SyntaxError> {
    let mut entry = 0;
    if flags.flags & SHF_MERGE != 0 {
        cursor.expect_comma()?;
        entry = a.count(cursor)?;
    }
    if flags.ordered {
        // The section that this one follows is ignored: here all sections are in the order of the source.
        cursor.expect_comma()?;
        match cursor.peek() {
            b'0' => drop(cursor.piece()),
            _ => drop(cursor.name()?),
        }
    }
    if flags.grouped {
        cursor.expect_comma()?;
        let name = Rc::from(cursor.name()?);
        let comdat = false;
        key.group = Some(Group { name, comdat });
    }
    while cursor.comma() {
        match (cursor.word(), &mut key.group) {
            (Some("comdat"), Some(group)) => group.comdat = true,
            (Some("unique"), _) => {
                cursor.expect_comma()?;
                key.unique = Some(a.count(cursor)?);
            }
            _ => return Err(cursor.syntax_error("there should be `comdat` or `unique, N`")),
        }
    }
    Ok(entry)
}

fn push(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = 0..cursor.text().len();
    if a.sections.stack.len() >= 10_000 {
        return Err(syntax_error(
            place,
            "10,000 sections have been pushed, and none popped",
        ));
    }
    let state = (a.sections.current, a.sections.previous);
    a.sections.stack.push(state);
    let done = fill(a, cursor, true);
    if done.is_err() {
        a.sections.stack.pop();
    }
    done
}

fn pop(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let Some((current, previous)) = a.sections.stack.pop() else {
        return Err(syntax_error(
            0..cursor.text().len(),
            "no `.pushsection` stands before",
        ));
    };
    (a.sections.current, a.sections.previous) = (current, previous);
    cursor.end()
}

fn previous(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let to = a.sections.previous;
    a.sections.switch(to);
    cursor.end()
}

/// Handles `.subsection N`, a part of a section. Parts are laid out in the order of their numbers.
fn subsection(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let number = if cursor.is_at_end() {
        0
    } else {
        a.count(&mut cursor)?
    };
    cursor.end()?;
    let here = a.sections.here();
    let (kind, flags, entry) = (here.kind, here.flags, here.entry_size);
    let mut key = here.key.clone();
    key.subsection = number;
    let (id, _) = a.sections.get(&key, kind, flags, entry);
    a.sections.switch(id);
    Ok(())
}
