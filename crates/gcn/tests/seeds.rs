//! The two wiki seeds: every instruction they list stands at the opcode they
//! give, and every syntax line assembles as it stands in the CLRX dialect.

use crate::common::shared;
use wavetank_gcn::{Chip, Dialect, decode, encode, parse_in, print_in};

/// A chip of each version of GCN that a seed speaks of.
const VERSIONS: [(&str, Chip); 4] = [
    ("1.0", Chip::Gfx600),
    ("1.1", Chip::Gfx701),
    ("1.2", Chip::Gfx803),
    ("1.4", Chip::Gfx900),
];

fn chip(version: &str) -> Chip {
    let known = VERSIONS.iter().find(|(name, _)| *name == version);
    known.unwrap_or_else(|| panic!("GCN {version}")).1
}

/// Where a section or a syntax line of a seed is wrong, and what is meant.
struct Slip {
    section: &'static str,
    /// A piece of the line as it stands, which assembles to something else or
    /// not at all.
    written: &'static str,
    meant: &'static str,
    why: &'static str,
}

const fn slip(
    section: &'static str,
    written: &'static str,
    meant: &'static str,
    why: &'static str,
) -> Slip {
    Slip {
        section,
        written,
        meant,
        why,
    }
}

/// The same list is in docs/reference/errata.md.
const SLIPS: [Slip; 17] = [
    slip(
        "DS_MAX_RTN_F32",
        "DS_MAX_F32",
        "DS_MAX_RTN_F32",
        "another instruction",
    ),
    slip(
        "DS_MAX_RTN_F64",
        "DS_MAX_F64",
        "DS_MAX_RTN_F64",
        "another instruction",
    ),
    slip(
        "DS_MIN_RTN_F32",
        "DS_MIN_F32",
        "DS_MIN_RTN_F32",
        "another instruction",
    ),
    slip(
        "DS_MIN_RTN_F64",
        "DS_MIN_F64",
        "DS_MIN_RTN_F64",
        "another instruction",
    ),
    slip("DS_MSKOR_B32", "_U32", "_B32", "no such name"),
    slip("DS_MSKOR_B64", "_U64", "_B64", "no such name"),
    slip("DS_MSKOR_RTN_B32", "_U32", "_B32", "no such name"),
    slip("DS_MSKOR_RTN_B64", "_U64", "_B64", "no such name"),
    slip("DS_WRXCHG_RTN_B32", "_B32", "_RTN_B32", "no such name"),
    slip("DS_WRXCHG_RTN_B64", "_B64", "_RTN_B64", "no such name"),
    slip("S_ABS_I32", "_B32", "_I32", "no such name"),
    slip(
        "S_ANDN1_SAVEEXEC_B64",
        "ANDN2",
        "ANDN1",
        "another instruction",
    ),
    slip(
        "S_BCNT1_I32_B32",
        "_I32_B64",
        "_I32_B32",
        "another instruction",
    ),
    slip("S_FF1_I32_B64", "FF0", "FF1", "another instruction"),
    slip(
        "S_MOVRELD_B64",
        "SDST, SSRC0",
        "SDST(2), SSRC0(2)",
        "both are pairs, says the text",
    ),
    slip(
        "S_OR_SAVEEXEC_B64",
        "SDST(2), SDST(2)",
        "SDST(2), SSRC0(2)",
        "the source is SSRC0",
    ),
    slip(
        "S_ORN2_SAVEEXEC_B64 52",
        "ORN2",
        "ORN1",
        "the list of opcodes has ORN1 there",
    ),
];

/// One section: an instruction with its opcodes and its syntax.
struct Section {
    name: String,
    /// Versions and opcodes.
    opcodes: Vec<(&'static str, u8)>,
    syntax: String,
}

impl Section {
    /// The key in [`SLIPS`]: the name, with the opcode of a second section of
    /// that name.
    fn key(&self, seen: &[Section]) -> String {
        let twice = seen.iter().any(|s| s.name == self.name)
            || self.name == "S_ORN2_SAVEEXEC_B64" && self.opcodes.len() == 1;
        if twice && self.opcodes.len() == 1 {
            format!("{} {}", self.name, self.opcodes[0].1)
        } else {
            self.name.clone()
        }
    }
}

/// The decimal number that a text begins with, and what follows it.
fn leading(text: &str) -> Option<(u8, &str)> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// `36 (0x24) for GCN 1.0/1.1; 32 (0x20) for GCN 1.2/1.4`; without versions,
/// the opcode is that of all of `every`.
fn opcodes(text: &str, every: &[&'static str]) -> Vec<(&'static str, u8)> {
    // One list separates its versions by commas.
    let text = text.replace("1.1, ", "1.1; ");
    let mut found = Vec::new();
    for part in text.split(';') {
        let (opcode, rest) = leading(part.trim()).expect("an opcode");
        let versions = match rest.split_once("GCN") {
            Some((_, versions)) => versions.trim().split('/').collect(),
            None => every.to_vec(),
        };
        for version in versions {
            let known = VERSIONS.iter().find(|(name, _)| *name == version.trim());
            found.push((known.unwrap_or_else(|| panic!("{part}")).0, opcode));
        }
    }
    found
}

/// The sections of a seed: a name, and below it its opcodes and its syntax.
fn sections(text: &str, every: &[&'static str]) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    let mut name = "";
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if let Some(opcodes_text) = line.strip_prefix("Opcode: ") {
            found.push(Section {
                name: name
                    .trim_start_matches("# ")
                    .trim_start_matches('#')
                    .trim()
                    .to_string(),
                opcodes: opcodes(opcodes_text, every),
                syntax: String::new(),
            });
        // Two lines say `Syntac:` and `Syntax` without a colon.
        } else if (line.starts_with("Syntax") || line.starts_with("Syntac:"))
            && let Some(section) = found.last_mut()
        {
            let syntax = line.split_once(' ').expect("a syntax").1;
            section.syntax = syntax.to_string();
        }
        name = line;
    }
    found
}

/// Operands by their name in the seeds: letter of the register file, first
/// register, the bit of the word at which it stands.
const OPERANDS: [(&str, char, u64, u32); 7] = [
    ("SDST", 's', 16, 16),
    ("SSRC0", 's', 24, 0),
    ("VDST", 'v', 100, 56),
    ("ADDR", 'v', 2, 32),
    ("VADDR", 'v', 2, 32),
    ("VDATA0", 'v', 40, 40),
    ("VDATA1", 'v', 60, 48),
];

/// Optional words, what is written for them, and the bits they set in a DS word.
const WORDS: [(&str, &str, u64); 6] = [
    ("[OFFSET:OFFSET]", "OFFSET:0x3456", 0x3456),
    ("[offset:OFFSET]", "offset:0x3456", 0x3456),
    ("[OFFSET0:OFFSET0]", "OFFSET0:0x12", 0x12),
    ("[OFFSET1:OFFSET1]", "OFFSET1:0x34", 0x3400),
    ("[offset0:OFFSET0]", "offset0:0x12", 0x12),
    ("[offset1:OFFSET1]", "offset1:0x34", 0x3400),
];

/// Fields that an instruction does not read, and that are written as zero.
const UNREAD: [(&str, u64); 1] = [("DS_NOP", 0xff << 32)];

/// The line that a syntax stands for, with or without its optional words, and
/// the bits of its operands.
fn instantiate(syntax: &str, optional: bool) -> (String, u64) {
    let (name, rest) = syntax.split_once(' ').unwrap_or((syntax, ""));
    let (operands, words) = rest.split_once('[').map_or((rest, ""), |(o, w)| (o, w));
    let mut line = name.to_string();
    let mut bits = 0;
    let operands = operands.split(',').map(str::trim).filter(|o| !o.is_empty());
    for (n, operand) in operands.enumerate() {
        let (name, count) = match operand.split_once('(') {
            Some((name, count)) => (name, count.trim_end_matches(')').parse().expect("a count")),
            None => (operand, 1),
        };
        let known = OPERANDS.iter().find(|o| o.0 == name);
        let (_, file, first, bit) = known.unwrap_or_else(|| panic!("{syntax}: {name}"));
        line += if n == 0 { " " } else { ", " };
        line += &match count {
            1 => format!("{file}{first}"),
            _ => format!("{file}[{first}:{}]", first + count - 1),
        };
        bits |= first << bit;
    }
    if optional && !words.is_empty() {
        for word in format!("[{words}").split_whitespace() {
            let known = WORDS.iter().find(|w| w.0 == word);
            let (_, text, value) = known.unwrap_or_else(|| panic!("{syntax}: {word}"));
            line += &format!(" {text}");
            bits |= value;
        }
    }
    let unread = UNREAD.iter().find(|(unread, _)| *unread == name);
    (line, bits & !unread.map_or(0, |(_, mask)| *mask))
}

/// Assembles every syntax line and compares it with the fields of the seed,
/// which `word` composes of an opcode.
fn every_syntax_assembles(seed: &str, every: &[&'static str], word: fn(Chip, u8) -> u64) {
    let Some(text) = shared(&format!("seeds/{seed}")) else {
        return;
    };
    let all = sections(&text, every);
    assert!(all.len() > 50, "{}", all.len());
    let mut wrong = Vec::new();
    for (n, section) in all.iter().enumerate() {
        let key = section.key(&all[..n]);
        let slip = SLIPS.iter().find(|s| s.section == key);
        let syntax = match slip {
            Some(slip) => {
                assert!(
                    section.syntax.contains(slip.written),
                    "{key}: {}",
                    section.syntax
                );
                section.syntax.replacen(slip.written, slip.meant, 1)
            }
            None => section.syntax.clone(),
        };
        for (version, opcode) in &section.opcodes {
            for optional in [false, true] {
                let (line, bits) = instantiate(&syntax, optional);
                let chip = chip(version);
                let expected = word(chip, *opcode) | bits;
                if let Some(slip) = slip {
                    let (line, _) = instantiate(&section.syntax, optional);
                    let found = assemble(&line, chip);
                    assert_ne!(found, Ok(expected), "{line}: {} is not a slip", slip.why);
                }
                match assemble(&line, chip) {
                    Ok(found) if found == expected => {}
                    other => wrong.push(format!(
                        "GCN {version} {key}: {line}: {other:x?}, expected {expected:#x}"
                    )),
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn assemble(line: &str, chip: Chip) -> Result<u64, String> {
    let inst = parse_in(line, chip, Dialect::Clrx).map_err(|e| e.to_string())?;
    let encoded = encode(&inst).map_err(|e| e.to_string())?;
    let bytes = encoded.as_bytes().iter().rev();
    Ok(bytes.fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

/// The seed's fields of SOP1: OPCODE 8–15, ENCODING 23–31.
fn sop1(_: Chip, opcode: u8) -> u64 {
    0b1_0111_1101 << 23 | u64::from(opcode) << 8
}

/// The seed's fields of DS: OPCODE 18–25, of GCN 1.2 17–24; ENCODING 26–31.
fn ds(chip: Chip, opcode: u8) -> u64 {
    let bit = if chip < Chip::Gfx801 { 18 } else { 17 };
    0b11_0110 << 26 | u64::from(opcode) << bit
}

#[test]
fn every_syntax_of_the_sop1_seed_assembles() {
    every_syntax_assembles("gcn-sop1-instructions.txt", &[], sop1);
}

#[test]
fn every_syntax_of_the_ds_seed_assembles() {
    every_syntax_assembles("gcn-ds-instructions.txt", &["1.0", "1.1", "1.2"], ds);
}

/// The mnemonic at an opcode, as the dialect prints it.
fn mnemonic(word: u64, chip: Chip) -> String {
    let Ok(inst) = decode(&word.to_le_bytes(), chip) else {
        return "--".into();
    };
    let mut text = String::new();
    print_in(&inst, Dialect::Clrx, &mut text).expect("a string takes any text");
    text.split(' ').next().unwrap_or_default().to_uppercase()
}

/// The example, and the list of opcodes by version.
#[test]
fn every_opcode_of_the_sop1_seed_is_there() {
    let Some(text) = shared("seeds/gcn-sop1-instructions.txt") else {
        return;
    };
    let mut rows = 0;
    for line in text.lines() {
        if let Some(example) = line.strip_prefix("Example: ") {
            // S_MOV_B32 S0, S1
            assert_eq!(assemble(example, Chip::Gfx600), Ok(0xbe80_0301));
        }
        let line = line.trim_end_matches([' ', '|']);
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [opcode, old, v12, v14] = columns[..] else {
            continue;
        };
        let Some((opcode, _)) = leading(opcode).filter(|(_, hex)| hex.starts_with(" (0x")) else {
            continue;
        };
        rows += 1;
        for (version, name) in [("1.0", old), ("1.1", old), ("1.2", v12), ("1.4", v14)] {
            let chip = chip(version);
            assert_eq!(
                mnemonic(sop1(chip, opcode), chip),
                name,
                "{line} on GCN {version}"
            );
        }
    }
    assert_eq!(rows, 56);
}

/// Instructions of the list that GCN 1.0 lacks: the marks that said so are lost
/// from the seed (facts/gcn-text.md).
///
/// DS_NOP is one of them; it is decoded on GCN 1.0, too, since LLVM's tables
/// have it there.
const SINCE_GCN_1_1: [&str; 6] = [
    "DS_GWS_SEMA_RELEASE_ALL",
    "DS_WRAP_RTN_B32",
    "DS_CONDXCHG32_RTN_B64",
    "DS_CONDXCHG32_RTN_B128",
    "DS_WRITE_B",
    "DS_READ_B",
];

#[test]
fn every_opcode_of_the_ds_seed_is_there() {
    let Some(text) = shared("seeds/gcn-ds-instructions.txt") else {
        return;
    };
    let list = text.split("List of the instructions by opcode:").nth(1);
    let list = list
        .and_then(|l| l.split("Instruction set").next())
        .expect("a list");
    let mut rows = 0;
    for line in list.lines() {
        // `63 (0x3f) DS_ORDERED_COUNT (???) DS_BPERMUTE_B32`
        let line = line.replace("(???)", "");
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [opcode, _, old, new] = columns[..] else {
            continue;
        };
        let Ok(opcode) = opcode.parse::<u8>() else {
            continue;
        };
        rows += 1;
        let wide = old.ends_with("B96") || old.ends_with("B128");
        let later = SINCE_GCN_1_1
            .iter()
            .any(|name| old == *name || name.ends_with("_B") && wide && old.starts_with(name));
        let first = if later { "--" } else { old };
        for (version, name) in [("1.0", first), ("1.1", old), ("1.2", new)] {
            let chip = chip(version);
            assert_eq!(
                mnemonic(ds(chip, opcode), chip),
                name,
                "{line} on GCN {version}"
            );
        }
    }
    assert!(rows > 150, "{rows}");
}
