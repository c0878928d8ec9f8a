//! CLRX's conditions on the target: `.if32`, `.if64`, `.ifarch`, `.ifgpu`, `.iffmt`, their negations (`.ifnarch`, …), and `.elseif…` of
//! each.

use super::super::conditional::{conditions, open, otherwise_if};
use super::target::{chip_named, generation_named};
use crate::session::program::Format;
use crate::session::{Handler, Session};
use crate::source::{Cursor, SyntaxError};

conditions! {
    "32" => |a, _| Ok(!a.program.wide),
    "64" => |a, _| Ok(a.program.wide),
    "arch" => |a, c| is_generation(a, c),
    "narch" => |a, c| Ok(!is_generation(a, c)?),
    "gpu" => |a, c| is_chip(a, c),
    "ngpu" => |a, c| Ok(!is_chip(a, c)?),
    "fmt" => |a, c| is_format(a, c),
    "nfmt" => |a, c| Ok(!is_format(a, c)?),
}

fn is_generation(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
    Ok(generation_named(cursor)? == a.asm.chip.generation())
}

fn is_chip(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
    Ok(chip_named(cursor)? == a.asm.chip)
}

fn is_format(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
    Ok(Format::named(cursor)? == a.program.format)
}
