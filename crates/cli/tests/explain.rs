//! `wavetank explain`: by text, by name, by words.

use std::process::{Command, Output};

fn explain(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wavetank"))
        .arg("explain")
        .args(args)
        .output()
        .expect("the command starts")
}

fn text(args: &[&str]) -> String {
    let out = explain(args);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    String::from_utf8(out.stdout).expect("text")
}

#[test]
fn an_instruction_shows_its_operands_and_meaning() {
    // Vega ISA, 12.15.1: V_ADD3_U32 is VOP3 opcode 511: D.u = S0.u + S1.u + S2.u.
    let by_text = text(&["v_add3_u32 v0, v1, s2, v2"]);
    for part in [
        "D1FF0000 04080501",
        "gfx9 v_add3_u32 0x1ff",
        "vdst",
        "S1       src1     s2",
        "| 110100 | op=0x1ff |",
        "EXEC",
    ] {
        assert!(by_text.contains(part), "{part}: {by_text}");
    }
    assert!(
        by_text.contains("Adds three 32-bit integers.\n"),
        "{by_text}"
    );
    assert!(by_text.contains("    v0 = v1 + s2 + v2\n"), "{by_text}");
    assert!(!by_text.contains("add.i32"), "{by_text}");
    let with_ir = text(&["--ir", "v_add3_u32 v0, v1, s2, v2"]);
    assert_eq!(with_ir.matches("add.i32").count(), 2, "{with_ir}");
    assert_eq!(text(&["0xD1FF0000", "04080501"]), by_text);
}

#[test]
fn a_name_shows_the_row_on_a_chip() {
    let old = text(&["--gpu", "tahiti", "s_and_saveexec_b64"]);
    assert!(old.contains("gfx600") && old.contains("SCC, EXEC"));
    assert!(old.contains("EXEC = S0 & EXEC"), "{old}");
    let out = explain(&["--json", "global_load_dword"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(
        json[0]["sentence"],
        "Loads 4 bytes from memory by a flat address."
    );
    assert_eq!(json[0]["operands"][1]["name"], "ADDR");
    assert_eq!(
        json[0]["forms"],
        serde_json::json!(["FLAT", "GLOBAL", "SCRATCH"])
    );
}

/// What is so in one case only stands behind its condition.
#[test]
fn cases_of_pseudo_code_are_indented() {
    let page = text(&["ds_add_src2_u32"]);
    assert!(
        page.contains("\n    if OFFSET[15] == 0:\n      other = 4 bytes of LDS"),
        "{page}"
    );
}

#[test]
fn what_is_no_instruction_is_told() {
    for (args, part) in [
        (&["v_add3_u23 v0, v1, v2, v3"][..], "column 1: "),
        (&["0xffffffff"], "0xffffffff: "),
        (&["--isa", "visa", "s_nop"], "expected `typed_atomic`"),
    ] {
        let out = explain(args);
        assert_eq!(out.status.code(), Some(2), "{out:?}");
        assert!(
            String::from_utf8_lossy(&out.stderr).contains(part),
            "{out:?}"
        );
    }
}
