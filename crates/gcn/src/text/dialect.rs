//! The two syntaxes in which an instruction can be read and written.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{ParseError, clrx, parse, print};
use crate::generation::Chip;
use crate::inst::Inst;

/// A syntax of assembly. `docs/reference/dialects.md` describes the differences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// LLVM's syntax, which is the canonical text.
    #[default]
    Llvm,
    /// The syntax of CLRadeonExtender, used by the wiki seeds.
    Clrx,
}

impl Dialect {
    /// Every dialect, in the order of declaration.
    pub const ALL: [Dialect; 2] = [Dialect::Llvm, Dialect::Clrx];

    /// Returns the dialect's name on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Llvm => "llvm",
            Dialect::Clrx => "clrx",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of a name that is not a dialect's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{0}` is not a dialect: choose llvm or clrx")]
pub struct UnknownDialect(pub String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::ALL
            .into_iter()
            .find(|d| d.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// Parses one instruction for a chip, in a dialect.
///
/// CLRX writes the target of a branch as an address in the code: here the instruction is at address 0. [`parse_at`] takes another
/// address.
///
/// # Errors
///
/// A [`ParseError`] with the place of the wrong token.
///
/// ```
/// use wavetank_gcn::{Chip, Dialect, encode, parse_in};
/// let inst = parse_in("V_CMP_LG_I32 VCC, V1, V2", Chip::Gfx900, Dialect::Clrx)?;
/// assert_eq!(inst.to_string(), "v_cmp_ne_i32_e32 vcc, v1, v2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_in(text: &str, chip: Chip, dialect: Dialect) -> Result<Inst, ParseError> {
    parse_at(text, chip, dialect, 0)
}

/// Parses as [`parse_in`] does, for an instruction at `address` (in bytes) of the code.
///
/// # Errors
///
/// A [`ParseError`] with the place of the wrong token.
///
/// ```
/// use wavetank_gcn::{Chip, Dialect, encode, text::parse_at};
/// // Two words after the instruction that follows.
/// let inst = parse_at("s_branch 0x10c", Chip::Gfx900, Dialect::Clrx, 0x100)?;
/// assert_eq!(encode(&inst)?.as_bytes(), [2, 0, 0x82, 0xbf]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_at(
    text: &str,
    chip: Chip,
    dialect: Dialect,
    address: u64,
) -> Result<Inst, ParseError> {
    match dialect {
        Dialect::Llvm => parse(text, chip),
        Dialect::Clrx => clrx::parse(text, chip, address),
    }
}

/// Parses as [`parse_at`] does, but without the reason why a line is not an instruction: finding the reason takes many times as
/// long.
///
/// ```
/// use wavetank_gcn::{Chip, Dialect, text::parse_quietly};
/// assert!(parse_quietly("s_nop 1", Chip::Gfx900, Dialect::Llvm, 0).is_some());
/// assert!(parse_quietly("s_nop s1", Chip::Gfx900, Dialect::Clrx, 0).is_none());
/// ```
pub fn parse_quietly(text: &str, chip: Chip, dialect: Dialect, address: u64) -> Option<Inst> {
    match dialect {
        Dialect::Llvm => super::parse::parse_quietly(text, chip),
        Dialect::Clrx => clrx::parse_quietly(text, chip, address),
    }
}

/// Writes an instruction in a dialect, without a line end.
///
/// # Errors
///
/// Errors of the writer; a `String` has none.
///
/// ```
/// use wavetank_gcn::{Chip, Dialect, decode, print_in};
/// let inst = decode(&[0x70, 0x0f, 0x8c, 0xbf], Chip::Gfx900)?;
/// let mut line = String::new();
/// print_in(&inst, Dialect::Llvm, &mut line)?;
/// assert_eq!(line, "s_waitcnt vmcnt(0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn print_in(inst: &Inst, dialect: Dialect, out: &mut impl fmt::Write) -> fmt::Result {
    print_at(inst, dialect, 0, out)
}

/// Writes as [`print_in`] does, for an instruction at `address` (in bytes) of the code.
///
/// # Errors
///
/// Errors of the writer; a `String` has none.
///
/// ```
/// use wavetank_gcn::{Chip, Dialect, decode, text::print_at};
/// let inst = decode(&[2, 0, 0x82, 0xbf], Chip::Gfx900)?;
/// let mut line = String::new();
/// print_at(&inst, Dialect::Clrx, 0x100, &mut line)?;
/// assert_eq!(line, "s_branch 0x10c");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn print_at(
    inst: &Inst,
    dialect: Dialect,
    address: u64,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    match dialect {
        Dialect::Llvm => print(inst, out),
        Dialect::Clrx => clrx::print(inst, address, out),
    }
}
