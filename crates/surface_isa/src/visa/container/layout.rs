//! The lengths of instructions: a row for each opcode whose fields are known.
//!
//! Fields, after the opcode: `b` a byte, `w` two, `d` four, `i` a number of a variable or string, `r` a raw operand, `v` a
//! vector operand (vISA, "Operands"); `n` a byte that says how many of the last field there are, which is written in
//! capitals: `W` or `R`.

use super::cursor::{Cursor, Result, fail};
use crate::visa::instruction::Ids;

/// Opcode, name, fields.
const ROWS: [(u8, &str, &str); 93] = [
    (0x01, "add", "bwvvv"),
    (0x02, "avg", "bwvvv"),
    (0x03, "div", "bwvvv"),
    (0x04, "dp2", "bwvvv"),
    (0x05, "dp3", "bwvvv"),
    (0x06, "dp4", "bwvvv"),
    (0x07, "dph", "bwvvv"),
    (0x08, "exp", "bwvv"),
    (0x09, "frc", "bwvv"),
    (0x0a, "line", "bwvvv"),
    (0x0b, "log", "bwvv"),
    (0x0c, "mad", "bwvvvv"),
    (0x0d, "mulh", "bwvvv"),
    (0x0e, "lrp", "bwvvvv"),
    (0x0f, "mod", "bwvvv"),
    (0x10, "mul", "bwvvv"),
    (0x11, "pow", "bwvvv"),
    (0x12, "rndd", "bwvv"),
    (0x13, "rndu", "bwvv"),
    (0x14, "rnde", "bwvv"),
    (0x15, "rndz", "bwvv"),
    (0x16, "sad2", "bwvvv"),
    (0x17, "sin", "bwvv"),
    (0x18, "cos", "bwvv"),
    (0x19, "sqrt", "bwvv"),
    (0x1a, "rsqrt", "bwvv"),
    (0x1b, "inv", "bwvv"),
    (0x1f, "lzd", "bwvv"),
    (0x20, "and", "bwvvv"),
    (0x21, "or", "bwvvv"),
    (0x22, "xor", "bwvvv"),
    (0x23, "not", "bwvv"),
    (0x24, "shl", "bwvvv"),
    (0x25, "shr", "bwvvv"),
    (0x26, "asr", "bwvvv"),
    (0x27, "cbit", "bwvv"),
    (0x28, "addr_add", "bvvv"),
    (0x29, "mov", "bwvv"),
    (0x2a, "sel", "bwvvv"),
    (0x2b, "setp", "bvv"),
    (0x2c, "cmp", "bbvvv"),
    (0x2d, "movs", "bvv"),
    (0x2e, "fbl", "bwvv"),
    (0x2f, "fbh", "bwvv"),
    (0x30, "subroutine", "w"),
    (0x31, "label", "w"),
    (0x32, "jmp", "bww"),
    (0x33, "call", "bww"),
    (0x34, "ret", "bw"),
    (0x35, "oword_ld", "bbbvr"),
    (0x36, "oword_st", "bbvr"),
    (0x37, "media_ld", "bbbbbvvr"),
    (0x38, "media_st", "bbbbbvvr"),
    (0x39, "gather", "bbbbvrr"),
    (0x3a, "scatter", "bbbvrr"),
    (0x3c, "oword_ld_unaligned", "bbbvr"),
    (0x40, "sample", "bbbrrrr"),
    (0x41, "sample_unorm", "bbbvvvvr"),
    (0x42, "load", "bbrrrr"),
    (0x45, "min_max", "bbvvv"),
    (0x46, "bfe", "bwvvvv"),
    (0x47, "bfi", "bwvvvvv"),
    (0x48, "bfrev", "bwvv"),
    (0x49, "addc", "bwvvvv"),
    (0x4a, "subb", "bwvvvv"),
    (0x4b, "gather4_typed", "bwbbrrrrr"),
    (0x4c, "scatter4_typed", "bwbbrrrrr"),
    (0x51, "file", "i"),
    (0x52, "loc", "d"),
    (0x59, "barrier", ""),
    (0x5a, "cache_flush", ""),
    (0x5b, "wait", "v"),
    (0x5c, "fence", "b"),
    (0x5f, "yield", ""),
    (0x68, "fret", "bw"),
    (0x69, "switchjmp", "bnvW"),
    (0x6a, "sad2add", "bwvvvv"),
    (0x6b, "pln", "bwvvv"),
    (0x6c, "goto", "bww"),
    (0x6d, "3d_sample", "bbwbvbbrnR"),
    (0x6e, "3d_load", "bbwbvbrnR"),
    (0x6f, "3d_sample4", "bbwbvbbrnR"),
    (0x74, "gather4_scaled", "bwbwbvrr"),
    (0x75, "scatter4_scaled", "bwbwbvrr"),
    (0x78, "gather_scaled", "bwbbwbvrr"),
    (0x79, "scatter_scaled", "bwbbwbvrr"),
    (0x7b, "lifetime", "bi"),
    (0x7c, "sbarrier", "b"),
    (0x7d, "dword_atomic", "bbwbrrrr"),
    (0x7f, "divm", "bwvvv"),
    (0x80, "rol", "bwvvv"),
    (0x81, "ror", "bwvvv"),
    (0x82, "dp4a", "bwvvvv"),
];

/// The instructions of SVM (opcode 0x4e), by the byte after the opcode.
const SVM: u8 = 0x4e;
const SVM_ROWS: [(u8, &str, &str); 7] = [
    (1, "svm_block_ld", "bvr"),
    (2, "svm_block_st", "bvr"),
    (3, "svm_gather", "bwbbrr"),
    (4, "svm_scatter", "bwbbrr"),
    (5, "svm_atomic", "bwbrrrr"),
    (6, "svm_gather4_scaled", "bwbwvrr"),
    (7, "svm_scatter4_scaled", "bwbwvrr"),
];

/// Skips an instruction that is not a TYPED_ATOMIC, and returns its name.
///
/// # Errors
/// The reason for which its length is unknown.
pub(super) fn pass(at: &mut Cursor<'_>, ids: Ids) -> Result<&'static str> {
    let place = at.at;
    let opcode = at.u8("an opcode")?;
    let (rows, code) = match opcode {
        SVM => (&SVM_ROWS[..], at.u8("the operation of svm")?),
        _ => (&ROWS[..], opcode),
    };
    let Some((_, name, fields)) = rows.iter().find(|row| row.0 == code) else {
        let message = match opcode {
            SVM => format!("the length of svm operation {code} is not known"),
            _ => format!("the length of opcode {opcode:#04x} is not known"),
        };
        return fail(place, message);
    };
    let mut count = 0;
    for field in fields.chars() {
        match field {
            'b' => at.take(1, name).map(drop)?,
            'w' => at.take(2, name).map(drop)?,
            'd' => at.take(4, name).map(drop)?,
            'i' => at.take(ids.bytes(), name).map(drop)?,
            'n' => count = usize::from(at.u8(name)?),
            'W' => at.take(2 * count, name).map(drop)?,
            'r' => at.take(ids.bytes() + 2, name).map(drop)?,
            'R' => at.take((ids.bytes() + 2) * count, name).map(drop)?,
            _ => vector(at, ids, name)?,
        }
    }
    Ok(name)
}

/// Skips a vector operand.
fn vector(at: &mut Cursor<'_>, ids: Ids, name: &str) -> Result<()> {
    let place = at.at;
    let tag = at.u8(name)?;
    let size = match tag & 7 {
        // General: number, row, column, region.
        0 => ids.bytes() + 4,
        // Address: number, offset, width.
        1 => 4,
        // Predicate.
        2 => 2,
        // Indirect: number, offset, offset in bytes, type, region.
        3 => 8,
        // Immediate, of df (6), uq (11) and q (13) with 64 bits.
        5 => match at.u8(name)? & 15 {
            6 | 11 | 13 => 8,
            _ => 4,
        },
        // State: class, number, offset.
        6 => 4,
        class => {
            return fail(
                place,
                format!("an operand of {name} has class {class}, which is reserved"),
            );
        }
    };
    at.take(size, name).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_order_and_have_known_fields() {
        assert!(ROWS.is_sorted_by(|a, b| a.0 < b.0) && SVM_ROWS.is_sorted_by(|a, b| a.0 < b.0));
        for (opcode, name, fields) in ROWS.iter().chain(&SVM_ROWS) {
            assert!(
                fields.chars().all(|f| "bwdinvrWR".contains(f)),
                "{opcode:#x} {name}"
            );
        }
    }
}
