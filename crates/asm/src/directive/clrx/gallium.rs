//! Directives of kernels for Mesa's Clover: arguments, and values of registers.
//!
//! Source: CLRX's documentation, "CLRadeonExtender Assembler Gallium handling" and "Gallium ABI description"; LLVM's
//! `.AMDGPU.config` as it writes it.

use wavetank_object::clover::{Argument, KINDS, MEANINGS};

use super::config;
use crate::session::program::REGISTERS;
use crate::session::{Handler, Session, row};
use crate::source::{Cursor, SyntaxError, syntax_error};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".hsa_debugmode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_dims", |a, c| for_hsa(a, c, config::dims)),
    row(".hsa_dx10clamp", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_exceptions", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_floatmode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_ieeemode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_localsize", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_pgmrsrc1", |a, c| for_hsa(a, c, config::rsrc1)),
    row(".hsa_pgmrsrc2", |a, c| for_hsa(a, c, config::rsrc2)),
    row(".hsa_priority", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_privmode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_scratchbuffer", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_sgprsnum", |a, c| for_hsa(a, c, config::sgprs)),
    row(".hsa_tgsize", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_userdatanum", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_vgprsnum", |a, c| for_hsa(a, c, config::vgprs)),
    row(".scratchsym", scratch_symbol),
];

/// Limit of an argument's size in bytes.
const LARGEST: u64 = 1 << 20;

/// Limit of arguments of a kernel.
const MOST: usize = 4096;

/// Reads `.arg KIND, SIZE, TARGETSIZE, ALIGNMENT, zext|sext, MEANING`. `.arg griddim` and `.arg gridoffset` need no other
/// operands.
pub(super) fn argument(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let word = cursor.piece().to_ascii_lowercase();
    // A misspelling that CLRX's documentation has, too.
    let word = if word == "contant" { "constant" } else { &word };
    let shape = MEANINGS[1..3].iter().position(|name| *name == word);
    let kind = KINDS.iter().position(|name| *name == word);
    let kind = shape.map(|_| 0).or(kind);
    let kind = kind.ok_or_else(|| {
        let message = format!("`{word}` is not a kind of arguments, such as scalar, global, local");
        syntax_error(place, message)
    })?;
    let size = match cursor.comma() {
        true => bytes(a, &mut cursor)?,
        false if shape.is_some() => 4,
        false => return cursor.expect_comma(),
    };
    let target_size = if is_present(&mut cursor) {
        bytes(a, &mut cursor)?
    } else {
        size.next_multiple_of(4)
    };
    let align = if is_present(&mut cursor) {
        bytes(a, &mut cursor)?
    } else {
        size.next_power_of_two()
    };
    let signed = is_present(&mut cursor) && number_of(&mut cursor, &["zext", "sext"])? == 1;
    let meaning = match (is_present(&mut cursor), shape) {
        (true, _) => number_of(&mut cursor, &MEANINGS)?,
        (false, Some(shape)) => shape as u32 + 1,
        (false, None) => 0,
    };
    cursor.end()?;
    let listed = &mut a.program.kernel(&cursor)?.listed;
    if listed.len() >= MOST {
        let message = format!("a kernel has {MOST} arguments at most");
        return Err(syntax_error(0..cursor.text().len(), message));
    }
    listed.push(Argument {
        kind: kind as u32,
        size,
        target_size,
        align,
        signed,
        meaning,
    });
    Ok(())
}

/// Whether another operand follows and is not empty.
fn is_present(cursor: &mut Cursor<'_>) -> bool {
    cursor.comma() && cursor.peek() != b','
}

fn bytes(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<u32, SyntaxError> {
    let place = cursor.span();
    match a.asm.count(cursor)? {
        0 => Err(syntax_error(
            place,
            "there should be a number of bytes from 1 on",
        )),
        number @ ..=LARGEST => Ok(number as u32),
        _ => Err(syntax_error(place, "an argument has a megabyte at most")),
    }
}

fn number_of(cursor: &mut Cursor<'_>, names: &[&str]) -> Result<u32, SyntaxError> {
    let place = cursor.span();
    let word = cursor.piece();
    let found = names
        .iter()
        .position(|name| name.eq_ignore_ascii_case(word));
    let message = || format!("`{word}` is none of {}", names.join(", "));
    found
        .map(|at| at as u32)
        .ok_or_else(|| syntax_error(place, message()))
}

/// Handles `.proginfo`, which begins the list of registers.
pub(super) fn proginfo(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let kernel = a.program.kernel(&cursor)?;
    kernel.registers.get_or_insert_with(Vec::new);
    cursor.end()
}

/// Reads `.entry REGISTER, VALUE`.
pub(super) fn entry(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let mut pair = [0; 2];
    for (n, number) in pair.iter_mut().enumerate() {
        if n > 0 {
            cursor.expect_comma()?;
        }
        let place = cursor.span();
        let value = a.asm.count(&mut cursor)?;
        *number = u32::try_from(value)
            .map_err(|_| syntax_error(place, format_args!("{value} has more than 32 bits")))?;
    }
    cursor.end()?;
    let registers = a.program.kernel(&cursor)?.registers.as_mut();
    match registers.filter(|registers| registers.len() < REGISTERS.len()) {
        Some(registers) => registers.push(pair),
        None => {
            let message = "`.entry` follows `.proginfo`, five times at most";
            return Err(syntax_error(0..cursor.text().len(), message));
        }
    }
    Ok(())
}

/// Reads a setting that applies only to the header before the code.
fn for_hsa(
    a: &mut Session<'_>,
    cursor: Cursor<'_>,
    act: fn(&mut Session<'_>, Cursor<'_>) -> Result<(), SyntaxError>,
) -> Result<(), SyntaxError> {
    a.program.for_hsa = true;
    let done = act(a, cursor);
    a.program.for_hsa = false;
    done
}

/// Refuses `.scratchsym`, whose places Mesa's driver fills.
fn scratch_symbol(_: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let message = "`.scratchsym` leaves addresses to Mesa's driver, which is not done here; settings of LLVM 4.0 and later \
         (`.llvm_version 40000`, `.use_private_segment_buffer`) give them in registers";
    Err(syntax_error(0..cursor.text().len(), message))
}
