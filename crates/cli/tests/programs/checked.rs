//! What `wavetank check` does with programs beside finding mistakes in their kernels ([`planted`](super::planted)).

use std::path::Path;
use std::process::Command;

use super::build::Toolchain;
use super::execution::build_library;
use super::run::build;
use crate::common::{Outcome, directory, outcome, wavetank, wavetank_in};

fn check(words: &str) -> Outcome {
    build_library();
    wavetank(&format!("check {words}"))
}

/// Checks that nothing was found, and how it ended.
fn clean(outcome: &Outcome, code: i32, said: &str) {
    let said = format!("checked {said}: no findings\n");
    assert_eq!((outcome.code, &outcome.stderr), (Some(code), &said));
}

/// A program that has no kernels ends as it does by itself.
#[test]
#[ignore = "builds the library first"]
fn a_program_without_kernels_has_no_findings() {
    let none = |name: &str| format!("the kernels of `{name}`, which ran none");
    clean(&check("-- true"), 0, &none("true"));
    clean(&check("-- false"), 1, &none("false"));
    clean(&check("--gpu gfx900,gfx906 -- true"), 0, &none("true"));
    check("--gpu gfx900,voodoo -- true").refused(&["`voodoo` is not a GPU"]);
    check("--kernel k* -- true").refused(&["no kernel", "--kernel", "it ran none"]);
    check("--sarif no/such/folder/s -- true").refused(&["no/such/folder/s"]);
}

/// What another program reads has nothing else in it.
#[test]
#[ignore = "builds the library first"]
fn what_a_program_prints_is_kept_from_what_is_read() {
    build_library();
    for option in ["--json", "--gen-suppressions"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        command.args(["check", option, "--", "sh", "-c", "printf hello"]);
        let out = outcome(&mut command);
        assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{option}");
        assert!(out.stderr.starts_with("hello"), "{option}: {out:?}");
    }
}

/// Nothing was checked, so no report says that all is well.
#[test]
#[ignore = "builds the library first"]
fn a_program_that_does_not_begin_has_no_report() {
    build_library();
    let folder = directory("check_no_program");
    let words = "check --sarif s.sarif --junit j.xml -- no-such-program";
    wavetank_in(&folder, words).refused(&["no-such-program"]);
    assert!(!folder.join("s.sarif").exists() && !folder.join("j.xml").exists());
}

/// Many programs end so when the kernel that failed is only told of: HIP gives an error, and they call `abort`.
#[test]
#[ignore = "builds the library first"]
fn what_was_checked_is_told_before_a_signal_ends_the_command() {
    build_library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command.args(["check", "--", "sh", "-c", "kill -ABRT $$"]);
    let out = outcome(&mut command);
    assert_eq!(out.code, None, "{out:?}");
    let said = "checked the kernels of `sh -c kill -ABRT $$`, which ran none: no findings\n";
    assert_eq!(out.stderr, said);
}

/// Starts a kernel, and ends.
const BEYOND: &str = r#"
#include <hip/hip_runtime.h>
template <typename T> __global__ void beyond(volatile T *v, int n) {
    for (int i = 0; i < n; i++) v[threadIdx.x] = i;
    v[1024 + threadIdx.x] = n;
}
int main() {
    int *v;
    if (hipMalloc(&v, 4096)) return 9;
    beyond<int><<<1, 64>>>(v, 20000);
    return 0;
}
"#;

/// It is queued when the program ends, which is before it has come to its mistake.
#[test]
#[ignore = "builds a program with a compiler that must be installed"]
fn kernels_are_checked_though_nobody_waits_for_them() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("check_queued");
    let compiler = ["hipcc", "--offload-arch=gfx900", "-g"];
    let program = build(&folder, "beyond.hip", BEYOND, &compiler, &[]);
    let on = |program: &Path, options: &str| check(&format!("{options} -- {}", program.display()));
    for name in ["beyond", "beyond<int>", "_Z6beyondIiEvPVT_i", "b*"] {
        let outcome = on(&program, &format!("--kernel {name}"));
        assert_eq!(outcome.code, Some(1), "{name}: {outcome:?}");
        assert!(
            outcome.stderr.contains("1 finding (memory 1)"),
            "{outcome:?}"
        );
    }
    on(&program, "--kernel above").refused(&["--kernel", "beyond<int>(int volatile*, int)"]);
}

/// `--stats` has the time of the tools that take some for themselves, and says which are part of the code.
#[test]
#[ignore = "builds a program with a compiler that must be installed"]
fn the_time_of_tools_is_told() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("check_times");
    let compiler = ["hipcc", "-O2", "--offload-arch=gfx900"];
    let source = include_str!("../../../../examples/sum.hip");
    let program = build(&folder, "sum.hip", source, &compiler, &[]);
    let on = |options: &str| check(&format!("{options} -- {}", program.display())).stderr;
    let text = on("--stats");
    let told = text.lines().find(|line| line.contains(", tools took "));
    let told = told.unwrap_or_else(|| panic!("{text}"));
    for part in [
        "race ",
        "sync ",
        "reading code (wait, hazard, limits) ",
        "on one thread",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // No tool takes longer than all kernels together.
    let of = |name: &str| -> f64 {
        let rest = told
            .split(name)
            .nth(1)
            .unwrap_or_else(|| panic!("{name}: {told}"));
        let number = rest.split(' ').next().unwrap_or_default();
        number.parse().unwrap_or_else(|_| panic!("{name}: {told}"))
    };
    let parts = of("race ") + of("sync ") + of("limits) ") + of("in the other ");
    assert!((parts - of("of ")).abs() < 0.01, "{told}");
    assert!(
        text.contains("\nthe time of memory and init is within that of the kernels; "),
        "{text}"
    );
    assert!(text.contains(" sum(int const*, int*)\n"), "{text}");
    // The sentence about findings stays the last.
    assert!(text.ends_with(": 1 finding (race 1)\n"), "{text}");
    let text = on("--stats --tools memory");
    assert!(
        !text.contains("tools took") && text.contains("\nthe time of memory is within "),
        "{text}"
    );
    assert!(!on("").contains("tools took"));
}

/// Launches a kernel six times, of which the fourth goes beyond its memory, each after a launch of another kernel.
const FOURTH: &str = r#"
#include <hip/hip_runtime.h>
__global__ void fill(int *p, int n) { p[threadIdx.x + n] = 1; }
__global__ void other(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *p;
    if (hipMalloc(&p, 1024)) return 9;
    for (int i = 0; i < 6; i++) {
        other<<<1, 64>>>(p);
        fill<<<1, 64>>>(p, i == 3 ? 256 : 0);
    }
    return hipDeviceSynchronize();
}
"#;

/// Launches are counted from 1, those of kernels that are not named not at all; variables do the same as the options.
#[test]
#[ignore = "builds a program with a compiler that must be installed"]
fn single_launches_are_checked_and_what_is_known_is_not_shown() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    build_library();
    let folder = directory("check_launches");
    let compiler = ["hipcc", "--offload-arch=gfx900", "-g"];
    let program = build(&folder, "fourth.hip", FOURTH, &compiler, &[]);
    let checked = |variables: &[(&str, &str)], options: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        command.current_dir(&folder).arg("check");
        command.args(options.split_whitespace());
        command.arg("--").arg(&program);
        command.envs(variables.iter().copied());
        outcome(&mut command)
    };
    for (options, code) in [
        ("--launch 8", 1),
        ("--launch 1..7,9..", 0),
        ("--kernel fill --launch 4", 1),
        ("--kernel fill --launch 1..3,5..", 0),
    ] {
        let outcome = checked(&[], options);
        assert_eq!(outcome.code, Some(code), "{options}: {outcome:?}");
    }
    let by_variables = [
        ("WAVETANK_CHECK_KERNEL", "none*;fill"),
        ("WAVETANK_CHECK_LAUNCH", "4"),
    ];
    assert_eq!(checked(&by_variables, "").code, Some(1));
    assert_eq!(checked(&by_variables, "--launch 3").code, Some(0));
    checked(&[], "--launch 13").refused(&["no launch 13", "--launch"]);

    let log = checked(&[], "--sarif known.sarif");
    assert_eq!(log.code, Some(1), "{log:?}");
    let json = checked(&[], "--json");
    std::fs::write(folder.join("known.json"), &json.stdout).expect("a file");
    for known in ["known.sarif", "known.json"] {
        let outcome = checked(&[], &format!("--baseline {known}"));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let said = "1 finding is not new: the baseline has it\n";
        assert!(outcome.stderr.ends_with(said), "{outcome:?}");
    }
    checked(&[], "--baseline fourth.hip").refused(&["fourth.hip", "--sarif"]);
}
