//! `wavetank exec`: words, files, exit codes.

use std::process::{Command, Output};

fn wavetank(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wavetank"))
        .arg("exec")
        .args(args)
        .output()
        .expect("the command starts")
}

/// The commands of the help, as a shell has them.
#[test]
fn the_examples_of_the_help_run() {
    let help = wavetank(&["--help"]);
    let help = String::from_utf8(help.stdout)
        .expect("text")
        .replace("\\\n", " ");
    let lines = help
        .lines()
        .filter_map(|line| line.trim().strip_prefix("wavetank exec "));
    // Words with blanks stand in quotes, and explanations three blanks behind a file.
    let examples: Vec<&str> = lines
        .map(|line| line.split(".wt ").next().unwrap_or(line))
        .collect();
    assert!(examples.len() > 5, "{help}");
    for example in examples {
        let file = if example.starts_with("tests/") {
            ".wt"
        } else {
            ""
        };
        let command = format!("{} exec {example}{file}", env!("CARGO_BIN_EXE_wavetank"));
        let ran = Command::new("sh")
            .args(["-c", &command])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .output()
            .expect("a shell");
        assert!(ran.status.success(), "{command}: {ran:?}");
    }
}

#[test]
fn one_instruction_shows_what_changed() {
    let out = wavetank(&["v_lshl_add_u32 v0, v1, 4, v2", "v1=0..63", "v2=100"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0));
    assert!(text.contains("v0") && text.contains("0x00000074"), "{text}");
}

/// Elements 0 to 3 get 10 more; the others are not shown.
#[test]
fn surfaces_are_declared_and_shown_as_grids() {
    let state = "R2=0..3 exec=0xf R4=10 R1=6 surface T6 2d 4x2 u32 iota";
    let mut args = vec!["--isa", "maxwell:52", "SUATOM.D.2D.ADD R10, [R2], R4, R1"];
    args.extend(state.split(' '));
    let out = wavetank(&args);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let grid = "surface 6: 2d 4x2 u32\n  y\\x   0  1  2  3\n    0  10 11 12 13\n";
    assert!(text.contains("R10") && text.ends_with(grid), "{text}");

    let visa = "typed_atomic.inc (M1, 4) T6 V32.0 %null.0 %null.0 %null.0 %null.0 %null.0 V38.0";
    let state = ["V32=0,0,3,9", "surface T6 1d 4 u32 5"];
    let out = wavetank(&[&["--json", "--isa", "visa", visa], &state[..]].concat());
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let elements = &json[0]["elements"];
    assert_eq!(elements[0]["value"], 7, "{json}");
    assert_eq!(elements[1]["at"][0], 3, "{json}");
    assert_eq!(elements[1]["value"], 6, "{json}");

    // What stops is a failed program, and a wrong surface a wrong use.
    let outside = ["R2=9", "R1=6", "surface T6 1d 4 u32"];
    let out = wavetank(
        &[
            &[
                "--isa",
                "maxwell:50",
                "SUATOM.D.1D.ADD.TRAP R10, [R2], R4, R1",
            ],
            &outside[..],
        ]
        .concat(),
    );
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{error}");
    assert!(
        error.contains("lane 0 is to (9) of surface 6, level 0, which is 1d 4"),
        "{error}"
    );
    let wrong = ["surface T6 1d 4x4 u32"];
    let out = wavetank(
        &[
            &["--isa", "maxwell:52", "SUATOM.D.1D.ADD R10, [R2], R4, R1"],
            &wrong[..],
        ]
        .concat(),
    );
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn json_has_lanes_and_values() {
    let out = wavetank(&["--json", "s_mov_b32 s3, 7"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(json[0]["changes"][0]["name"], "s3");
    assert_eq!(json[0]["changes"][0]["values"][0], 7);
}

#[test]
fn a_file_of_cases_passes_or_fails() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let path = format!("{folder}/case.wt");
    std::fs::write(&path, "case sum\n> s_add_u32 s0, 1, 2\ns0 = 3\n").expect("written");
    assert_eq!(wavetank(&[&path]).status.code(), Some(0));
    std::fs::write(&path, "case sum\n> s_add_u32 s0, 1, 2\ns0 = 4\n").expect("written");
    let out = wavetank(&[&path]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text.contains("FAILED sum") && text.contains("s0: 0x3, expected 0x4"),
        "{text}"
    );
}

#[test]
fn wrong_words_exit_with_2_and_a_caret() {
    let out = wavetank(&["v_add_f32 v0, v1, v256"]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text.contains("v256 is out of range") && text.contains("^^^^"),
        "{text}"
    );
    assert_eq!(wavetank(&["s_nop 0", "x9=1"]).status.code(), Some(2));
    assert_eq!(wavetank(&["absent.wt"]).status.code(), Some(2));
}

#[test]
fn a_fault_exits_with_1() {
    let out = wavetank(&["global_load_dword v0, v[2:3], off"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("outside every buffer"));
}

/// The others still run, and what is expected of the one that faults is looked at.
#[test]
fn a_fault_ends_its_case_only() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let path = format!("{folder}/fault.wt");
    let cases = "case far\n> s_mov_b32 s0, 1\n> global_load_dword v0, v[2:3], off\ns0 = 1\n\
                 case sum\n> s_add_u32 s0, 1, 2\ns0 = 3\n";
    std::fs::write(&path, cases).expect("written");
    let out = wavetank(&[&path]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(
        text.contains("FAILED far\n       line 3: global_load_dword")
            && text.contains("ok     sum"),
        "{text}"
    );
    let expected = cases.replace("s0 = 1\n", "s0 = 1\nfault = memory\n");
    std::fs::write(&path, expected).expect("written");
    let out = wavetank(&["--json", &path]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let fault = json[0]["fault"].as_str().unwrap_or_default();
    assert!(fault.contains("outside every buffer"), "{json}");
    assert!(json[1].get("fault").is_none(), "{json}");
}

#[test]
fn a_buffer_that_is_not_there_is_a_wrong_call() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let path = format!("{folder}/buffer.wt");
    let load = "> global_load_dword v2, v[0:1], off";
    for (state, line) in [
        (format!("v[0:1] = &nosuch\n{load}"), 1),
        (format!("mem a = &b\nmem b = 1\n{load}"), 1),
        (format!("mem a = 1\nv[0:1] = &a\n{load}\ns4 = &nosuch"), 4),
    ] {
        std::fs::write(&path, state).expect("written");
        let out = wavetank(&[&path]);
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{text}");
        assert!(
            text.contains(&format!("line {line}: there is no buffer `")),
            "{text}"
        );
    }
    let out = wavetank(&["global_load_dword v2, v[0:1], off", "v[0:1]=&nosuch"]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn missing_waits_and_wait_states_are_told() {
    let state = ["s[2:3]=&a", "v0=0", "mem a=7"];
    let check = |code: &str| wavetank(&[&["--check", code], &state[..]].concat());
    let clean = check("s_load_dword s0, s[2:3], 0x0; s_waitcnt lgkmcnt(0); s_mov_b32 s4, s0");
    assert_eq!(clean.status.code(), Some(0), "{clean:?}");
    for (code, rule) in [
        (
            "s_load_dword s0, s[2:3], 0x0; s_mov_b32 s4, s0",
            "wait/read-before-load",
        ),
        (
            "v_readfirstlane_b32 s0, v0; v_readlane_b32 s4, v1, s0",
            "hazard/valu-sgpr-lane",
        ),
    ] {
        let wrong = check(code);
        let told = String::from_utf8_lossy(&wrong.stderr);
        assert_eq!(wrong.status.code(), Some(1), "{told}");
        assert!(
            told.contains(rule) && told.contains("a mistake was found"),
            "{told}"
        );
    }
}

/// Accesses and undefined registers are found when it runs; of files registers that nobody sets are meant to be 0.
#[test]
fn what_runs_is_checked() {
    let told = |args: &[&str]| {
        let out = wavetank(args);
        let rules = String::from_utf8_lossy(&out.stderr);
        let rules = rules.lines().filter_map(|line| line.split_once("error["));
        let rules = rules.map(|(_, rule)| rule.split(']').next().unwrap().to_owned());
        (out.status.code(), rules.collect::<Vec<_>>())
    };
    let load = "global_load_dword v2, v[0:1], off offset:4";
    let state = ["v[0:1]=&a", "mem a=7,8"];
    assert_eq!(
        told(&[&["--check", load], &state[..]].concat()),
        (Some(0), vec![])
    );
    let short = [load, "v[0:1]=&a", "mem a=7"];
    let found = (Some(1), vec!["memory/out-of-bounds".to_owned()]);
    assert_eq!(told(&[&["--check"], &short[..]].concat()), found);
    assert_eq!(told(&[&["--check=race"], &short[..]].concat()).1, [""; 0]);
    let out = wavetank(&[&["--check", "--json"], &short[..]].concat());
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json[0]["findings"][0]["rule"], "out-of-bounds");
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("checked.wt");
    std::fs::write(&dir, "> s_cbranch_scc1 1\n> s_mov_b32 s0, 1\ns0 = 1\n").unwrap();
    let file = dir.to_str().unwrap();
    let undefined = (Some(1), vec!["init/branch".to_owned()]);
    assert_eq!(told(&["--check", "s_cbranch_scc1 0"]), undefined);
    assert_eq!(told(&["--check=init", file]), undefined);
    assert_eq!(told(&["--check", file]), (Some(0), vec![]));
}
