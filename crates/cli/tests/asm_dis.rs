//! `wavetank asm`, `dis` and `isa`: what they print, and what they say of wrong input.

use std::path::Path;

use crate::common::{LINES, VECADD, bundle, directory, outcome, wavetank, wavetank_in};

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), text).expect("the test directory can be written");
}

#[test]
fn encodings_are_those_of_the_manual() {
    let folder = directory("asm-encodings");
    // Vega ISA, 12.3: S_MOV_B32 is SOP1 opcode 0; 12.7: V_ADD_F32 is VOP2 opcode 1.
    write(
        &folder,
        "a.s",
        "s_mov_b32 s1, s2 // a copy\n\nl: v_add_f32 v0, 1.0, v1\n",
    );
    let text = wavetank_in(&folder, "asm --show-encoding a.s").success();
    assert_eq!(
        text,
        "s_mov_b32 s1, s2 ; encoding: [0x02,0x00,0x81,0xbe]\n\
         v_add_f32_e32 v0, 1.0, v1 ; encoding: [0xf2,0x02,0x00,0x02]\n"
    );
    // On the first generation the same opcode is 3 (gcn-sop1-instructions, S_MOV_B32).
    let text = wavetank_in(&folder, "asm --gpu tahiti --show-encoding a.s").success();
    assert!(text.starts_with("s_mov_b32 s1, s2 ; encoding: [0x02,0x03,0x81,0xbe]\n"));
}

#[test]
fn every_wrong_line_is_told() {
    let folder = directory("asm-errors");
    let source = "s_nop 0\n  v_add_f23 v0, v1, v2\ns_branch nowhere\ns_nop 1\n";
    write(&folder, "a.s", source);
    let out = wavetank_in(&folder, "asm a.s");
    assert_eq!(
        (out.code, out.stdout.as_str()),
        (Some(2), "s_nop 0\ns_nop 1\n")
    );
    assert!(out.stderr.starts_with("line 2: "), "{}", out.stderr);
    assert!(
        out.stderr.contains("\n    ^^^^^^^^^\n  help: "),
        "{}",
        out.stderr
    );
    assert!(out.stderr.contains("line 3: there is no label `nowhere`"));
    assert!(
        out.stderr.ends_with("error: 2 errors in a.s\n"),
        "{}",
        out.stderr
    );
    let out = wavetank_in(&folder, "asm --json a.s");
    let json: serde_json::Value = serde_json::from_str(&out.stdout).expect("JSON");
    assert_eq!(
        (&json["errors"][0]["line"], &json["errors"][0]["column"]),
        (&2.into(), &3.into())
    );
    assert_eq!(json["instructions"][1]["text"], "s_nop 1");
    assert!(json.get("stopped").is_none());
}

/// GNU as prints the text of `.print` on stdout, and a warning with file and line on stderr; the source is assembled.
#[test]
fn messages_of_a_source_are_printed() {
    let folder = directory("asm-messages");
    let source = ".print \"for small groups\"\n.ifndef wide\n  .warning \"wide is not set\"\n.endif\ns_nop 1\n\
                  .include \"b.s\"\nl: s_branch l\n";
    write(&folder, "a.s", source);
    write(&folder, "b.s", ".warning\n");
    let warnings = "a.s, line 3: warning: wide is not set\n\
                    \x20   .warning \"wide is not set\"\n\
                    \x20   ^^^^^^^^^^^^^^^^^^^^^^^^^^\n\
                    a.s, b.s, line 1: warning: the source warns here\n\
                    \x20 .warning\n\
                    \x20 ^^^^^^^^\n\
                    \x20 in b.s, which line 6 includes\n";
    for words in ["asm -c a.s -o a.o", "asm --raw a.s -o a.bin"] {
        let out = wavetank_in(&folder, words);
        let got = (out.code, out.stdout.as_str(), out.stderr.as_str());
        assert_eq!(got, (Some(0), "for small groups\n", warnings), "{words}");
    }
    // Without `-o`, stdout is for the instructions.
    let out = wavetank_in(&folder, "asm a.s");
    let stderr = format!("for small groups\n{warnings}");
    let got = (out.code, out.stdout.as_str(), out.stderr.as_str());
    assert_eq!(got, (Some(0), "s_nop 1\ns_branch 65535\n", stderr.as_str()));
    let out = wavetank_in(&folder, "asm --json a.s");
    assert_eq!(out.stderr, stderr);
    let json: serde_json::Value = serde_json::from_str(&out.stdout).expect("JSON");
    let messages = &json["messages"];
    assert_eq!(messages.as_array().map(Vec::len), Some(3));
    assert_eq!(
        messages[0],
        serde_json::json!({"kind": "print", "text": "for small groups"})
    );
    assert_eq!(
        (&messages[1]["kind"], &messages[1]["line"]),
        (&"warning".into(), &3.into())
    );
    assert_eq!(messages[1]["message"], "wide is not set");
    assert_eq!(messages[2]["file"], "b.s");
    // The condition is skipped, and errors do not hide messages.
    write(&folder, "c.s", ".print \"first\"\ns_wrong\n");
    let out = wavetank_in(&folder, "asm -D wide a.s -c -o a.o");
    assert!(!out.stderr.contains("wide"), "{}", out.stderr);
    let out = wavetank_in(&folder, "asm -c c.s -o c.o");
    assert_eq!((out.code, out.stdout.as_str()), (Some(2), "first\n"));
}

#[test]
fn a_hundred_errors_are_enough() {
    let folder = directory("asm-many-errors");
    write(&folder, "a.s", "wrong\n".repeat(300));
    let told = |words: &str| wavetank_in(&folder, words).stderr;
    let text = told("asm a.s");
    assert_eq!(text.matches("line ").count(), 100);
    assert!(text.ends_with(
        "error: stopped at 100 errors, 200 lines were not read (see --max-errors) in a.s\n"
    ));
    assert_eq!(told("asm --max-errors 3 a.s").matches("line ").count(), 3);
    let text = told("asm --max-errors 0 a.s");
    assert!(text.ends_with("error: 300 errors in a.s\n") && text.contains("line 300:"));
    let json = wavetank_in(&folder, "asm --json a.s").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["errors"].as_array().map(Vec::len), Some(100));
    assert_eq!(json["stopped"], true);
}

#[test]
fn what_a_terminal_would_obey_is_shown() {
    let folder = directory("asm-controls");
    write(&folder, "a.s", "s_nop 0 \x1b]0;title\x07\n\x1b[2Jv_add\n");
    let text = wavetank_in(&folder, "asm a.s").stderr;
    assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
    assert!(text.contains("s_nop 0 \\u{1b}]0;title\\u{7}"), "{text}");
    let outcome = wavetank_in(&folder, "asm \x1b[2J.s");
    outcome.refused(&["cannot read \\u{1b}[2J.s"]);
}

/// The values of a million instructions would not fit into the memory that the command is given. The limit counts addresses, of which
/// glibc reserves 64 MiB for each thread that allocates while another one does: with one arena the test does not depend on that.
#[test]
fn json_is_written_as_it_comes() {
    let folder = directory("asm-json-stream");
    write(&folder, "a.s", "s_nop 0\n".repeat(1_000_000));
    let script = "ulimit -v 150000; exec \"$0\" asm --json a.s > a.json";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_wavetank")]);
    command.env("MALLOC_ARENA_MAX", "1");
    outcome(command.current_dir(&folder)).success();
    let json = std::fs::read_to_string(folder.join("a.json")).expect("JSON is text");
    assert_eq!(json.matches("\"s_nop 0\"").count(), 1_000_000);
    assert!(json.ends_with("  ],\n  \"errors\": []\n}\n"));
}

#[test]
fn sources_of_other_systems_are_read() {
    let folder = directory("asm-marks");
    write(&folder, "a.s", "\u{feff}s_nop 0\rs_nop 1\r\ns_nop 2\r");
    let text = wavetank_in(&folder, "asm a.s").success();
    assert_eq!(text, "s_nop 0\ns_nop 1\ns_nop 2\n");
}

#[test]
fn words_go_to_a_file_and_back() {
    let folder = directory("asm-words");
    write(
        &folder,
        "a.s",
        "loop:\ns_sub_u32 s0, s0, 1\ns_cbranch_scc1 loop\n",
    );
    wavetank_in(&folder, "asm --raw a.s -o a.bin").success();
    let text = wavetank_in(&folder, "dis --raw a.bin").success();
    let lines: Vec<&str> = text
        .lines()
        .map(|l| l.split(" //").next().unwrap().trim())
        .collect();
    assert_eq!(lines, ["L0:", "s_sub_u32 s0, s0, 1", "s_cbranch_scc1 L0"]);
    // Values that come later, and data among the instructions.
    write(
        &folder,
        "c.s",
        "s_movk_i32 s0, x\n.long 5\ns_nop 1\nx = 7\n",
    );
    wavetank_in(&folder, "asm --raw c.s -o c.bin").success();
    let words = std::fs::read(folder.join("c.bin")).expect("a file");
    assert_eq!(words, [7, 0, 0, 0xb0, 5, 0, 0, 0, 1, 0, 0x80, 0xbf]);
    let text = wavetank_in(&folder, "asm --show-encoding c.s").success();
    assert!(text.starts_with("s_movk_i32 s0, x ; encoding: [0x07,0x00,0x00,0xb0]\n"));
    let json = wavetank_in(&folder, "asm --json c.s").success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["instructions"][0]["bytes"][0], 7);
    // Nothing is written where a line is wrong.
    write(&folder, "b.s", "s_nop\n");
    let out = wavetank_in(&folder, "asm --raw b.s -o b.bin");
    assert_eq!(out.code, Some(2));
    assert!(!folder.join("b.bin").exists());
}

#[test]
fn lines_of_hexadecimal_become_lines_of_text() {
    let folder = directory("dis-hex");
    write(&folder, "a.hex", "020081be\nff ff ff ff\n\nf2020002\n");
    let text = wavetank_in(&folder, "dis --hex a.hex").success();
    assert_eq!(
        text,
        "s_mov_b32 s1, s2\n!reject\n\nv_add_f32_e32 v0, 1.0, v1\n"
    );
    write(&folder, "b.hex", "0200\n020081b\nzz\n");
    let out = wavetank_in(&folder, "dis --hex b.hex");
    assert_eq!((out.code, out.stdout.as_str()), (Some(2), "!reject\n"));
    assert!(out.stderr.starts_with("line 2: ") && out.stderr.contains("\nline 3: `z`"));
}

#[test]
fn code_objects_show_their_symbols() {
    let text = wavetank(&format!("dis {VECADD}")).success();
    assert!(
        text.contains(": gfx900\n\nvecadd:\n\ts_load_dword"),
        "{text}"
    );
    let folder = directory("dis-bundle");
    write(&folder, "a.out", bundle());
    let both = wavetank_in(&folder, "dis a.out").success();
    assert!(both.contains("a.out: gfx900") && both.contains("a.out: gfx906"));
    let one = wavetank_in(&folder, "dis --gpu gfx906 a.out").success();
    assert!(!one.contains("a.out: gfx900") && one.contains("reduce_sum:"));
}

#[test]
fn lines_of_source_are_shown() {
    let text = wavetank(&format!("dis --lines {LINES}")).success();
    let store = "\t// lines.h:6:9 in `store`, inlined at lines.h:10:5 in `put`, inlined at lines.cl:10:5\n\tglobal_store";
    assert!(text.contains(store), "{text}");
    wavetank(&format!("dis --lines {VECADD}")).refused(&["gfx900", "no lines of source", "`-g`"]);
}

#[test]
fn the_table_is_shown() {
    let text = wavetank("isa --format SOP1 s_mov_b32").success();
    let words: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(
        words[..6],
        ["SOP1", "0x03", "0x03", "0x00", "0x00", "s_mov_b32"]
    );
    let json: serde_json::Value =
        serde_json::from_str(&wavetank("isa --json --gpu gfx803 v_add_u").success()).expect("JSON");
    assert_eq!(json[0]["names"]["gfx8"], "v_add_u32");
    assert_eq!(json[0]["names"]["gfx9"], "v_add_co_u32");
}

/// GLOBAL and SCRATCH are gfx9's, have names of their own, and cases of their own.
#[test]
fn segments_of_flat_are_listed_by_their_names() {
    let rows = |words: &str| -> Vec<Vec<String>> {
        let text = wavetank(words).success();
        let row = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        text.lines().skip(1).map(row).collect()
    };
    // The manual lists 14 loads, 8 stores and 26 atomics of GLOBAL, and the loads and stores of SCRATCH (Vega ISA, 13.6.2, 13.6.3).
    for (format, count) in [("GLOBAL", 48), ("SCRATCH", 22)] {
        let prefix = format!("{}_", format.to_lowercase());
        let rows = rows(&format!("isa --gpu gfx900 --format {format}"));
        assert_eq!(rows.len(), count, "{format}");
        for row in rows {
            assert_eq!(row[..4], [format, "–", "–", "–"]);
            assert!(row[5].starts_with(&prefix), "{row:?}");
        }
    }
    let found = rows("isa global_load_dwordx2");
    assert_eq!(found.len(), 1);
    let operands = found[0][6..].join(" ");
    assert_eq!(
        operands,
        "vdst:b64, vaddr:b64|b32-with-saddr, saddr:b64|off"
    );
    assert_eq!(
        rows("isa flat_load_dwordx2")[0][6..].join(" "),
        "vdst:b64, vaddr:b64"
    );
    let cdna = rows("isa global_atomic_add_f64");
    assert!(
        cdna[0].join(" ").ends_with(" gfx90a gfx942 gfx950"),
        "{cdna:?}"
    );
    wavetank("isa --gpu gfx803 --format GLOBAL").refused(&["no such instruction"]);
    let json: serde_json::Value = serde_json::from_str(
        &wavetank("isa --coverage --json --format GLOBAL load_dwordx2").success(),
    )
    .expect("JSON");
    let one = &json["instructions"][0];
    assert_eq!(
        (&one["name"], &one["format"]),
        (&"global_load_dwordx2".into(), &"GLOBAL".into())
    );
    assert_eq!(one["shown_by"], "tests/isa/flat/global.wt");
}

#[test]
fn coverage_says_what_is_executed() {
    let json: serde_json::Value =
        serde_json::from_str(&wavetank("isa --coverage --json").success()).expect("JSON");
    let find = |name: &str| {
        let all = json["instructions"].as_array().expect("a list");
        all.iter()
            .find(|i| i["name"] == name)
            .expect("it exists")
            .clone()
    };
    assert_eq!(find("s_add_u32")["fidelity"], "exact");
    assert_eq!(find("s_add_u32")["shown_by"], "tests/isa/sop/scalar.wt");
    assert_eq!(find("v_sin_f32")["shown_by"], serde_json::Value::Null);
    assert_eq!(find("s_icache_inv")["fidelity"], "approximate");
    assert_eq!(find("v_sin_f32")["fidelity"], "within ULP");
    assert_eq!(find("s_setprio")["fidelity"], "no effect");
    assert!(find("s_add_u32")["tests"].as_u64() > Some(0));
    // What claims to be exact names a file or a test, and what does not, does not.
    for entry in json["instructions"].as_array().expect("a list") {
        let place = entry["shown_by"].as_str().unwrap_or_default();
        let named = place.ends_with(".wt") || place.contains("::");
        assert_eq!(entry["fidelity"] == "exact", named, "{entry}");
    }
    let explained = wavetank("explain s_add_u32").success();
    assert!(
        explained.contains("exact: shown by tests/isa/sop/scalar.wt"),
        "{explained}"
    );
    let count = |text: String| text.matches(" yes ").count();
    let old = wavetank("isa --coverage --gpu tahiti --format SOP1").success();
    assert!(old.contains("tahiti") || old.contains("gfx600"), "{old}");
    let new = wavetank("isa --coverage --format SOP1").success();
    assert!(count(new) > 40);
}

#[test]
fn wrong_calls_are_one_sentence() {
    wavetank("isa --format SOP9").refused(&["`SOP9` is not a format"]);
    wavetank("isa no_such_thing").refused(&["no such instruction"]);
    wavetank("asm absent.s").refused(&["cannot read absent.s"]);
    wavetank("asm --isa visa absent.s").refused(&["cannot read absent.s"]);
    wavetank("dis --gpu gfx1030 absent").refused(&["gfx1030 is a chip of RDNA"]);
    wavetank("dis --gpu gfx900 --isa gfx906 absent").refused(&["--gpu says gfx900"]);
    wavetank(&format!("dis --gpu gfx803 {VECADD}")).refused(&["gfx803"]);
    let folder = directory("asm-binary");
    write(&folder, "a.s", b"s_nop 0\n\xff\n");
    let told = wavetank_in(&folder, "asm a.s -o a.co");
    assert_eq!(told.code, Some(2));
    assert!(told.stderr.starts_with("line 2: "), "{told:?}");
    assert!(told.stderr.contains("\n  \\xff\n"), "{told:?}");
    wavetank_in(&folder, "dis a.s").refused(&["a.s: "]);
}
