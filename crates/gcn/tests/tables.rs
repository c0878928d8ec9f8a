//! The instruction table against the opcode lists.

use std::collections::HashMap;

use crate::common::shared;
use wavetank_gcn::{Chip, Form, Op};

/// Every (space, opcode) an instruction occupies on a chip. VOP3 and VOP2 hold
/// home opcodes and those of promoted and short forms alike.
fn places(op: Op, chip: Chip) -> Vec<(Form, u16)> {
    let mut places = Vec::new();
    let own = op.opcode(chip).map(|opcode| (op.home(), opcode));
    let promoted = op.vop3(chip).map(|opcode| (Form::Vop3, opcode));
    let short = op.vop2(chip).map(|opcode| (Form::Vop2, opcode));
    for place in [own, promoted, short].into_iter().flatten() {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

#[test]
fn no_two_instructions_share_an_opcode_on_a_chip() {
    for chip in Chip::all() {
        let mut taken = HashMap::new();
        for op in Op::all() {
            for place in places(op, chip) {
                // Matrix instructions are words of VOP3P.
                let place = (
                    if place.0 == Form::Mai {
                        Form::Vop3p
                    } else {
                        place.0
                    },
                    place.1,
                );
                if let Some(other) = taken.insert(place, op) {
                    panic!("{chip}: {op:?} and {other:?} are both {place:?}");
                }
            }
        }
    }
}

#[test]
fn a_name_stands_wherever_an_opcode_does() {
    for op in Op::all() {
        let row = op.row();
        for g in 0..4 {
            assert_eq!(
                row.mnemonics[g].is_some(),
                row.opcodes[g].is_some(),
                "{op:?}"
            );
            assert_ne!(row.mnemonics[g], Some(""), "{op:?}");
        }
    }
}

/// The space an encoding column of the lists names, and its table, if any.
fn space(encoding: &str) -> Form {
    match encoding {
        "SOP1" => Form::Sop1,
        "SOP2" => Form::Sop2,
        "SOPK" => Form::Sopk,
        "SOPC" => Form::Sopc,
        "SOPP" => Form::Sopp,
        "SMRD" | "SMEM" => Form::Smem,
        "VOP1" | "VOP1_SDWA" | "VOP1_DPP" => Form::Vop1,
        "VOP2" | "VOP2_SDWA" | "VOP2_DPP" => Form::Vop2,
        "VOPC" | "VOPC_SDWA" | "VOPC_DPP" => Form::Vopc,
        "VOP3" => Form::Vop3,
        "VOP3P" => Form::Vop3p,
        "VOP3PX2" => Form::MaiScaled,
        "VINTRP" => Form::Vintrp,
        "DS" => Form::Ds,
        "MUBUF" => Form::Mubuf,
        "MTBUF" => Form::Mtbuf,
        "MIMG" => Form::Mimg,
        "FLAT" | "GLOBAL" | "SCRATCH" => Form::Flat,
        "EXP" => Form::Exp,
        other => panic!("encoding {other}"),
    }
}

/// The name of the list without form suffix; for GLOBAL and SCRATCH, that of
/// the FLAT row.
fn plain(mnemonic: &str) -> String {
    let mut name = mnemonic;
    for suffix in ["_e32", "_e64", "_sdwa", "_dpp"] {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    for segment in ["global_", "scratch_"] {
        if let Some(rest) = name.strip_prefix(segment) {
            return format!("flat_{rest}");
        }
    }
    name.to_string()
}

/// Checks each line `encoding opcode hex mnemonic [cpus]` of a list.
fn every_listed_opcode_is_present(list: &str) {
    let Some(text) = shared(list) else { return };
    let mut maps: HashMap<Chip, HashMap<(Form, u16), Op>> = HashMap::new();
    let mut rows = 0;
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let form = space(columns[0]);
        let opcode: u16 = columns[1].parse().expect("opcode");
        for part in columns[3].split(" | ") {
            let (mnemonic, cpus) = part.split_once(" [").expect("mnemonic [cpus]");
            for cpu in cpus.trim_end_matches(']').split(',') {
                let chip = Chip::from_name(cpu).expect("cpu");
                let map = maps.entry(chip).or_insert_with(|| {
                    Op::all()
                        .flat_map(|op| places(op, chip).into_iter().map(move |p| (p, op)))
                        .collect()
                });
                let matrices = map
                    .get(&(Form::Mai, opcode))
                    .filter(|_| form == Form::Vop3p);
                let op = *matrices
                    .or_else(|| map.get(&(form, opcode)))
                    .unwrap_or_else(|| panic!("{list}: no row for {line} on {chip}"));
                let name = op.row().name(chip);
                let listed = plain(mnemonic);
                assert_eq!(name, Some(listed.as_str()), "{list}: {line} on {chip}");
                match columns[0].split_once('_') {
                    Some((_, "SDWA")) => assert!(op.sdwa(chip), "{line}"),
                    Some((_, "DPP")) => assert!(op.dpp(chip), "{line}"),
                    _ => {}
                }
                rows += 1;
            }
        }
    }
    assert!(rows > 1000, "{list}: only {rows} rows");
}

#[test]
fn every_opcode_of_gfx9_is_present() {
    every_listed_opcode_is_present("opcodes/llvm19_gfx9.tsv");
}

#[test]
fn every_opcode_of_cdna_is_present() {
    every_listed_opcode_is_present("opcodes/cdna-opcodes.txt");
}

#[test]
fn every_opcode_of_gfx8_is_present() {
    every_listed_opcode_is_present("opcodes/llvm19_gfx8.tsv");
}

/// Counts of SDWA and DPP forms in the lists: nothing beyond them claims one.
#[test]
fn no_form_beyond_the_lists() {
    for (list, chip) in [
        ("opcodes/llvm19_gfx9.tsv", Chip::Gfx906),
        ("opcodes/llvm19_gfx8.tsv", Chip::Gfx803),
        ("opcodes/cdna-opcodes.txt", Chip::Gfx908),
        ("opcodes/cdna-opcodes.txt", Chip::Gfx90a),
        ("opcodes/cdna-opcodes.txt", Chip::Gfx942),
        ("opcodes/cdna-opcodes.txt", Chip::Gfx950),
    ] {
        let Some(text) = shared(list) else { return };
        let listed = |suffix: &str| {
            text.lines()
                .filter(|l| l.split('\t').next().is_some_and(|e| e.ends_with(suffix)))
                .filter(|l| l.contains(chip.name()))
                .count()
        };
        let known = |op: &Op| op.row().listed(chip.generation());
        let sdwa = Op::all().filter(known).filter(|op| op.sdwa(chip)).count();
        let dpp = Op::all().filter(known).filter(|op| op.dpp(chip)).count();
        assert_eq!((sdwa, dpp), (listed("_SDWA"), listed("_DPP")), "{list}");
    }
}
