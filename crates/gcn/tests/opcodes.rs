//! Every row of the opcode lists: a word with that opcode in that encoding
//! decodes, and prints with the name that the list gives it.

use std::collections::HashSet;

use crate::common::shared;
use wavetank_gcn::{Chip, Dialect, Generation, Inst, decode, encode, parse_in, print_in};

/// The name of a chip, or of a GCN version in CLRX's lists.
fn chip(name: &str) -> Chip {
    match name {
        "gcn1.0" => Chip::Gfx600,
        "gcn1.1" => Chip::Gfx701,
        "gcn1.2" => Chip::Gfx803,
        "gcn1.4" => Chip::Gfx900,
        "gcn1.4.1" => Chip::Gfx906,
        name => Chip::from_name(name).unwrap_or_else(|| panic!("chip {name}")),
    }
}

/// A word of an encoding with an opcode, without operands (Vega ISA, chapter 13;
/// the wiki seeds for DS before gfx9).
fn word(encoding: &str, opcode: u64, generation: Generation) -> u64 {
    let old = generation < Generation::Gfx8;
    let either = |before, since| if old { before } else { since };
    let (base, shift) = match encoding {
        "SOP1" => (0xbe80_0000, 8),
        "SOP2" => (0x8000_0000, 23),
        "SOPK" => (0xb000_0000, 23),
        "SOPC" => (0xbf00_0000, 16),
        "SOPP" => (0xbf80_0000, 16),
        "SMRD" => (0xc000_0000, 22),
        "SMEM" => (0xc000_0000, 18),
        "VOP1" => (0x7e00_0000, 9),
        "VOP1_SDWA" => (0x7e00_00f9, 9),
        "VOP1_DPP" => (0x7e00_00fa, 9),
        "VOP2" => (0, 25),
        "VOP2_SDWA" => (0xf9, 25),
        "VOP2_DPP" => (0xfa, 25),
        "VOPC" => (0x7c00_0000, 17),
        "VOPC_SDWA" => (0x7c00_00f9, 17),
        "VOPC_DPP" => (0x7c00_00fa, 17),
        "VOP3" => (0xd000_0000, either(17, 16)),
        "VOP3P" => (0xd380_0000, 16),
        "VINTRP" => (either(0xc800_0000, 0xd400_0000), 16),
        "DS" => (0xd800_0000, either(18, 17)),
        "MUBUF" => (0xe000_0000, 18),
        "MTBUF" => (0xe800_0000, either(16, 15)),
        "MIMG" => (0xf000_0100, 18),
        "FLAT" => (0xdc00_0000, 18),
        "SCRATCH" => (0xdc00_4000, 18),
        "GLOBAL" => (0xdc00_8000, 18),
        "EXP" => (either(0xf800_0000, 0xc400_0000), 0),
        other => panic!("encoding {other}"),
    };
    base | opcode << shift
}

/// What may stand in the source fields of an encoding: scalar or vector
/// registers, since some instructions take only one sort.
fn sources(encoding: &str) -> Vec<u64> {
    match encoding {
        "VOP1" | "VOP2" | "VOPC" => vec![0, 0x100],
        "VOP3" => (0..8u64)
            .map(|n| (n & 1) << 40 | (n >> 1 & 1) << 49 | (n >> 2) << 58)
            .collect(),
        _ => vec![0],
    }
}

/// The instructions of an opcode, of all its sources that are decoded.
fn instructions(encoding: &str, opcode: u64, chip: Chip) -> Vec<Inst> {
    let word = word(encoding, opcode, chip.generation());
    sources(encoding)
        .into_iter()
        .filter_map(|sources| decode(&(word | sources).to_le_bytes(), chip).ok())
        .collect()
}

fn print(inst: &Inst, dialect: Dialect) -> String {
    let mut text = String::new();
    print_in(inst, dialect, &mut text).expect("a string takes any text");
    text
}

/// The first words of the texts of an opcode.
fn names(encoding: &str, opcode: u64, chip: Chip, dialect: Dialect) -> Vec<String> {
    let texts = instructions(encoding, opcode, chip).into_iter();
    let texts = texts.map(|inst| print(&inst, dialect));
    let mut names: Vec<String> = texts
        .map(|text| text.split(' ').next().unwrap_or_default().to_string())
        .collect();
    names.dedup();
    names
}

/// Holds every row of a list to what the words of its opcode print as.
fn every_row(list: &str, dialect: Dialect, matches: fn(&str, &str) -> bool) {
    let Some(text) = shared(&format!("opcodes/{list}.tsv")) else {
        return;
    };
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let [encoding, opcode, _, listed] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{list}: {line}");
        };
        let opcode = opcode.parse().expect("an opcode");
        for part in listed.split(" | ") {
            // LLVM's tables have no chips: they are those of a generation.
            let (name, chips) = part.split_once(" [").unwrap_or((part, &list[9..]));
            for chip in chips.trim_end_matches(']').split(',') {
                let chip = match chip {
                    "gfx6" => Chip::Gfx600,
                    "gfx7" => Chip::Gfx701,
                    name => self::chip(name),
                };
                rows += 1;
                let found = names(encoding, opcode, chip, dialect);
                let right = matches!(&found[..], [found] if matches(found, name));
                if !right {
                    wrong.push(format!("{chip} {line}: {found:?}"));
                }
            }
        }
    }
    assert!(rows > 1000, "{list}: only {rows} rows");
    assert!(
        wrong.is_empty(),
        "{list}: {} of {rows}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn same(found: &str, listed: &str) -> bool {
    found == listed
}

#[test]
fn every_row_of_llvm() {
    for list in ["llvm19_gfx8", "llvm19_gfx9"] {
        every_row(list, Dialect::Llvm, same);
    }
}

#[test]
fn every_row_of_clrx() {
    let lists = [
        "clrx_gfx6",
        "clrx_gfx7",
        "clrx_gfx8",
        "clrx_gfx9",
        "clrx141_gfx9",
    ];
    for list in lists {
        every_row(list, Dialect::Clrx, same);
    }
}

/// What LLVM's tables add to a name: generations, forms, sorts of addresses and
/// returns, register counts.
const PARTS: [&str; 24] = [
    "gfx6", "gfx7", "gfx10", "si", "ci", "vi", "e32", "e64", "addr64", "offset", "idxen", "offen",
    "bothen", "tfe", "rtn", "imm", "sgpr", "v1", "v2", "v3", "v4", "v5", "v8", "lds",
];

/// Whether one of the records of LLVM's tables is of an instruction.
fn recorded(found: &str, records: &str) -> bool {
    let name = ["_e32", "_e64"].iter().find_map(|s| found.strip_suffix(s));
    let name = name.unwrap_or(found);
    records.to_lowercase().split(',').any(|record| {
        let rest = record.strip_prefix(name).filter(|r| r.starts_with('_'));
        rest.is_some_and(|r| r[1..].split('_').all(|part| PARTS.contains(&part)))
    })
}

#[test]
fn every_row_of_llvms_tables() {
    for list in ["tblgen19_gfx6", "tblgen19_gfx7"] {
        every_row(list, Dialect::Llvm, recorded);
    }
}

/// The (encoding, opcode) of a list.
fn keys(list: &str) -> Option<HashSet<(String, u64)>> {
    let text = shared(&format!("opcodes/{list}.tsv"))?;
    let key = |line: &str| {
        let mut columns = line.split('\t');
        let encoding = columns.next().expect("an encoding").to_string();
        (
            encoding,
            columns
                .next()
                .expect("an opcode")
                .parse()
                .expect("an opcode"),
        )
    };
    Some(text.lines().map(key).collect())
}

/// What CLRX lists and LLVM does not: no text of the llvm dialect assembles to
/// it, that of the clrx dialect does.
#[test]
fn what_clrx_alone_lists_assembles_in_its_dialect_alone() {
    let pairs = [
        ("clrx_gfx8", "llvm19_gfx8", Chip::Gfx803, 357),
        ("clrx_gfx9", "llvm19_gfx9", Chip::Gfx900, 341),
    ];
    for (clrx, llvm, chip, count) in pairs {
        let (Some(clrx), Some(llvm)) = (keys(clrx), keys(llvm)) else {
            return;
        };
        let alone: Vec<_> = clrx.difference(&llvm).collect();
        assert_eq!(alone.len(), count, "{chip}");
        for (encoding, opcode) in alone {
            for inst in instructions(encoding, *opcode, chip) {
                let bytes = encode(&inst).expect("what is decoded encodes");
                for dialect in Dialect::ALL {
                    let text = print(&inst, dialect);
                    let back = parse_in(&text, chip, dialect).ok();
                    let back = back.and_then(|inst| encode(&inst).ok());
                    let same = back.is_some_and(|b| b == bytes);
                    assert_eq!(same, dialect == Dialect::Clrx, "{chip} {dialect}: {text}");
                }
            }
        }
    }
}
