//! The built library: its name, and the functions that it exports.

use std::collections::BTreeSet;
use std::process::Command;

use crate::common::{built, folder, has, output};

/// The functions that the header declares.
fn declared() -> BTreeSet<String> {
    let header = std::fs::read_to_string(folder().join("include/wavetank.h")).expect("a header");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before_parameters = header.split('(').filter_map(|text| {
        let name = text.rsplit(|c| !is_name(c)).next()?;
        let is_declared =
            text.ends_with(&format!(" {name}")) || text.ends_with(&format!("*{name}"));
        (name.starts_with("wavetank_") && is_declared).then(|| name.to_owned())
    });
    before_parameters.collect()
}

/// Nothing else is exported: names of the libraries inside could collide with those of a program.
#[test]
fn the_library_exports_what_the_header_declares() {
    if !cfg!(target_os = "linux") || !has("nm", "exported functions") {
        return;
    }
    let library = built("libwavetank_c.so");
    let symbols = output(
        Command::new("nm")
            .args(["-D", "--defined-only"])
            .arg(library),
    );
    let names = symbols
        .lines()
        .filter_map(|line| line.split(' ').next_back());
    let exported: BTreeSet<String> = names.map(str::to_owned).collect();
    assert_eq!(exported, declared());
}

#[test]
fn the_name_has_the_version_of_the_interface() {
    if !cfg!(target_os = "linux") || !has("readelf", "the name of the library") {
        return;
    }
    let library = built("libwavetank_c.so");
    let dynamic = output(Command::new("readelf").arg("-d").arg(library));
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let name = format!("Library soname: [libwavetank.so.{major}]");
    assert!(dynamic.contains(&name), "{dynamic}");
}
