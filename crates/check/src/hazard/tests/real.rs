//! Tests on compilers' code, which keeps the wait states, on long code, and on random bytes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Chip, Field, Operand};
use wavetank_object::{CodeObject, open_all};

use crate::code::{Graph, Root};
use crate::{Findings, Places, Tool, Tools, check_code};

/// Returns the files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the hazards of a code object, with their places.
fn hazards(object: &CodeObject) -> Vec<String> {
    let mut findings = Findings::default();
    check_code(object, Tools::of(&[Tool::Hazard]), &mut findings);
    if let Some(places) = Places::of(object) {
        places.locate(&mut findings);
    }
    let all = findings.iter();
    all.map(|f| format!("{} {}", f.message, f.at.place))
        .collect()
}

/// Returns all code objects of compilers; none, with a message, if they are absent.
fn compiled(test: &str) -> Vec<(PathBuf, CodeObject)> {
    let root = std::env::var_os("WAVETANK_SHARED").map(PathBuf::from);
    let root =
        root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let folders = ["kernels/co", "kernels/cdna/co"].map(|folder| root.join(folder));
    if let Some(absent) = folders.iter().find(|folder| !folder.is_dir()) {
        let ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(!ci, "{} is absent", absent.display());
        eprintln!("SKIP {test}: {} is absent", absent.display());
        return Vec::new();
    }
    let files = folders.iter().flat_map(|folder| files(folder));
    let all = files.flat_map(|path| {
        let bytes = std::fs::read(&path).expect("a file");
        let all = open_all(&bytes, None).unwrap_or_default();
        all.into_iter().map(move |object| (path.clone(), object))
    });
    let all = all.filter(|(_, object)| Chip::from_name(&object.target().chip).is_some());
    let all: Vec<_> = all.collect();
    assert!(all.len() > 100, "{} code objects", all.len());
    all
}

#[test]
fn compilers_leave_no_hazards() {
    for (path, object) in compiled("compilers_leave_no_hazards") {
        let all = hazards(&object);
        assert!(all.is_empty(), "{}:\n{}", path.display(), all.join("\n"));
    }
}

/// Shortens each `s_nop` of two or more wait states by one, in all kernels and functions; returns the rules found for each.
///
/// An `s_nop` of one wait state has other reasons, too: it separates loads that may be repeated, and pads code.
fn with_shorter_nops(object: &CodeObject) -> Vec<(u64, Vec<&'static str>)> {
    let mut all = Vec::new();
    let graphs = Root::all(object);
    for graph in graphs.iter().filter_map(|root| Graph::of(object, root)) {
        for (n, node) in graph.nodes.iter().enumerate() {
            let Operand::Imm(count @ 1..) = node.inst.operand(Field::Simm16) else {
                continue;
            };
            if node.inst.op == Sopp::S_NOP.into() {
                let mut changed = graph.clone();
                changed.nodes[n].inst = node.inst.with_simm16(count as u16 - 1);
                let mut findings = Findings::default();
                super::super::check(&changed, &mut findings);
                all.push((node.pc, findings.iter().map(|f| f.rule).collect()));
            }
        }
    }
    all
}

/// On gfx908, LLVM can take the passes of a longer matrix instruction that wrote other registers, and inserts more than is needed.
fn may_have_too_many(object: &CodeObject) -> bool {
    object.target().chip == "gfx908"
}

#[test]
fn what_compilers_insert_is_missed() {
    let mut rules = BTreeSet::new();
    let all = compiled("what_compilers_insert_is_missed");
    for (path, object) in &all {
        let nops = with_shorter_nops(object);
        let in_vain = nops.iter().filter(|(_, found)| found.is_empty());
        let in_vain: Vec<u64> = in_vain.map(|(pc, _)| *pc).collect();
        let few = may_have_too_many(object) && 4 * in_vain.len() <= nops.len();
        assert!(
            in_vain.is_empty() || few,
            "{} {in_vain:#x?}",
            path.display()
        );
        rules.extend(nops.into_iter().flat_map(|(_, found)| found));
    }
    let common = [
        "valu-vcc-div-fmas",
        "valu-vgpr-dpp",
        "mfma-result-read",
        "mfma-result-memory",
        "valu-vgpr-mfma",
    ];
    let seen = common.iter().all(|rule| rules.contains(rule));
    assert!(seen || all.is_empty(), "{rules:?}");
}

/// Returns code for a chip.
fn code(words: &[u32], chip: Chip) -> CodeObject {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    CodeObject::of_code(&code, chip.name().parse().expect("a target")).expect("code")
}

/// Returns random words, some of which are instructions of the kinds in the rows.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        // The encodings of VOP1 and VOPC, SOP1 and SOPK, SOPP.
        any::<u32>().prop_map(|word| word & 0x03ff_ffff | 0x7c00_0000),
        any::<u32>().prop_map(|word| word & 0x0fff_ffff | 0xb000_0000),
        (0u32..0x1f, 0u32..16).prop_map(|(op, number)| 0xbf80_0000 | op << 16 | number),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_code_does_not_panic(
        words in proptest::collection::vec(word(), 1..200),
        chip in proptest::sample::select(Chip::GCN.to_vec()),
    ) {
        let mut findings = Findings::default();
        check_code(&code(&words, chip), Tools::of(&[Tool::Hazard]), &mut findings);
        for finding in findings.iter() {
            prop_assert!(finding.at.place.pc < 4 * words.len() as u64);
            prop_assert!(finding.help.is_some());
        }
    }
}
