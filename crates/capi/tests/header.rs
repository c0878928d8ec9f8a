//! The header: made of the sources, and read by compilers of C and C++ without a warning.

use std::process::Command;

use cbindgen::{Builder, Config};

use crate::common::{built, folder, has, output};

/// The files of the interface, in the order of the header.
const FILES: [&str; 14] = [
    "version",
    "status",
    "last_error",
    "device",
    "buffer",
    "module",
    "kernel",
    "hook",
    "launch",
    "findings",
    "assembly",
    "disassembly",
    "explanation",
    "wave",
];

/// Makes the header.
fn made() -> String {
    let config = Config::from_file(folder().join("cbindgen.toml")).expect("settings of cbindgen");
    let mut builder = Builder::new().with_config(config);
    for file in FILES {
        builder = builder.with_src(folder().join(format!("src/{file}.rs")));
    }
    let mut bytes = Vec::new();
    builder
        .generate()
        .expect("C has these types")
        .write(&mut bytes);
    String::from_utf8(bytes).expect("text")
}

/// The exported functions of the sources.
fn functions_of_sources() -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder().join("src")).expect("sources") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("text");
        for (_, after) in text
            .match_indices("extern \"C\" fn ")
            .map(|(at, _)| text.split_at(at))
        {
            let name = after.trim_start_matches("extern \"C\" fn ");
            let end = name.find('(').expect("parameters");
            names.push(name[..end].to_owned());
        }
    }
    names.sort_unstable();
    names
}

#[test]
fn the_header_is_current() {
    let (made, path) = (made(), folder().join("include/wavetank.h"));
    if std::fs::read_to_string(&path).is_ok_and(|header| header == made) {
        return;
    }
    let new = built("wavetank.h");
    std::fs::write(&new, made).expect("the target folder is writable");
    panic!(
        "the sources make another header: cp {} {}",
        new.display(),
        path.display()
    );
}

#[test]
fn the_header_has_every_function() {
    let header = made();
    let functions = functions_of_sources();
    assert!(functions.len() > 60, "{}", functions.len());
    for name in functions {
        let declared = [" ", "*"].map(|before| format!("{before}{name}("));
        let is_there = declared.iter().any(|text| header.contains(text));
        assert!(is_there, "{name}");
    }
}

/// Versions, as numbers in the header, are those of the library.
#[test]
fn the_version_is_that_of_the_crate() {
    let numbers = [
        wavetank_c::WAVETANK_VERSION_MAJOR,
        wavetank_c::WAVETANK_VERSION_MINOR,
        wavetank_c::WAVETANK_VERSION_PATCH,
    ];
    let text = numbers.map(|number| number.to_string()).join(".");
    assert_eq!(text, env!("CARGO_PKG_VERSION"));
}

#[test]
fn compilers_have_no_warning_about_the_header() {
    let strict = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
    for (compiler, standard, language) in [
        ("gcc", "-std=c99", "c"),
        ("gcc", "-std=c17", "c"),
        ("g++", "-std=c++11", "c++"),
        ("g++", "-std=c++20", "c++"),
    ] {
        if !has(compiler, "the header") {
            continue;
        }
        let mut command = Command::new(compiler);
        command.args(strict).arg(standard).args(["-x", language]);
        // As a file that includes it: a header alone is another thing to compilers.
        let program = built(&format!("header-{compiler}{standard}"));
        std::fs::write(
            &program,
            "#include \"wavetank.h\"\n#include \"wavetank.h\"\n",
        )
        .expect("a file");
        let include = folder().join("include");
        output(command.arg(&program).arg("-I").arg(include));
    }
}
