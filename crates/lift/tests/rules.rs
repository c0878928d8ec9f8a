//! What differs between generations: where code may branch on it, and what it
//! changes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{inst, lift, lift_in, lift_on};
use wavetank_gcn::tables::{Mtbuf, Mubuf, Smem, Sop1, Sopp, Vop1, Vop2};
use wavetank_gcn::{Chip, Field, Inst, Operand};
use wavetank_ir::{Block, Dialect, Half, Op as Node, Space, Terminator, WaitCnt};
use wavetank_lift::Modes;

/// The sources below a folder, without the folders of tests.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the crate's own sources") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
}

/// An arm reads a fact by its name: only one file maps generations to facts,
/// so that a new chip is one constant there.
#[test]
fn generations_differ_in_one_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.contains(&root.join("rules.rs")));
    for file in files.iter().filter(|file| !file.ends_with("rules.rs")) {
        let text = fs::read_to_string(file).expect("the crate's own sources");
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        for (n, line) in (1..).zip(code.unwrap_or_default().lines()) {
            let line = line.split("//").next().unwrap_or_default();
            let words = [
                "Generation",
                "generation(",
                "Gfx",
                "inst.chip <",
                "inst.chip >",
            ];
            let found = words.iter().find(|word| line.contains(**word));
            assert_eq!(
                found,
                None,
                "{}:{n}: ask for a fact of `Rules` instead",
                file.display()
            );
        }
    }
}

/// Why a block stops the kernel at its only instruction.
fn refusal(block: &Block) -> Option<&str> {
    match &block.nodes.last()?.op {
        Node::End(Terminator::Unsupported { what }) if !what.starts_with("nothing") => Some(what),
        _ => None,
    }
}

/// Vega ISA, 5.2: the apertures are new in gfx9, 1/(2 pi) in gfx8.
#[test]
fn constants_of_a_generation() {
    for (code, since) in [
        (235, Chip::Gfx900),
        (238, Chip::Gfx900),
        (248, Chip::Gfx801),
        (247, Chip::Gfx600),
    ] {
        for &chip in Chip::GCN {
            let sources = [(Field::Src0, Operand::Inline(code))];
            let scalar = [&sources[..], &[(Field::Sdst, Operand::Sgpr(0))]].concat();
            let vector = [&sources[..], &[(Field::Vdst, Operand::Vgpr(0))]].concat();
            for inst in [
                inst(Sop1::S_MOV_B32, &scalar),
                inst(Vop1::V_MOV_B32, &vector),
            ] {
                let block = lift_on(inst, chip);
                let why = refusal(&block);
                assert_eq!(why.is_none(), chip >= since, "{chip}: {code}: {why:?}");
            }
        }
    }
}

/// LLVM's `FeatureUnpackedD16VMem`: gfx801 to gfx805, of those that have them.
#[test]
fn halves_of_formats() {
    for (chip, packed) in [
        (Chip::Gfx801, false),
        (Chip::Gfx803, false),
        (Chip::Gfx805, false),
        (Chip::Gfx810, true),
        (Chip::Gfx900, true),
    ] {
        let operands = [
            (Field::Vdata, Operand::Vgpr(20)),
            (Field::Vaddr, Operand::Vgpr(30)),
            (Field::Srsrc, Operand::Sgpr(8)),
            (Field::Soffset, Operand::Sgpr(3)),
        ];
        let block = lift_on(inst(Mtbuf::TBUFFER_LOAD_FORMAT_D16_XY, &operands), chip);
        let half = block.nodes.iter().find_map(|n| match &n.op {
            Node::Mem(m) => Some(m.half),
            _ => None,
        });
        let wanted = if packed { Half::Low } else { Half::Each };
        assert_eq!(half, Some(wanted), "{chip}");
    }
}

/// The offset of a scalar load through a descriptor: dwords before gfx8 (CLRX
/// wiki, "GCN ISA SMRD"), 20 bits on gfx9 whatever their sign would be.
#[test]
fn offsets_through_descriptors() {
    for (chip, immediate, bytes) in [
        (Chip::Gfx600, 0xff, 0x3fc),
        (Chip::Gfx701, 0xff, 0x3fc),
        (Chip::Gfx803, 0xf_ffff, 0xf_ffff),
        (Chip::Gfx900, -1, 0xf_ffff),
    ] {
        let operands = [
            (Field::Sdst, Operand::Sgpr(16)),
            (Field::Sbase, Operand::Sgpr(4)),
        ];
        let mut load = inst(Smem::S_BUFFER_LOAD_DWORD, &operands);
        load.mods.offset = immediate;
        let block = lift_on(load, chip);
        let access = block.nodes.iter().find_map(|n| match &n.op {
            Node::Mem(m) => Some(m),
            _ => None,
        });
        let access = access.expect("a load");
        assert!(matches!(access.space, Space::ScalarBuffer { .. }));
        assert_eq!(access.offset, bytes, "{chip}");
    }
    // A literal of gfx7 counts dwords too, and has no sign.
    let mut load = inst(
        Smem::S_BUFFER_LOAD_DWORD,
        &[
            (Field::Sdst, Operand::Sgpr(16)),
            (Field::Sbase, Operand::Sgpr(4)),
            (Field::Soffset, Operand::Literal(0x4000_0000)),
        ],
    );
    load.chip = Chip::Gfx701;
    let offsets = lift(load).nodes.into_iter().filter_map(|n| match n.op {
        Node::Mem(m) => Some(m.offset),
        _ => None,
    });
    assert_eq!(offsets.collect::<Vec<_>>(), [1 << 32]);
}

/// Which accesses count records, by generation: 8.1.5 for gfx9, with the two words of
/// its sentence in their places (docs/reference/errata.md).
#[test]
fn buffers_are_read_as_on_the_chip() {
    for (chip, expected) in [
        (Chip::Gfx600, Dialect::Strided),
        (Chip::Gfx701, Dialect::Strided),
        (Chip::Gfx803, Dialect::Swizzled),
        (Chip::Gfx810, Dialect::Swizzled),
        (Chip::Gfx900, Dialect::Indexed),
        (Chip::Gfx906, Dialect::Indexed),
    ] {
        let operands = [
            (Field::Vdata, Operand::Vgpr(1)),
            (Field::Vaddr, Operand::Vgpr(2)),
            (Field::Srsrc, Operand::Sgpr(4)),
            (Field::Soffset, Operand::Sgpr(3)),
        ];
        let block = lift_on(inst(Mubuf::BUFFER_LOAD_DWORD, &operands), chip);
        let dialects = block.nodes.iter().filter_map(|n| match &n.op {
            Node::Mem(m) => match m.space {
                Space::Buffer { dialect, .. } => Some(dialect),
                _ => None,
            },
            _ => None,
        });
        assert_eq!(dialects.collect::<Vec<_>>(), [expected], "{chip}");
    }
}

/// Bit 23 of MODE is FP16_OVFL on gfx9 only.
#[test]
fn a_bit_of_mode_before_it_had_a_meaning() {
    let half = inst(
        Vop2::V_ADD_F16,
        &[
            (Field::Vdst, Operand::Vgpr(1)),
            (Field::Src0, Operand::Vgpr(2)),
            (Field::Src1, Operand::Vgpr(3)),
        ],
    );
    for chip in [Chip::Gfx801, Chip::Gfx803, Chip::Gfx810] {
        let half = Inst { chip, ..half };
        let block = |mode| lift_in(half, Modes::new(mode, 0)).to_string();
        assert_eq!(block(1 << 23), block(0), "{chip}");
    }
    let block = |mode| lift_in(half, Modes::new(mode, 0)).to_string();
    assert_ne!(block(1 << 23), block(0));
}

/// The counters of S_WAITCNT: the words are those of LLVM's assembler. Before gfx9 VM_CNT has no upper bits, and what stands
/// there says nothing.
#[test]
fn counters_of_waits() {
    let before = [Chip::Gfx600, Chip::Gfx701, Chip::Gfx803, Chip::Gfx810];
    let since = [Chip::Gfx900, Chip::Gfx906];
    let all = [&before[..], &since].concat();
    let of = |vm, exp, lgkm| WaitCnt { vm, exp, lgkm };
    for (chips, word, expected, text) in [
        (
            &all[..],
            0x0173,
            of(Some(3), None, Some(1)),
            "waitcnt vm 3 lgkm 1",
        ),
        (
            &all,
            0x0000,
            of(Some(0), Some(0), Some(0)),
            "waitcnt vm 0 exp 0 lgkm 0",
        ),
        (&before, 0x0f2f, of(None, Some(2), None), "waitcnt exp 2"),
        (&since, 0xcf2f, of(None, Some(2), None), "waitcnt exp 2"),
        (&since, 0x0f7f, of(Some(15), None, None), "waitcnt vm 15"),
        (&since, 0x4f71, of(Some(17), None, None), "waitcnt vm 17"),
        (
            &since,
            0x8e7f,
            of(Some(47), None, Some(14)),
            "waitcnt vm 47 lgkm 14",
        ),
        (&before, 0x0f7f, WaitCnt::default(), "waitcnt"),
        (&before, 0xcf71, of(Some(1), None, None), "waitcnt vm 1"),
        (&since, 0xcf7f, WaitCnt::default(), "waitcnt"),
        // Bits 7, 12 and 13 are reserved.
        (
            &all,
            0x3141,
            of(Some(1), Some(4), Some(1)),
            "waitcnt vm 1 exp 4 lgkm 1",
        ),
    ] {
        let wait = inst(Sopp::S_WAITCNT, &[(Field::Simm16, Operand::Imm(word))]);
        for &chip in chips {
            let block = lift_on(wait, chip);
            let waits = block.nodes.iter().filter_map(|n| match n.op {
                Node::WaitCnt(counters) => Some(counters),
                _ => None,
            });
            assert_eq!(waits.collect::<Vec<_>>(), [expected], "{chip}: {word:#x}");
            let lines = block.to_string();
            let found = lines.lines().any(|line| line.trim() == text);
            assert!(found, "{chip}: `{text}` is not in\n{lines}");
            let none = |_: &str| None;
            let again = wavetank_ir::parse(&lines, &none).expect("what is printed can be read");
            assert_eq!(again.to_string(), lines);
        }
    }
}
