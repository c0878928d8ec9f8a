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
    assert_eq!(json[0]["text"], "global_load_dword");
    assert_eq!(json[0]["sentence"], "Loads 4 bytes from global memory.");
    assert_eq!(json[0]["operands"][1]["name"], "ADDR");
    assert_eq!(json[0]["forms"], serde_json::json!(["GLOBAL"]));
}

/// FLAT raises both counters, since its address may be in LDS; GLOBAL and SCRATCH raise one (Vega ISA, 9 "Flat memory").
#[test]
fn segments_have_their_own_page() {
    let facts = |args: &[&str]| -> serde_json::Value {
        let out = explain(&[&["--json"], args].concat());
        let all: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
        all[0].clone()
    };
    for (name, instruction, counters) in [
        (
            "flat_load_dword",
            "flat_load_dword v0, v[1:2]",
            &["VM_CNT", "LGKM_CNT"][..],
        ),
        (
            "global_load_dword",
            "global_load_dword v0, v1, s[2:3]",
            &["VM_CNT"],
        ),
        (
            "scratch_load_dword",
            "scratch_load_dword v0, v1, off",
            &["VM_CNT"],
        ),
    ] {
        let (page, taken_apart) = (facts(&[name]), facts(&[instruction]));
        for facts in [&page, &taken_apart] {
            assert_eq!(facts["counters"], serde_json::json!(counters), "{name}");
        }
        assert_eq!(page["sentence"], taken_apart["sentence"]);
        let related = page["related"].as_array().expect("a list");
        let siblings = ["flat_load_dword", "global_load_dword", "scratch_load_dword"];
        for other in siblings.iter().filter(|other| **other != name) {
            assert!(
                related.contains(&serde_json::json!(other)),
                "{name}: {related:?}"
            );
        }
    }
    let flat = text(&["flat_load_dword"]);
    assert!(
        !flat.contains("SADDR") && flat.contains("counters     VM_CNT, LGKM_CNT\n"),
        "{flat}"
    );
    let global = text(&["global_load_dword v0, v1, s[2:3]"]);
    assert!(
        global.contains("ADDR     vaddr    v1           b32\n"),
        "{global}"
    );
    assert!(
        global.contains("SADDR    saddr    s[2:3]       b64\n"),
        "{global}"
    );
    assert!(
        global.contains("opcodes      gfx9 global_load_dword 0x14\n"),
        "{global}"
    );
    let cases: String = global.split("cases ").skip(1).collect();
    assert!(
        cases.contains("tests/isa/flat/global.wt") && !cases.contains("flat/flat.wt"),
        "{global}"
    );
}

/// Vega ISA, 12.10 V_PERM_B32: selectors from 8 on are signs and constants. 4.5: v_readlane after a VALU write of its lane.
#[test]
fn black_boxes_modifiers_and_hazards_are_told() {
    let perm = text(&["v_perm_b32"]);
    assert!(
        perm.contains("\n          s from 0 to 3: byte s of b\n"),
        "{perm}"
    );
    let mix = text(&["v_mad_mix_f32"]);
    let mix = mix.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(mix.contains("op_sel_hi[n] == 0: all 32 bits"), "{mix}");
    assert!(
        mix.contains("op_sel_hi:[…]: a bit for each source: it is a half-precision"),
        "{mix}"
    );
    let lane = text(&["v_readlane_b32"]);
    let lane = lane.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        lane.contains("active or not: EXEC does not count"),
        "{lane}"
    );
    assert!(
        lane.contains("as the second of two:") && lane.contains("valu-sgpr-lane 4"),
        "{lane}"
    );
    let swizzle = text(&["ds_swizzle_b32"]);
    let swizzle = swizzle.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        swizzle.contains("source = ((LANE & OFFSET[4:0]) | OFFSET[9:5]) ^ OFFSET[14:10]"),
        "{swizzle}"
    );
    assert!(
        swizzle.contains("counters LGKM_CNT, EXP_CNT with gds"),
        "{swizzle}"
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
