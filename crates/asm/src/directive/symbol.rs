//! Directives of symbols: value, binding, visibility, type and size.

use crate::assembler::{Assembler, too_large};
use crate::expression::Expr;
use crate::session::{Handler, assembler_row as row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{Definition, Key, SymbolId};
use wavetank_link::elf::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".set", |a, c| set(a, c, true)),
    row(".equ", |a, c| set(a, c, true)),
    row(".equiv", |a, c| set(a, c, false)),
    row(".globl", |a, c| bind(a, c, STB_GLOBAL)),
    row(".global", |a, c| bind(a, c, STB_GLOBAL)),
    row(".weak", |a, c| bind(a, c, STB_WEAK)),
    row(".local", |a, c| bind(a, c, STB_LOCAL)),
    row(".extern", |a, c| bind(a, c, STB_GLOBAL)),
    row(".hidden", |a, c| show(a, c, STV_HIDDEN)),
    row(".protected", |a, c| show(a, c, STV_PROTECTED)),
    row(".internal", |a, c| show(a, c, STV_INTERNAL)),
    row(".type", kind),
    row(".size", size),
    row(".comm", |a, c| common(a, c, STB_GLOBAL)),
    row(".common", |a, c| common(a, c, STB_GLOBAL)),
    row(".lcomm", local_common),
    row(".amdgpu_lds", lds),
    row(".amdgpu_hsa_kernel", hsa_kernel),
    // Hints to a linker, which are read and have no effect here.
    row(".addrsig", |_, c| c.end()),
    row(".addrsig_sym", |_, mut c| c.name().map(|_| ())),
    row(".no_dead_strip", |_, mut c| c.name().map(|_| ())),
];

/// Handles `.set NAME, VALUE`.
fn set(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, again: bool) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let name = cursor.name()?;
    cursor.expect_comma()?;
    a.set(cursor, &name, place, again)
}

/// Reads names, and applies a function to each symbol.
fn symbols(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    mut act: impl FnMut(&mut Assembler<'_>, SymbolId),
) -> Result<(), SyntaxError> {
    if cursor.is_at_end() {
        return Err(cursor.syntax_error("there should be the name of a symbol"));
    }
    cursor.each_operand(|cursor| {
        let name = cursor.name()?;
        let id = a.symbols.id(&name);
        act(a, id);
        Ok(())
    })
}

fn bind(a: &mut Assembler<'_>, cursor: Cursor<'_>, binding: u8) -> Result<(), SyntaxError> {
    symbols(a, cursor, |a, id| {
        let symbol = &mut a.symbols[id];
        // A weak symbol stays weak, in whatever order the directives come.
        if symbol.binding != Some(STB_WEAK) || binding == STB_LOCAL {
            symbol.binding = Some(binding);
        }
    })
}

fn show(a: &mut Assembler<'_>, cursor: Cursor<'_>, visibility: u8) -> Result<(), SyntaxError> {
    symbols(a, cursor, |a, id| a.symbols[id].visibility = visibility)
}

/// Handles `.type NAME, @KIND`. The kind is written with `@`, `%`, `#`, in quotes, or as `STT_…`.
fn kind(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let name = cursor.name()?;
    let id = a.symbols.id(&name);
    cursor.comma();
    let place = cursor.span();
    let piece = cursor.piece();
    let word = piece.trim_start_matches(['@', '%', '#']).trim_matches('"');
    let kind = match word
        .trim_start_matches("STT_")
        .to_ascii_lowercase()
        .as_str()
    {
        "func" | "function" => STT_FUNC,
        "object" | "gnu_unique_object" => STT_OBJECT,
        "common" => STT_COMMON,
        "notype" => STT_NOTYPE,
        "tls" | "tls_object" => STT_TLS,
        "amdgpu_hsa_kernel" => STT_AMDGPU_HSA_KERNEL,
        _ => {
            let message =
                format!("`{piece}` is none of @function, @object, @notype, @common, @tls_object");
            return Err(syntax_error(place, message));
        }
    };
    a.symbols[id].kind = kind;
    cursor.end()
}

fn size(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let name = cursor.name()?;
    cursor.expect_comma()?;
    let expr = a.expr(&mut cursor)?;
    cursor.end()?;
    let id = a.symbols.id(&name);
    a.symbols[id].size = Some(expr);
    Ok(())
}

/// Reads the operands of `.comm`: a name, a size in bytes, and the base-2 logarithm of an alignment, as LLVM prints and reads it
/// for this target.
fn common_operands(
    a: &mut Assembler<'_>,
    cursor: &mut Cursor<'_>,
) -> Result<(SymbolId, u64, u64), SyntaxError> {
    let place = cursor.span();
    let name = cursor.name()?;
    cursor.expect_comma()?;
    let size = a.count(cursor)?;
    let mut align = 1;
    if cursor.comma() {
        let place = cursor.span();
        let power = a.count(cursor)?;
        if power > 31 {
            return Err(syntax_error(
                place,
                "the alignment is given as its base-2 logarithm, at most 31: write 4 for 16 bytes",
            ));
        }
        align = 1 << power;
    }
    cursor.end()?;
    let id = a.symbols.id(&name);
    match a.symbols[id].definition {
        Definition::Undefined | Definition::Common(..) => Ok((id, size, align)),
        _ => Err(syntax_error(
            place,
            format_args!("`{name}` is defined already"),
        )),
    }
}

/// Handles `.comm NAME, SIZE, ALIGN`: the linker reserves space once for all files that have it; for a local symbol, space is
/// reserved here.
fn common(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, binding: u8) -> Result<(), SyntaxError> {
    let (id, size, align) = common_operands(a, &mut cursor)?;
    let symbol = &mut a.symbols[id];
    symbol.kind = STT_OBJECT;
    if symbol.binding == Some(STB_LOCAL) {
        return in_bss(a, id, size, align);
    }
    symbol.binding = symbol.binding.or(Some(binding));
    symbol.definition = Definition::Common(size, align);
    symbol.size = Some(Expr::Number(size as i64));
    Ok(())
}

/// Handles `.lcomm NAME, SIZE, ALIGN`: reserves space in `.bss`.
fn local_common(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let (id, size, align) = common_operands(a, &mut cursor)?;
    in_bss(a, id, size, align)
}

fn in_bss(a: &mut Assembler<'_>, id: SymbolId, size: u64, align: u64) -> Result<(), SyntaxError> {
    let key = Key {
        name: ".bss".into(),
        group: None,
        unique: None,
        subsection: 0,
    };
    let (bss, _) = a.sections.get(&key, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0);
    let here = std::mem::replace(&mut a.sections.current, bss);
    let done = a.align_to(align, 0, u64::MAX);
    let location = a.sections.location();
    let grown = a.sections.append_same(size, 0);
    a.sections.current = here;
    a.symbols[id].kind = STT_OBJECT;
    a.symbols[id].definition = Definition::Label(location);
    a.symbols[id].size = Some(Expr::Number(size as i64));
    done.and(grown.map_err(too_large))
}

/// Refuses `.amdgpu_lds NAME, SIZE, ALIGN`, a variable in LDS that only a graphics linker lays out (`SHN_AMDGPU_LDS`).
fn lds(_: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    Err(syntax_error(
        0..cursor.text().len(),
        "`.amdgpu_lds` leaves LDS to a linker for graphics; reserve it with `.amdhsa_group_segment_fixed_size`",
    ))
}

/// Handles `.amdgpu_hsa_kernel NAME`: the symbol is a kernel of code object version 2.
fn hsa_kernel(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    symbols(a, cursor, |a, id| {
        a.symbols[id].kind = STT_AMDGPU_HSA_KERNEL;
    })
}
