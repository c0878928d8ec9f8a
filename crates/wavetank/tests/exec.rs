//! The cases under `tests/isa`, and those of the format's description, on every back end.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wavetank::exec::{Engine, parse_file, parse_words};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the cases of a text on both back ends; gives how many there were.
fn check(name: &str, text: &str) -> usize {
    let cases = parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    for case in &cases {
        let run = |engine| {
            case.run(engine)
                .unwrap_or_else(|e| panic!("{name}, {}: {e}", case.name))
        };
        let (run, reference) = (run(Engine::Interpreter), run(Engine::Plain));
        assert!(case.expects(), "{name}, {}: nothing is expected", case.name);
        assert_eq!(
            run.failures(),
            Vec::<String>::new(),
            "{name}, {}",
            case.name
        );
        assert_eq!(
            reference.failures(),
            Vec::<String>::new(),
            "{name}, {}",
            case.name
        );
        assert!(
            run.same_as(&reference),
            "{name}, {}: the back ends disagree",
            case.name
        );
    }
    cases.len()
}

#[test]
fn instructions_do_what_the_documents_say() {
    let mut count = 0;
    for file in std::fs::read_dir(root().join("tests/isa")).unwrap() {
        let path = file.unwrap().path();
        count += check(
            &path.display().to_string(),
            &std::fs::read_to_string(&path).unwrap(),
        );
    }
    assert!(count >= 100, "only {count} cases were found");
}

#[test]
fn the_examples_of_the_format_run() {
    let text = std::fs::read_to_string(root().join("docs/exec-format.md")).unwrap();
    let blocks: Vec<_> = text
        .split("```wt\n")
        .skip(1)
        .filter_map(|b| b.split("```").next())
        .collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        check("docs/exec-format.md", block);
    }
}

#[test]
fn failed_expectations_name_lane_and_values() {
    let cases = parse_file("v1 = 1\n> v_mov_b32 v0, v1\nv0 = 1, 2\n").unwrap();
    let failures = cases[0].run(Engine::Interpreter).unwrap().failures();
    assert_eq!(failures.len(), 1);
    assert!(
        failures[0].contains("line 3") && failures[0].contains("[1] 0x1, expected 0x2"),
        "{failures:?}"
    );
}

#[test]
fn wrong_files_are_told_by_line() {
    let error = |text: &str| parse_file(text).unwrap_err().to_string();
    assert!(error("v1 = 0\n> v_foo v0, v1\n").starts_with("line 2: `v_foo` is no instruction"));
    assert!(error("v999 = 0\n> s_nop 0\n").contains("out of range"));
    assert!(error("v1 = apple\n> s_nop 0\n").contains("`apple` is no value"));
    assert!(error("isa gfx803\n> s_nop 0\n").contains("gfx803 is not emulated yet; gfx900, "));
    assert!(error("lds[-20] = 0\n> s_nop 0\n").contains("LDS offsets are multiples of 4"));
    assert!(error("").contains("no instruction"));
}

#[test]
fn faults_and_endless_loops_are_errors() {
    let run = |text: &str| {
        parse_words("gfx900", text, &[])
            .unwrap()
            .run(Engine::Interpreter)
            .err()
            .unwrap()
    };
    assert!(
        run("global_load_dword v0, v[2:3], off")
            .message
            .contains("outside every buffer")
    );
    assert!(
        run("s_branch 65535")
            .message
            .contains("do not come to an end")
    );
    assert!(
        run("ds_gws_sema_p gds")
            .message
            .starts_with("ds_gws_sema_p gds: it waits for other waves")
    );
    assert!(run("exp mrt0 v0, v0, v0, v0 done").message.contains("exp"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\n]{0,200}") {
        let _ = parse_file(&text);
    }
}
