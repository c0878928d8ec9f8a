//! `launch --fidelity`: the instructions that ran, by how exact they are.

use serde_json::{Value, json};

use crate::common::{Outcome, directory, outcome};

/// The exponential of each number, twice in a loop, and stored where a lane's number is below n. Its sine is for n = 0 alone.
const SOURCE: &str = "powers:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    v_cvt_f32_u32 v1, v0
    s_mov_b32 s7, 2
again:
    v_exp_f32 v2, v1
    s_sub_u32 s7, s7, 1
    s_cmp_lg_u32 s7, 0
    s_cbranch_scc1 again
    s_waitcnt lgkmcnt(0)
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 store
    v_sin_f32 v2, v2
store:
    v_lshlrev_b32 v0, 2, v0
    global_store_dword v0, v2, s[4:5]
    s_endpgm
";

/// Only instructions that are exact.
const EXACT: &str = "one:
    v_mov_b32 v1, 1
    s_endpgm
";

/// Runs a kernel of this source over a work-group.
fn launch(name: &str, source: &str, kernel: &str, words: &str) -> Outcome {
    let folder = directory(name);
    std::fs::write(folder.join("k.s"), source).expect("the folder can be written");
    let wavetank = || std::process::Command::new(env!("CARGO_BIN_EXE_wavetank"));
    let mut asm = wavetank();
    asm.args(["asm", "--kernel", kernel, "-o", "k.co", "k.s"]);
    outcome(asm.current_dir(&folder)).success();
    let mut command = wavetank();
    let words = format!("launch k.co --grid 64 --block 64 --fidelity {words}");
    outcome(command.args(words.split_whitespace()).current_dir(&folder))
}

fn powers(name: &str, words: &str) -> Outcome {
    let words = format!("--arg zero:256 {words}");
    launch(name, SOURCE, "powers(global f32* out, u32 n)", &words)
}

/// An instruction that ran twice in one place counts once, and one that was not reached is not told.
#[test]
fn a_launch_tells_what_is_not_exact() {
    let out = powers("fidelity_text", "--arg u32:1");
    assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{out:?}");
    let lines: Vec<&str> = out.stderr.lines().collect();
    assert_eq!(
        lines[0],
        "fidelity of the code that ran, 14 instructions, each counted once: 12 exact, 1 no effect, 1 within ULP"
    );
    assert_eq!(lines[1], "     1 v_exp_f32  within ULP  0.5001 ULP");
    assert!(
        lines[2].starts_with("     1 s_waitcnt  no effect   "),
        "{out:?}"
    );
    assert_eq!(lines.len(), 3, "{out:?}");
    let all = powers("fidelity_all", "--arg u32:0");
    assert!(
        all.stderr
            .contains("     1 v_sin_f32  within ULP  0.5001 ULP\n"),
        "{all:?}"
    );
}

/// What ran is the same for each engine, and in a trace.
#[test]
fn engines_run_the_same_instructions() {
    let told = |words: &str| {
        let out = powers("fidelity_engines", &format!("--arg u32:1 --stats {words}"));
        let stats: Value = serde_json::from_str(&out.stdout).expect("it is JSON");
        stats["fidelity"].clone()
    };
    let interpreted = told("--engine interpreter");
    assert_eq!(
        interpreted["classes"],
        json!({"exact": 12, "no effect": 1, "within ULP": 1})
    );
    assert_eq!(
        interpreted["not_exact"][0],
        json!({"gpu": "gfx900", "name": "v_exp_f32", "fidelity": "within ULP", "places": 1, "reason": "0.5001 ULP"})
    );
    for words in ["--engine jit", "--trace", "--check", "--check=memory"] {
        assert_eq!(told(words), interpreted, "{words}");
    }
}

#[test]
fn a_launch_may_be_exact() {
    let out = launch("fidelity_exact", EXACT, "one()", "");
    assert_eq!(
        out.stderr,
        "fidelity of the code that ran, 2 instructions, each counted once: 2 exact\n"
    );
}

/// A launch that fails tells what it ran until then.
#[test]
fn a_fault_comes_after_what_ran() {
    let source = SOURCE.replace("s[4:5]\n    s_endpgm", "s[6:7]\n    s_endpgm");
    let out = launch(
        "fidelity_fault",
        &source,
        "powers(global f32* out, u32 n)",
        "--arg zero:256 --arg u32:1",
    );
    assert_eq!(out.code, Some(1), "{out:?}");
    assert!(
        out.stderr.contains("\n     1 v_exp_f32  within ULP"),
        "{out:?}"
    );
}
