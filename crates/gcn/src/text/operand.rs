//! Printing of registers, constants and numbers.

use std::fmt::{Result, Write};

use super::line;
use super::names::{
    HWREGS, INLINE_FLOATS, INV_2PI_F64, M0, SPECIAL_SOURCES, first_ttmp, register_pairs,
};
use super::parse_operand::inline64;
use crate::generation::Generation;
use crate::tables::Ty;

/// Writes a decimal number.
pub(super) fn decimal(out: &mut impl Write, value: u32) -> Result {
    out.write_str(line::decimal(value).as_str())
}

/// Writes `0x` and a hexadecimal number.
pub(super) fn hex(out: &mut impl Write, value: u32) -> Result {
    out.write_str(line::hexadecimal(value).as_str())
}

/// Writes a signed decimal number.
pub(super) fn signed(out: &mut impl Write, value: i32) -> Result {
    if value < 0 {
        out.write_char('-')?;
    }
    decimal(out, value.unsigned_abs())
}

/// Writes a span of registers: `v5`, `s[2:3]`.
fn span(out: &mut impl Write, file: &str, first: u32, count: u8) -> Result {
    out.write_str(file)?;
    if count <= 1 {
        return decimal(out, first);
    }
    out.write_char('[')?;
    decimal(out, first)?;
    out.write_char(':')?;
    decimal(out, first + u32::from(count) - 1)?;
    out.write_char(']')
}

/// Writes a vector register, or a span. If a span runs beyond v255, only its first register is written.
pub(super) fn vgpr(out: &mut impl Write, first: u8, count: u8) -> Result {
    let fits = u16::from(first) + u16::from(count) <= 256;
    span(out, "v", first.into(), if fits { count } else { 1 })
}

/// Writes an accumulation register, or a span.
pub(super) fn agpr(out: &mut impl Write, first: u8, count: u8) -> Result {
    let fits = u16::from(first) + u16::from(count) <= 256;
    span(out, "a", first.into(), if fits { count } else { 1 })
}

/// Writes a scalar register by its code.
pub(super) fn sgpr(out: &mut impl Write, code: u8, count: u8, generation: Generation) -> Result {
    if code < 102 {
        return span(out, "s", code.into(), count);
    }
    if code == M0 {
        return out.write_str("m0");
    }
    let ttmp = first_ttmp(generation);
    if (ttmp..M0).contains(&code) {
        return span(out, "ttmp", (code - ttmp).into(), count);
    }
    match register_pairs(generation)
        .iter()
        .find(|(low, _)| *low == code & !1)
    {
        Some((low, name)) if count == 1 => {
            out.write_str(name)?;
            out.write_str(if code == *low { "_lo" } else { "_hi" })
        }
        Some((low, name)) if code == *low && count == 2 => out.write_str(name),
        _ => span(out, "s", code.into(), count),
    }
}

/// Returns the name of one scalar register by its code.
///
/// ```
/// use wavetank_gcn::{Generation, text::scalar_register_name};
/// assert_eq!(scalar_register_name(7, Generation::Gfx9), "s7");
/// assert_eq!(scalar_register_name(107, Generation::Gfx9), "vcc_hi");
/// ```
pub fn scalar_register_name(code: u8, generation: Generation) -> String {
    let mut name = String::new();
    // Writing to a string does not fail.
    let _ = sgpr(&mut name, code, 1, generation);
    name
}

/// Returns the name of a hardware register by its number: `HW_REG_MODE`, or `hwreg(40)` for one without a name.
///
/// ```
/// use wavetank_gcn::{Generation, text::hwreg_name};
/// assert_eq!(hwreg_name(1, Generation::Gfx9), "HW_REG_MODE");
/// assert_eq!(hwreg_name(40, Generation::Gfx9), "hwreg(40)");
/// ```
pub fn hwreg_name(number: u8, generation: Generation) -> String {
    let known = HWREGS
        .iter()
        .find(|(code, _, since)| *code == number && *since <= generation);
    match known {
        Some((_, name, _)) => (*name).to_owned(),
        None => format!("hwreg({number})"),
    }
}

/// The width and kind of a constant's notation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Int16,
    Float16,
    Bfloat16,
    Word,
    Double,
}

fn width(ty: Ty) -> Width {
    match ty {
        Ty::B16 | Ty::I16 | Ty::U16 => Width::Int16,
        Ty::F16 => Width::Float16,
        Ty::Bf16 => Width::Bfloat16,
        _ if ty.constant_dwords() == 2 => Width::Double,
        _ => Width::Word,
    }
}

/// Writes an inline constant or special source by its code.
///
/// A float in a 16-bit integer operand is written as its bits.
pub(super) fn inline(out: &mut impl Write, code: u8, ty: Ty) -> Result {
    match code {
        128..=192 => return decimal(out, (code - 128).into()),
        193..=208 => return signed(out, 192 - i32::from(code)),
        _ => {}
    }
    if let Some(float) = INLINE_FLOATS.iter().find(|f| f.code == code) {
        return match width(ty) {
            Width::Int16 => hex(out, float.f16.into()),
            Width::Double if code == 248 => out.write_str(INV_2PI_F64),
            _ => out.write_str(float.text),
        };
    }
    let name = SPECIAL_SOURCES
        .iter()
        .find(|(c, _)| *c == code)
        .map_or("src_reserved", |(_, n)| n);
    out.write_str(name)
}

/// Writes a literal of 64 bits, given by the low half of an integer or the high half of a float.
fn literal64(out: &mut impl Write, bits: u32, ty: Ty, generation: Generation) -> Result {
    let value = match ty {
        Ty::F64 => u64::from(bits) << 32,
        _ => bits.into(),
    };
    match inline64(value, generation) {
        Some(code) => inline(out, code, ty),
        None => hex(out, bits),
    }
}

/// Writes a literal as LLVM does: in inline form, if its value has one.
///
/// gfx6 and gfx7 have no inline 1/(2π).
pub(super) fn literal(out: &mut impl Write, bits: u32, ty: Ty, generation: Generation) -> Result {
    let width = width(ty);
    let (value, small) = match width {
        Width::Double => return literal64(out, bits, ty, generation),
        Width::Int16 => (bits & 0xffff, (bits & 0xffff) as i32),
        Width::Float16 => (bits & 0xffff, i32::from(bits as u16 as i16)),
        Width::Bfloat16 | Width::Word => (bits, bits as i32),
    };
    if (-16..=64).contains(&small) {
        return signed(out, small);
    }
    let floats = if generation < Generation::Gfx8 {
        &INLINE_FLOATS[..8]
    } else {
        &INLINE_FLOATS
    };
    let float = match width {
        Width::Float16 => floats.iter().find(|f| u32::from(f.f16) == value),
        Width::Bfloat16 => floats.iter().find(|f| f.f32 >> 16 == value),
        Width::Word => floats.iter().find(|f| f.f32 == value),
        _ => None,
    };
    match float {
        Some(float) => out.write_str(float.text),
        None => hex(out, value),
    }
}

/// Writes a signed number in hexadecimal.
pub(super) fn signed_hex(out: &mut impl Write, value: i32) -> Result {
    if value < 0 {
        out.write_char('-')?;
    }
    hex(out, value.unsigned_abs())
}
