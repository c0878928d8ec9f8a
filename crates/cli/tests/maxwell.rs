//! NVIDIA's SUATOM in the commands.

use crate::common::{Outcome, directory, wavetank, wavetank_in};

/// Checks that an input was refused with all these parts, on as many lines as it takes.
fn told(outcome: &Outcome, parts: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    for part in parts {
        assert!(
            outcome.stderr.contains(part),
            "{part:?} is missing: {outcome:?}"
        );
    }
}

/// The two examples of the reference text, and the words that nvdisasm reads as them.
const EXAMPLES: &str =
    "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1 &req_6 ?stall2; // Coordinates in R2 and R3.
SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100;
";
const WORDS: [&str; 2] = ["ea7000860047020a", "ea14100010470302"];

#[test]
fn text_words_and_bundles_both_ways() {
    let folder = directory("maxwell");
    std::fs::write(folder.join("a.s"), EXAMPLES).expect("a source");
    let shown = wavetank_in(&folder, "asm --isa maxwell:52 --show-encoding a.s").success();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines,
        [
            "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1 &req_6 ?stall2; // encoding: 0xea7000860047020a",
            "SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100; // encoding: 0xea14100010470302",
        ]
    );
    std::fs::write(
        folder.join("words"),
        format!("{}\n0x{}\n0000000000000000\n", WORDS[0], WORDS[1]),
    )
    .expect("words");
    let text = wavetank_in(&folder, "dis --isa maxwell:52 --hex words").success();
    assert_eq!(
        text,
        "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1;\nSUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100;\n!reject\n"
    );
    wavetank_in(&folder, "asm --isa maxwell:52 a.s -o a.bin").success();
    let bytes = std::fs::read(folder.join("a.bin")).expect("the bundle");
    assert_eq!(bytes.len(), 32);
    let listing = wavetank_in(&folder, "dis --isa maxwell:52 --raw a.bin").success();
    assert_eq!(listing.lines().count(), 3);
    for part in [
        "&req_6 ?stall2;",
        "// 0008: ea7000860047020a",
        "// 0010: ea14",
        ".word 0x50b0000000070f00;",
    ] {
        assert!(listing.contains(part), "{part}: {listing}");
    }
    // The listing is a source of the same bundle.
    std::fs::write(folder.join("b.s"), listing).expect("a source");
    wavetank_in(&folder, "asm --isa maxwell:52 b.s -o b.bin").success();
    assert_eq!(
        std::fs::read(folder.join("b.bin")).expect("the bundle"),
        bytes
    );
}

#[test]
fn wrong_lines_have_their_place() {
    let folder = directory("maxwell-wrong");
    let source = "SUATOM.D.2D.ADD R10, [R3], R4, R1;\nSUATOM.D.1D.ADD.F16x2.RN R0, [R1], R2, R3;\n";
    std::fs::write(folder.join("a.s"), source).expect("a source");
    let wrong = wavetank_in(&folder, "asm --isa maxwell:50 a.s");
    told(
        &wrong,
        &[
            "line 1, column 23: R3 cannot begin the coordinates of 2D",
            "such as R2",
            "line 2, column 17: expected a size",
            "2 errors",
        ],
    );
    assert_eq!(wrong.stdout, "");
    // Nothing is written then.
    told(
        &wavetank_in(&folder, "asm --isa maxwell:50 a.s -o a.bin"),
        &["2 errors"],
    );
    assert!(!folder.join("a.bin").exists());
    let json = wavetank_in(&folder, "asm --isa maxwell:52 --json a.s");
    let report: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let error = &report["errors"][0];
    assert_eq!(
        (error["line"].as_u64(), error["column"].as_u64()),
        (Some(1), Some(23))
    );
    assert_eq!(report["instructions"][0]["word"], "0xea7201c000270100");
    std::fs::write(folder.join("words"), "12\n").expect("words");
    wavetank_in(&folder, "dis --isa maxwell:52 --hex words")
        .refused(&["line 1 is not a word of 16"]);
    wavetank_in(&folder, "dis --isa maxwell:52 a.s").refused(&["not a cubin", "--raw"]);
    wavetank("asm --isa maxwell:52 --dialect clrx absent.s")
        .refused(&["--dialect clrx is a syntax of GCN"]);
    wavetank("asm --isa maxwell:51 absent.s").refused(&["maxwell:51", "maxwell:52"]);
    wavetank("asm --isa maxwell:52 --gpu gfx900 absent.s").refused(&["give one of them"]);
}

#[test]
fn the_reference_page_has_what_decoder_and_assembler_know() {
    let page = wavetank("explain suatom").success();
    for part in [
        "1110101001110",
        "D_REG_SPARSE",
        ".CAS   M == Rb",
        "samplerPtr[31:20] | headerPtr[19:0]",
        "0xea7000860047020a",
        "Intel TYPED_ATOMIC",
        "DATA[0] is written, DATA[1] compared",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let old = wavetank("explain --isa maxwell:50 suatom").success();
    assert!(
        !old.contains("D_REG_SPARSE") && !old.contains("F16x2.RN,"),
        "{old}"
    );
    assert!(
        wavetank("explain typed_atomic")
            .success()
            .contains("NVIDIA SUATOM")
    );
}

#[test]
fn an_instruction_and_its_word_are_explained_alike() {
    let by_word = wavetank("explain --isa maxwell:52 0xead200aa00c70408").success();
    for part in [
        "D_CAS_REG on maxwell:52",
        "R14:R15 if it equals R12:R13",
        "x = R4, y = R5, z = R6",
        "Rd=8",
    ] {
        assert!(by_word.contains(part), "{part}: {by_word}");
    }
    let by_text = wavetank("explain SUATOM.D.3D.CAS.U64 R8, [R4], R12, R1;").success();
    assert_eq!(by_text, by_word);
    // What the assembler refuses is explained, with the rule.
    let broken = wavetank("explain --isa maxwell:52 0xea72009b004702ff").success();
    assert!(
        broken.contains("breaks a rule") && broken.contains("R2 cannot begin the coordinates of"),
        "{broken}"
    );
    told(
        &wavetank("explain SUATOM.D.4D.ADD R0, [R1], R2, R3"),
        &["column 10", "a dimension", "^^"],
    );
}

#[test]
fn operations_are_listed_and_counted() {
    let all = wavetank("isa --isa maxwell:52").success();
    assert!(
        all.contains("SUATOM.D.ADD.F16x2.FTZ.RN") && all.contains("D_REG_SPARSE"),
        "{all}"
    );
    assert!(!wavetank("isa --isa maxwell:50").success().contains("F16x2"));
    let cas = wavetank("isa --isa maxwell:52 --coverage cas").success();
    assert!(
        cas.contains("4 of 4 instructions are executed on maxwell:52: 1 approximate, 3 exact."),
        "{cas}"
    );
    wavetank("isa --isa maxwell:52 --format SOP1")
        .refused(&["`SOP1` is not a form of SUATOM", "D_CAS_IMM"]);
    wavetank("isa --isa maxwell:52 no_such_thing").refused(&["no such instruction"]);
}
