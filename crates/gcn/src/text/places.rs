//! Places in an instruction's text, and the words that are reserved there: register names among operands, and names of hardware
//! registers, messages, formats and parts of registers in their places. An assembler with symbols queries here whether a word can
//! be a symbol.
//!
//! The rules are those of LLVM's assembler (AMDGPUAsmParser). Among operands, a register's name is a register on every chip, even
//! if the chip lacks it; where only a number is allowed, it is an ordinary name.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::clrx::names as clrx;
use super::dialect::Dialect;
use super::names::{
    DATA_FORMATS, GS_OPS, HWREGS, MESSAGES, SPECIAL_SOURCES, SYSMSG_OPS, number_formats,
    register_pairs,
};
use super::shared_modifiers;
use crate::generation::Generation;
use crate::tables::{Kind, Op};

/// A place in the text of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An operand, or the inside of `neg(…)`: registers and constants, and modifiers after a comma.
    Operand,
    /// An operand that cannot be a register: a number, or `hwreg(…)` and its like.
    Immediate,
    /// A number that must be known.
    Number,
    /// A place for reserved words only.
    Words,
    /// A hardware register by name or number.
    Hwreg,
    /// A message by name or number.
    Message,
    /// The operation of a message by name or number.
    Operation,
    /// The name of a buffer format.
    Format,
}

impl Place {
    /// Returns the place of an operand of an instruction, counted from 0.
    pub fn of_operand(mnemonic: &str, index: usize) -> Place {
        let suffixes = ["_e32", "_e64"];
        let name = suffixes
            .iter()
            .find_map(|suffix| mnemonic.strip_suffix(suffix));
        let places = own_places().get(name.unwrap_or(mnemonic));
        let found = places.and_then(|places| places.iter().find(|(at, _)| *at == index));
        found.map_or(Place::Operand, |(_, place)| *place)
    }

    /// Returns the place of an argument after `NAME(`, counted from 0; `None` if the name does not take arguments.
    pub fn of_argument(name: &str, index: usize, dialect: Dialect) -> Option<Place> {
        let name = folded(name, dialect);
        let counter = name.strip_suffix("_sat").unwrap_or(&name);
        Some(match (counter, index) {
            ("hwreg", 0) => Place::Hwreg,
            ("sendmsg", 0) => Place::Message,
            ("sendmsg", 1) => Place::Operation,
            ("gpr_idx", _) | ("swizzle", 0) => Place::Words,
            ("neg" | "abs" | "sext", _) => Place::Operand,
            ("hwreg" | "sendmsg" | "swizzle" | "lit" | "vmcnt" | "expcnt" | "lgkmcnt", _) => {
                Place::Number
            }
            _ => return None,
        })
    }

    /// Returns the place of the value after `NAME:`.
    pub fn of_value(name: &str, dialect: Dialect) -> Place {
        match &*folded(name, dialect) {
            "dst_sel" | "src0_sel" | "src1_sel" | "dst_unused" | "dst_un" => Place::Words,
            "format" => Place::Format,
            _ => Place::Number,
        }
    }

    /// Returns whether a word is reserved in this place, even if a symbol has its name.
    pub fn keeps(self, word: &str, dialect: Dialect) -> bool {
        let word = &*folded(word, dialect);
        let without = |prefixes: &[&str]| {
            let found = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix));
            found.unwrap_or(word).to_owned()
        };
        match (self, dialect) {
            (Place::Number | Place::Immediate, _) => false,
            (Place::Words, _) => true,
            (Place::Operand, _) => is_register(word, dialect),
            (Place::Hwreg, Dialect::Llvm) => {
                HWREGS.iter().any(|row| row.1 == word) || LATER_HWREGS.contains(&word)
            }
            (Place::Message, Dialect::Llvm) => MESSAGES.iter().any(|row| row.1 == word),
            (Place::Operation, Dialect::Llvm) => {
                [GS_OPS, SYSMSG_OPS].as_flattened().contains(&word)
            }
            (Place::Format, Dialect::Llvm) => {
                let numbers = [Generation::Gfx7, Generation::Gfx9].map(number_formats);
                DATA_FORMATS.contains(&word) || numbers.as_flattened().contains(&word)
            }
            (Place::Hwreg, Dialect::Clrx) => {
                let name = without(&["hwreg_", "hw_reg_"]);
                let is = |known: &str| {
                    known == name || known.strip_prefix("sq_shader_") == Some(name.as_str())
                };
                clrx::HWREGS.iter().any(|row| is(row.1))
            }
            (Place::Message, Dialect::Clrx) => {
                let name = without(&["msg_"]);
                clrx::MESSAGES.iter().any(|row| row.1 == name)
            }
            (Place::Operation, Dialect::Clrx) => {
                clrx::MESSAGE_OPS.contains(&without(&["gs_op_", "gs_"]).as_str())
            }
            (Place::Format, Dialect::Clrx) => {
                let data = without(&["buf_data_format_"]);
                let number = without(&["buf_num_format_"]);
                clrx::DATA_FORMATS.contains(&data.as_str())
                    || clrx::NUMBER_FORMATS.contains(&number.as_str())
            }
        }
    }
}

/// Returns whether a word is a modifier, or stands for a missing operand. Among operands such a word is a symbol only if the line
/// has no other reading.
pub fn is_modifier(word: &str, dialect: Dialect) -> bool {
    shared_modifiers::is_modifier(&folded(word, dialect))
}

/// Hardware registers of later chips: LLVM's assembler reserves their names on every chip.
const LATER_HWREGS: [&str; 7] = [
    "HW_REG_FLAT_SCR_LO",
    "HW_REG_FLAT_SCR_HI",
    "HW_REG_XNACK_MASK",
    "HW_REG_HW_ID1",
    "HW_REG_HW_ID2",
    "HW_REG_POPS_PACKER",
    "HW_REG_SHADER_CYCLES",
];

/// Returns the word in lower case for CLRX, which ignores case.
fn folded(word: &str, dialect: Dialect) -> Cow<'_, str> {
    if dialect == Dialect::Clrx && word.bytes().any(|b| b.is_ascii_uppercase()) {
        word.to_ascii_lowercase().into()
    } else {
        word.into()
    }
}

/// Returns whether a word names a register or a special source on any chip.
fn is_register(word: &str, dialect: Dialect) -> bool {
    let files: &[&str] = match dialect {
        Dialect::Llvm => &["ttmp", "acc", "v", "s", "a"],
        Dialect::Clrx => &["ttmp", "v", "s"],
    };
    let digits = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let numbered = |file: &&str| word.strip_prefix(*file).is_some_and(digits);
    if files.iter().any(numbered) || named_registers().contains(word) {
        return true;
    }
    match dialect {
        Dialect::Llvm => matches!(word, "null" | "pc"),
        Dialect::Clrx => {
            let plain = word.strip_prefix("src_").unwrap_or(word);
            plain == "lds" || plain.strip_prefix("ill_").is_some_and(digits)
        }
    }
}

/// Returns the named registers and sources of all generations, with `src_` and without.
fn named_registers() -> &'static HashSet<String> {
    static NAMES: OnceLock<HashSet<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let generations = [Generation::Gfx7, Generation::Gfx8, Generation::Gfx9];
        let pairs = generations.into_iter().flat_map(register_pairs);
        let pairs =
            pairs.flat_map(|(_, pair)| ["", "_lo", "_hi"].map(|half| format!("{pair}{half}")));
        let sources = SPECIAL_SOURCES.iter().flat_map(|(_, source)| {
            [*source, source.trim_start_matches("src_")].map(str::to_owned)
        });
        pairs.chain(sources).chain(["m0".to_owned()]).collect()
    })
}

/// Returns the operands of instructions that are neither registers nor plain constants, by mnemonic: their positions, and the
/// kind of place.
fn own_places() -> &'static HashMap<&'static str, Vec<(usize, Place)>> {
    static PLACES: OnceLock<HashMap<&'static str, Vec<(usize, Place)>>> = OnceLock::new();
    PLACES.get_or_init(|| {
        let place = |kind: Kind| match kind {
            Kind::Waitcnt | Kind::Hwreg | Kind::Sendmsg | Kind::GprIdx => Some(Place::Immediate),
            Kind::ExportTarget | Kind::Param | Kind::Attr => Some(Place::Words),
            _ => None,
        };
        let mut all = HashMap::new();
        for row in Op::all().map(Op::row) {
            let operands = row.operands.iter().enumerate();
            let own: Vec<_> = operands
                .filter_map(|(at, operand)| Some((at, place(operand.kind)?)))
                .collect();
            for name in row
                .mnemonics
                .into_iter()
                .flatten()
                .filter(|_| !own.is_empty())
            {
                all.insert(name, own.clone());
            }
        }
        all
    })
}
