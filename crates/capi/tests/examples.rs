//! The examples: built with warnings as errors, as C99 and C++, linked with both libraries, and run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{built, folder, has, output};

/// What the static library needs of the system: `rustc --print native-static-libs`.
const SYSTEM: [&str; 5] = ["-lgcc_s", "-lm", "-lpthread", "-ldl", "-lc"];

/// A way to link.
#[derive(Clone, Copy, Debug)]
enum Linked {
    Shared,
    Static,
}

/// A folder for what a test makes, with the libraries by the names that they are installed by.
fn workshop(test: &str) -> PathBuf {
    let folder = built(&format!("capi-{test}"));
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let names = [
        ("libwavetank_c.so", "libwavetank.so".to_owned()),
        ("libwavetank_c.so", format!("libwavetank.so.{major}")),
        ("libwavetank_c.a", "libwavetank.a".to_owned()),
    ];
    for (from, to) in names {
        let to = folder.join(to);
        let _ = std::fs::remove_file(&to);
        std::fs::hard_link(built(from), &to).expect("the library is built");
    }
    folder
}

/// Builds an example, and returns the program.
fn program(example: &Path, compiler: &[&str], linked: Linked, folder: &Path) -> PathBuf {
    let name = example.file_stem().expect("a name");
    let program = folder.join(name).with_extension(compiler[0]);
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]);
    command.args(["-pedantic", "-Wall", "-Wextra", "-Werror", "-I"]);
    command.arg(self::folder().join("include")).arg(example);
    // A file after the language of C++ would be a source, too.
    command.args(["-x", "none"]);
    match linked {
        Linked::Shared => command.arg(folder.join("libwavetank.so")),
        Linked::Static => command.arg(folder.join("libwavetank.a")).args(SYSTEM),
    };
    output(command.arg("-o").arg(&program));
    program
}

/// Runs a program with the library of a folder, and returns its exit code and what it prints.
fn run(command: &mut Command, folder: &Path) -> (Option<i32>, String) {
    let done = command.env("LD_LIBRARY_PATH", folder).output();
    let done = done.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    (done.status.code(), text.into_owned())
}

/// Builds an example in several ways, and hands each program on.
fn each_way(name: &str, see: impl Fn(&Path, &Path)) {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = workshop(name);
    let example = self::folder().join(format!("examples/{name}.c"));
    let ways: [(&[&str], Linked); 3] = [
        (&["gcc", "-std=c99"], Linked::Shared),
        (&["gcc", "-std=c99"], Linked::Static),
        (&["g++", "-std=c++11", "-x", "c++"], Linked::Shared),
    ];
    for (compiler, linked) in ways {
        if has(compiler[0], &format!("examples/{name}.c")) {
            see(&program(&example, compiler, linked, &folder), &folder);
        }
    }
}

#[test]
fn saxpy_is_as_in_c() {
    each_way("saxpy", |program, folder| {
        let (code, text) = run(&mut Command::new(program), folder);
        assert_eq!(code, Some(0), "{text}");
        // 16 waves of 14 instructions, or of 15 with the branch: the last one has all.
        assert_eq!(
            text,
            "0 of 1000 elements are wrong; 16 waves, 224 instructions\n"
        );
    });
}

#[test]
fn a_file_is_disassembled() {
    let code = folder().join("../object/tests/data/vecadd-gfx900.hsaco");
    each_way("disassemble", |program, folder| {
        let (status, text) = run(Command::new(program).arg(&code), folder);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("\nvecadd:\n"), "{text}");
        assert!(
            text.trim_end()
                .lines()
                .any(|line| line.ends_with("s_endpgm")),
            "{text}"
        );
        let (status, text) = run(Command::new(program).arg(&code).arg("gfx803"), folder);
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains("gfx803"), "{text}");
    });
}

#[test]
fn a_wave_is_traced() {
    each_way("trace", |program, folder| {
        let (code, text) = run(&mut Command::new(program), folder);
        assert_eq!(code, Some(0), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        // One instruction, three rounds of four, and the end.
        assert_eq!(lines.len(), 14, "{text}");
        assert!(
            lines[9].starts_with("0x0004  v_add_u32_e32 v1, v1, v0"),
            "{text}"
        );
        assert!(lines[9].ends_with("  v1=0,3,6..189"), "{text}");
        assert!(lines[10].ends_with("  s0=0"), "{text}");
    });
}

#[test]
fn a_race_is_found() {
    each_way("check", |program, folder| {
        let (code, text) = run(&mut Command::new(program), folder);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("race/"), "{text}");
        assert!(text.contains("s_barrier"), "{text}");
    });
}

/// The interface serves languages that know no header.
#[test]
fn lua_runs_a_kernel() {
    if !cfg!(target_os = "linux") || !has("luajit", "examples/saxpy.lua") {
        return;
    }
    let folder = workshop("lua");
    let mut command = Command::new("luajit");
    command.arg(self::folder().join("examples/saxpy.lua"));
    let (code, text) = run(command.arg(folder.join("libwavetank.so")), &folder);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.starts_with("0 of 256 elements are wrong; 4 waves\n"),
        "{text}"
    );
    assert!(text.contains("there is no kernel `sax` here"), "{text}");
}

/// A child of a fork makes objects of its own. In C, since this process has many threads.
#[test]
fn handles_of_the_parent_are_errors_after_a_fork() {
    if !cfg!(target_os = "linux") || !has("gcc", "tests/programs/fork.c") {
        return;
    }
    let folder = workshop("fork");
    let source = self::folder().join("tests/programs/fork.c");
    let program = program(&source, &["gcc", "-std=gnu99"], Linked::Shared, &folder);
    let (code, text) = run(&mut Command::new(program), &folder);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(
        text,
        "`device` was made before a fork: make one in each process\n"
    );
}
