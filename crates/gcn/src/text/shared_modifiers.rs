//! The modifiers that LLVM's and CLRX's syntax share: flags, and names with a value after a colon. Each sets a field of [`Mods`].

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use super::failure::{Failure, fail};
use super::lex::{Lexer, Located, Location};
use super::names::{DPP_AMOUNTS, DPP_PLAIN, dpp_amounts};
use super::parse_operand::expect;
use crate::form::Form;
use crate::generation::Chip;
use crate::inst::{DstUnused, Flags, Mods, SdwaSel};

/// A bit for each kind of modifier that a text can contain; flags are in [`Mods::flags`].
pub(super) mod present {
    pub(crate) const OMOD: u32 = 1 << 0;
    pub(crate) const OP_SEL: u32 = 1 << 1;
    pub(crate) const OP_SEL_HI: u32 = 1 << 2;
    pub(crate) const NEG_LO: u32 = 1 << 3;
    pub(crate) const SDWA: u32 = 1 << 4;
    pub(crate) const DPP: u32 = 1 << 5;
    pub(crate) const OFFSET: u32 = 1 << 6;
    pub(crate) const OFFSET0: u32 = 1 << 7;
    pub(crate) const FORMAT: u32 = 1 << 8;
    pub(crate) const DMASK: u32 = 1 << 9;
    pub(crate) const DST_SEL: u32 = 1 << 10;
    pub(crate) const DPP_CTRL: u32 = 1 << 11;
    pub(crate) const OFFSET1: u32 = 1 << 12;
    pub(crate) const DST_UNUSED: u32 = 1 << 13;
    pub(crate) const ROW_MASK: u32 = 1 << 14;
    pub(crate) const BANK_MASK: u32 = 1 << 15;
    pub(crate) const NEG_HI: u32 = 1 << 16;
    /// The modifier `noclamp`, which clears CLAMP.
    pub(crate) const NO_CLAMP: u32 = 1 << 17;
    pub(crate) const CBSZ: u32 = 1 << 18;
    pub(crate) const ABID: u32 = 1 << 19;
    pub(crate) const BLGP: u32 = 1 << 20;
    /// The modifier `neg` of matrices.
    pub(crate) const NEG: u32 = 1 << 21;
    pub(crate) const BITOP3: u32 = 1 << 22;
    pub(crate) const FI: u32 = 1 << 23;
    /// Either negation of packed operands.
    pub(crate) const NEG_LO_HI: u32 = NEG_LO | NEG_HI;
    /// Either of the two offsets of DS.
    pub(crate) const OFFSET01: u32 = OFFSET0 | OFFSET1;
    /// Modifiers that only SDWA has, except the selections of sources.
    pub(crate) const OF_SDWA: u32 = SDWA | DST_SEL | DST_UNUSED;
    /// Modifiers that only DPP has.
    pub(crate) const OF_DPP: u32 = DPP | DPP_CTRL | ROW_MASK | BANK_MASK;
}

/// The name of each flag.
pub(super) const FLAGS: [(&str, Flags); 19] = [
    ("clamp", Flags::CLAMP),
    ("glc", Flags::GLC),
    ("slc", Flags::SLC),
    ("tfe", Flags::TFE),
    ("lwe", Flags::LWE),
    ("lds", Flags::LDS),
    ("gds", Flags::GDS),
    ("offen", Flags::OFFEN),
    ("idxen", Flags::IDXEN),
    ("addr64", Flags::ADDR64),
    ("unorm", Flags::UNORM),
    ("da", Flags::DA),
    ("r128", Flags::R128),
    ("a16", Flags::A16),
    ("d16", Flags::D16),
    ("done", Flags::DONE),
    ("compr", Flags::COMPR),
    ("high", Flags::HIGH),
    ("vm", Flags::VM),
];

/// The names of the cache bits from gfx942 on.
pub(super) const CACHE_942: [(&str, Flags); 3] =
    [("sc0", Flags::GLC), ("nt", Flags::SLC), ("sc1", Flags::SCC)];

/// Returns the flag that a word names in LLVM's syntax, in a form on a chip.
pub(super) fn flag(word: &str, form: Form, chip: Chip) -> Option<Flags> {
    let has_cache_bits = matches!(
        form,
        Form::Mimg | Form::Mubuf | Form::Mtbuf | Form::Flat | Form::Global | Form::Scratch
    );
    let renamed = has_cache_bits && chip >= Chip::Gfx942;
    match word {
        "scc" if has_cache_bits && chip == Chip::Gfx90a => return Some(Flags::SCC),
        "glc" | "slc" if renamed => return None,
        _ => {}
    }
    let cache = CACHE_942.iter().filter(|_| renamed);
    let mut flags = FLAGS.iter().chain(cache);
    flags.find(|(name, _)| *name == word).map(|(_, flag)| *flag)
}

/// The kind of a modifier's value, and the field that it is stored in.
pub(super) enum Value {
    /// A factor by which the result is scaled (OMOD).
    Factor,
    /// A list with a bit for each source.
    Bits(fn(&mut Mods) -> &mut u8),
    /// The byte or word of a register that SDWA selects.
    Part(fn(&mut Mods) -> &mut SdwaSel),
    /// The effect of SDWA on the bits of the destination that it does not select.
    Unused,
    /// The four source lanes within each group of four lanes.
    Lanes,
    /// A number of up to 8 bits, and its maximum.
    Number(i64, fn(&mut Mods) -> &mut u8),
    /// The first of two offsets, of 8 bits each.
    Offset0,
    /// A value whose notation differs between the syntaxes.
    Own,
}

/// The modifiers with a value after a colon: name, bit in [`present`], and kind of value.
pub(super) const VALUED: [(&str, u32, Value); 26] = {
    use Value::*;
    use present::*;
    [
        ("mul", OMOD, Factor),
        ("div", OMOD, Factor),
        ("op_sel", OP_SEL, Bits(|m| &mut m.op_sel)),
        ("op_sel_hi", OP_SEL_HI, Bits(|m| &mut m.op_sel_hi)),
        ("neg_lo", NEG_LO, Bits(|m| &mut m.neg)),
        // VOP3P has NEG_HI in the bits that are ABS in VOP3.
        ("neg_hi", NEG_HI, Bits(|m| &mut m.abs)),
        ("dst_sel", DST_SEL, Part(|m| &mut m.dst_sel)),
        ("dst_unused", DST_UNUSED, Unused),
        ("src0_sel", SDWA, Part(|m| &mut m.src_sel[0])),
        ("src1_sel", SDWA, Part(|m| &mut m.src_sel[1])),
        ("quad_perm", DPP_CTRL, Lanes),
        ("row_mask", ROW_MASK, Number(15, |m| &mut m.row_mask)),
        ("bank_mask", BANK_MASK, Number(15, |m| &mut m.bank_mask)),
        ("bound_ctrl", DPP, Own),
        ("offset", OFFSET, Own),
        ("offset0", OFFSET0, Offset0),
        ("offset1", OFFSET1, Number(255, |m| &mut m.offset1)),
        ("dmask", DMASK, Number(15, |m| &mut m.dmask)),
        ("dfmt", FORMAT, Number(15, |m| &mut m.dfmt)),
        ("nfmt", FORMAT, Number(7, |m| &mut m.nfmt)),
        ("format", FORMAT, Own),
        ("cbsz", CBSZ, Number(7, |m| &mut m.cbsz)),
        ("abid", ABID, Number(15, |m| &mut m.abid)),
        ("blgp", BLGP, Number(7, |m| &mut m.blgp)),
        ("fi", FI, Own),
        ("bitop3", BITOP3, Number(255, |m| &mut m.bitop3)),
    ]
};

/// Returns the names of all modifiers.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let flags = FLAGS.iter().map(|(word, _)| *word);
    let plain = DPP_PLAIN.iter().map(|(_, word)| *word);
    let amounts = DPP_AMOUNTS.iter().map(|(_, word, _)| *word);
    let valued = VALUED.iter().map(|(word, ..)| *word);
    let later = CACHE_942.iter().map(|(word, _)| *word);
    let later = later.chain(["scc", "row_newbcast"]);
    flags.chain(plain).chain(amounts).chain(valued).chain(later)
}

/// Returns whether a word is a modifier, or stands for a missing operand.
pub(super) fn is_modifier(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let known = WORDS.get_or_init(|| {
        let own = ["off", "vop3", "sdwa", "dpp", "nv", "row_hmirror"];
        words().chain(own).collect()
    });
    known.contains(word)
        || word
            .strip_prefix("no")
            .is_some_and(|flag| known.contains(flag))
}

/// Returns the modifiers that an encoding allows: bits of [`present`], and flags.
pub(super) fn allowed(form: Form) -> (u32, Flags) {
    use present::*;
    let typed = Flags::GLC | Flags::SLC | Flags::SCC | Flags::TFE;
    let memory = typed | Flags::LDS;
    let address = Flags::OFFEN | Flags::IDXEN | Flags::ADDR64;
    match form {
        Form::Vop3 => (
            OMOD | OP_SEL | BITOP3 | FI | DPP,
            Flags::CLAMP | Flags::HIGH | Flags::FI | Flags::BOUND_CTRL,
        ),
        Form::Vop3p => (OP_SEL | OP_SEL_HI | NEG_LO_HI, Flags::CLAMP),
        Form::MaiScaled => (CBSZ | BLGP | OP_SEL | OP_SEL_HI, Flags::empty()),
        Form::Mai => (CBSZ | ABID | BLGP | NEG, Flags::empty()),
        Form::Sdwa => (OMOD | OF_SDWA, Flags::CLAMP),
        Form::Dpp => (OF_DPP, Flags::BOUND_CTRL),
        Form::Smem => (OFFSET, Flags::GLC),
        Form::Ds => (OFFSET | OFFSET01, Flags::GDS),
        Form::Mubuf => (OFFSET, memory | address),
        Form::Mtbuf => (OFFSET | FORMAT, typed | address),
        Form::Mimg => (
            DMASK,
            typed | Flags::LWE | Flags::UNORM | Flags::DA | Flags::R128 | Flags::A16 | Flags::D16,
        ),
        Form::Flat | Form::Global | Form::Scratch => (OFFSET, memory),
        Form::Exp => (0, Flags::DONE | Flags::COMPR | Flags::VM),
        _ => (0, Flags::empty()),
    }
}

/// A syntax, which reads the values of modifiers in its own notation.
pub(super) trait Syntax {
    /// Reads a number from `min` to `max`.
    fn number(&self, lex: &mut Lexer<'_>, min: i64, max: i64) -> Result<i32, Failure>;

    /// Reads a list of bits. Bit n of the result is set if entry n is 1.
    fn bits(&self, lex: &mut Lexer<'_>) -> Result<u8, Failure>;

    /// Reads the byte or word of a register that SDWA selects.
    fn part(&self, lex: &mut Lexer<'_>) -> Result<SdwaSel, Failure>;

    /// Reads the effect of SDWA on the bits of the destination that it does not select.
    fn unused(&self, lex: &mut Lexer<'_>) -> Result<DstUnused, Failure>;

    /// Reads the value of a modifier whose notation differs between the syntaxes ([`Value::Own`]).
    fn own(&self, lex: &mut Lexer<'_>, word: &str, mods: &mut Mods) -> Result<(), Failure>;

    /// Reads a list such as `[0,1,1]`, with at most `most` values, each at most `max`.
    fn list(&self, lex: &mut Lexer<'_>, most: usize, max: i64) -> Result<Vec<u8>, Failure> {
        expect(lex, b'[', "before a list")?;
        let mut values = Vec::with_capacity(most);
        loop {
            let start = lex.location();
            values.push(self.number(lex, 0, max)? as u8);
            if values.len() > most {
                return fail(&start, format_args!("the list has more than {most} values"));
            }
            if !lex.mark(b',') {
                break;
            }
        }
        expect(lex, b']', "after a list")?;
        Ok(values)
    }

    /// Reads a list of zeros and ones as bits: entry n is bit n.
    fn listed_bits(&self, lex: &mut Lexer<'_>) -> Result<u8, Failure> {
        let values = self.list(lex, 4, 1)?;
        Ok((0..).zip(&values).fold(0, |mask, (n, bit)| mask | bit << n))
    }
}

/// Reads the value of the modifier `word`, after its colon, into `mods`. Returns the modifier's bit in [`present`], or `None` if it
/// does not take a value.
pub(super) fn valued(
    syntax: &impl Syntax,
    lex: &mut Lexer<'_>,
    word: &str,
    mods: &mut Mods,
) -> Result<Option<u32>, Failure> {
    let Some((_, kind, value)) = VALUED.iter().find(|(known, ..)| *known == word) else {
        return Ok(None);
    };
    match value {
        Value::Factor => mods.omod = factor(syntax, lex, word)?,
        Value::Bits(field) => *field(mods) = syntax.bits(lex)?,
        Value::Part(field) => *field(mods) = syntax.part(lex)?,
        Value::Unused => mods.dst_unused = syntax.unused(lex)?,
        Value::Lanes => {
            let start = lex.location();
            let lanes = syntax.list(lex, 4, 3)?;
            if lanes.len() != 4 {
                return fail(
                    &lex.since(&start),
                    format_args!(
                        "the list has {} source lanes: write four, one for each lane",
                        lanes.len()
                    ),
                );
            }
            mods.dpp_ctrl = lanes.iter().rev().fold(0, |c, l| c << 2 | u16::from(*l));
        }
        Value::Number(max, field) => *field(mods) = syntax.number(lex, 0, *max)? as u8,
        Value::Offset0 => mods.offset = syntax.number(lex, 0, 255)?,
        Value::Own => syntax.own(lex, word, mods)?,
    }
    Ok(Some(*kind))
}

/// Reads the factor after `mul:` or `div:`, and returns it as a value of OMOD. A factor of 1 has no effect.
fn factor(syntax: &impl Syntax, lex: &mut Lexer<'_>, word: &str) -> Result<u8, Failure> {
    let start = lex.location();
    match (word, syntax.number(lex, 0, 4)?) {
        (_, 1) => Ok(0),
        ("mul", 2) => Ok(1),
        ("mul", 4) => Ok(2),
        ("div", 2) => Ok(3),
        _ => fail(
            &start,
            "the factor is not supported: write mul:2, mul:4 or div:2",
        ),
    }
}

/// Returns the value of DPP_CTRL for a modifier with an amount, such as `row_shl:1`.
pub(super) fn dpp_amount(
    at: &Location,
    word: &str,
    amount: u16,
    chip: Chip,
) -> Result<u16, Failure> {
    let suits = |name: &str, range: &RangeInclusive<u16>| name == word && range.contains(&amount);
    let found = dpp_amounts(chip).find(|(_, name, range)| suits(name, range));
    match found {
        Some((base, ..)) => Ok(base + amount),
        None => fail(at, format_args!("{word} does not take {amount}")),
    }
}
