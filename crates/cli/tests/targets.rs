//! Chips with features, as target IDs name them (LLVM's "User Guide for AMDGPU Backend", "Target ID"), in the commands that take a
//! chip.

use std::fs;

use crate::common::{directory, wavetank_in};

#[test]
fn commands_take_targets() {
    let folder = directory("targets");
    fs::write(folder.join("k.s"), "k: s_endpgm\n").unwrap();
    fs::write(folder.join("k.hex"), "00 00 81 bf\n").unwrap();
    wavetank_in(&folder, "asm --gpu gfx90a --kernel k() k.s -o k.co").success();
    for target in ["gfx90a:sramecc+:xnack-", "mi210:xnack-", "gfx90a:sramecc+"] {
        for words in [
            "asm k.s",
            "dis --hex k.hex",
            "exec v_nop",
            "explain v_mov_b32",
            "isa v_mov_b32",
            "agents",
            "rocminfo",
            "run true",
            "info k.co",
            "launch k.co --grid 64 --block 64",
        ] {
            let (command, rest) = words.split_once(' ').unwrap_or((words, ""));
            let words = format!("{command} --gpu {target} {rest}");
            wavetank_in(&folder, words.trim()).success();
        }
    }
    wavetank_in(&folder, "dis --gpu gfx9-4-generic --hex k.hex").success();
    for (words, sentence) in [
        (
            "asm --gpu gfx90a:fast k.s",
            "`gfx90a:fast` is not a target: after gfx90a come features",
        ),
        (
            "asm --gpu gfx803:xnack+ k.s",
            "`gfx803:xnack+` is not a target",
        ),
        (
            "exec --gpu gfx906:xnack v_nop",
            "`gfx906:xnack` is not a target",
        ),
        (
            "launch --gpu gfx90a:xnack+ k.co",
            "`gfx90a:xnack+` is not emulated; gfx90a:sramecc+:xnack- is",
        ),
        (
            "asm --gpu gfx90a:xnack+,gfx90a:xnack+ k.s",
            "--gpu names gfx90a:xnack+ twice",
        ),
        (
            "asm --gpu gfx940 k.s",
            "gfx940 is an early version of gfx942",
        ),
    ] {
        wavetank_in(&folder, words).failure(2, &[sentence]);
    }
}

/// The features are in the header of the object file (the guide, "AMDGPU ELF Header `e_flags`").
#[test]
fn targets_are_those_of_object_files() {
    let folder = directory("targets_of_objects");
    fs::write(folder.join("k.s"), "s_endpgm\n").unwrap();
    for (target, flags) in [
        ("gfx90a", 0x53f),
        ("gfx90a:sramecc+:xnack-", 0xe3f),
        ("gfx942:xnack+", 0x74c),
        ("mi100:sramecc-", 0x930),
    ] {
        wavetank_in(&folder, &format!("asm --gpu {target} -c k.s -o k.o")).success();
        let file = fs::read(folder.join("k.o")).unwrap();
        let found = u32::from_le_bytes([48, 49, 50, 51].map(|at: usize| file[at]));
        assert_eq!(found, flags, "{target}: {found:#x}");
    }
    // A bundle holds one target twice, with other features.
    wavetank_in(
        &folder,
        "asm --gpu gfx90a:xnack+,gfx90a:xnack- k.s -o k.hipfb",
    )
    .success();
    let bundle = fs::read(folder.join("k.hipfb")).unwrap();
    let text = String::from_utf8_lossy(&bundle);
    assert!(text.contains("gfx90a:xnack+") && text.contains("gfx90a:xnack-"));
}
