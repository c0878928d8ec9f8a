//! Printing of immediates with a notation of their own: waits, messages, hardware registers, swizzles, formats, DPP controls.

use std::fmt::{Result, Write};

use super::names::{
    DATA_FORMATS, DEFAULT_DFMT, DEFAULT_NFMT, DPP_PLAIN, GPR_IDX, GS_OPS, MESSAGES, MSG_GS,
    MSG_GS_DONE, MSG_SYSMSG, SYSMSG_OPS, dpp_amounts, hwregs, number_formats,
};
use super::operand::{decimal, hex};
use crate::generation::{Chip, Generation};
use crate::waitcnt::WaitCounter;

/// Writes a call in the form `name(value)`.
fn call(out: &mut impl Write, name: &str, value: u32) -> Result {
    out.write_str(name)?;
    out.write_char('(')?;
    decimal(out, value)?;
    out.write_char(')')
}

/// Writes numbers in brackets: `[1,0,3]`.
pub(super) fn list(out: &mut impl Write, values: impl Iterator<Item = u8>) -> Result {
    let mut separator = '[';
    for value in values {
        out.write_char(separator)?;
        decimal(out, value.into())?;
        separator = ',';
    }
    out.write_char(']')
}

/// Writes the counters of s_waitcnt to wait for, or all of them if there is none.
pub(super) fn waitcnt(out: &mut impl Write, imm: u16, generation: Generation) -> Result {
    let counters = WaitCounter::all(generation);
    let waited = |counter: &WaitCounter| counter.get(imm) != counter.max();
    let none = !counters.iter().any(waited);
    let listed = counters.iter().filter(|counter| none || waited(counter));
    for (n, counter) in listed.enumerate() {
        if n > 0 {
            out.write_char(' ')?;
        }
        call(out, counter.name, counter.get(imm).into())?;
    }
    Ok(())
}

/// Returns the name of a message operation, if the message has that operation. The acknowledgement of host traps ended with gfx8.
fn message_op(id: u8, op: u8, generation: Generation) -> Option<&'static str> {
    match id {
        MSG_GS if op == 0 => None,
        MSG_SYSMSG if op == 3 && generation == Generation::Gfx9 => None,
        MSG_GS | MSG_GS_DONE => GS_OPS.get(usize::from(op)).copied(),
        MSG_SYSMSG => SYSMSG_OPS.get(usize::from(op).wrapping_sub(1)).copied(),
        _ => None,
    }
}

/// Writes a message: by name if message, operation and stream exist, otherwise by numbers if only those fields are used. Bits
/// beside these fields are ignored.
pub(super) fn sendmsg(out: &mut impl Write, imm: u16, generation: Generation) -> Result {
    let [id, op, stream] = [imm & 15, imm >> 4 & 7, imm >> 8 & 3].map(|v| v as u8);
    let name = MESSAGES
        .iter()
        .find(|(code, _, since)| *code == id && *since <= generation);
    let op_name = message_op(id, op, generation);
    let has_op = matches!(id, MSG_GS | MSG_GS_DONE | MSG_SYSMSG);
    let has_stream = matches!(id, MSG_GS | MSG_GS_DONE) && op != 0;
    let exists = (op_name.is_some() || !has_op && op == 0) && (has_stream || stream == 0);
    let Some((_, name, _)) = name.filter(|_| exists) else {
        if imm & !0x37f != 0 {
            return decimal(out, imm.into());
        }
        out.write_str("sendmsg(")?;
        decimal(out, id.into())?;
        out.write_str(", ")?;
        decimal(out, op.into())?;
        out.write_str(", ")?;
        decimal(out, stream.into())?;
        return out.write_char(')');
    };
    out.write_str("sendmsg(")?;
    out.write_str(name)?;
    if let Some(op_name) = op_name {
        out.write_str(", ")?;
        out.write_str(op_name)?;
    }
    if has_stream {
        out.write_str(", ")?;
        decimal(out, stream.into())?;
    }
    out.write_char(')')
}

/// Writes a hardware register, with a range of bits unless it is the whole.
pub(super) fn hwreg(out: &mut impl Write, imm: u16, chip: Chip) -> Result {
    let [id, offset, size] = [imm & 63, imm >> 6 & 31, (imm >> 11) + 1];
    out.write_str("hwreg(")?;
    match hwregs(chip).find(|(code, _)| u16::from(*code) == id) {
        Some((_, name)) => out.write_str(name)?,
        None => decimal(out, id.into())?,
    }
    if (offset, size) != (0, 32) {
        out.write_str(", ")?;
        decimal(out, offset.into())?;
        out.write_str(", ")?;
        decimal(out, size.into())?;
    }
    out.write_char(')')
}

/// Writes the operands that M0 indexes.
pub(super) fn gpr_idx(out: &mut impl Write, imm: u16) -> Result {
    if imm > 15 {
        return hex(out, imm.into());
    }
    out.write_str("gpr_idx(")?;
    let mut separator = "";
    for (bit, name) in GPR_IDX.iter().enumerate() {
        if imm >> bit & 1 != 0 {
            out.write_str(separator)?;
            out.write_str(name)?;
            separator = ",";
        }
    }
    out.write_char(')')
}

/// Writes an attribute with its channel: `attr3.z`.
pub(super) fn attr(out: &mut impl Write, code: u32) -> Result {
    out.write_str("attr")?;
    decimal(out, code >> 2)?;
    out.write_str([".x", ".y", ".z", ".w"][(code & 3) as usize])
}

/// Writes an interpolation parameter.
pub(super) fn param(out: &mut impl Write, code: u32) -> Result {
    match code {
        0 => out.write_str("p10"),
        1 => out.write_str("p20"),
        2 => out.write_str("p0"),
        _ => {
            out.write_str("invalid_param_")?;
            decimal(out, code)
        }
    }
}

/// Writes an export target (Vega ISA, 12.17 EXPORT).
pub(super) fn export_target(out: &mut impl Write, code: u32) -> Result {
    let (name, number) = match code {
        0..=7 => ("mrt", Some(code)),
        8 => ("mrtz", None),
        9 => ("null", None),
        12..=15 => ("pos", Some(code - 12)),
        32..=63 => ("param", Some(code - 32)),
        _ => ("invalid_target_", Some(code)),
    };
    out.write_str(name)?;
    number.map_or(Ok(()), |n| decimal(out, n))
}

/// Writes the MTBUF format, as far as it differs from the default.
pub(super) fn format(out: &mut impl Write, dfmt: u8, nfmt: u8, generation: Generation) -> Result {
    let dfmt = (dfmt != DEFAULT_DFMT).then(|| DATA_FORMATS[usize::from(dfmt & 15)]);
    let nfmt = (nfmt != DEFAULT_NFMT).then(|| number_formats(generation)[usize::from(nfmt & 7)]);
    let mut separator = " format:[";
    for name in [dfmt, nfmt].into_iter().flatten() {
        out.write_str(separator)?;
        out.write_str(name)?;
        separator = ",";
    }
    if separator == "," {
        out.write_char(']')
    } else {
        Ok(())
    }
}

/// Writes a DPP control (Vega ISA, 13.3.9 DPP).
pub(super) fn dpp_ctrl(out: &mut impl Write, code: u16, chip: Chip) -> Result {
    if code < 0x100 {
        out.write_str(" quad_perm:")?;
        return list(out, (0..4).map(|lane| (code >> (2 * lane) & 3) as u8));
    }
    out.write_char(' ')?;
    if let Some((_, name)) = DPP_PLAIN.iter().find(|(c, _)| *c == code) {
        return out.write_str(name);
    }
    for (base, name, amounts) in dpp_amounts(chip) {
        let amount = code.wrapping_sub(base);
        if amounts.contains(&amount) {
            out.write_str(name)?;
            out.write_char(':')?;
            return decimal(out, amount.into());
        }
    }
    out.write_str("dpp_ctrl:")?;
    hex(out, code.into())
}

/// Writes the offset of ds_swizzle_b32 as the pattern it stands for (Vega ISA, 12.13 "DS_SWIZZLE_B32").
pub(super) fn swizzle(out: &mut impl Write, imm: u16, chip: Chip) -> Result {
    let [and, or, xor] = [imm & 31, imm >> 5 & 31, imm >> 10 & 31];
    let group = 32 - and;
    if imm >> 8 == 0x80 {
        out.write_str("swizzle(QUAD_PERM")?;
        for lane in 0..4 {
            out.write_char(',')?;
            decimal(out, (imm >> (2 * lane) & 3).into())?;
        }
    } else if imm >= 0xe000 && chip == Chip::Gfx950 {
        out.write_str("swizzle(FFT,")?;
        decimal(out, and.into())?;
    } else if imm >> 15 != 0 {
        return decimal(out, imm.into());
    } else if and == 31 && or == 0 && xor.is_power_of_two() {
        out.write_str("swizzle(SWAP,")?;
        decimal(out, xor.into())?;
    } else if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        out.write_str("swizzle(REVERSE,")?;
        decimal(out, (xor + 1).into())?;
    } else if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        out.write_str("swizzle(BROADCAST,")?;
        decimal(out, group.into())?;
        out.write_char(',')?;
        decimal(out, or.into())?;
    } else {
        out.write_str("swizzle(BITMASK_PERM,\"")?;
        // The results for a lane-number bit that is 0, and for one that is 1.
        let [zeros, ones] = [or ^ xor, (and | or) ^ xor];
        for bit in (0..5).rev() {
            out.write_char(match (zeros >> bit & 1, ones >> bit & 1) {
                (0, 0) => '0',
                (0, _) => 'p',
                (_, 0) => 'i',
                _ => '1',
            })?;
        }
        out.write_char('"')?;
    }
    out.write_char(')')
}
