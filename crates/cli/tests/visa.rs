//! Intel's TYPED_ATOMIC in the commands, and its containers.

use std::path::Path;

use crate::common::{directory, wavetank, wavetank_in};

const ADD: &str = "typed_atomic.add (M1, 8) T6 V32.0 V33.0 %null.0 %null.0 V34.0 %null.0 V35.0";
/// Its bytes, as Intel's reader takes them.
const BYTES: &str = "73 00 03 00 00 06 20 00 00 00 00 00 21 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 22 00 00 00 00 00 \
                     00 00 00 00 00 00 23 00 00 00 00 00";

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), bytes).expect("the test directory can be written");
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |digits| u8::from_str_radix(digits, 16).expect("two digits");
    hex.split_whitespace().map(byte).collect()
}

/// A container of version 4.1: kernel `k` with V32 to V35, eight `ud` each, T6, and an add and a ret.
fn container() -> Vec<u8> {
    let mut body = [
        &6u32.to_le_bytes()[..],
        b"k\0V32\0V33\0V34\0V35\0T6\0",
        &[0; 4],
        &[4, 0, 0, 0],
    ]
    .concat();
    for name in 1..5u8 {
        body.extend([name, 0, 0, 0, 0x50, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    // No addresses, predicates, labels, samplers; T6; no VME; T6 is the input.
    body.extend([0, 0, 0, 0, 0, 0, 0, 1, 5, 0, 0, 0, 1, 0, 0, 0]);
    let inputs = body.len();
    body.extend([1, 0, 0, 0, 2, 6, 0, 0, 0, 32, 0, 4, 0]);
    let entry = body.len() as u32 + 10;
    body.extend(52u32.to_le_bytes());
    body.extend(entry.to_le_bytes());
    body.extend([0, 0]);
    body.extend(bytes(BYTES));
    body.extend([0x34, 0, 0, 0]);
    let start = 8 + 3 + 12 + 5 + 4;
    let mut file = b"CISA\x04\x01\x01\x00\x01\x00k".to_vec();
    for number in [start, body.len(), start + inputs] {
        file.extend((number as u32).to_le_bytes());
    }
    file.extend([0; 5 + 4]);
    assert_eq!(file.len(), start);
    file.extend(body);
    file
}

#[test]
fn text_and_bytes_both_ways() {
    let folder = directory("visa-asm");
    write(
        &folder,
        "a.s",
        "// a comment\nTYPED_ATOMIC.ADD (8) T6 V32 V33 V0 V0 V34 V0 V35\n",
    );
    let text = wavetank_in(&folder, "asm --isa visa --show-encoding a.s").success();
    assert_eq!(text, format!("{ADD} // encoding: {BYTES}\n"));
    wavetank_in(&folder, "asm --isa visa -o a.bin a.s").success();
    assert_eq!(
        std::fs::read(folder.join("a.bin")).expect("a file"),
        bytes(BYTES)
    );
    let listed = wavetank_in(&folder, "dis --isa visa --raw a.bin").success();
    assert_eq!(listed, format!("\t{ADD} // 00000000: {BYTES}\n"));
    // Before 3.4 numbers of variables have 16 bits.
    wavetank_in(&folder, "asm --isa visa:3.3 -o old.bin a.s").success();
    let listed = wavetank_in(&folder, "dis --isa visa:3.3 --raw old.bin").success();
    assert!(
        listed.starts_with(&format!(
            "\t{ADD} // 00000000: 73 00 03 00 00 06 20 00 00 00 21 00"
        )),
        "{listed}"
    );
    write(&folder, "a.hex", format!("{BYTES}\n00\n"));
    let hex = wavetank_in(&folder, "dis --isa visa --hex a.hex").success();
    assert_eq!(hex, format!("{ADD}\n!reject\n"));
}

#[test]
fn wrong_lines_are_told_with_their_place() {
    let folder = directory("visa-wrong");
    write(
        &folder,
        "a.s",
        ".decl V32 v_type=G type=d num_elts=8\n.decl T6 v_type=T num_elts=1\n\
         typed_atomic.inc (8) T6 V32 V0 V0 V0 V0 V0 V0\ntyped_atomic.ad (8)\n",
    );
    let out = wavetank_in(&folder, "asm --isa visa a.s");
    assert_eq!((out.code, out.stdout.as_str()), (Some(2), ""));
    assert!(
        out.stderr.starts_with(
            "line 3, column 25: U of inc must have type ud, and this variable has d\n"
        ),
        "{}",
        out.stderr
    );
    assert!(
        out.stderr.contains(
            "\n                          ^^^\nline 4, column 14: `ad` is not an operation"
        ),
        "{}",
        out.stderr
    );
    assert!(
        out.stderr.ends_with("error: a.s: 2 errors\n"),
        "{}",
        out.stderr
    );
    let json = wavetank_in(&folder, "asm --isa visa --json a.s").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["errors"][0]["line"], &json["errors"][0]["column"]),
        (&3.into(), &25.into())
    );
    wavetank_in(&folder, "asm --isa visa --dialect clrx a.s").refused(&["leave --dialect out"]);
    wavetank_in(&folder, "asm --isa visa --gpu gfx900 a.s").refused(&["--gpu says gfx900"]);
    wavetank_in(&folder, "asm --into k.isa --at 4 -o b a.s").refused(&["--isa visa"]);
}

#[test]
fn containers_are_shown_listed_and_patched() {
    let folder = directory("visa-container");
    write(&folder, "k.isa", container());
    let info = wavetank_in(&folder, "info k.isa").success();
    for part in [
        "vISA 4.1, 1 routine",
        "kernel k",
        "with 1 TYPED_ATOMICs",
        "T6",
        "surface",
        "4 bytes at 32",
        "V35",
    ] {
        assert!(info.contains(part), "{part}: {info}");
    }
    let json = wavetank_in(&folder, "info --json k.isa").success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["routines"][0]["surfaces"][0]["number"], "T6");
    let listed = wavetank_in(&folder, "dis k.isa").success();
    let at = container().len() - 52;
    assert_eq!(
        listed,
        format!(
            "// k.isa: vISA 4.1\n\n// kernel k\n\t{ADD} // {at:08x}: {BYTES}\n\t// {:08x}: ret (opcode 0x34), 4 bytes\n",
            at + 48
        )
    );
    // A listing is a source.
    write(&folder, "listed.s", &listed);
    assert_eq!(
        wavetank_in(&folder, "asm --isa visa listed.s").success(),
        format!("{ADD}\n")
    );

    let max = "typed_atomic.max (M1, 8) T6 V32.0 %null.0 %null.0 %null.0 V34.0 %null.0 %null.0";
    write(&folder, "max.s", max);
    wavetank_in(
        &folder,
        &format!("asm --isa visa --into k.isa --at {at:#x} -o new.isa max.s"),
    )
    .success();
    let new = std::fs::read(folder.join("new.isa")).expect("a file");
    let old = container();
    assert_eq!((&new[..at], &new[at + 48..]), (&old[..at], &old[at + 48..]));
    assert!(wavetank_in(&folder, "dis new.isa").success().contains(max));

    let refused = |source: &str, at: &str, parts: &[&str]| {
        write(&folder, "b.s", source);
        let out = wavetank_in(
            &folder,
            &format!("asm --isa visa --into k.isa --at {at} -o b.isa b.s"),
        );
        assert_eq!(out.code, Some(2), "{out:?}");
        parts
            .iter()
            .for_each(|part| assert!(out.stderr.contains(part), "{part}: {out:?}"));
        assert!(!folder.join("b.isa").exists());
    };
    let here = at.to_string();
    refused(
        max,
        "0x10",
        &["no TYPED_ATOMIC begins at byte 0x10", &format!("{at:#x}")],
    );
    refused(max, "x", &["--at x: expected a place"]);
    refused("", &here, &["the source has 0"]);
    let other = max.replace("T6", "T9");
    refused(
        &other,
        &here,
        &[
            "T9 is not declared: the kernel declares T6",
            "\n                           ^^\n",
        ],
    );
    write(&folder, "cut.isa", &container()[..100]);
    wavetank_in(&folder, "info cut.isa")
        .refused(&["cut.isa: byte 0xb", "are named, and the file has 0x64"]);
}

#[test]
fn the_page_and_one_instruction() {
    let page = wavetank("explain typed_atomic").success();
    for part in [
        "| 0x73 |",
        "SUATOM",
        "13  predec",
        "2D_array",
        "(!P1) typed_atomic.cmpxchg",
        "73 07 03 01 80 06 20 00",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let told =
        wavetank("explain typed_atomic.cmpxchg (M1, 8) T6 V32 V33 V0 V0 V36 V37 V38").success();
    for part in [
        "Each active channel stores old == src1 ? src0 : old",
        "36–41",
        "V37 from byte 0 on",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(
        wavetank(&format!("explain --isa visa {BYTES}"))
            .success()
            .lines()
            .next(),
        Some(ADD)
    );
    wavetank("explain typed_atomic.ad (8)")
        .failure(2, &["`ad` is not an operation", "\n               ^^"]);
    let table = wavetank("isa --isa visa").success();
    assert!(
        table
            .lines()
            .any(|line| line.starts_with("typed_atomic.minsint")
                && line.contains("TYPED_ATOMIC.IMIN")),
        "{table}"
    );
    let coverage = wavetank("isa --isa visa --coverage").success();
    assert!(
        coverage.contains(" of 19 operations are executed"),
        "{coverage}"
    );
    wavetank("isa --isa visa --format SOP1").refused(&["leave --format out"]);
}
