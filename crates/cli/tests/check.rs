//! `wavetank check`, of files that are only read.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{
    LINES, MANDELBROT, Outcome, REDUCE, VECADD, bundle, directory, wavetank, wavetank_from,
    wavetank_in,
};

/// Checks that nothing was found or printed, and that this was said last.
fn clean(outcome: Outcome, said: &str) {
    let expected = (Some(0), "", format!("{said}: no findings\n"));
    let Outcome {
        code,
        stdout,
        stderr,
    } = &outcome;
    assert_eq!((*code, stdout.as_str(), stderr.clone()), expected);
}

fn check(words: &str) -> Outcome {
    wavetank(&format!("check {words}"))
}

#[test]
fn compilers_make_no_mistakes() {
    for (file, checked) in [
        (VECADD, "1 kernel or function for gfx900"),
        (REDUCE, "2 kernels and functions for gfx906"),
        (MANDELBROT, "2 kernels and functions for gfx900"),
    ] {
        clean(check(file), &format!("checked {checked}"));
        clean(
            check(&format!("--static {file}")),
            &format!("checked {checked}"),
        );
    }
    let outcome = wavetank_from(VECADD, "check -");
    clean(outcome, "checked 1 kernel or function for gfx900");
}

#[test]
fn sources_and_object_files_are_checked() {
    let folder = directory("check_source");
    let load = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\nk:\n  s_load_dword s0, s[4:5], 0x0\n  s_add_u32 s1, s0, s0\n  s_endpgm\n";
    let typed = format!("{load}.type k,@function\n.size k, .-k\n");
    fs::write(folder.join("k.s"), &typed).unwrap();
    wavetank_in(&folder, "asm -c k.s -o k.o").success();
    for file in ["k.s", "k.o"] {
        let outcome = wavetank_in(&folder, &format!("check {file}"));
        let parts = [
            "error[wait/read-before-load]: `s_add_u32` reads s0",
            "checked 1 kernel or function for gfx803: 1 finding (wait 1)\n",
        ];
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        let text = outcome.stdout + &outcome.stderr;
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    // Without a type and a size no code is found.
    fs::write(folder.join("k.s"), load).unwrap();
    let outcome = wavetank_in(&folder, "check k.s");
    let said =
        "checked 0 kernels and functions for gfx803: no findings\nwarning: nothing was checked: ";
    assert!(outcome.stderr.starts_with(said), "{outcome:?}");
    fs::write(folder.join("k.s"), "s_nope\n").unwrap();
    let Outcome { code, stderr, .. } = wavetank_in(&folder, "check k.s");
    assert!(code == Some(2) && stderr.contains("`s_nope` is not an instruction"));
    wavetank_in(&folder, "check --gpu voodoo k.s").refused(&["`voodoo`"]);
}

#[test]
fn all_targets_of_a_bundle_are_checked() {
    let folder = directory("check_bundle");
    fs::write(folder.join("k"), bundle()).unwrap();
    let run = |words: &str| wavetank_in(&folder, &format!("check {words}"));
    clean(
        run("k"),
        "checked 3 kernels and functions for gfx900, gfx906",
    );
    clean(
        run("k --gpu vega20"),
        "checked 2 kernels and functions for gfx906",
    );
    run("k --gpu gfx803").refused(&["k: the file holds no code for gfx803; it has gfx900, gfx906"]);
    run("k --gpu voodoo").refused(&["k: `voodoo` is not a target"]);
}

#[test]
fn kernels_are_chosen_by_name() {
    let one = "checked 1 kernel or function for gfx906";
    let chosen = |words: &str| check(&format!("{REDUCE} {words}"));
    clean(chosen("reduce_sum"), one);
    clean(chosen("--kernel *sum"), one);
    clean(chosen("--kernel x --kernel reduce_?um"), one);
    let both = "checked 2 kernels and functions for gfx906";
    clean(chosen("--kernel reduce_*"), both);
    chosen("reduce_summ").refused(&[
        "there is no kernel or function `reduce_summ` here; did you mean `reduce_sum`? There are also",
    ]);
    chosen("--kernel x*")
        .refused(&["no kernel or function is as --kernel says; there are reduce_"]);
    assert_eq!(chosen("reduce_sum --kernel x").code, Some(2));
}

/// A kernel that adds to each number; `WAIT` is what it waits for before that.
const SOURCE: &str = "\
.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"
.text
.globl add
.p2align 8
.type add,@function
add:
s_load_dwordx2 s[0:1], s[4:5], 0x0
v_lshlrev_b32_e32 v0, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v1, v0, s[0:1]
WAIT
v_add_u32_e32 v1, 1, v1
global_store_dword v0, v1, s[0:1]
s_endpgm
.size add, .-add
.rodata
.p2align 6
.amdhsa_kernel add
.amdhsa_next_free_vgpr 2
.amdhsa_next_free_sgpr 6
.amdhsa_user_sgpr_private_segment_buffer 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
";

/// A folder with `add.co`, assembled of that.
fn add(test: &str, wait: &str) -> PathBuf {
    let folder = directory(test);
    fs::write(folder.join("add.s"), SOURCE.replace("WAIT", wait)).unwrap();
    wavetank_in(&folder, "asm add.s -o add.co").success();
    folder
}

#[test]
fn what_waits_is_clean() {
    let folder = add("check_waits", "s_waitcnt vmcnt(0)");
    let said = "checked 1 kernel or function for gfx900";
    clean(wavetank_in(&folder, "check add.co add"), said);
}

/// The load ends after `s_waitcnt vmcnt(0)` alone (Vega ISA, 4.4): without that the addition takes what was in v1 before.
#[test]
fn a_missing_wait_is_found() {
    let folder = add("check_finds", "s_nop 0");
    let run = |words: &str| wavetank_in(&folder, &format!("check {words} add.co"));
    let Outcome {
        code,
        stdout,
        stderr,
    } = run("");
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.starts_with("error[wait/"), "{stdout}");
    // The kernel begins with eight bytes, four, four and eight.
    for part in [
        "\n--> add+0x1c in add.co (gfx900)\n",
        "\n | +0x10  global_load_dword v1, v0, s[0:1]\n |        ----",
        "\n | +0x1c  v_add_u32_e32 v1, 1, v1\n |        ^^^^^^^^^^^^^^^^^^^^^^^ ",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let said = "checked 1 kernel or function for gfx900: 1 finding (wait 1)\n";
    assert_eq!(stderr, said);
    assert_eq!(run("--error-exitcode 7").code, Some(7));
    clean(
        run("--tools limits"),
        "checked 1 kernel or function for gfx900",
    );
    let none = run("--max 0");
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""));
    assert!(
        none.stderr
            .starts_with("1 more finding: --max shows more\n")
    );
}

/// `lines.cl` with `s_nop` (0xbf800000) instead of its wait for the load: lines are shown that lie beside the code.
#[test]
fn lines_of_source_are_shown() {
    let folder = directory("check_lines");
    let data = Path::new(LINES).parent().unwrap();
    for name in ["lines.cl", "lines.h"] {
        fs::copy(data.join(name), folder.join(name)).unwrap();
    }
    let mut object = fs::read(LINES).unwrap();
    let load_and_wait = [0xdc50_8000u32, 0x0102_0000, 0xbf8c_0f70].map(u32::to_le_bytes);
    let load_and_wait = load_and_wait.concat();
    let mut places = object.windows(12).enumerate();
    let place = places.find(|(_, bytes)| *bytes == load_and_wait);
    let wait = place.unwrap().0 + 8;
    object[wait..wait + 4].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
    fs::write(folder.join("lines.hsaco"), object).unwrap();
    let file = folder.join("lines.hsaco");
    let found = check(&format!("--tools wait {} lines", file.display()));
    assert_eq!(found.code, Some(1), "{found:?}");
    for part in [
        "\n  --> lines.h:11:17\n   |\n11 |           value + 1);\n   |                 ^ ",
        "\n  ::: lines.cl:9:22\n   |\n 9 |         sum = square(in[i]);\n   |                      -- ",
        "\n   = note: `put` is inlined into `lines` at lines.cl:10:5\n  --> lines+0x34 in ",
    ] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
}

#[test]
fn what_is_found_is_written() {
    let folder = add("check_writes", "s_nop 0");
    let run = |words: &str| wavetank_in(&folder, &format!("check {words} add.co"));
    let found = run("--json --sarif s.sarif --junit j.xml");
    assert_eq!((found.code, found.stdout.lines().count()), (Some(1), 1));
    let line: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(
        (&line["tool"], &line["kernel"]),
        (&"wait".into(), &"add".into())
    );
    assert_eq!(line["at"]["instruction"], "v_add_u32_e32 v1, 1, v1");
    assert_eq!(line["related"][0]["offset"], 0x10);
    let log = fs::read(folder.join("s.sarif")).unwrap();
    let log: Value = serde_json::from_slice(&log).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "add.co");
    assert_eq!(place["address"]["absoluteAddress"], line["at"]["pc"]);
    let cases = fs::read_to_string(folder.join("j.xml")).unwrap();
    assert!(
        cases.contains("<failure message=") && cases.contains("add+0x1c in add.co"),
        "{cases}"
    );
}

#[test]
fn what_is_known_is_hidden() {
    let folder = add("check_hides", "s_nop 0");
    let run = |words: &str| wavetank_in(&folder, &format!("check {words} add.co"));
    let made = run("--gen-suppressions");
    assert_eq!(made.code, Some(1));
    assert!(made.stdout.starts_with("tool: wait\nrule: "), "{made:?}");
    fs::write(folder.join("known"), made.stdout).unwrap();
    let hidden = run("--suppressions known");
    assert_eq!((hidden.code, hidden.stdout.as_str()), (Some(0), ""));
    let said = "checked 1 kernel or function for gfx900: no findings\n1 finding was suppressed\n";
    assert_eq!(hidden.stderr, said);
    fs::write(folder.join("known"), "tool: wait\nkernel: sub*\n").unwrap();
    assert_eq!(run("--suppressions known").code, Some(1));
}

#[test]
fn programs_are_checked_where_that_is_said() {
    let folder = directory("check_program");
    fs::write(folder.join("a.out"), program(&bundle())).unwrap();
    wavetank_in(&folder, "check a.out").refused(&["a.out: this is a host program", "--static"]);
    let said = "checked 3 kernels and functions for gfx900, gfx906";
    clean(wavetank_in(&folder, "check --static a.out"), said);
}

#[test]
fn other_code_is_left_out() {
    let folder = directory("check_left_out");
    let run = |words: &str| wavetank_in(&folder, words);
    // What such code is made of is not looked at.
    let other = |chip| format!("hipv4-amdgcn-amd-amdhsa--{chip}={}", file!());
    fs::create_dir_all(folder.join("crates/cli/tests")).unwrap();
    fs::write(folder.join(file!()), "code").unwrap();
    run(&format!("bundle -o both {VECADD} {}", other("gfx1030"))).success();
    let outcome = run("check both");
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "left out: the code for gfx1030: GCN and CDNA are executed up to gfx942; gfx950 is assembled and disassembled, RDNA is not supported",
            "checked 1 kernel or function for gfx900: no findings"
        ]
    );
    run(&format!(
        "bundle -o none {} {}",
        other("gfx1030"),
        other("gfx950")
    ))
    .success();
    run("check none").refused(&[
        "none: there is only code for gfx1030, gfx950 here: GCN and CDNA are executed up to gfx942",
    ]);
}

#[test]
fn tools_are_those_that_read_code() {
    let folder = directory("check_tools");
    clean(
        check(&format!("--tools wait,limits {VECADD}")),
        "checked 1 kernel or function for gfx900",
    );
    let outcome = wavetank_in(&folder, "check --tools wait,race absent");
    outcome.refused(&[
        "`race` watches programs that run",
        "by wait, hazard, limits",
    ]);
    clean(
        check(&format!("--tools all {VECADD}")),
        "checked 1 kernel or function for gfx900",
    );
    let outcome = wavetank_in(&folder, "check --tools racecheck absent");
    outcome.refused(&["`race` watches programs that run"]);
    let outcome = check(&format!("--tools wat {VECADD}"));
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome
            .stderr
            .contains("`wat` is not a tool; there are memory, "),
        "{outcome:?}"
    );
}

#[test]
fn suppressions_that_mean_nothing_are_told() {
    let folder = directory("check_suppressions");
    let refused = |text: &str, parts: &[&str]| {
        fs::write(folder.join("known"), text).unwrap();
        let words = format!("check --suppressions known {VECADD}");
        wavetank_in(&folder, &words).refused(parts);
    };
    refused(
        "tool: wait\n\nkernell: *\n",
        &["known: line 3: `kernell` is not a key; there are tool, rule"],
    );
    refused(
        "# x\nwait\n",
        &["known: line 2: `wait` is not of the form `key: pattern`"],
    );
    refused("rule:\n", &["known: line 1: `rule` has no pattern"]);
    let words = format!("check --suppressions absent {VECADD}");
    wavetank_in(&folder, &words).refused(&["cannot read absent"]);
    fs::write(folder.join("known"), "# all\n\ntool: *\n").unwrap();
    let words = format!("check --suppressions known {VECADD}");
    clean(
        wavetank_in(&folder, &words),
        "checked 1 kernel or function for gfx900",
    );
}

#[test]
fn reports_are_written_where_nothing_is_found() {
    let folder = directory("check_reports");
    let said = "checked 2 kernels and functions for gfx906";
    let words = format!("check --json --sarif s.sarif --junit j.xml {REDUCE}");
    for _ in 0..2 {
        clean(wavetank_in(&folder, &words), said);
    }
    let log = fs::read(folder.join("s.sarif")).unwrap();
    let log: Value = serde_json::from_slice(&log).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(0));
    assert_eq!(
        run["tool"]["driver"]["semanticVersion"],
        env!("CARGO_PKG_VERSION")
    );
    let cases = fs::read_to_string(folder.join("j.xml")).unwrap();
    assert_eq!(cases.matches("<testcase ").count(), 4, "{cases}");
    assert!(
        cases.contains("tests=\"4\" skipped=\"0\" failures=\"0\""),
        "{cases}"
    );
    clean(check(&format!("--gen-suppressions {REDUCE}")), said);
    let words = format!("check --sarif no/s.sarif {REDUCE}");
    wavetank_in(&folder, &words).refused(&["cannot write no/s.sarif"]);
}

#[test]
fn files_without_code_are_told() {
    let folder = directory("check_no_code");
    let whole = fs::read(VECADD).unwrap();
    fs::write(folder.join("cut"), &whole[..whole.len() - 100]).unwrap();
    fs::write(folder.join("text"), "hello, world").unwrap();
    fs::write(folder.join("k.cl"), "kernel void f() {}").unwrap();
    let refused =
        |words: &str, part| wavetank_in(&folder, &format!("check {words}")).refused(&[part]);
    refused("cut", "cut: the file is truncated");
    refused(
        "text",
        "text: this is neither an ELF file nor an offload bundle",
    );
    refused("absent", "cannot read absent");
    refused(env!("CARGO_BIN_EXE_wavetank"), "it holds no AMD GPU code");
    wavetank_in(&folder, "check k.cl").failure(2, &["k.cl: this looks like OpenCL source"]);
}

/// An ELF file for x86-64 (62) with a section of bundles, as a linker for HIP leaves it: header, contents, names of sections,
/// and their table (System V ABI, chapter 4).
fn program(bundle: &[u8]) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.hip_fatbin\0.shstrtab\0";
    let page = 4096;
    let names = page + bundle.len();
    let table = (names + NAMES.len()).next_multiple_of(8);
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    for half in [2u16, 62] {
        file.extend(half.to_le_bytes());
    }
    file.extend(1u32.to_le_bytes());
    // Entry, program headers, section headers.
    for place in [0, 0, table as u64] {
        file.extend(place.to_le_bytes());
    }
    file.extend(0u32.to_le_bytes());
    for half in [64u16, 56, 0, 64, 3, 2] {
        file.extend(half.to_le_bytes());
    }
    file.resize(page, 0);
    file.extend(bundle);
    file.extend(NAMES);
    file.resize(table + 64, 0);
    // PROGBITS and ALLOC; STRTAB.
    for (name, kind, flags, at, size) in [
        (1u32, 1u32, 2u64, page, bundle.len()),
        (13, 3, 0, names, NAMES.len()),
    ] {
        file.extend([name, kind].map(u32::to_le_bytes).concat());
        let places = [flags, 0, at as u64, size as u64, 0, page as u64, 0];
        file.extend(places.map(u64::to_le_bytes).concat());
    }
    file
}

#[test]
fn shared_kernels_are_checked() {
    for chip in ["gfx600", "gfx803", "gfx900"] {
        let Some(file) = crate::common::shared(&format!("clang15-cov4/{chip}/vecadd.hsaco")) else {
            return;
        };
        clean(
            check(&file),
            &format!("checked 1 kernel or function for {chip}"),
        );
    }
}

#[test]
fn wrong_words_for_programs_are_told() {
    check("--tools luck -- true").failure(2, &["`luck` is not a tool"]);
    check(&format!("{VECADD} --timeout 3")).failure(2, &["--timeout"]);
}

/// `tests/check` has a program for the rule, whose page names it.
#[test]
fn rules_are_explained() {
    let page = wavetank("check --explain race/read-write").success();
    assert!(page.starts_with("# race/read-write\n"), "{page}");
    assert!(page.contains("tests/check/reduction.hip"), "{page}");
    let list = wavetank("check --explain").success();
    for rule in [
        "memory/out-of-bounds ",
        "wait/read-before-load ",
        "hazard/valu-sgpr-vmem ",
        "float/nan ",
    ] {
        assert!(
            list.lines().any(|line| line.starts_with(rule)),
            "{rule}: {list}"
        );
    }
    // The table of the Vega manual: a VALU instruction writes an SGPR, and vector memory reads it, with five wait states.
    let hazard = wavetank("check --explain hazard/valu-sgpr-vmem").success();
    assert!(hazard.contains("| – | – | 5 | 5 |"), "{hazard}");
    wavetank("check --explain read-write").refused(&["did you mean `race/read-write`?"]);
    wavetank("check --explain race/read-writes").refused(&["did you mean `race/read-write`?"]);
    wavetank("check --explain xyz").refused(&["`wavetank check --explain` lists all"]);
    wavetank("check --explain race/read-write a.co").failure(2, &["cannot be used with"]);
}
